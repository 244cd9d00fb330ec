"""The clocks of a game for one viewer: their deadline and its explanation, the others', pauses, absences.

Reads stored rows. A player with a secret decision (R17) sees their own deadline; no one sees another's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta, tzinfo
from functools import cached_property

from django.utils.dates import WEEKDAYS
from django.utils.formats import time_format
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from accounts import clock
from accounts.durations import exact_duration, time_in
from accounts.names import first_in_sentence
from accounts.time_elements import day_element, moment_element, with_times
from accounts.times import city, moment_with_city
from games.clocks.counted_hours import HIDDEN
from games.clocks.decision_deadlines import Deadline, deadline_of
from games.clocks.policy import NO_TIME
from games.clocks.running_clocks import is_paused, pace_of
from games.models import Game, Seat, Table
from games.presenters.position import Position

SOON = timedelta(hours=12)


@dataclass(frozen=True)
class OwnDeadline:
    """A decision's deadline as shown to the player who must move, in their own time zone.

    `move_by` is the one deadline that pages, emails, lists and the calendar name: the end of the time for
    this move, and only after it that of the reserve. The site acts at the latter.
    """

    deadline: Deadline
    now: datetime

    @property
    def move_by(self) -> datetime:
        """When the time for this move ends; once the reserve runs, when that ends."""
        return self.deadline.move_by(self.now)

    @property
    def is_out(self) -> bool:
        """Whether the site may move at any moment; a move that comes before it still counts."""
        return self.deadline.due_at <= self.now

    @property
    def is_soon(self) -> bool:
        """Whether to highlight it: the reserve runs, or the time for this move is about to end."""
        return self._reserve_runs or self.move_by - self.now < SOON

    @property
    def headline(self) -> str:
        """The deadline as an email's first line, with the zone."""
        if self.is_out:
            return _("You ran out of time. The site may move for you at any moment.")
        # Translators: at is a time with its zone, such as "Friday 6 March, 14:10 (Rome)".
        return _("Move by %(at)s") % {"at": moment_with_city(self.move_by, self._zone)}

    @property
    def left(self) -> str:
        """How far ahead the deadline is: "in 3 hours"; empty once it has passed."""
        return "" if self.is_out else time_in(self.move_by, self.now)

    @cached_property
    def reserve(self) -> str:
        """The second line: until when the reserve lasts; empty where none is left or it is not used (R17)."""
        if self._reserve_runs:
            # Translators: length is a length of time, such as "2 d 18 h".
            text = _("You are using your reserve. Reserve left: %(length)s.")
            return text % {"length": exact_duration(self.deadline.open_left)}
        if not self._reserve_is_ahead:
            return ""
        # Translators: length is what is left of the reserve, such as "3 days"; at is a time.
        text = _("Your reserve of %(length)s would then last until %(at)s.")
        words = {"length": exact_duration(self.deadline.reserve)}
        return with_times(text, words | {"at": self._moment(self.deadline.due_at)})

    @property
    def _reserve_is_ahead(self) -> bool:
        return self.now < self.deadline.own_time_ends_at < self.deadline.due_at

    @property
    def _reserve_runs(self) -> bool:
        return self.deadline.uses_reserve(self.now)

    @property
    def zone(self) -> str:
        """The city whose time zone is used."""
        return city(self._zone)

    @cached_property
    def explained(self) -> list[str]:
        """What is counted, from when, and what is not; a sentence each."""
        sentences = [self.paused, self._counted, self._quiet, self._days_off, *self._holidays, self._secret]
        return [sentence for sentence in sentences if sentence]

    @property
    def paused(self) -> str:
        """Until when the game is paused; empty if it isn't."""
        until = self.deadline.paused_until
        # Translators: at is a time, such as "Friday 6 March, 14:10".
        return with_times(_("The game is paused until %(at)s."), {"at": self._moment(until)}) if until else ""

    @property
    def _counted(self) -> str:
        if self.deadline.time_left <= NO_TIME:
            return ""
        start = self._moment(self.deadline.counted_from)
        words = {"length": exact_duration(self.deadline.time_left), "start": start}
        # Translators: length is a length of time, such as "24 hours"; start is a time.
        return with_times(_("Time per move: %(length)s, counted from %(start)s."), words)

    @property
    def _secret(self) -> str:
        if not self.deadline.is_secret:
            return ""
        return _(
            "This deadline leaves out the quiet hours and days off of everyone at the table, and uses none "
            "of your reserve. That way, no one learns who had to decide."
        )

    @property
    def _quiet(self) -> str:
        if self.deadline.quiet is None:
            return ""
        first, last = (_on_the_clock(at) for at in self.deadline.quiet)
        # Translators: first and last are times of day, such as "22:00" and "08:00".
        return _("Not counted: your quiet hours, %(first)s to %(last)s.") % {"first": first, "last": last}

    @property
    def _days_off(self) -> str:
        days = [str(WEEKDAYS[weekday]) for weekday in self.deadline.days_off]
        # Translators: days are days of the week, such as "Saturday, Sunday".
        return _("Not counted: your days off (%(days)s).") % {"days": ", ".join(days)} if days else ""

    @property
    def _holidays(self) -> list[str]:
        # Translators: first and last are days, such as "Friday 6 March" and "Sunday 8 March".
        text = _("Not counted: your holiday, %(first)s to %(last)s.")
        return [
            with_times(text, {"first": day_element(first), "last": day_element(last)})
            for first, last in self.deadline.holidays
        ]

    @property
    def _zone(self) -> tzinfo:
        return self.deadline.hours.zone

    def _moment(self, at: datetime) -> str:
        return moment_element(at, self._zone)


