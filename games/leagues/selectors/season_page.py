"""A season's page: its players, its divisions, and what the reader can do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from accounts.models import User
from games.leagues.links import ask_url
from games.leagues.models import Division, LeagueTable, Registration, Season, Substitute, SubstituteOffer
from games.leagues.selectors.final_part import FinalPart, final_part
from games.leagues.selectors.next_steps import back_label, holiday_text, place_text, what_comes_next
from games.leagues.selectors.next_tables import NextTable, next_tables
from games.leagues.selectors.points_in_words import about_points
from games.leagues.selectors.standings_page import StandingsPage, standings_pages
from games.leagues.selectors.tables_at_once import tables_at_once_text
from games.leagues.services.admission import is_expected, why_not
from games.leagues.services.concerns import may_tell
from games.leagues.services.ready_tables import next_round
from games.leagues.services.starting_holidays import StartingHoliday, holiday_over_start
from games.models import Game, Table

State, Has = Season.State, Registration.State
LEADERS = 3


@dataclass(frozen=True)
class DivisionLeaders:
    """A division in its season's list, with its leaders."""

    division: Division
    players: int
    leaders: tuple[tuple[int, str, str], ...]  # (place, name, points in words)


@dataclass(frozen=True)
class SeasonPage:
    """A season as one reader sees it; the reader may be anonymous."""

    season: Season
    reader: User | None
    entries: tuple[Registration, ...]  # in the order in which places are given
    substitutes: tuple[Substitute, ...]  # in the order in which they get offers
    divisions: tuple[DivisionLeaders, ...]
    games: tuple[Game, ...]  # the reader's own games at running tables
    next_tables: tuple[NextTable, ...]  # the reader's, drawn and not begun
    final: FinalPart | None = None

    @property
    def corrected_at(self) -> datetime | None:
        """Return when its places were last corrected after its end."""
        if self.season.closed_at is None:
            return None
        return self.season.events.filter(facts__has_key="places").values_list("at", flat=True).first()

    @cached_property
    def placed(self) -> list[Registration]:
        """Return the registrations with a place or a reserved place."""
        return [entry for entry in self.entries if entry.state in Registration.WITH_PLACE]

    @property
    def expected(self) -> list[Registration]:
        """Return the registrations with a reserved place; none once the season is cancelled."""
        if self.season.state == State.CANCELLED:
            return []
        return [entry for entry in self.placed if entry.state == Has.EXPECTED]

    @property
    def signed(self) -> list[Registration]:
        """Return the players who signed up and have a place."""
        return [entry for entry in self.placed if entry.state != Has.EXPECTED]

    @property
    def waiting(self) -> list[Registration]:
        return [entry for entry in self.entries if entry.state == Has.WAITING]

    @property
    def gone(self) -> list[Registration]:
        """Return the players who left or were expelled during play."""
        return [entry for entry in self.entries if entry.state in (Has.WITHDRAWN, Has.EXPELLED)]

    @property
    def free(self) -> int:
        """Return the number of places that are not taken, reserved or waited for."""
        return max(self.season.max_players - len(self.placed) - len(self.waiting), 0)

    @cached_property
    def mine(self) -> Registration | None:
        """Return the reader's own registration."""
        return next((one for one in self.entries if self.reader and one.user_id == self.reader.pk), None)

    @cached_property
    def can_tell(self) -> bool:
        """Return whether the reader can tell the organisers something about the season."""
        return may_tell(self.season, self.reader)

    @cached_property
    def my_substitution(self) -> Substitute | None:
        return next((one for one in self.substitutes if self.reader and one.user_id == self.reader.pk), None)

    @cached_property
    def asked_of_me(self) -> list[str]:
        """Return the links to the reader's open substitute offers."""
        if self.my_substitution is None:
            return []
        return [ask_url(ask) for ask in self.my_substitution.asks.filter(answer=SubstituteOffer.Answer.OPEN)]

    @property
    def can_sign_up(self) -> bool:
        """Return whether the reader can sign up for a place or the waiting list."""
        again = self.mine is None or self.mine.state in (
            Has.EXPECTED,
            Has.LEFT,
            Has.NO_SHOW,
        )
        if self.mine is not None and self.mine.state == Has.DECLINED:
            again = self.is_expected
        return self.season.is_open and again

    @cached_property
    def _own_or_new(self) -> Registration | None:
        """Return the reader's registration, or what it would be; None for anonymous readers."""
        if self.reader is None:
            return None
        return self.mine or Registration(season=self.season, user=self.reader)

    @cached_property
    def is_expected(self) -> bool:
        """Return whether the reader joins directly, whatever the rules for others."""
        return self._own_or_new is not None and is_expected(self._own_or_new)

    @cached_property
    def why_not(self) -> str:
        """Return why the reader may not sign up; empty if they may, or if no one knows who they are."""
        if self._own_or_new is None or self.is_expected:
            return ""
        return why_not(self._own_or_new)

    @property
    def asks_first(self) -> bool:
        """Return whether an organiser decides before the reader joins."""
        return self.season.joining == Season.Joining.REQUEST and not self.is_expected

    @property
    def asked_to_sign_up(self) -> str:
        """Return what organisers ask the reader as they sign up; empty if nothing."""
        return "" if self.is_expected else self.season.asks

    @cached_property
    def at_once(self) -> str:
        """Return at how many tables the reader may play at once with this season, if that is several."""
        return tables_at_once_text(self.season, self.reader) if self.reader else ""

    @property
    def would_wait(self) -> bool:
        """Return whether signing up would lead to the waiting list."""
        has_kept = self.mine is not None and self.mine.state == Has.EXPECTED
        return self.season.state == State.RUNNING or not (has_kept or self.free)

    @property
    def can_confirm(self) -> bool:
        return self.mine is not None and self.mine.can_confirm

    @cached_property
    def _holiday(self) -> StartingHoliday | None:
        """Return the holiday on which the reader will be as the season begins."""
        mine = self.mine
        is_ahead = mine is not None and mine.has_place_ahead
        return holiday_over_start(mine) if mine is not None and is_ahead else None

    @property
    def holiday_texts(self) -> list[str]:
        """Return what the reader's holiday over the start means; empty if they have none."""
        return holiday_text(self.mine, self._holiday) if self.mine and self._holiday else []

    @property
    def back_label(self) -> str:
        """Return the button by which the reader, on holiday at the start, confirms; empty for others."""
        return back_label(self._holiday) if self._holiday else ""

    @property
    def can_leave(self) -> bool:
        """Return whether the reader can leave before the season begins."""
        before = (
            Has.EXPECTED,
            Has.SIGNED_UP,
            Has.WAITING,
            Has.CONFIRMED,
            Has.REQUESTED,
        )
        return self.mine is not None and self.mine.state in before and self.season.is_open

    @cached_property
    def next_round(self) -> int | None:
        """Return the round of the reader's next table, which they may skip."""
        is_on = self.mine is not None and self.season.state == State.RUNNING
        return next_round(self.mine) if self.mine is not None and is_on else None

    @property
    def skips(self) -> bool:
        return self.mine is not None and self.next_round in self.mine.skipped

    @property
    def can_withdraw(self) -> bool:
        """Return whether the reader is playing and can withdraw."""
        return self.mine is not None and self.mine.state == Has.PLAYING and self.season.state == State.RUNNING

    @property
    def can_volunteer(self) -> bool:
        return self.season.is_open and self.my_substitution is None

    @property
    def standing(self) -> str:
        """Return the reader's status in the season as a sentence; empty if they have none."""
        mine = self.mine
        if mine is None or not (self.season.is_open or mine.state == Has.PLAYING):
            return ""
        return place_text(mine)

    @property
    def next_step(self) -> str:
        """Return what comes next for the reader."""
        return what_comes_next(self.season, self.mine) if self.mine is not None else ""


