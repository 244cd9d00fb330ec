"""The guide for beginners: a short hint for each new kind of turn. Gets observations, never a State."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from games.rules import MERCENARIES, Event, Observation, Phase
from games.rules import events as happened

ALL = "all"  # instead of a hint's key: no more hints

HINTS: dict[str, str | Promise] = {
    Phase.PLACE: _(
        "You are the Condottiere, so you choose the region that everyone fights for. Regions that border on "
        "each other win sooner. Or choose one that someone else needs."
    ),
    "first-card": _(
        "Choose a card to lay in your line. The strongest line takes the region once everyone has passed. "
        "Every card you lay is gone after the battle, even if you lose."
    ),
    "pass": _(
        "You can also pass. Your line still counts, and you keep the rest of your hand for the next battles. "
        "If the others spend many cards here, they have few left later."
    ),
    "new-battle": _(
        "The last battle is over, and all cards in its lines are gone. You get no new cards yet: your hand "
        "must last until the round ends."
    ),
    "new-hand": _(
        "A round has ended, and everyone has a new hand. You draw more cards for each region you hold."
    ),
    "special": _(
        "Cards with a name do something special. Point at one or press it for a moment to read what it does, "
        "or open “Cards of this game”."
    ),
    "surrender": _(
        "You lead, and you have a Surrender. It ends the battle now, before someone overtakes you."
    ),
    "scarecrow": _(
        "Your Scarecrow can take a strong Mercenary back into your hand. Use it before you pass in a battle "
        "that you will lose."
    ),
    "bishop": _(
        "Your Bishop removes the highest Mercenaries from all lines, yours too. He is strongest when others "
        "have laid higher cards than you."
    ),
    "courtesan": _(
        "Courtesans decide who is the next Condottiere. With most of them in your line, you choose the next "
        "region even if you lose this one."
    ),
    Phase.HAND: _(
        "You have no Mercenary left. You can discard your whole hand, so that the round ends sooner, or keep "
        "your special cards for later."
    ),
    Phase.KEEP: _("The round is over, and everyone gets new cards. You may keep your two best cards."),
    "final": _("The final battle decides the game. There is no later: play everything that helps."),
}


class Hint(NamedTuple):
    """One hint, and the key by which it's remembered once it has been read."""

    key: str
    text: str


def next_hint(seen: Observation, since: Iterable[Event], read: Collection[str]) -> Hint | None:
    """Return the first hint for the observing seat's turn that it has not read.

    `since` are the events since its last move.
    """
    if seen.asked is None or ALL in read:
        return None
    key = next((key for key in _fitting(seen, tuple(since)) if key not in read), None)
    return Hint(key, str(HINTS[key])) if key else None


def _fitting(seen: Observation, since: tuple[Event, ...]) -> Iterator[str]:
    """Yield the keys of the hints that fit this turn, the most important first."""
    if seen.asked and seen.asked.kind != Phase.BATTLE:
        yield seen.asked.kind
    elif seen.final_battle:
        yield "final"
    else:
        yield "first-card"
    if any(isinstance(event, happened.RoundEnded) for event in since):
        yield "new-hand"
    elif any(isinstance(event, happened.RegionConquered | happened.NobodyConquered) for event in since):
        yield "new-battle"
    if seen.asked and seen.asked.kind == Phase.BATTLE:
        yield from _fitting_in_battle(seen)


def _fitting_in_battle(seen: Observation) -> Iterator[str]:
    assert seen.seat is not None
    hand, line = {*(seen.hand or ())}, seen.lines[seen.seat]
    if line:
        yield "pass"
    if hand - MERCENARIES:
        yield "special"
    others = [total for seat, total in enumerate(seen.totals) if seat != seen.seat]
    if "surrender" in hand and seen.totals[seen.seat] > max(others):
        yield "surrender"
    if "scarecrow" in hand and MERCENARIES & {*line}:
        yield "scarecrow"
    if "bishop" in hand and any(MERCENARIES & {*cards} for cards in seen.lines):
        yield "bishop"
    if "courtesan" in hand:
        yield "courtesan"
