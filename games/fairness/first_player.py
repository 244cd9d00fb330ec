"""Whether a game's first player is who it must be."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext as _

from games.fairness.check import FairnessCheck
from games.models import Game
from games.models.matches import what_follows
from games.rules import FinalBattle, MatchWon, first_condottiere


def check_first_player(game: Game, names: Sequence[str], key: bytes | None) -> FairnessCheck:
    """Check that the key draws the first Condottiere (R2), or that a match's game begins as it must."""
    title = _("First player")
    said = {"name": names[game.first_condottiere]}
    if game.copied:
        text = _("%(name)s was the first player in the game from which this one plays on. No one was drawn.")
        return FairnessCheck(title, [text % said], None)
    if game.number > 1 or game.final_battle is not None:
        return _check_follows(game, title, said)
    if game.is_first_set:
        # Translators: %(source)s is the name of a league.
        text = _("%(name)s was the first player, by the rules of %(source)s. No one was drawn.")
        return FairnessCheck(title, [text % (said | {"source": game.table.source})], None)
    drawn = None if key is None else first_condottiere(key, game.players)
    if drawn == game.first_condottiere:
        return FairnessCheck(title, [_("The key draws %(name)s as the first Condottiere.") % said], True)
    if game.table.is_imported:
        return FairnessCheck(
            title,
            [_("%(name)s was the first player. The record doesn’t show a draw for it.") % said],
            None,
        )
    text = _("%(name)s was the first player, but the key draws someone else.")
    return FairnessCheck(title, [text % said], False)


def _check_follows(game: Game, title: str, said: dict[str, str]) -> FairnessCheck:
    """Check a match's first player: no one draws, the previous game decides (R28, R29)."""
    before = Game.objects.filter(table=game.table, number=game.number - 1).first()
    if before is None or not before.is_over or not game.table.is_match:
        text = _("%(name)s was the first player. The previous game is not here, so this is not checked.")
        return FairnessCheck(title, [text % said], None)
    before.table = game.table
    following = what_follows(before)
    if isinstance(following, MatchWon):
        return FairnessCheck(title, [_("The match was over before this game.")], False)
    first = following.seats[following.first] if isinstance(following, FinalBattle) else following.first
    if first == game.first_condottiere:
        return FairnessCheck(
            title, [_("%(name)s was the first player, as follows from the previous game.") % said], True
        )
    return FairnessCheck(
        title,
        [_("%(name)s was the first player, which does not follow from the previous game.") % said],
        False,
    )
