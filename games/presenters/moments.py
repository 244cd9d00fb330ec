"""What has just ended, as a reader sees it at the top of a page: a battle, a round, the game.

Gets redacted events only, never a State. It goes away when its reader moves on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from django.utils.translation import gettext as _

from games.narration.cast import Cast
from games.narration.event_sentences import narrate
from games.rules import events as happened

_ENDS = (happened.BattleCompared, happened.BattleStopped)
# The event that says what became of the region.
_FATES = (
    happened.RegionConquered,
    happened.RegionDefended,
    happened.NobodyConquered,
    happened.BattleStopped,
)


class StrengthAtEnd(NamedTuple):
    """One seat's strength when the battle ended."""

    seat: int
    name: str
    total: int
    won: bool
    is_mine: bool


@dataclass(frozen=True)
class Moment:
    """A battle's end and what it led to, or only a new round.

    `is_mine` and `is_loss` say whether the reader took or lost a region by it. `earlier` says how battles
    before it ended, and `told` are the events that need no second telling.
    """

    title: str
    region: str | None = None
    standings: tuple[StrengthAtEnd, ...] = ()
    sentences: tuple[str, ...] = ()
    round_sentences: tuple[str, ...] = ()
    is_mine: bool = False
    is_loss: bool = False
    earlier: tuple[str, ...] = ()
    told: tuple[happened.Event, ...] = ()


def last_moment(events: Iterable[happened.Event], names: Sequence[str], reader: int | None) -> Moment | None:
    """Return what ended last in these events; None if nothing did."""
    cast, seen = Cast.of(names), list(events)
    ends = [number for number, event in enumerate(seen) if isinstance(event, _ENDS)]
    last = ends[-1] if ends else 0
    moment = _battle(seen[last:], cast, reader) if ends else Moment(_("A new round"))
    before = [event for event in seen[:last] if isinstance(event, _FATES)]
    dealt = _round(seen[last:], reader)
    if not ends and not dealt:
        return None
    return replace(
        moment,
        earlier=tuple(narrate(before, cast)),
        round_sentences=tuple(narrate(dealt, cast)),
        told=(*moment.told, *before, *dealt),
    )


def _battle(seen: Sequence[happened.Event], cast: Cast, reader: int | None) -> Moment:
    fate = next((event for event in seen if isinstance(event, _FATES)), None)
    compared = seen[0] if isinstance(seen[0], happened.BattleCompared) else None
    told = [event for event in seen if isinstance(event, happened.CondottiereHanded)][:1]
    known = [event for event in (compared, fate, *told) if event is not None]
    winner = fate.seat if isinstance(fate, happened.RegionConquered | happened.RegionDefended) else None
    return Moment(
        title=" ".join(narrate([fate], cast)) if fate else _("The final battle is over."),
        region=fate.region if fate else None,
        standings=_standings(compared, cast, winner),
        sentences=tuple(narrate(told, cast)),
        is_mine=reader is not None and winner == reader,
        is_loss=isinstance(fate, happened.RegionConquered) and reader is not None and fate.lost_by == reader,
        told=tuple(known),
    )


def _standings(
    compared: happened.BattleCompared | None, cast: Cast, winner: int | None
) -> tuple[StrengthAtEnd, ...]:
    """Return the strengths compared, the highest first."""
    if compared is None:
        return ()
    rows = [
        StrengthAtEnd(seat, cast[seat], total, seat == winner, seat == cast.reader)
        for seat, total in enumerate(compared.totals)
    ]
    return tuple(sorted(rows, key=lambda row: -row.total))


def _round(seen: Sequence[happened.Event], reader: int | None) -> list[happened.Event]:
    """Return a round's end and the reader's new hand; nothing while the round goes on."""
    if not any(isinstance(event, happened.RoundEnded) for event in seen):
        return []
    return [
        event
        for event in seen
        if isinstance(event, happened.RoundEnded)
        or (isinstance(event, happened.CardsDealt) and event.seat == reader)
    ]
