"""A simulated world: its clock, its people's diary, and the loop that leads from one event to the next.

Everything is done by the site's own commands, outbox, delivery and ticks. The clock jumps to the next moment
at which a person acts or a row is due. Between two such moments a real site's ticks find nothing to do and
only beat the heart; here that beat is written down at the jump, so that no jump is taken for an outage.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from functools import partial
from random import Random
from uuid import UUID

from django.conf import settings
from django.core.mail.message import EmailMessage
from django.db import connection
from django.db.models import Model
from django.test import override_settings
from django.utils.module_loading import import_string

from accounts import present
from accounts.availability import announce_holiday
from accounts.models import User
from accounts.post.models import Letter
from games import commands
from games.models import Game, Heartbeat, LogEntry, Seat, Table
from games.replaying import replayed
from games.rules import observe
from games.simulation import people, postbox
from games.simulation.checks import problems
from games.simulation.people import DAY, Person
from games.simulation.report import Figures, counted
from games.simulation.retelling import tells_hidden
from games.simulation.scanning import Scanner

TICK = timedelta(seconds=10)
BEGINS = datetime(2026, 1, 5, 12, tzinfo=UTC)  # a Monday; each club begins a week after the one before
LONGEST = timedelta(days=1500)
MOST_IDLE_TICKS = 500
OFTEN = 60  # seconds: what beat wakes less often is housekeeping, and left out


@dataclass(frozen=True)
class Plan:
    """What is to be played, and by what lot."""

    players: int
    pace: str
    seed: int
    club: int = 10  # tables whose people know each other; each sits at about two
    looked_into: float = 0.05  # share of the ticks whose letters are built again with other hidden cards


class Clock:
    """Simulated time, in UTC. It only goes forward."""

    def __init__(self, start: datetime) -> None:
        self.now = start

    def __call__(self) -> datetime:
        return self.now

    def go_to(self, moment: datetime) -> None:
        self.now = max(self.now, moment)


class Diary:
    """What is to happen when; of one moment, what was noted first happens first."""

    def __init__(self) -> None:
        self._pages: list[tuple[datetime, int, Callable[[], None]]] = []
        self._noted = 0

    def note(self, moment: datetime, action: Callable[[], None]) -> None:
        self._noted += 1
        heapq.heappush(self._pages, (moment, self._noted, action))

    @property
    def next(self) -> datetime | None:
        return self._pages[0][0] if self._pages else None

    def due(self, now: datetime) -> Iterator[Callable[[], None]]:
        while self._pages and self._pages[0][0] <= now:
            yield heapq.heappop(self._pages)[2]


@dataclass
class Received:
    """A letter that the simulated mail server took."""

    letter: Letter
    person: Person
    at: datetime


@dataclass
class Club:
    """One simulated world: some tables, and the people who sit at them."""

    plan: Plan
    number: int
    tables_wanted: int
    rng: Random = field(init=False)
    clock: Clock = field(init=False)
    diary: Diary = field(default_factory=Diary)
    people: dict[int, Person] = field(default_factory=dict)  # by the account's number
    received: list[Received] = field(default_factory=list)
    tables: list[int] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    looked_into: int = 0

    def __post_init__(self) -> None:
        self.rng = Random(f"{self.plan.seed} {self.number}")  # noqa: S311 - worlds want repeatable chance
        self.lot = Random(f"{self.plan.seed} {self.number} letters")  # noqa: S311 - so do the checks
        self.start = BEGINS + self.number * 7 * DAY
        self.clock = Clock(self.start)
        self.scanner = Scanner()
        self.planned: dict[int, datetime] = {}  # each person's next visit
        self.ticked_at = self.start - TICK
        self.idle = 0
        self.next_due: datetime | None = None
        self.ticks = list(_ticks())

    def lived(self) -> Figures:
        """From the founding of the club to the end of its last game: what was counted, and what was wrong."""
        self.live()
        figures = counted()
        figures.opened, figures.looked_into = len(self.scanner.opened), self.looked_into
        figures.problems = [*self.problems, *self.scanner.wrong, *problems(self.people)]
        return figures

    def live(self) -> None:
        """Until the last game is over and its last letter sent."""
        with override_settings(EMAIL_BACKEND=postbox.BACKEND), present.told_by(self.clock), self._post():
            self._found()
            while not self._is_over():
                self._go_on()

    @contextmanager
    def _post(self) -> Iterator[None]:
        with postbox.carried_by(self._carry):
            yield

    # Founding

    def _found(self) -> None:
        Heartbeat.objects.update_or_create(pk=1, defaults={"at": self.clock.now})
        count = max(self.plan.players, -(-self.tables_wanted * self.plan.players // 2))
        for number in range(1, count + 1):
            own = Random(f"{self.plan.seed} {self.number} {number}")  # noqa: S311 - as above
            self._join(people.drawn(number, self.start, self.plan.pace, own))
        for _ in range(self.tables_wanted):
            at = self.start + timedelta(seconds=self.rng.randrange(2 * 24 * 3600))
            self.diary.note(at, self._make_table)

    def _join(self, person: Person) -> None:
        user = User.objects.get_or_create_proven(person.address, person.name)
        user.time_zone = str(person.zone)
        user.rhythm, user.batch_minutes, user.digest_at = (
            person.rhythm,
            person.batch_minutes,
            person.digest_at,
        )
        user.every_move, user.reminders = person.every_move, list(person.reminders)
        user.days_off = list(person.days_off)
        if person.quiet:
            user.quiet_from, user.quiet_until = person.quiet
        user.save()
        self.people[user.pk] = person
        for announced_at, first, last in person.holidays:
            self.diary.note(announced_at, partial(self._announce, user, first, last))
        if person.gone and person.comes_back:
            self.diary.note(person.next_awake(person.gone[1]), lambda: self._visit(user.pk))
        self._plan_look(user.pk)

    def _announce(self, user: User, first: date, last: date) -> None:
        announce_holiday(user, first, last)

    def _make_table(self) -> None:
        seated = self.rng.sample(sorted(self.people), self.plan.players)
        users = User.objects.in_bulk(seated)
        table = commands.make_table(
            users[seated[0]],
            name=f"Table {len(self.tables) + 1}",
            size=self.plan.players,
            entry=Table.Entry.LINK,
            pace=self.plan.pace,
            secret=self.rng.randbytes(32),
            form_key=UUID(bytes=self.rng.randbytes(16)),
        )
        self.tables.append(table.pk)
        for pk in seated[1:]:
            commands.take_seat(table, users[pk])

    # From one event to the next

    def _is_over(self) -> bool:
        if self.clock.now > self.start + LONGEST or self.idle > MOST_IDLE_TICKS:
            self.problems.append(f"club {self.number} did not come to its end")
            return True
        return len(self.tables) == self.tables_wanted and self.next_due is None and not _are_playing()

    def _go_on(self) -> None:
        due = self.next_due and max(self.next_due, self.ticked_at + TICK)
        self.clock.go_to(min(filter(None, (self.diary.next, due))))
        if due is not None and due <= self.clock.now:
            self._tick()
        else:
            self.idle = 0
            for action in self.diary.due(self.clock.now):
                action()
        self.next_due = _next_due()

    def _tick(self) -> None:
        """All that beat wakes every few seconds, in one order."""
        self.ticked_at = self.clock.now
        self.idle += 1
        _beat(self.clock.now)
        if self.lot.random() < self.plan.looked_into:
            self._look_into_letters()
        before = len(self.received)
        for tick in self.ticks:
            tick()
        self._read_letters(before)

    # Letters

    def _carry(self, message: EmailMessage) -> bool:
        letter = Letter.objects.get(message_id=message.extra_headers["Message-ID"])
        assert letter.to_user_id is not None
        person = self.people[letter.to_user_id]
        if person.refuses:
            return False
        self.received.append(Received(letter, person, self.clock.now))
        if person.scans:
            self.scanner.opens(message)
        return True

    def _look_into_letters(self) -> None:
        """Those that go out now are built with other hidden cards, and compared."""
        for letter in Letter.objects.due(self.clock.now).select_related("to_user"):
            found = tells_hidden(letter, self.lot)
            self.looked_into += found is not None
            if found:
                self.problems.append(f"letter {letter.pk} ({letter.kind}) tells of hidden cards")

    def _read_letters(self, first: int) -> None:
        for received in self.received[first:]:
            if received.person.takes_mail:
                self._plan_answer(received)

    def _plan_answer(self, received: Received) -> None:
        person = received.person
        reminded = received.letter.kind == "reminder"
        assert received.letter.to_user_id is not None
        self._plan_visit(received.letter.to_user_id, person.answers_at(received.at, reminded=reminded))

    def _plan_visit(self, pk: int, moment: datetime) -> None:
        """The earliest visit that somebody means to make stands."""
        planned = self.planned.get(pk)
        if planned is None or planned > moment:
            self.planned[pk] = moment
            self.diary.note(moment, lambda: self._visit_as_planned(pk, moment))

    def _visit_as_planned(self, pk: int, moment: datetime) -> None:
        if self.planned.get(pk) == moment:
            del self.planned[pk]
            self._visit(pk)

    def _plan_look(self, pk: int) -> None:
        moment = self.people[pk].looks_again_at(self.clock.now)
        self.diary.note(moment, lambda: self._look(pk))

    def _look(self, pk: int) -> None:
        self._visit(pk)
        self._plan_look(pk)

    # What people do

    def _visit(self, pk: int) -> None:
        """Somebody who is there confirms full tables, is back, and answers what waits for him."""
        if self.people[pk].is_gone(self.clock.now):
            return
        for seat in Seat.objects.filter(user=pk, confirmed_at=None, table__state=Table.State.GATHERING):
            if seat.table.seats.count() == seat.table.size:
                commands.confirm(seat)
        for seat in Seat.objects.filter(user=pk, table__state=Table.State.PLAYING).exclude(stand_in=""):
            commands.come_back(seat)
        waiting = Seat.objects.filter(user=pk, asked_since__isnull=False).order_by("asked_since", "pk")
        while (asked := waiting.first()) is not None:
            self._answer(self.people[pk], asked)

    def _answer(self, person: Person, seat: Seat) -> None:
        game = Game.objects.select_related("table").filter(table=seat.table_id).latest("number")
        move = person.chooses(observe(replayed(game).state, seat.number))
        assert seat.asked_at is not None
        commands.submit_move(game, seat.number, move, seat.asked_at, LogEntry.Via.LINK)


def _ticks() -> Iterator[Callable[[], object]]:
    """What beat wakes often, called here as the workers call it."""
    for entry in settings.CELERY_BEAT_SCHEDULE.values():
        if entry["schedule"] <= OFTEN:
            yield import_string(entry["task"])


def _next_due() -> datetime | None:
    """When a tick finds something to do: the earliest moment in any column that is polled, on the grid."""
    with connection.cursor() as cursor:
        cursor.execute(_EARLIEST)
        found = [at for (at,) in cursor.fetchall() if at is not None]
    if not found:
        return None
    return _on_the_grid(min(found) if isinstance(found[0], datetime) else _read(min(found)))


def _polled(model: type[Model], column: str, condition: str = "true") -> str:
    return f"SELECT min({column}) FROM {model._meta.db_table} WHERE {condition}"  # noqa: S608 - names only


# In one statement that is not composed anew each time: it is asked after every event.
_EARLIEST = " UNION ALL ".join(
    (
        _polled(Letter, "not_before", "state = 'queued'"),
        _polled(Seat, "due_at"),
        _polled(Seat, "remind_at"),
        _polled(Table, "next_game_at"),
    )
)


def _read(text: str) -> datetime:
    """A moment as SQLite stores it."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def _are_playing() -> bool:
    return Table.objects.filter(state__in=(Table.State.GATHERING, Table.State.PLAYING)).exists()


def _on_the_grid(moment: datetime) -> datetime:
    """The first tick at or after a moment."""
    return moment + (BEGINS - moment) % TICK


def _beat(now: datetime) -> None:
    """As the ticks between the last event and this one would have left it."""
    Heartbeat.objects.update(at=now)
