"""The organiser's desk: each table of a season as its spectators may know it, late ones first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.time_elements import day_element, moment_element, with_times
from games.clocks.counted_hours import HIDDEN
from games.clocks.running_clocks import is_paused
from games.leagues.models import LeagueTable, OpenSeat, Season
from games.leagues.results.season_scoring import scoring_rules_of
from games.leagues.results.table_results import facts_if_adjudicated
from games.leagues.scoring.table_points import scores_of
from games.leagues.selectors.exact_numbers import as_people_read
from games.leagues.selectors.league_tables import TableView, table_views
from games.leagues.selectors.likely_ends import forecast_end, likely_end, most_are_done_at
from games.leagues.services.table_deadlines import is_running
from games.models import Game, Seat
from games.narration.cast import and_list
from games.narration.seat_names import shown_names


@dataclass(frozen=True)
class DeskRow:
    """A table as a spectator may know it, with its open seats; nothing depends on who organises."""

    view: TableView
    now: datetime

    @property
    def row(self) -> LeagueTable:
        return self.view.row

    @property
    def runs(self) -> bool:
        return is_running(self.row)

    @property
    def may_adjudicate(self) -> bool:
        """Whether its time is over."""
        return self.runs and self.row.deadline <= self.now

    @property
    def late_since(self) -> datetime | None:
        """Since when the table or a move that everyone waits for is late; None if neither is."""
        if not self.runs:
            return None
        dues = [
            self.row.deadline,
            *[seat.due_at for seat in self._deciding_seats if seat.due_at and not self._is_veiled],
        ]
        return min((due for due in dues if due <= self.now), default=None)

    @property
    def rank(self) -> tuple[bool, datetime]:
        """The place among running tables: late ones first, the longest late before the others."""
        return self.late_since is None, self.late_since or self.row.deadline

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the seats, by number, as spectators read them; empty before it begins."""
        return shown_names(self.view.table.all_seats(), None) if self.view.table else ()

    @property
    def players(self) -> str:
        """The players there: now, while the game runs and its seats are no secret."""
        return and_list(self.names) if self.runs and not self._is_veiled else self.view.roster

    @property
    def _is_veiled(self) -> bool:
        return self.view.is_veiled

    @property
    def _game(self) -> Game | None:
        """The game in progress; None between two games of a match."""
        game = self.view.game
        return game if game is not None and self.runs and not game.is_over else None

    @property
    def _deciding_seats(self) -> list[Seat]:
        """The seats with a decision of which everyone knows; none while decisions are secret (R17)."""
        if self._game is None or self._game.phase == HIDDEN or self.view.table is None:
            return []
        return [seat for seat in self.view.table.all_seats() if seat.pending_decision not in (None, HIDDEN)]

    @property
    def waiting(self) -> list[str]:
        """Whose turn it is, since when and until when, in sentences."""
        if not self.runs:
            return []
        if self._game is None:
            return [_("The next game of the match begins soon.")]
        if self._game.phase == HIDDEN:
            return [_("Players are deciding.")]
        return [*self._pause_texts(self._game), *[self._waiting_text(seat) for seat in self._deciding_seats]]

    def _pause_texts(self, game: Game) -> Iterator[str]:
        if is_paused(game, self.now):
            # Translators: until is a date and time
            yield with_times(_("Paused until %(until)s."), {"until": moment_element(game.paused_until)})

    def _waiting_text(self, seat: Seat) -> str:
        words = {"name": self.names[seat.number], "since": moment_element(seat.asked_since)}
        if seat.due_at is None or self._is_veiled:
            # Translators: name is a player; since is a date and time
            return with_times(_("Waiting for %(name)s since %(since)s."), words)
        words["due"] = moment_element(seat.due_at)
        # Translators: name is a player; since and due are dates and times
        return with_times(_("Waiting for %(name)s since %(since)s. Move by %(due)s."), words)

    @property
    def likely_end(self) -> str:
        """When the table is likely to end, and when such tables usually do, in one sentence."""
        likely, forecast = likely_end(self.row, self.now), forecast_end(self.row)
        if not self.runs or likely is None or forecast is None:
            return ""
        words = {"likely": day_element(likely), "forecast": day_element(forecast)}
        if words["likely"] == words["forecast"]:
            # Translators: likely is a date
            return with_times(_("It likely ends around %(likely)s, as forecast."), words)
        # Translators: likely and forecast are dates
        return with_times(_("It likely ends around %(likely)s. The forecast was %(forecast)s."), words)

    @property
    def battles(self) -> str:
        """How many battles of the current game are over."""
        if self._game is None:
            return ""
        n = self._game.glimpse.get("battles", 0)
        return ngettext("%(n)d battle played", "%(n)d battles played", n) % {"n": n}

    @property
    def regions(self) -> str:
        """How many regions each seat holds in the current game."""
        if self._game is None:
            return ""
        held = Counter(self._game.glimpse.get("control", {}).values())
        return ", ".join([f"{name} ({held[seat]})" for seat, name in enumerate(self.names)])

    @property
    def open_seats(self) -> list[tuple[OpenSeat, str]]:
        """The seats that need a substitute, each with who left it; no name at an anonymous table."""
        sought = [one for one in self.row.open_seats.all() if one.state in OpenSeat.SOUGHT]
        names = {} if self._is_veiled else self.view.names
        return [(one, names.get(one.left_by_id or 0, "")) for one in sought]


