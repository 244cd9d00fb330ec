"""The decisions that only an organiser can make; everything else in a league runs automatically."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.mail.suppression import fails
from games.leagues.models import League, LeagueTable, OpenSeat, Registration, Season
from games.leagues.scoring.table_facts import TableEnding
from games.leagues.selectors.names_in_leagues import names_in
from games.models import Table

TOLD_AT_ONCE = ("short", "seat")


@dataclass(frozen=True, slots=True)
class OrganiserTask:
    """A decision to make: its kind, what to say about it, and its page.

    `key` is unique to the task.
    """

    kind: str
    sentence: str
    url: str
    season: Season
    key: str


def organiser_tasks_of(league: League, now: datetime) -> tuple[OrganiserTask, ...]:
    """Return all open tasks of this league's organisers, the most urgent first.

    It takes a fixed number of queries.
    """
    return tuple(_open_tasks(Season.objects.filter(league=league), now))


def tasks_to_email(now: datetime) -> Iterator[OrganiserTask]:
    """Yield the open tasks of all leagues that the tick emails; services email theirs at once."""
    return (task for task in _open_tasks(Season.objects.all(), now) if task.kind not in TOLD_AT_ONCE)


def _open_tasks(seasons: QuerySet[Season], now: datetime) -> Iterator[OrganiserTask]:
    yield from _short_seasons(seasons)
    yield from _late_tables(seasons, now)
    yield from _seats_without_substitute(seasons)
    yield from _abandoned_tables(seasons)
    yield from _unreachable_players(seasons)


def _short_seasons(seasons: QuerySet[Season]) -> Iterator[OrganiserTask]:
    for season in seasons.filter(short_since__isnull=False).select_related("league").order_by("pk"):
        least = max(season.min_players, season.size)
        text = _(
            "Season %(number)d has too few players: it needs at least %(least)d. Extend sign-up, invite "
            "people, or cancel the season."
        )
        words = {"number": season.number, "least": least}
        key = f"short:{season.pk}:{season.short_since:%Y-%m-%d}"
        yield OrganiserTask("short", text % words, _path_of("replan_season", season), season, key)


def _late_tables(seasons: QuerySet[Season], now: datetime) -> Iterator[OrganiserTask]:
    """Yield the tables that are late, in seasons that leave them to an organiser.

    Tables between two games of a match are left out, because they can't be ended yet.
    """
    late = Q(round__division__season__late=Season.Late.ORGANISER, ends_at__lte=now)
    is_last_end = Q(is_extended=True) | Q(round__division__season__extension_days=0)
    played = Q(table__state=Table.State.PLAYING, table__next_game_at=None)
    for table in _tables(seasons).filter(late, is_last_end, played):
        # Translators: table is a table's name, such as "Autumn League: round 1, table 2"
        text = _("“%(table)s” is late. Adjudicate it, or extend it.")
        end = int(table.deadline.timestamp())
        yield _task_of_table("late", table, text, "table_adjudicate", f"late:{table.pk}:{end}")


def _abandoned_tables(seasons: QuerySet[Season]) -> Iterator[OrganiserTask]:
    """Yield the abandoned tables without an award.

    An abandoned table gives no points unless an organiser awards some.
    """
    found = _tables(seasons).filter(facts__how=TableEnding.ABANDONED.value, awards=None)
    for table in found:
        # Translators: table is a table's name, such as "Autumn League: round 1, table 2"
        text = _("Everyone left “%(table)s”, so it gives no points. Award points, even if they are 0.")
        yield _task_of_table("abandoned", table, text, "table_award", f"abandoned:{table.pk}")


def _seats_without_substitute(seasons: QuerySet[Season]) -> Iterator[OrganiserTask]:
    """Yield the seats that no substitute took."""
    tables = {table.pk: table for table in _tables(seasons).filter(open_seats__state=OpenSeat.State.NOBODY)}
    open_seats = OpenSeat.objects.filter(table__in=tables, state=OpenSeat.State.NOBODY)
    for open_seat in open_seats.order_by("pk"):
        table = tables[open_seat.table_id]
        # Translators: table is a table's name, such as "Autumn League: round 1, table 2"
        text = _("No substitute took a free seat in “%(table)s”. Give it to someone, or leave it to the bot.")
        url = reverse("open_seat_give", args=[_season_of(table).league_id, open_seat.pk])
        sentence = text % {"table": table.game_table.name}
        yield OrganiserTask("seat", sentence, url, _season_of(table), f"seat:{open_seat.pk}")


def _tables(seasons: QuerySet[Season]) -> QuerySet[LeagueTable]:
    """Return the tables of running seasons, which can still be decided."""
    running = seasons.filter(state=Season.State.RUNNING)
    tables = LeagueTable.objects.filter(round__division__season__in=running)
    return tables.select_related("table", "round__division__season__league").distinct().order_by("pk")


def _task_of_table(kind: str, table: LeagueTable, text: str, page: str, key: str) -> OrganiserTask:
    season = _season_of(table)
    url = reverse(page, args=[season.league_id, table.pk])
    return OrganiserTask(kind, text % {"table": table.game_table.name}, url, season, key)


def _season_of(table: LeagueTable) -> Season:
    return table.round.division.season


def _unreachable_players(seasons: QuerySet[Season]) -> Iterator[OrganiserTask]:
    """Yield the players whose email address fails, who may not know that it's their turn."""
    running = seasons.filter(state=Season.State.RUNNING)
    playing = Registration.objects.filter(season__in=running, state=Registration.State.PLAYING)
    entries = playing.filter(user__email__in=fails(playing.values_list("user__email", flat=True)))
    found = list(entries.select_related("user", "season__league").order_by("pk"))
    names = names_in({entry.season.league_id for entry in found}, [entry.user for entry in found])
    for entry in found:
        # Translators: name is a player's name
        text = _("Emails to %(name)s do not arrive. If you can’t reach them in another way, expel them.")
        sentence = text % {"name": names[entry.user_id]}
        url = _path_of("season_players", entry.season)
        yield OrganiserTask("mail", sentence, url, entry.season, f"mail:{entry.pk}")


def _path_of(name: str, season: Season) -> str:
    return reverse(name, args=[season.league_id, season.number])
