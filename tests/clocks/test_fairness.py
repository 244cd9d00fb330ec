"""Random games whose players answer when they like, with random calendars, pauses, more time and outages.

Every answer of the clock is checked against a count minute by minute, which shares no line with the site's.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from accounts import availability
from games import services
from games.clocks.policy import PACES
from games.models import Game, LogEntry, Seat
from games.models.replay import replayed
from games.rules import legal_moves
from games.selectors.integrity import differences
from games.services import Refused, tick
from tests.clocks.passing import HOUR, MONDAY, TICK, Wall, timed_game
from tests.games.playing import submit

pytestmark = [pytest.mark.django_db, pytest.mark.once]

MINUTE = timedelta(minutes=1)
ZONES = ("UTC", "Asia/Kolkata", "Asia/Tokyo", "America/Bogota")  # whose clocks are not changed these months
NIGHTS = ((time(22), time(7)), (time(0, 30), time(9)), (time(13), time(14, 30)), None)
GAMES, MANY_GAMES = 1, 15
LIFE, LONG_LIFE = timedelta(days=10), timedelta(days=40)


@dataclass(frozen=True)
class Calendar:
    """When someone's time is counted, as they would say it."""

    zone: str
    night: tuple[time, time] | None = None
    days_off: tuple[int, ...] = ()
    holidays: tuple[tuple[date, date], ...] = ()

    def is_open(self, minute: datetime) -> bool:
        wall = minute.astimezone(ZoneInfo(self.zone))
        if wall.weekday() in self.days_off or any(a <= wall.date() <= b for a, b in self.holidays):
            return False
        if self.night is None:
            return True
        first, last = self.night
        at = wall.time()
        return not (first <= at < last if first < last else at >= first or at < last)


@dataclass
class Asked:
    """A decision as an independent observer records it."""

    seat: int
    kind: str
    since: datetime
    allowed: timedelta
    is_exact: bool = True  # nothing was given that this count does not know of
    weeks: int = 0  # how often the hours of their week have changed since: they put it off once


