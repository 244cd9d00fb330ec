"""Games that the table ended, in words (R49). Other modules tell the rules' own endings."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from games.models import Game
from games.narration.cast import Cast

Names = Sequence[str]


def ending_text(game: Game, names: Names) -> str:
    """Return how the table ended the game and who won by that; empty where it did not."""
    if not game.ended:
        return ""
    if game.ended == Game.Ended.ABANDONED:
        return _("The game was abandoned. No one wins.")
    how = (
        _("The game ran out of time, so it was adjudicated.")
        if game.ended == Game.Ended.ADJUDICATED
        else _("Everyone agreed to end the game.")
    )
    return " ".join([how, _victory((game.result or {}).get("winners", []), Cast.of(names))])


def _victory(winners: Sequence[int], cast: Cast) -> str:
    """Return who wins a game that the table ended."""
    if not winners:
        return _("No one wins.")
    if len(winners) == 1:
        return cast.say(
            # Translators: name is a player.
            winners[0],
            _("You win with the most regions."),
            _("%(name)s wins with the most regions."),
        )
    return cast.say_of_several(
        winners,
        # Translators: names are players, such as "You and Anna".
        pgettext("the reader and others", "%(names)s share the victory with the most regions."),
        # Translators: names are players, such as "Anna and Bruno".
        _("%(names)s share the victory with the most regions."),
    )
