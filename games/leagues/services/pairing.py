"""Pair a round: seat its players and create their tables."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from fractions import Fraction

from django.db import transaction
from django.urls import reverse

from accounts.models import User
from games.leagues.models import AuditEvent, Bye, LeagueTable, Registration, Round, Season, SeatAssignment
from games.leagues.models.leagues import LONGEST_NAME
from games.leagues.results import division_standings, seated_rounds
from games.leagues.seating import Seated, seat_next
from games.leagues.services.audit_log import notify, record_event
from games.leagues.services.permissions import locked_season
from games.leagues.services.schedule import last_outage, reschedule
from games.models import SiteName
from games.services import create_scheduled_table


def players_of(round_: Round) -> list[Registration]:
    """Return the players of this round: those playing in its division with an active account."""
    here = round_.division.entries.filter(
        state=Registration.State.PLAYING,
        from_round__lte=round_.number,
        user__is_active=True,
        user__deleted_at=None,
    )
    return list(here.select_related("user").order_by("user_id"))


def hold_players(round_: Round) -> frozenset[int]:
    """Lock the players' rows and return their IDs.

    Called before the season is locked, as deleting an account locks the person first.
    """
    players = [entry.user_id for entry in players_of(round_)]
    here = User.objects.filter(pk__in=players, is_active=True, deleted_at=None).order_by("pk")
    return frozenset([person.pk for person in here.select_for_update(no_key=True)])


def drawn_up(round_: Round, season: Season, players: Collection[int]) -> Seated:
    """Return the round's tables and byes, computed only from what the division's seating file contains."""
    before = [seated for number, seated in seated_rounds(round_.division).items() if number < round_.number]
    scores = None
    if round_.scores is not None:
        scores = {int(player): Fraction(points) for player, points in round_.scores.items()}
    seed, rounds = bytes.fromhex(season.seed), round_.division.rounds.count()
    return seat_next(players, season.size, rounds, seed, before=before, scores=scores)


def scores_before(round_: Round, season: Season, players: Collection[int]) -> dict[str, str] | None:
    """Return everyone's points so far, in the form of Round.scores, if the format pairs equal scores."""
    if season.format != Season.Format.SWISS:
        return None
    rows = division_standings(round_.division).standings.rows
    return {str(row.player): str(row.points) for row in rows if row.player in players}


def call_together(
    round_: Round, season: Season, seated: Seated, entries: Mapping[int, Registration]
) -> list[LeagueTable]:
    """Create the tables and record the byes."""
    for player in seated.byes:
        Bye.objects.create(round=round_, entry=entries[player])
    return [
        _call(round_, season, number, [entries[player] for player in table])
        for number, table in enumerate(seated.tables, start=1)
    ]


def _call(round_: Round, season: Season, number: int, roster: Sequence[Registration]) -> LeagueTable:
    """Create one table; seats are read back from the game, as an anonymous table draws its own."""
    game = create_scheduled_table(
        [entry.user for entry in roster],
        source=_source(round_, season),
        source_path=_address(round_, season, number),
        name=_name(round_, season, number),
        **season.terms,
    )
    table = LeagueTable.objects.create(round=round_, number=number, table=game.table)
    by_user = {entry.user_id: entry for entry in roster}
    seats = game.table.seats.order_by("number").values_list("number", "user_id")
    SeatAssignment.objects.bulk_create(
        [SeatAssignment(table=table, position=seat, entry=by_user[user or 0]) for seat, user in seats]
    )
    return table


def _address(round_: Round, season: Season, table: int) -> str:
    """Return the path of the page about this table in its league."""
    level = round_.division.level
    return reverse("league_table", args=[season.league_id, season.number, level, round_.number, table])


def _source(round_: Round, season: Season) -> str:
    where = {"league": season.league.name, "season": season.number, "round": round_.number}
    if season.most_divisions == 1:
        return SiteName("league round", **where)
    return SiteName("round of a division", **where, division=round_.division.letter)


