"""Seasons without a site: many in little time, for their calendars alone.

People, games and clocks are those of games/quick.py, and tables are drawn as in a league's balanced rounds.
Left out are sign-up, people who leave, and substitutes: a bot plays for who is away.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

from games.leagues.seating import Seated, seat_next, table_sizes
from games.presenters.time_settings import EXPECTED_DAYS
from tests.simulation.games.quick import Guest, QuickClub, QuickGame
from tests.simulation.games.report import SECONDS_A_DAY
from tests.simulation.leagues.calendar import Calendar
from tests.simulation.leagues.habits import Plan


class QuickTable(QuickGame):
    """A game of a season, after which others may begin."""

    def end(self, now: datetime, *, is_abandoned: bool = False) -> None:
        super().end(now, is_abandoned=is_abandoned)
        if isinstance(self.club, QuickSeason):
            self.club.is_over(self, now)


class QuickSeason(QuickClub):
    """One season of one division."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(replace(plan.games, players=plan.players), 0, 0)
        self.of_season, self.calendar = plan, Calendar()
        self.busy: Counter[int] = Counter()  # by the person's number
        self.played: Counter[int] = Counter()
        self.waiting = self._drawn()

    def _drawn(self) -> list[Sequence[Guest]]:
        plan, seed = self.of_season, hashlib.sha256(str(self.of_season.seed).encode()).digest()
        by_number = {guest.person.number: guest for guest in self.guests}
        rounds: list[Seated] = []
        for _round in range(plan.tables):
            rounds.append(seat_next(by_number, plan.size, plan.tables, seed, before=rounds))
        return [[by_number[one] for one in table] for drawn in rounds for table in drawn.tables]

    def calendar_of(self) -> Calendar:
        """Run to the end of the last table; return the season's days."""
        self._begin_tables(self.start)
        while self.waiting or self.busy.total():
            assert self.diary.next is not None
            self.clock.go_to(self.diary.next)
            for action in self.diary.due(self.clock.now):
                action()
        self.calendar.over = [max(self.calendar.ends)]
        return self.calendar

    def _begin_tables(self, now: datetime) -> None:
        """Begin each table whose players all have room."""
        for guests in list(self.waiting):
            numbers = [guest.person.number for guest in guests]
            if all(self.busy[number] < self.of_season.at_once for number in numbers):
                self.waiting.remove(guests)
                self.busy.update(numbers)
                self.calendar.begins.append(self._day(now))
                game = QuickTable(self, guests, now, f"{self.of_season.seed} table {len(self.waiting)}")
                self.diary.note(now + self._longest(), partial(self._adjudicate, game))

    def _longest(self) -> timedelta:
        sizes = table_sizes(self.of_season.players, self.of_season.size)
        days = self.of_season.days or EXPECTED_DAYS[self.of_season.pace][max(sizes)][1]
        return timedelta(days=days - (-days // 4))

    def _adjudicate(self, game: QuickGame) -> None:
        if not game.is_over:
            game.end(self.clock.now)

    def is_over(self, game: QuickGame, now: datetime) -> None:
        """Note the day of a table's end, and begin the tables that its players have room for now."""
        day = self._day(now)
        self.calendar.ends.append(day)
        if now - game.begun < self._longest():
            self.calendar.lengths.append(day - self._day(game.begun))
        for number in (chair.guest.person.number for chair in game.chairs):
            self.busy[number] -= 1
            self.played[number] += 1
            self.calendar.by_table.setdefault(self.played[number], []).append(day)
        self.diary.note(now, partial(self._begin_tables, now))

    def _day(self, moment: datetime) -> float:
        return (moment - self.start).total_seconds() / SECONDS_A_DAY


def calendar_of(plan: Plan, seasons: int) -> Calendar:
    """Return the days of this many seasons, each with the next seed."""
    found = Calendar(seasons=0)
    for number in range(seasons):
        found.add(QuickSeason(replace(plan, seed=plan.seed + number)).calendar_of())
    return found
