"""Rounds with tables that are late: they are reminded, extended once, and ended by the season's rule. The
tick does each under the season's lock, once, and never because the site was down."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction

from accounts.post.outbox import queue
from games.commands import adjudicate
from games.leagues.commands.deeds import write_down
from games.leagues.commands.looking import put_off
from games.leagues.commands.outages import given_back, is_watched, last_outage
from games.leagues.commands.people import late_rule
from games.leagues.commands.rounds import locked_round, shift_later
from games.leagues.models import Chair, Deed, LeagueTable, Round, Season
from games.models import Table


def still_played(round_: Round) -> list[LeagueTable]:
    """Its tables that are not over."""
    rows = round_.tables.filter(collected_at=None, table__state=Table.State.PLAYING)
    return list(rows.select_related("table").order_by("number"))


# The site was down


@transaction.atomic
def give_back_outages(round_: Round, now: datetime) -> bool:
    """The round's end is moved by as long as the site was down in it, each outage once; whether it was."""
    round_, season = locked_round(round_)
    return _give_back(round_, season)


def _give_back(round_: Round, season: Season) -> bool:
    latest = last_outage()
    if round_.state != Round.State.PLAYING or round_.outage >= latest:
        return False
    lost = given_back(round_)
    round_.outage, round_.ends_at = latest, round_.ends_at + lost
    round_.save(update_fields=["outage", "ends_at"])
    if lost:
        shift_later(round_, season, round_.ends_at)
        put_off(season)
    return bool(lost)


def _held(round_: Round) -> tuple[Round, Season]:
    """The round under the lock, with its end as it is after all outages."""
    round_, season = locked_round(round_)
    _give_back(round_, season)
    return round_, season


def _is_due(round_: Round, now: datetime) -> bool:
    return round_.state == Round.State.PLAYING and now >= round_.ends_at and is_watched(now)


# Its tables are late


@transaction.atomic
def remind_late(round_: Round, now: datetime) -> bool:
    """Who is asked at a table that still runs is reminded of the round's end, some days before it; and once
    more if the round was extended."""
    round_, season = _held(round_)
    if round_.state != Round.State.PLAYING or round_.reminded_at is not None:
        return False
    if now < round_.ends_at - timedelta(days=season.remind_days):
        return False
    round_.reminded_at = now
    round_.save(update_fields=["reminded_at"])
    if season.remind_days:
        for row in still_played(round_):
            _remind(row, round_)
    put_off(season)
    return True


def _remind(row: LeagueTable, round_: Round) -> None:
    """Whoever sits there now; `entry` is of who was seated there."""
    seated = dict(Chair.objects.filter(table=row).values_list("position", "entry"))
    asked = row.table.seats.people().filter(asked_since__isnull=False, stand_in="")
    until = int(round_.ends_at.timestamp())
    for seat in asked:
        key = f"league_reminder:{row.pk}:{seat.user_id}:{until}"
        about = {"table": row.pk, "entry": seated[seat.number]}
        queue("league_reminder", to=seat.person, key=key, about=about)


@transaction.atomic
def extend_round(round_: Round, now: datetime) -> bool:
    """A round with late tables lasts longer, once, by the days that its season gives."""
    round_, season = _held(round_)
    if not _is_due(round_, now) or round_.is_extended or not season.extension_days:
        return False
    if not still_played(round_):
        return False
    prolong(round_, season, max(round_.ends_at, now) + timedelta(days=season.extension_days))
    write_down(Deed.Kind.EXTENDED, season, None, round=round_, facts={"until": round_.ends_at.isoformat()})
    return True


def prolong(round_: Round, season: Season, until: datetime) -> None:
    """The round ends later; who is late is reminded anew before that. Called under the season's lock."""
    round_.ends_at, round_.reminded_at, round_.is_extended = until, None, True
    round_.save(update_fields=["ends_at", "reminded_at", "is_extended"])
    shift_later(round_, season, until)
    put_off(season)


@transaction.atomic
def adjudicate_late(round_: Round, now: datetime) -> int:
    """Ends the tables that are late even so, by the season's rule; how many. Between two games of a match
    nothing can be ended: that table's turn comes when the next has begun."""
    round_, season = _held(round_)
    may_be_extended = season.extension_days and not round_.is_extended
    if not _is_due(round_, now) or may_be_extended or late_rule(season) == Season.Late.ORGANISER:
        return 0
    return sum([_adjudicate(row, round_, season, now) for row in still_played(round_)])


def _adjudicate(row: LeagueTable, round_: Round, season: Season, now: datetime) -> bool:
    with_winner = late_rule(season) == Season.Late.REGIONS
    if adjudicate(row.table, with_winner=with_winner, now=now) is None:
        return False
    people = [seat.person for seat in row.table.seats.people()]
    write_down(Deed.Kind.ADJUDICATED, season, None, touched=people, round=round_, table=row)
    return True
