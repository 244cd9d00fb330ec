"""Whether a card would change nothing now, and why. Gets observations, never a State.

Only the card's own effect counts: other code says that playing it may end the battle.
"""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import gettext as _

from games.narration.vocabulary import card_name
from games.rules import MERCENARIES, SPEC_OF, Observation, Phase

_OTHER_SEASON = {"winter": "spring", "spring": "winter"}


def idle_reason(seen: Observation, card: str) -> str:
    """Return why the observing seat would change nothing by playing this card now; empty if it would."""
    if seen.asked is None or seen.asked.kind != Phase.BATTLE:
        return ""
    if card in _OTHER_SEASON:
        return _idle_season(seen, card)
    match card:
        case "drummer":
            return _idle_drummer(seen)
        case "scarecrow":
            return _idle_scarecrow(seen)
        case "bishop" if not seen.options.is_1995:
            return _idle_bishop(seen)
    return ""


def _idle_season(seen: Observation, card: str) -> str:
    if seen.season == card:
        # Translators: %(card)s is Winter or Spring.
        return _("%(card)s is already in play: another one changes nothing.") % {"card": card_name(card)}
    words = {"card": card_name(card), "other": card_name(_OTHER_SEASON[card])}
    values = {SPEC_OF[mercenary].strength for mercenary in _face_up(seen)}
    if not values and seen.season:
        # Translators: %(card)s and %(other)s are Winter and Spring.
        return _("No Mercenary counts now: %(card)s only discards %(other)s.") % words
    if not values:
        return _no_target(seen, card)
    if card == "winter" and values == {1} and seen.season is None:
        return _("Every Mercenary already counts 1: Winter changes nothing yet.")
    return ""


def _no_target(seen: Observation, card: str) -> str:
    """Say that no Mercenary counts, in the words of the game that is played."""
    words = {"card": card_name(card)}
    if any(seen.face_down):
        # Translators: %(card)s is Winter or Spring.
        return _("No Mercenary is face up: %(card)s changes nothing yet.") % words
    # Translators: %(card)s is Winter or Spring.
    return _("No Mercenary is in play: %(card)s changes nothing yet.") % words


def _idle_drummer(seen: Observation) -> str:
    assert seen.seat is not None
    mine = {*seen.lines[seen.seat], seen.own_face_down}
    if "drummer" in mine:
        return _("Your line already has a Drummer: another one changes nothing.")
    if not mine & MERCENARIES:
        return _("Your line has no Mercenary: the Drummer changes nothing yet.")
    return ""


def _idle_scarecrow(seen: Observation) -> str:
    if any(move.taken_no is not None for move in seen.legal):  # only a Scarecrow takes a card
        return ""
    if seen.options.is_1995:
        return _("No Mercenary is in play: the Scarecrow takes nothing.")
    if seen.own_face_down:
        return _("Your line has no Mercenary face up: the Scarecrow takes nothing.")
    return _("Your line has no Mercenary: the Scarecrow takes nothing.")


def _idle_bishop(seen: Observation) -> str:
    if any(_face_up(seen)):
        return ""
    if seen.final_battle:
        return _("No Mercenary is there to remove: the Bishop changes nothing.")
    return _("No Mercenary is there to remove: the Bishop only moves the Pope.")


def _face_up(seen: Observation) -> Iterator[str]:
    return (card for line in seen.lines for card in line if card in MERCENARIES)
