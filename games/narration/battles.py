"""The battles of a game, found in its events: who fought, how the totals changed, what decided them.

Gets redacted events only, never a State. The sentences are made elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from django.utils.translation import gettext as _

from games.map.region_names import region_name
from games.rules import MERCENARIES, SEASONS
from games.rules import events as happened

_ENDS = (happened.BattleCompared, happened.BattleStopped)


@dataclass(frozen=True)
class Turn:
    """A change of the totals in a battle: a card with all its effects, or cards turned up."""

    ply: int
    event: happened.CardPlayed | happened.CardsTurnedUp
    before: tuple[int, ...]
    effects: tuple[happened.Event, ...] = ()

    @property
    def totals(self) -> tuple[int, ...]:
        return self.event.totals

    @property
    def led(self) -> int | None:
        return sole_leader(self.before)

    @property
    def leads(self) -> int | None:
        return sole_leader(self.totals)

    @property
    def seat(self) -> int | None:
        """The seat whose card it is; None where several were turned up at once."""
        if isinstance(self.event, happened.CardPlayed):
            return self.event.seat
        return self.event.cards[0][0] if len(self.event.cards) == 1 else None

    @property
    def card(self) -> str | None:
        """The card played or turned up; None for a face-down card, and for several."""
        if isinstance(self.event, happened.CardPlayed):
            return self.event.card
        return self.event.cards[0][1] if len(self.event.cards) == 1 else None

    @property
    def is_turned_up(self) -> bool:
        return isinstance(self.event, happened.CardsTurnedUp)

    @property
    def is_mercenary(self) -> bool:
        return self.card in MERCENARIES

    @property
    def is_ordinary(self) -> bool:
        """Whether it is worth telling only if it changed who leads."""
        return self.seat is not None and self.card not in (*SEASONS, "bishop")

    @property
    def took_the_lead_away(self) -> bool:
        """Whether a Scarecrow took the leading card, so that no one led."""
        return self.taken is not None and self.led is not None and self.leads is None

    @property
    def taken(self) -> happened.MercenaryTakenBack | None:
        """What a Scarecrow took."""
        return next((event for event in self.effects if isinstance(event, happened.MercenaryTakenBack)), None)


@dataclass(frozen=True)
class Battle:
    """One battle with all that was seen of it, each event with the number of its entry."""

    number: int  # in its game, from 1
    region: str | None  # None: a final battle
    seen: tuple[tuple[int, happened.Event], ...]

    @property
    def title(self) -> str:
        if self.region is None:
            return _("The final battle")
        # Translators: a heading. region is a region of the map.
        return _("The battle for %(region)s") % {"region": region_name(self.region)}

    @property
    def place(self) -> str:
        """Its short name, for lists."""
        return _("Final battle") if self.region is None else region_name(self.region)

    @property
    def first(self) -> int:
        """The entry with which it begins."""
        return self.seen[0][0]

    @cached_property
    def end(self) -> int | None:
        """The entry that ended it; None while it goes on."""
        return next((ply for ply, event in self.seen if isinstance(event, _ENDS)), None)

    @cached_property
    def totals(self) -> tuple[int, ...]:
        """The totals announced last."""
        announced = [
            event.totals
            for _ply, event in self.seen
            if isinstance(event, happened.CardPlayed | happened.CardsTurnedUp | happened.BattleCompared)
        ]
        return announced[-1] if announced else ()

    @cached_property
    def winner(self) -> int | None:
        """The seat that took or kept the region by the highest total, or won the final battle alone."""
        for _ply, event in self.seen:
            if isinstance(event, happened.RegionConquered):
                return event.seat
            if isinstance(event, happened.RegionDefended) and sole_leader(self.totals) == event.seat:
                return event.seat
        return sole_leader(self.totals) if self.region is None and self.end is not None else None

    @cached_property
    def conquest(self) -> happened.RegionConquered | None:
        return next((event for _p, event in self.seen if isinstance(event, happened.RegionConquered)), None)

    @cached_property
    def played(self) -> dict[int, int]:
        """How many cards each seat played, for seats that played any."""
        counts: dict[int, int] = {}
        for _ply, event in self.seen:
            if isinstance(event, happened.CardPlayed):
                counts[event.seat] = counts.get(event.seat, 0) + 1
        return counts

    @cached_property
    def turns(self) -> tuple[Turn, ...]:
        return tuple(_turns(self.seen))

    @cached_property
    def decisive(self) -> Turn | None:
        """What gave the winner the lead they kept; None without a winner or without cards."""
        if self.winner is None:
            return None
        kept = None
        for turn in self.turns:
            if turn.leads != self.winner:
                kept = None
            elif turn.led != self.winner or kept is None:
                kept = kept or turn
        return kept


def sole_leader(totals: Sequence[int]) -> int | None:
    """Return the seat with the sole highest total; None where it is shared, or no one has any."""
    highest = max(totals, default=0)
    leaders = [seat for seat, total in enumerate(totals) if total == highest]
    return leaders[0] if highest and len(leaders) == 1 else None


def battles_in(plies: Sequence[Sequence[happened.Event]]) -> tuple[Battle, ...]:
    """Return every battle of a game, including one in progress.

    A match's final battle begins with its first card, not with an event of its own (R28).
    """
    found: list[tuple[str | None, list[tuple[int, happened.Event]]]] = []
    for ply, events in enumerate(plies):
        for event in events:
            if isinstance(event, happened.RegionChosen):
                found.append((event.region, []))
            elif isinstance(event, happened.FinalBattleBegun) or (
                isinstance(event, happened.CardPlayed | happened.Passed) and not found
            ):
                found.append((None, []))
            if found:
                found[-1][1].append((ply, event))
    return tuple(Battle(number, region, tuple(seen)) for number, (region, seen) in enumerate(found, 1))


def _turns(seen: Sequence[tuple[int, happened.Event]]) -> Iterator[Turn]:
    before: tuple[int, ...] = ()
    for at, (ply, event) in enumerate(seen):
        if isinstance(event, happened.CardPlayed | happened.CardsTurnedUp):
            effects = tuple(other for its, other in seen[at + 1 :] if its == ply)
            yield Turn(ply, event, before or (0,) * len(event.totals), effects)
            before = event.totals
