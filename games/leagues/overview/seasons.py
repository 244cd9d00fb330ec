"""A season as its page tells it: who is in it, who waits in which order, who leads, and what the reader may
do about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from django.utils.translation import gettext as _

from accounts.models import User
from games.leagues.links import ask_url
from games.leagues.models import Ask, Division, Entry, LeagueTable, Season, Substitute
from games.leagues.overview.course_in_words import at
from games.leagues.overview.divisions import StandingsPage, standings_pages
from games.leagues.overview.explaining import about_points
from games.models import Game, Table

State, Has = Season.State, Entry.State
IN_PLACE = (Has.EXPECTED, Has.SIGNED_UP, Has.CONFIRMED, Has.PLAYING)
LEADERS = 3


@dataclass(frozen=True)
class DivisionRow:
    """A division in its season's list, with the best of it."""

    division: Division
    players: int
    leaders: tuple[tuple[int, str, str], ...]  # place, name, points in words


@dataclass(frozen=True)
class SeasonPage:
    """A season for one reader, who may be nobody."""

    season: Season
    reader: User | None
    entries: tuple[Entry, ...]  # in the order in which places are given
    helpers: tuple[Substitute, ...]  # in the order in which they are asked
    divisions: tuple[DivisionRow, ...]
    games: tuple[Game, ...]  # the reader's own, at its tables that run

    @cached_property
    def placed(self) -> list[Entry]:
        """Who has a place, or one kept."""
        return [entry for entry in self.entries if entry.state in IN_PLACE]

    @property
    def expected(self) -> list[Entry]:
        """Those for whom a place is kept."""
        return [entry for entry in self.placed if entry.state == Has.EXPECTED]

    @property
    def signed(self) -> list[Entry]:
        """Who has said that he plays."""
        return [entry for entry in self.placed if entry.state != Has.EXPECTED]

    @property
    def waiting(self) -> list[Entry]:
        return [entry for entry in self.entries if entry.state == Has.WAITING]

    @property
    def gone(self) -> list[Entry]:
        """Who left while it was played."""
        return [entry for entry in self.entries if entry.state in (Has.WITHDRAWN, Has.EXPELLED)]

    @property
    def free(self) -> int:
        """How many places nobody has, nor has kept for him, nor waits for."""
        return max(self.season.places - len(self.placed) - len(self.waiting), 0)

    @cached_property
    def mine(self) -> Entry | None:
        """The reader's own."""
        return next((one for one in self.entries if self.reader and one.user_id == self.reader.pk), None)

    @cached_property
    def my_help(self) -> Substitute | None:
        return next((one for one in self.helpers if self.reader and one.user_id == self.reader.pk), None)

    @cached_property
    def asked_of_me(self) -> list[str]:
        """Where he says whether he takes a seat, for each he has not answered for yet."""
        if self.my_help is None:
            return []
        return [ask_url(ask) for ask in self.my_help.asks.filter(answer=Ask.Answer.OPEN)]

    @property
    def can_sign_up(self) -> bool:
        """Whether he has neither a place nor waits for one, and can get there."""
        if self.season.state == State.RUNNING and not self.season.fills_gaps:
            return False
        again = self.mine is None or self.mine.state in (Has.EXPECTED, Has.LEFT, Has.DROPPED)
        return self.season.is_open and again

    @property
    def would_wait(self) -> bool:
        """Whether signing up means to wait."""
        has_kept = self.mine is not None and self.mine.state == Has.EXPECTED
        return self.season.state == State.RUNNING or not (has_kept or self.free)

    @property
    def can_confirm(self) -> bool:
        return (
            self.mine is not None
            and self.mine.state == Has.SIGNED_UP
            and self.season.state == State.CONFIRMING
        )

    @property
    def can_leave(self) -> bool:
        """Whether he can go before it begins."""
        before = (Has.EXPECTED, Has.SIGNED_UP, Has.WAITING, Has.CONFIRMED)
        return self.mine is not None and self.mine.state in before and self.season.is_open

    @property
    def can_withdraw(self) -> bool:
        """Whether he plays, and can go."""
        return self.mine is not None and self.mine.state == Has.PLAYING and self.season.state == State.RUNNING

    @property
    def can_offer_help(self) -> bool:
        return self.season.is_open and self.my_help is None

    @property
    def my_number(self) -> int:
        """His place among those who wait."""
        return next((n for n, entry in enumerate(self.waiting, start=1) if entry == self.mine), 0)

    @property
    def standing(self) -> str:
        """How the reader stands to it, in a sentence; empty for who has nothing to do with it."""
        mine = self.mine
        if mine is None or not (self.season.is_open or mine.state == Has.PLAYING):
            return ""
        return _standing(self, mine)

    @property
    def next_step(self) -> str:
        """What comes next for the reader."""
        return what_comes_next(self.season, self.mine) if self.mine is not None else ""


