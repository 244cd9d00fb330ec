"""The words for cards, regions and moves in the reader's language. Knows no game in progress."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from games.rules import Move, region_name

CARD_NAMES = {
    "courtesan": pgettext_lazy("card", "Courtesan"),
    "heroine": pgettext_lazy("card", "Heroine"),
    "drummer": pgettext_lazy("card", "Drummer"),
    "scarecrow": pgettext_lazy("card", "Scarecrow"),
    "bishop": pgettext_lazy("card", "Bishop"),
    "winter": pgettext_lazy("card", "Winter"),
    "spring": pgettext_lazy("card", "Spring"),
    "surrender": pgettext_lazy("card", "Surrender"),
}

REASONS = {
    "adjacent regions": gettext_lazy("by a connected group of regions"),
    "total regions": gettext_lazy("by the number of regions"),
    "most regions": gettext_lazy("with the most regions, since no region is left to fight for"),
    "final battle": gettext_lazy("in a final battle"),
}


def card_name(card: str) -> str:
    """What a card is called: a Mercenary by its printed value."""
    return str(CARD_NAMES.get(card, card))


def card_names(cards: Iterable[str]) -> str:
    """Several cards in one phrase; a dash for none."""
    return ", ".join(card_name(card) for card in cards) or "–"


def move_name(move: Move, names: Sequence[str] = (), mine: int | None = None) -> str:
    """What a button that makes this move says; `names` are those of the seats, for moves that name one, and
    `mine` is the seat of whoever makes it."""
    match move.kind:
        case "place":
            return _("Fight for %(region)s") % {"region": region_name(str(move.region))}
        case "play":
            return _play_name(move, names, mine)
        case "pass":
            return _("Pass and turn your card up") if move.reveals else _("Pass")
        case "discard hand":
            return _("Discard the whole hand")
        case "keep hand":
            return _("Keep the hand")
        case "keep":
            return (
                _("Keep %(cards)s") % {"cards": card_names(move.cards)} if move.cards else _("Keep nothing")
            )
    raise ValueError(f"nobody is asked to {move}")


def _play_name(move: Move, names: Sequence[str], mine: int | None) -> str:
    if move.card == "bishop" and str(move) != "play bishop":  # 1995 has no Pope
        if move.region is None:
            return _("Play the Bishop, the Pope leaves the map")
        return _("Play the Bishop, the Pope goes to %(region)s") % {"region": region_name(move.region)}
    if move.card == "scarecrow":
        if move.taken is None:
            return _("Play a Scarecrow and take nothing")
        if move.from_seat is not None and move.from_seat != mine:
            words = {"card": move.taken, "owner": names[move.from_seat]}
            return _("Play a Scarecrow and take the %(card)s from %(owner)s") % words
        return _("Play a Scarecrow and take back the %(card)s") % {"card": move.taken}
    return _("Play %(card)s") % {"card": card_name(str(move.card))}