def _name(round_: Round, season: Season, table: int) -> str:
    """Return the table's name, with the league's name shortened if the result would be too long."""
    league = season.league.name
    too_long = len(_named(league, round_, season, table)) - LONGEST_NAME
    if too_long > 0:
        league = league[: len(league) - too_long - 1].rstrip() + "…"
    return _named(league, round_, season, table)


def _named(league: str, round_: Round, season: Season, table: int) -> SiteName:
    where = {"league": league, "round": round_.number, "table": table}
    if season.most_divisions == 1:
        return SiteName("league table", **where)
    return SiteName("table of a division", **where, division=round_.division.letter)


# Starting and closing a round. The tick does both, checking again under the season's lock, and only once.


def locked_round(round_: Round) -> tuple[Round, Season]:
    """Lock the season and return the current round and season."""
    season = locked_season(Season.objects.values_list("pk", flat=True).get(divisions__rounds=round_.pk))
    round_ = Round.objects.select_related("division").get(pk=round_.pk)
    round_.division.season = season
    return round_, season


# Starting a round


@transaction.atomic
def begin_round(round_: Round, now: datetime) -> bool:
    """Start the round's tables and email everyone in it, including players with a bye.

    A round with too few players is closed at once.
    Return whether it began; it does not before its start or before the previous round is closed.
    """
    here = hold_players(round_)
    round_, season = locked_round(round_)
    if not _may_begin(round_, season, now):
        return False
    entries = {entry.user_id: entry for entry in players_of(round_) if entry.user_id in here}
    round_.scores = scores_before(round_, season, entries.keys())
    seated = drawn_up(round_, season, entries.keys())
    _has_begun(round_, season, now)
    call_together(round_, season, seated, entries)
    record_event(AuditEvent.Kind.ROUND_BEGUN, season, None, round=round_)
    if seated.tables:
        for entry in entries.values():
            key, context = f"league_round:{round_.pk}:{entry.pk}", {"round": round_.pk, "entry": entry.pk}
            notify("league_round", to=entry.user, key=key, context=context)
    else:
        _has_closed(round_, season, now)
    reschedule(season)
    return True


def _may_begin(round_: Round, season: Season, now: datetime) -> bool:
    if season.state != Season.State.RUNNING or round_.state != Round.State.PLANNED:
        return False
    before = round_.division.rounds.filter(number__lt=round_.number)
    if before.exclude(state=Round.State.CLOSED).exists():
        return False
    return now >= round_.starts_at or (season.begins_early and round_.number > 1)


def _has_begun(round_: Round, season: Season, now: datetime) -> None:
    round_.state, round_.starts_at = Round.State.PLAYING, now
    round_.ends_at = now + timedelta(days=season.table_days)
    round_.outage = last_outage()
    round_.save(update_fields=["state", "starts_at", "ends_at", "outage", "scores"])
    shift_later(round_, season, round_.ends_at)


def shift_later(round_: Round, season: Season, end: datetime) -> None:
    """Move the later rounds after this one's end; those that begin early follow right after it."""
    for later in round_.division.rounds.filter(number__gt=round_.number).order_by("number"):
        later.starts_at = end if season.begins_early else max(later.starts_at, end)
        later.ends_at = end = later.starts_at + timedelta(days=season.table_days)
        later.save(update_fields=["starts_at", "ends_at"])


# Closing a round


@transaction.atomic
def close_round(round_: Round, now: datetime) -> bool:
    """Close a round whose tables are all collected and email its division; return whether it was closed."""
    round_, season = locked_round(round_)
    if round_.state != Round.State.PLAYING or round_.tables.filter(collected_at=None).exists():
        return False
    _has_closed(round_, season, now)
    for entry in players_of(round_):
        key, context = f"league_result:{round_.pk}:{entry.pk}", {"round": round_.pk, "entry": entry.pk}
        notify("league_result", to=entry.user, key=key, context=context)
    reschedule(season)
    return True


def _has_closed(round_: Round, season: Season, now: datetime) -> None:
    round_.state, round_.closed_at = Round.State.CLOSED, now
    round_.save(update_fields=["state", "closed_at"])
    if season.begins_early:
        shift_later(round_, season, now)
    record_event(AuditEvent.Kind.ROUND_CLOSED, season, None, round=round_)
