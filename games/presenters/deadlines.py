"""The clocks of a game for one viewer: their deadline and its explanation, the others', pauses, absences.

Reads stored rows. A player with a secret question (R17) sees their own deadline; nobody sees another's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from functools import cached_property

from django.utils.dates import WEEKDAYS
from django.utils.formats import date_format, time_format
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from accounts import clock
from accounts.names import first_in_sentence
from games.clocks.countdowns import HIDDEN, Deadline, deadline_of, is_paused, pace_of
from games.clocks.policy import NO_TIME
from games.models import Game, Seat, Table
from games.narration.moves import and_list
from games.narration.times import length, moment, open_length, time_until, zone_name
from games.presenters.game_view import GameView

SAME_WEEK = timedelta(days=6)
SOON = timedelta(hours=12)


@dataclass(frozen=True)
class OwnDeadline:
    """A question's deadline as shown to the player who must answer, in their own time zone."""

    deadline: Deadline
    now: datetime

    @property
    def is_out(self) -> bool:
        """Whether the clock may answer at any moment; an answer that comes before it still counts."""
        return self.deadline.due_at <= self.now

    @property
    def is_soon(self) -> bool:
        """Whether to highlight it: the reserve runs, or the clock is about to answer."""
        return self._reserve_runs or self.deadline.due_at - self.now < SOON

    @property
    def headline(self) -> str:
        """When to answer by: the end of the question's own time, or else of the reserve."""
        if self.is_out:
            return _("Time is out: the clock answers for you at any moment.")
        return _("Answer by %(at)s") % {"at": self._moment(self._answer_by)}

    @property
    def left(self) -> str:
        """The time left from now, in words."""
        return "" if self.is_out else time_until(self._answer_by, self.now)

    @property
    def reserve(self) -> str:
        """What happens to the reserve; empty where none is left or it is not used (R17)."""
        if self._reserve_runs:
            left = self._open(self.deadline.open_left)
            return _("Your reserve is running: %(time)s are left of it.") % {"time": left}
        if not self._reserve_is_ahead:
            return ""
        words = {"time": self._open(self.deadline.reserve), "at": self._moment(self.deadline.due_at)}
        return _("Then your reserve of %(time)s runs, and your time is out on %(at)s.") % words

    @property
    def _answer_by(self) -> datetime:
        return self.deadline.question_ends_at if self._reserve_is_ahead else self.deadline.due_at

    @property
    def _reserve_is_ahead(self) -> bool:
        return self.now < self.deadline.question_ends_at < self.deadline.due_at

    @property
    def _reserve_runs(self) -> bool:
        return self.deadline.uses_reserve(self.now)

    @property
    def zone(self) -> str:
        """The place whose time zone is used."""
        return zone_name(self.deadline.hours.zone)

    @property
    def explained(self) -> list[str]:
        """What is counted, from when, and what is not; a sentence each."""
        told = [self._paused, self._counted, self._secret]
        return [sentence for sentence in told if sentence]

    @property
    def _paused(self) -> str:
        until = self.deadline.paused_until
        return _("The game is paused until %(at)s.") % {"at": self._moment(until)} if until else ""

    @property
    def _counted(self) -> str:
        if self.deadline.time_left <= NO_TIME:
            return capfirst(self._closed)
        words = {"time": self._open(self.deadline.time_left), "start": self._start, "closed": self._closed}
        if self._reserve_runs:
            told = _("The question itself had %(time)s from %(start)s.") % words
            return f"{told} {capfirst(self._closed)}".strip()
        if words["closed"]:
            return _("%(time)s from %(start)s: %(closed)s") % words
        return _("%(time)s from %(start)s.") % words

    @property
    def _secret(self) -> str:
        if not self.deadline.is_secret:
            return ""
        return _(
            "This question waits for the open hours of everybody at the table, and takes nothing from your "
            "reserve, so that nobody learns who was asked."
        )

    @property
    def _closed(self) -> str:
        """The time on the way that does not count, as a sentence; empty where everything counts."""
        days = [str(WEEKDAYS[day]) for day in self.deadline.days_off]
        named = [*self._quiet, *days, *self._holidays]
        if not named:
            return ""
        is_one = len(named) == len(days) == 1
        told = _("%(closed)s does not count.") if is_one else _("%(closed)s do not count.")
        return told % {"closed": and_list(named)}

    @property
    def _quiet(self) -> list[str]:
        if self.deadline.quiet is None:
            return []
        first, last = (_on_the_clock(at) for at in self.deadline.quiet)
        return [_("your quiet hours (%(first)s to %(last)s)") % {"first": first, "last": last}]

    @property
    def _holidays(self) -> list[str]:
        spans = [
            _("%(first)s to %(last)s")
            % {"first": date_format(first, _("j F")), "last": date_format(last, _("j F"))}
            for first, last in self.deadline.holidays
        ]
        return [_("your holidays (%(spans)s)") % {"spans": ", ".join(spans)}] if spans else []

    @property
    def _start(self) -> str:
        start = self.deadline.counted_from.astimezone(self.deadline.hours.zone)
        return date_format(start, _("l H:i")) if self._began_lately else self._moment(start)

    @property
    def _began_lately(self) -> bool:
        return abs(self.deadline.counted_from - self.now) < SAME_WEEK

    def _open(self, span: timedelta) -> str:
        return length(span) if self.deadline.hours.are_always_open else open_length(span)

    def _moment(self, at: datetime) -> str:
        return moment(at, self.deadline.hours.zone)


