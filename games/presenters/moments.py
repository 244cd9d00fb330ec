"""What has just ended, as a reader sees it at the top of a page: a battle, a round, the game.

Gets redacted events only, never a State. It goes away when its reader moves on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from django.utils.translation import gettext as _

from games.narration.cast import Cast
from games.narration.moves import narrate
from games.rules import events as happened

_ENDS = (happened.BattleCompared, happened.BattleStopped)
# The event that says what became of the region.
_FATES = (
    happened.RegionConquered,
    happened.RegionDefended,
    happened.NobodyConquered,
    happened.BattleStopped,
)


class Standing(NamedTuple):
    """One seat's strength when the battle ended."""

    seat: int
    name: str
    total: int
    won: bool


@dataclass(frozen=True)
class Moment:
    """A battle's end and what it led to, or only a new round.

    `is_mine` and `is_loss` say whether the reader took or lost a region by it.
    """

    title: str
    region: str | None = None
    standings: tuple[Standing, ...] = ()
    sentences: tuple[str, ...] = ()
    round_sentences: tuple[str, ...] = ()
    is_mine: bool = False
    is_loss: bool = False


def last_moment(events: Iterable[happened.Event], names: Sequence[str], reader: int | None) -> Moment | None:
    """Return what ended last in these events; None if nothing did."""
    cast, seen = Cast.of(names), list(events)
    ends = [number for number, event in enumerate(seen) if isinstance(event, _ENDS)]
    battle = _battle(seen[ends[-1] :], cast, reader) if ends else None
    dealt = _round(seen[ends[-1] if ends else 0 :], cast, reader)
    if not dealt:
        return battle
    if battle is None:
        return Moment(_("A new round"), round_sentences=dealt)
    return replace(battle, round_sentences=dealt)


def _battle(seen: Sequence[happened.Event], cast: Cast, reader: int | None) -> Moment:
    fate = next((event for event in seen if isinstance(event, _FATES)), None)
    compared = seen[0] if isinstance(seen[0], happened.BattleCompared) else None
    told = [event for event in seen if isinstance(event, happened.CondottiereHanded)][:1]
    winner = fate.seat if isinstance(fate, happened.RegionConquered | happened.RegionDefended) else None
    return Moment(
        title=" ".join(narrate([fate], cast)) if fate else _("The final battle is over."),
        region=fate.region if fate else None,
        standings=_standings(compared, cast, winner),
        sentences=tuple(narrate(told, cast)),
        is_mine=reader is not None and winner == reader,
        is_loss=isinstance(fate, happened.RegionConquered) and reader is not None and fate.lost_by == reader,
    )


def _standings(
    compared: happened.BattleCompared | None, cast: Cast, winner: int | None
) -> tuple[Standing, ...]:
    """Return the strengths compared, the highest first."""
    if compared is None:
        return ()
    rows = [Standing(seat, cast[seat], total, seat == winner) for seat, total in enumerate(compared.totals)]
    return tuple(sorted(rows, key=lambda row: -row.total))


def _round(seen: Sequence[happened.Event], cast: Cast, reader: int | None) -> tuple[str, ...]:
    """Return the sentences on a round's end and on the new hand; none while the round goes on."""
    told = [
        event
        for event in seen
        if isinstance(event, happened.RoundEnded)
        or (isinstance(event, happened.CardsDealt) and event.seat == reader)
    ]
    return tuple(narrate(told, cast))
