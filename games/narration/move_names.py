"""The labels of the buttons that make moves."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from games.map.region_names import region_in_choices
from games.narration.vocabulary import card_name, card_names
from games.rules import Move


def move_name(move: Move, names: Sequence[str] = (), mine: int | None = None) -> str:
    """Return the label of the button that makes this move.

    `names` are those of the seats, for moves that name one. `mine` is the seat of the player who moves.
    """
    match move.kind:
        case "place":
            # Translators: a button. region is a region of the map, such as "Roma".
            return _("Fight for %(region)s") % {"region": region_in_choices(str(move.region))}
        case "play":
            return _play_name(move, names, mine)
        case "pass":
            return _("Pass and turn your card up") if move.reveals else pgettext("button", "Pass")
        case "discard hand":
            return _("Discard your whole hand")
        case "keep hand":
            return _("Keep your hand")
        case "keep":
            if not move.cards:
                return _("Keep no card")
            # Translators: a button. cards is a list of card names such as "10, Drummer".
            return _("Keep %(cards)s") % {"cards": card_names(move.cards)}
    raise ValueError(f"nobody is asked to {move}")


def _play_name(move: Move, names: Sequence[str], mine: int | None) -> str:
    card = move.card
    if card == "bishop" and move.text != "play bishop":  # 1995 has no Pope
        if move.region is None:
            return _("Play the Bishop, the Pope leaves the map")
        # Translators: a button. region is a region of the map.
        return _("Play the Bishop, the Pope goes to %(region)s") % {"region": region_in_choices(move.region)}
    if card == "scarecrow":
        if move.taken is None:
            return _("Play a Scarecrow and take nothing")
        if move.from_seat is not None and move.from_seat != mine:
            words = {"card": move.taken, "owner": names[move.from_seat]}
            # Translators: a button. card is the number on a card, owner is the player who played it.
            return _("Play a Scarecrow and take the %(card)s that %(owner)s played") % words
        # Translators: a button. card is the number on a card.
        return _("Play a Scarecrow and take back the %(card)s") % {"card": move.taken}
    # Translators: a button. card is a card's name.
    return _("Play %(card)s") % {"card": card_name(str(card))}