@dataclass(frozen=True)
class Desk:
    """All tables of a season: in progress, planned, and over."""

    running: list[DeskRow]
    planned: list[DeskRow]
    over: list[DeskRow]
    done_at: datetime | None = None  # when 9 of 10 players have likely finished their tables


def desk(season: Season, now: datetime) -> Desk:
    """Return a season's tables for its organisers, in a fixed number of queries."""
    found = LeagueTable.objects.filter(round__division__season=season)
    rows = [DeskRow(view, now) for view in table_views(found, None)]
    planned = [one for one in rows if one.row.table is None]
    over = [one for one in rows if one.row.table is not None and not one.runs]
    return Desk(
        sorted([one for one in rows if one.runs], key=lambda one: one.rank),
        sorted(planned, key=lambda one: (one.row.round.number, one.row.round.division.level, one.row.number)),
        sorted(over, key=lambda one: one.row.collected_at or now, reverse=True),
        most_are_done_at(season, [one.row for one in rows], now)
        if season.state == Season.State.RUNNING
        else None,
    )


def desk_row(row: LeagueTable, now: datetime) -> DeskRow:
    """Return one table as it is on the desk."""
    (view,) = table_views(LeagueTable.objects.filter(pk=row.pk), None)
    return DeskRow(view, now)


def position_of(row: LeagueTable, now: datetime) -> list[str]:
    """Return a running table's regions, and the points of each way to adjudicate it, in sentences."""
    one = desk_row(row, now)
    if not one.regions:
        return []
    # Translators: regions is a list of players with their numbers, such as "Anna (4), Bruno (3)"
    sentences = [_("Regions now: %(regions)s.") % {"regions": one.regions}]
    # Translators: points is a list of players with their points, such as "Anna (6), Bruno (3)"
    most, nobody = _("If most regions win, points: %(points)s."), _("If no one wins, points: %(points)s.")
    for text, with_winner in ((most, True), (nobody, False)):
        facts = facts_if_adjudicated(row, with_winner=with_winner)
        if facts is not None:
            scores = scores_of(facts, scoring_rules_of(row.round.division.season))
            listed = [
                f"{name} ({as_people_read(score.points)})"
                for name, score in zip(one.names, scores, strict=True)
            ]
            sentences.append(text % {"points": ", ".join(listed)})
    return sentences