def season_page(season: Season, reader: User | None) -> SeasonPage:
    """Return a season's page in a fixed number of queries."""
    entries = tuple(season.entries.select_related("user", "division"))
    substitutes = tuple(season.substitutes.filter(stopped_at=None).select_related("user"))
    is_on = reader is not None and season.state == State.RUNNING
    return SeasonPage(
        season,
        reader,
        entries,
        substitutes,
        _divisions(season, entries),
        _games(season, reader),
        tuple(next_tables(reader, season)) if is_on and reader else (),
        final_part(season, reader),
    )


def _divisions(season: Season, entries: Sequence[Registration]) -> tuple[DivisionLeaders, ...]:
    divisions = list(season.divisions.all())
    for division in divisions:
        division.season = season
    players = Counter(entry.division_id for entry in entries if not entry.is_out)
    return tuple(
        [
            DivisionLeaders(page.division, players[page.division.pk], leaders_of(page))
            for page in standings_pages(divisions)
        ]
    )


def leaders_of(page: StandingsPage) -> tuple[tuple[int, str, str], ...]:
    """Return the leaders of a division; empty before the first result."""
    first = page.lines[:LEADERS] if page.has_results else ()
    return tuple([(line.row.place, line.name, about_points(line.row.points)) for line in first])


def _games(season: Season, reader: User | None) -> tuple[Game, ...]:
    if reader is None or season.state != State.RUNNING:
        return ()
    tables = LeagueTable.objects.filter(round__division__season=season).values("table")
    here = Game.objects.of(reader).filter(table__in=tables, table__state=Table.State.PLAYING)
    return tuple(here.filter(ended_at=None).select_related("table").order_by("pk"))