@dataclass
class Story:
    """One game, its players, and the observer's records."""

    rng: random.Random
    wall: Wall
    people: list[Any]
    game: Game = field(init=False)
    calendars: dict[int, list[tuple[datetime, Calendar]]] = field(default_factory=dict)
    stopped: list[tuple[datetime, datetime]] = field(default_factory=list)  # pauses and outages
    asked: dict[tuple[int, int], Asked] = field(default_factory=dict)
    checked: int = 0
    met: set[str] = field(default_factory=set)  # what came between a decision and the clock's answer
    seen_plies: int = 0

    def begin(self) -> None:
        for person in self.people:
            self._live(person)
        self.game = timed_game(
            self.people,
            pace=self.rng.choice(("hours", "hours", "day")),
            most_misses=9,
            time_by="host",
            name=f"Table {self.rng.random()}",
        )
        self.look()

    def _drawn(self) -> Calendar:
        days_off = tuple(sorted(self.rng.sample(range(7), self.rng.choice((0, 0, 1, 2)))))
        return Calendar(self.rng.choice(ZONES), self.rng.choice(NIGHTS), days_off)

    def _live(self, person: Any) -> None:
        calendar = self._drawn()
        availability.choose_zone(person, calendar.zone)
        self._tell_week(person, calendar)
        self._note(person, calendar)

    def _tell_week(self, person: Any, calendar: Calendar) -> None:
        first, last = calendar.night or (None, None)
        availability.change(person, quiet_from=first, quiet_until=last, days_off=calendar.days_off)

    def _note(self, person: Any, calendar: Calendar) -> None:
        self.calendars.setdefault(person.pk, []).append((self.wall.now, calendar))

    # What may happen

    def live_on(self, life: timedelta) -> None:
        begun = self.wall.now
        while not self.is_over and self.wall.now < begun + life:
            steps = (
                self.answer,
                self.wait,
                self.move_house,
                self.go_away,
                self.pause,
                self.give,
                self.fail,
            )
            self.rng.choices(steps, (8, 60, 10, 4, 2, 3, 1))[0]()
            self.look()
            self.come_back()

    @property
    def is_over(self) -> bool:
        return Game.objects.get(pk=self.game.pk).is_over

    def let_pass(self, span: timedelta) -> None:
        """Tick when there is something to do, and every five hours."""
        until = self.wall.now + span
        while self.wall.now < until:
            self.wall.pass_to(min(until, self.wall.now + 5 * HOUR))
            self.look()

    def answer(self) -> None:
        waiting = list(Seat.objects.filter(table=self.game.table_id, decision_step__isnull=False))
        seat = self.rng.choice(waiting)
        self.let_pass(HOUR * self.rng.choice((0, 0.3, 3, 9, 20)))
        fresh = Game.objects.select_related("table").get(pk=self.game.pk)
        if Seat.objects.filter(pk=seat.pk, decision_step=seat.decision_step).exists():
            move = self.rng.choice(legal_moves(replayed(fresh).state, seat.number))
            assert seat.decision_step is not None
            submit(fresh, seat.number, move, seat.decision_step, "web")

    def wait(self) -> None:
        self.let_pass(HOUR * self.rng.randrange(1, 24))

    def move_house(self) -> None:
        """Change the zone, or nights and days off: such a change delays a decision once."""
        person = self.rng.choice(self.people)
        before, drawn = self.calendars[person.pk][-1][1], self._drawn()
        if self.rng.random() < 0.3:
            self._note(person, replace(before, zone=drawn.zone))
            availability.choose_zone(person, drawn.zone)
        else:
            self._note(person, replace(before, night=drawn.night, days_off=drawn.days_off))
            self._tell_week(person, drawn)
        number = Seat.objects.get(table=self.game.table_id, user=person).number
        for decision in self._open():
            decision.weeks += decision.seat == number or decision.kind == "hand"

    def go_away(self) -> None:
        person = self.rng.choice(self.people)
        calendar = self.calendars[person.pk][-1][1]
        today = self.wall.now.astimezone(ZoneInfo(calendar.zone)).date()
        first = today + timedelta(days=self.rng.randrange(1, 6))
        last = first + timedelta(days=self.rng.randrange(3))
        if any(a <= last and first <= b for a, b in calendar.holidays) or len(calendar.holidays) > 4:
            return
        availability.announce_holiday(person, first, last)
        holidays = (*calendar.holidays, (first, last))
        self._note(person, Calendar(calendar.zone, calendar.night, calendar.days_off, holidays))

    def pause(self) -> None:
        days = self.rng.randrange(1, 3)
        self._cut_pauses()
        services.host_pauses(self.game, self.people[0], days)
        self.stopped.append((self.wall.now, self.wall.now + timedelta(days=days)))
        if self.rng.random() < 0.5:
            self.let_pass(HOUR * self.rng.randrange(1, 30))
            try:
                services.host_resumes(self.game, self.people[0])
                self._cut_pauses()
            except Refused:  # it is over, or so is the game
                return

    def _cut_pauses(self) -> None:
        self.stopped = [(start, min(end, max(start, self.wall.now))) for start, end in self.stopped]

    def give(self) -> None:
        hours = self.rng.randrange(1, 9)
        services.host_gives_time(self.game, self.people[0], hours)
        for decision in self._open():
            decision.allowed += hours * HOUR
        self.wall.now += 2 * MINUTE  # pressed again sooner, it would be once

    def fail(self) -> None:
        """Stop ticking for a while; that time is given back, and this observer does not count it."""
        start = self.wall.now
        self.wall.tick()
        self.look()
        self.wall.now += HOUR * self.rng.randrange(1, 40)
        tick.run_tick(self.wall.now)
        self.stopped.append((start, self.wall.now))
        for decision in self._open():
            decision.is_exact = False
        self.look()
        self.wall.tick()

    def come_back(self) -> None:
        for seat in Seat.objects.filter(table=self.game.table_id).exclude(played_by_bot=""):
            if self.rng.random() < 0.5 and not self.is_over:
                services.come_back(seat)

    # What the observer does

    def _open(self) -> list[Asked]:
        seats = Seat.objects.filter(table=self.game.table_id, decision_step__isnull=False)
        return [self.asked[key] for key in seats.values_list("number", "decision_step") if key in self.asked]

    def look(self) -> None:
        """Check what the clock has answered, and note what is asked."""
        entries = LogEntry.objects.filter(game=self.game, ply__gte=self.seen_plies).order_by("ply")
        for entry in entries:
            self.seen_plies = entry.ply + 1
            if entry.via == "clock":
                assert entry.seat is not None
                assert entry.decision_step is not None
                self.check(self.asked[entry.seat, entry.decision_step], entry.at)
        for seat in Seat.objects.filter(table=self.game.table_id, decision_step__isnull=False):
            self._note_decision(seat)

    def _note_decision(self, seat: Seat) -> None:
        assert seat.decision_step is not None
        if (seat.number, seat.decision_step) in self.asked:
            return
        pace = PACES[self.game.table.pace]
        reserve = timedelta(0) if seat.pending_decision == "hand" else seat.reserve
        assert seat.asked_since is not None
        assert seat.pending_decision is not None
        assert reserve is not None
        self.asked[seat.number, seat.decision_step] = Asked(
            seat.number, seat.pending_decision, seat.asked_since, pace.per_decision + reserve
        )

    def check(self, decision: Asked, at: datetime) -> None:
        used = self.counted(decision, at)
        self.checked += 1
        self._remember(decision, at)
        if decision.weeks < 2:
            assert used >= decision.allowed - MINUTE, (decision, at, used)
        if decision.is_exact and decision.kind != "hand":
            assert used <= decision.allowed + 2 * MINUTE, (decision, at, used)

    def _remember(self, decision: Asked, at: datetime) -> None:
        person = Seat.objects.get(table=self.game.table_id, number=decision.seat).user_id
        assert person is not None
        self.met |= {"calendar" for since, _ in self.calendars[person] if decision.since < since < at}
        self.met |= {"pause" for start, _ in self.stopped if decision.since < start < at}

    def counted(self, decision: Asked, at: datetime) -> timedelta:
        """Count each minute from decision to answer that was open in the calendar of that minute."""
        person = Seat.objects.get(table=self.game.table_id, number=decision.seat).user_id
        assert person is not None
        history = self.calendars[person]
        minute, minutes = decision.since, 0
        while minute < at:
            calendar = [told for since, told in history if since <= minute][-1]
            runs = not any(start <= minute < end for start, end in self.stopped)
            minutes += runs and calendar.is_open(minute)
            minute += MINUTE
        return minutes * MINUTE


def test_the_clock_is_never_early_and_never_forgets(
    wall: Wall, anna: Any, bruno: Any, carla: Any, long: bool
) -> None:
    checked, met = 0, set[str]()
    for number in range(MANY_GAMES if long else GAMES):
        Seat.objects.update(counted_from=None, time_left=None, due_at=None, remind_at=None)
        for person in (anna, bruno, carla):
            person.holidays.all().delete()
        story = Story(random.Random(number), wall, [anna, bruno, carla])
        story.begin()
        story.live_on(LONG_LIFE if long else LIFE)
        wall.tick()
        overdue = Seat.objects.filter(table=story.game.table_id, due_at__lte=wall.now)
        assert not overdue.exists()
        assert differences(story.game.pk) == []
        checked += story.checked
        met |= story.met
        wall.now = max(wall.now, MONDAY) + TICK
    assert checked > (25 if long else 5)
    assert met == {"calendar", "pause"} or not long