def _on_the_clock(at: time) -> str:
    return time_format(at, _("H:i"))


@dataclass(frozen=True)
class OthersDeadline:
    """The deadline of another player's question that everyone knows of."""

    name: str
    due_at: datetime
    now: datetime

    @property
    def told(self) -> str:
        if self.due_at <= self.now:
            return _("The time of %(name)s is out.") % {"name": self.name}
        left = time_until(self.due_at, self.now)
        words = {"name": first_in_sentence(self.name), "at": moment(self.due_at), "left": left}
        return _("%(name)s has until %(at)s (in %(left)s).") % words


@dataclass(frozen=True)
class Times:
    """The clocks of a running game for the viewer of its page."""

    view: GameView
    seats: Sequence[Seat]
    seat: Seat | None  # the viewer's own; None for viewers who see only what everyone may see
    now: datetime

    @property
    def game(self) -> Game:
        return self.view.game

    @property
    def table(self) -> Table:
        return self.game.table

    @cached_property
    def mine(self) -> OwnDeadline | None:
        """The deadline of the question shown to the viewer."""
        return own_deadline(self.view, self.seat, self.now) if self.seat else None

    @cached_property
    def others(self) -> list[OthersDeadline]:
        """The deadlines of others, where everyone may know that they have a question (R17).

        Anonymous tables show none: they would reveal someone's hours and holidays.
        """
        if self.table.anonymity:
            return []
        return [
            OthersDeadline(self.view.names[seat.number], seat.due_at, self.now)
            for seat in self.seats
            if seat.due_at and seat.pending_decision != HIDDEN and seat.number in self._waited_for
        ]

    @property
    def _waited_for(self) -> set[int]:
        mine = {self.seat.number} if self.seat else set()
        return set(self.view.seen.waiting_for) - mine

    @property
    def paused_until(self) -> str:
        """When the pause ends; empty while time is counted."""
        until = self.game.paused_until
        return moment(until) if until and is_paused(self.game, self.now) else ""

    @property
    def is_away(self) -> bool:
        """Whether a bot plays for the viewer."""
        return self.seat is not None and bool(self.seat.played_by_bot)

    @property
    def away(self) -> list[tuple[Seat, str]]:
        """The others for whom a bot plays, with their names."""
        return [
            (seat, first_in_sentence(self.view.names[seat.number]))
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


def times_of(view: GameView, seat: Seat | None) -> Times | None:
    """Return a game's clocks as one viewer sees them; None where no clock runs."""
    if pace_of(view.game.table) is None or view.game.is_over:
        return None
    return Times(view, view.game.table.all_seats(), seat, clock.now())


def own_deadline(view: GameView, seat: Seat, now: datetime) -> OwnDeadline | None:
    """Return the deadline of the viewer's question, if a clock runs for it."""
    if view.decision_step is None or seat.decision_step != view.decision_step or seat.number != view.viewer:
        return None
    deadline = deadline_of(seat, view.game.table, view.game, now)
    return OwnDeadline(deadline, now) if deadline else None
