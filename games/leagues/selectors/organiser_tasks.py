"""The decisions that only an organiser can make; everything else in a league runs automatically."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Max, Q, QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.mail.suppression import failing_addresses
from accounts.time_elements import moment_element, with_times
from accounts.times import day
from games.leagues.models import League, LeagueTable, OpenSeat, Registration, Season
from games.leagues.scoring.table_facts import TableEnding
from games.leagues.selectors.names_in_leagues import names_in
from games.leagues.selectors.organiser_links import OrganiserLink, season_link
from games.leagues.services.make_ups import make_ups_among, open_missed
from games.leagues.services.outage_time import is_watched, last_outage
from games.leagues.services.short_seasons import Shortage, ShortSeason, short_seasons
from games.models import Table

TOLD_AT_ONCE = ("seat",)
MomentText = Callable[[datetime], str]


@dataclass(frozen=True, slots=True)
class OrganiserTask:
    """A decision to make: its kind, what to say about it, and its page.

    `key` is unique to the task. `ways` are the pages of what can be decided, where there are several.
    """

    kind: str
    sentence: str
    url: str
    season: Season
    key: str
    ways: tuple[OrganiserLink, ...] = ()


def organiser_tasks_of(
    league: League, now: datetime, moment_text: MomentText = moment_element
) -> tuple[OrganiserTask, ...]:
    """Return all open tasks of this league's organisers, the most urgent first.

    It takes a fixed number of queries. `moment_text` formats the moments in their sentences.
    """
    return tuple(_open_tasks(Season.objects.filter(league=league), now, moment_text))


def tasks_in_leagues(leagues: Collection[int], now: datetime) -> tuple[OrganiserTask, ...]:
    """Return all open tasks in these leagues, in as many queries as of one."""
    return tuple(_open_tasks(Season.objects.filter(league__in=leagues), now, moment_element))


def tasks_to_email(now: datetime) -> Iterator[OrganiserTask]:
    """Yield the open tasks of all leagues that the tick emails; services email theirs at once."""
    return (
        task
        for task in _open_tasks(Season.objects.all(), now, moment_element)
        if task.kind not in TOLD_AT_ONCE
    )


def _open_tasks(seasons: QuerySet[Season], now: datetime, moment_text: MomentText) -> Iterator[OrganiserTask]:
    for short in short_seasons(seasons, now):
        yield _task_of_short_season(short, moment_text)
    yield from _late_tables(seasons, now)
    yield from _seats_without_substitute(seasons)
    yield from _abandoned_tables(seasons)
    yield from _unreachable_players(seasons)
    yield from _missed_tables(seasons, now)
    yield from _requests(seasons)


def _task_of_short_season(short: ShortSeason, moment_text: MomentText) -> OrganiserTask:
    season, stage = short.season, short.stage
    # Translators: taken and least are numbers of players; ends is a date with a time
    text = {
        Shortage.SOON: _(
            "Season %(number)d has too few players: it has %(taken)d and needs at least %(least)d. Sign-up "
            "ends on %(ends)s."
        ),
        Shortage.ENDED: _(
            "Season %(number)d has too few players: it has %(taken)d and needs at least %(least)d. Sign-up "
            "is over. It opens again for a week at a time if too few play when the season should begin."
        ),
        Shortage.WAITING: _(
            "Season %(number)d has too few players: it has %(taken)d and needs at least %(least)d. Sign-up "
            "is open until %(ends)s, and then for another week."
        ),
    }[stage]
    words = {"number": season.number, "taken": short.taken, "least": short.least}
    sentence = with_times(text, words | {"ends": moment_text(season.signup_ends_at)})
    name = "short" if stage == Shortage.WAITING else f"short:{stage}"
    key = f"{name}:{season.pk}:{short.since:%Y-%m-%d}"
    ways = _ways_of(short)
    return OrganiserTask("short", sentence, ways[0].url, season, key, ways)


def _ways_of(short: ShortSeason) -> tuple[OrganiserLink, ...]:
    """Return all that an organiser can do about a season with too few players."""
    season = short.season
    ways = [
        season_link("season_invite", season, _("Invite people")),
        season_link("replan_season", season, _("Extend sign-up")),
    ]
    if short.can_begin:
        ways.append(season_link("season_fewer", season, _("Begin with fewer players")))
    return (*ways, season_link("season_cancel", season, _("Cancel the season")))


def _requests(seasons: QuerySet[Season]) -> Iterator[OrganiserTask]:
    """Yield the seasons that people ask to join. A request of another day is emailed again."""
    asked = Count("entries", filter=Q(entries__state=Registration.State.REQUESTED))
    last = Max("entries__registered_at", filter=Q(entries__state=Registration.State.REQUESTED))
    found = seasons.filter(state__in=Season.GOING_ON).annotate(asked=asked, last=last).filter(asked__gt=0)
    for season in found.select_related("league").order_by("pk"):
        text = ngettext(
            "%(n)d person asks to join season %(number)d. Accept or decline the request.",
            "%(n)d people ask to join season %(number)d. Accept or decline their requests.",
            season.asked,
        )
        sentence = text % {"n": season.asked, "number": season.number}
        url = reverse("season_players", args=[season.league_id, season.number])
        yield OrganiserTask("request", sentence, url, season, f"request:{season.pk}:{season.last:%Y-%m-%d}")


def _late_tables(seasons: QuerySet[Season], now: datetime) -> Iterator[OrganiserTask]:
    """Yield the tables that are late, in seasons that leave them to an organiser.

    Tables between two games of a match are left out, because they can't be ended yet. So are tables to
    which the time of an outage isn't given back yet.
    """
    late = Q(round__division__season__late=Season.Late.ORGANISER, ends_at__lte=now)
    is_last_end = Q(is_extended=True) | Q(round__division__season__extension_days=0)
    played = Q(table__state=Table.State.PLAYING, table__next_game_at=None)
    found = list(_read(_tables(seasons).filter(late, is_last_end, played)))
    latest = last_outage() if found and is_watched(now) else None
    for table in found:
        if latest is None or table.outage < latest:
            continue
        # Translators: table is a table's name, such as "Autumn League: round 1, table 2"
        text = _("“%(table)s” is late. Adjudicate it, or extend it.")
        end = int(table.deadline.timestamp())
        yield _task_of_table("late", table, text, "table_adjudicate", f"late:{table.pk}:{end}")


def _abandoned_tables(seasons: QuerySet[Season]) -> Iterator[OrganiserTask]:
    """Yield the abandoned tables without an award.

    An abandoned table gives no points unless an organiser awards some.
    """
    for table in _read(_tables(seasons).filter(facts__how=TableEnding.ABANDONED.value, awards=None)):
        # Translators: table is a table's name, such as "Autumn League: round 1, table 2"
        text = _("Everyone left “%(table)s”, so it gives no points. Award points, even if they are 0.")
        yield _task_of_table("abandoned", table, text, "table_award", f"abandoned:{table.pk}")


def _seats_without_substitute(seasons: QuerySet[Season]) -> Iterator[OrganiserTask]:
    """Yield the seats that no substitute took."""
    without = _tables(seasons).filter(open_seats__state=OpenSeat.State.NOBODY)
    tables = {table.pk: table for table in _read(without)}
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
    return LeagueTable.objects.filter(round__division__season__in=running)


def _read(tables: QuerySet[LeagueTable]) -> QuerySet[LeagueTable]:
    """Return these tables with their seasons. Mostly there are none, so their numbers are read first."""
    found = LeagueTable.objects.filter(pk__in=list(tables.values_list("pk", flat=True)))
    return found.select_related("table", "round__division__season__league").order_by("pk")


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
    entries = playing.filter(user__email__in=failing_addresses())  # few of all players
    found = list(entries.select_related("user", "season__league").order_by("pk"))
    names = names_in({entry.season.league_id for entry in found}, [entry.user for entry in found])
    for entry in found:
        # Translators: name is a player's name
        text = _("Emails to %(name)s do not arrive. If you can’t reach them in another way, expel them.")
        sentence = text % {"name": names[entry.user_id]}
        url = _path_of("season_players", entry.season)
        yield OrganiserTask("mail", sentence, url, entry.season, f"mail:{entry.pk}")


def _missed_tables(seasons: QuerySet[Season], now: datetime) -> Iterator[OrganiserTask]:
    """Yield the players who missed a table on holiday and get another only with more substitutes."""
    missed = [one for one in open_missed(seasons) if now < one.round.division.season.half_at]
    alone = [one.missed[0] for one in make_ups_among(missed, now) if one.lacks_substitutes]
    leagues = {one.round.division.season.league_id for one in alone}
    names = names_in(leagues, [one.entry.user for one in alone])
    for one in alone:
        season = one.round.division.season
        # Translators: name is a player; half is a date
        text = _(
            "%(name)s missed the table of round %(round)d on holiday. Until %(half)s they can get another. "
            "Ask players to become substitutes."
        )
        words = {"name": names[one.entry.user_id], "round": one.round.number, "half": day(season.half_at)}
        url = _path_of("season_write", season)
        yield OrganiserTask("missed", text % words, url, season, f"missed:{one.pk}")


def _path_of(name: str, season: Season) -> str:
    return reverse(name, args=[season.league_id, season.number])
