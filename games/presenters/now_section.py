"""What the page says above a running game: its clocks, shared hours, and proposals to end it."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.urls import reverse

from accounts import clock
from games.access import GameAccess
from games.narration.ways_out import WaysOut, ways_out
from games.presenters.deadlines import Times, times_of
from games.presenters.position import Position
from games.selectors.hours import HoursNow, hour_rows, hours_now


@dataclass(frozen=True)
class NowSection:
    """The clocks as the reader sees them; for players also shared hours and what is proposed."""

    times: Times | None  # None where no clock runs
    hours: HoursNow | None = None
    ways_out: WaysOut | None = None  # with a proposal to end the game, or an offer of the reader's seat
    arrangements_url: str = ""

    @property
    def poll_seconds(self) -> int:
        """How often the open page asks for news."""
        is_shared_hour = self.hours is not None and self.hours.until is not None
        return settings.HOUR_POLL_SECONDS if is_shared_hour else settings.POLL_SECONDS


def now_section(access: GameAccess, position: Position) -> NowSection:
    """Return what the page says above the game for this access."""
    is_closed_link = access.is_link and position.viewer is None
    times = times_of(position, None if is_closed_link else access.seat)
    if not access.is_seated:
        return NowSection(times)
    ways = ways_out(access.game, access.seat, access.names)
    return NowSection(
        times,
        _hours_now(access),
        ways if ways and (ways.proposal or ways.offer) else None,
        reverse("game_arrangements", args=[access.game.pk]),
    )


def _hours_now(access: GameAccess) -> HoursNow | None:
    """Return what a player reads about shared hours; None without others, or once the game is over."""
    seats = access.seat.table.all_seats()
    people = [seat for seat in seats if seat.user_id is not None]
    if access.game.is_over or len(people) < 2:
        return None
    now = clock.now()
    has_hours = access.game.newest_hour is not None
    rows = hour_rows(access.seat, seats, access.names, now) if has_hours else []
    return hours_now(access.seat, seats, access.names, rows, now)