def _on_the_clock(at: time) -> str:
    return time_format(at, pgettext("format of a time of day", "H:i"))


@dataclass(frozen=True)
class OthersDeadline:
    """The deadline of another player that everyone knows of."""

    name: str
    move_by: datetime
    now: datetime

    @property
    def is_out(self) -> bool:
        return self.move_by <= self.now


@dataclass(frozen=True)
class Times:
    """The clocks of a running game for the viewer of its page."""

    position: Position
    seats: Sequence[Seat]
    seat: Seat | None  # the viewer's own; None for viewers who see only what everyone may see
    now: datetime

    @property
    def game(self) -> Game:
        return self.position.game

    @property
    def table(self) -> Table:
        return self.game.table

    @cached_property
    def mine(self) -> OwnDeadline | None:
        """The deadline of the decision shown to the viewer."""
        return own_deadline(self.position, self.seat, self.now) if self.seat else None

    @cached_property
    def others(self) -> list[OthersDeadline]:
        """The deadlines of others, where everyone may know that they have a decision (R17).

        Anonymous tables show none: they would reveal someone's hours and holidays.
        """
        if self.table.anonymity:
            return []
        return [
            OthersDeadline(first_in_sentence(self.position.names[seat.number]), seat.due_at, self.now)
            for seat in self.seats
            if seat.due_at and seat.pending_decision != HIDDEN and seat.number in self._waited_for
        ]

    @property
    def _waited_for(self) -> set[int]:
        mine = {self.seat.number} if self.seat else set()
        return set(self.position.seen.waiting_for) - mine

    @property
    def paused_until(self) -> datetime | None:
        """When the pause ends; None while time is counted."""
        return self.game.paused_until if is_paused(self.game, self.now) else None

    @property
    def is_away(self) -> bool:
        """Whether a bot plays for the viewer."""
        return self.seat is not None and bool(self.seat.played_by_bot)

    @property
    def away(self) -> list[tuple[Seat, str]]:
        """The others for whom a bot plays, with their names."""
        return [
            (seat, first_in_sentence(self.position.names[seat.number]))
            for seat in self.seats
            if seat.played_by_bot and (self.seat is None or seat.pk != self.seat.pk)
        ]

    @property
    def is_offered(self) -> bool:
        """Whether others may take the seats of away players."""
        return self.table.absent == Table.Absent.OFFER

    @property
    def is_host(self) -> bool:
        return self.seat is not None and self.seat.user_id == self.table.host_id

    @property
    def host_decides(self) -> bool:
        """Whether the viewer alone may pause and give time."""
        return self.is_host and self.table.time_by == Table.TimeBy.HOST


def times_of(position: Position, seat: Seat | None) -> Times | None:
    """Return a game's clocks as one viewer sees them; None where no clock runs."""
    if pace_of(position.game.table) is None or position.game.is_over:
        return None
    return Times(position, position.game.table.all_seats(), seat, clock.now())


def own_deadline(position: Position, seat: Seat, now: datetime) -> OwnDeadline | None:
    """Return the deadline of the viewer's decision, if a clock runs for it."""
    step = position.decision_step
    if step is None or seat.decision_step != step or seat.number != position.viewer:
        return None
    deadline = deadline_of(seat, position.game.table, position.game, now)
    return OwnDeadline(deadline, now) if deadline else None