def _standing(page: SeasonPage, mine: Entry) -> str:
    match mine.state:
        case Has.EXPECTED:
            return _("A place is kept for you until sign-up ends: sign up, and it is yours.")
        case Has.SIGNED_UP if page.can_confirm:
            return _("You have a place. Please confirm that you play.")
        case Has.SIGNED_UP:
            return _("You have a place.")
        case Has.CONFIRMED:
            return _("You have a place, and have confirmed it.")
        case Has.WAITING:
            return _("You wait for a place: you are number %(n)d.") % {"n": page.my_number}
        case Has.PLAYING:
            return _("You play in it.")
        case Has.LEFT:
            return _("You have left it.")
        case Has.DROPPED:
            return _("You did not confirm in time, and so have no place.")
        case Has.WITHDRAWN:
            return _("You have withdrawn.")
    return _("An organiser has expelled you.")


def what_comes_next(season: Season, mine: Entry) -> str:
    """What happens after this, for somebody in a season; empty where there is nothing to wait for."""
    words = {"ends": at(season.signup_ends_at), "begins": at(season.begins_at)}
    by = season.confirm_by
    match mine.state:
        case Has.SIGNED_UP if season.state == State.SIGN_UP:
            return (
                _("When sign-up ends (on %(ends)s at the latest) you get a letter that asks you to confirm.")
                % words
            )
        case Has.SIGNED_UP if by is not None:
            return _("You have until %(by)s to confirm.") % {"by": at(by)}
        case Has.WAITING if season.state == State.RUNNING:
            return _("You get a letter if somebody leaves and his place is yours.")
        case Has.WAITING:
            return _("You get a letter as soon as a place is yours.")
        case Has.CONFIRMED:
            return (
                _("The divisions are drawn and the first round begins on %(begins)s; you get a letter.")
                % words
            )
    return ""


def season_page(season: Season, reader: User | None) -> SeasonPage:
    """In a fixed number of queries."""
    entries = tuple(season.entries.select_related("user", "division"))
    helpers = tuple(season.substitutes.filter(stopped_at=None).select_related("user"))
    return SeasonPage(season, reader, entries, helpers, _divisions(season, entries), _games(season, reader))


def _divisions(season: Season, entries: Sequence[Entry]) -> tuple[DivisionRow, ...]:
    divisions = list(season.divisions.all())
    for division in divisions:
        division.season = season
    players = Counter(entry.division_id for entry in entries)
    return tuple(
        [
            DivisionRow(page.division, players[page.division.pk], leaders_of(page))
            for page in standings_pages(divisions)
        ]
    )


def leaders_of(page: StandingsPage) -> tuple[tuple[int, str, str], ...]:
    """The first few, once there is a result."""
    first = page.lines[:LEADERS] if page.has_results else ()
    return tuple([(line.row.place, line.name, about_points(line.row.points)) for line in first])


def _games(season: Season, reader: User | None) -> tuple[Game, ...]:
    if reader is None or season.state != State.RUNNING:
        return ()
    tables = LeagueTable.objects.filter(round__division__season=season).values("table")
    here = Game.objects.of(reader).filter(table__in=tables, table__state=Table.State.PLAYING)
    return tuple(here.filter(ended_at=None).select_related("table").order_by("pk"))
