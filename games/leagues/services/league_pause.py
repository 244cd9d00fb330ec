"""A pause of the whole league: all clocks of its running tables stop, and no table begins."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _

from accounts import clock
from accounts.models import User
from games.clocks.pauses import pause_until, resume
from games.clocks.running_clocks import pace_of
from games.leagues.models import AuditEvent, League, LeagueTable, Registration, Season, SubstituteOffer
from games.leagues.services.audit_log import record_event
from games.leagues.services.each_row import run_for_all
from games.leagues.services.league_texts import cleaned_reason
from games.leagues.services.locks import locked_league, locked_season
from games.leagues.services.permissions import require_organiser
from games.leagues.services.schedule import reschedule
from games.models import Game, TimeEvent
from games.models.locking import locked_game
from games.services import Refused

LONGEST_PAUSE = timedelta(days=60)


@transaction.atomic
def pause_league(league: League, by: User, until: datetime, reason: str) -> None:
    """Stop all clocks of the league's running tables until then; a running pause gets this end.

    Safe to repeat. A table that its players have paused for longer stays as it is.
    Raises Refused for a date that is past or too far away, and as every organiser action does.
    """
    league, seasons = _locked_with_seasons(league)
    require_organiser(league, by)
    reason, now = cleaned_reason(reason), clock.now()
    if not now < until <= now + LONGEST_PAUSE:
        raise Refused(_("Choose a date within the next 60 days."))
    if league.paused_until == until:
        return
    before = league.paused_until if league.is_paused(now) and league.paused_until else now
    if before == now:
        league.paused_since = now
    league.paused_until = until
    _move_end(league, seasons, before, now, by)
    facts = {"until": until.isoformat()}
    record_event(AuditEvent.Kind.PAUSED, league, by, touched=_players_of(seasons), reason=reason, facts=facts)


@transaction.atomic
def resume_league(league: League, by: User, reason: str) -> None:
    """End the pause now; clocks and deadlines go on where they stopped. Safe to repeat.

    Raises Refused as every organiser action does.
    """
    league, seasons = _locked_with_seasons(league)
    require_organiser(league, by)
    reason, now = cleaned_reason(reason), clock.now()
    if league.is_paused(now):
        _end_pause(league, seasons, now, by)
        record_event(AuditEvent.Kind.RESUMED, league, by, touched=_players_of(seasons), reason=reason)


def run_pauses(now: datetime) -> int:
    """End pauses that are over, and stop clocks that began to run in a pause. Part of the tick."""
    return run_for_all(League.objects.exclude(paused_until=None).order_by("pk"), _run_pause, now)


@transaction.atomic
def _run_pause(league: League, now: datetime) -> int:
    league, seasons = _locked_with_seasons(league)
    if league.paused_until is None:
        return 0
    if not league.is_paused(now):
        _end_pause(league, seasons, league.paused_until, None)
        record_event(AuditEvent.Kind.RESUMED, league, None)
        return 1
    return _stop_clocks(league, seasons, None, now)


def _locked_with_seasons(league: League) -> tuple[League, list[Season]]:
    """Lock the league's unfinished seasons, then the league; return them as they are now."""
    seasons = [locked_season(one) for one in league.seasons.exclude(state__in=Season.OVER).order_by("pk")]
    league = locked_league(league)
    for season in seasons:
        season.league = league
    return league, seasons


def _players_of(seasons: Iterable[Season]) -> list[User]:
    entries = Registration.objects.filter(season__in=seasons).exclude(state__in=Registration.NOT_IN_SEASON)
    return [entry.user for entry in entries.select_related("user")]


def _end_pause(league: League, seasons: list[Season], now: datetime, by: User | None) -> None:
    """End the pause at this moment, which may be its planned end."""
    assert league.paused_until is not None
    before, league.paused_until = league.paused_until, now
    if before > now:
        _move_dates(seasons, before, now)
        for game in _running_games(seasons):
            if game.paused_until == before:
                _resume(game, league, by, now)
    league.paused_since = league.paused_until = None
    _store(league, seasons)


def _move_end(league: League, seasons: list[Season], before: datetime, now: datetime, by: User) -> None:
    """Let the pause end at its new date; `before` is its end so far, or now."""
    assert league.paused_until is not None
    _move_dates(seasons, before, league.paused_until)
    for game in _running_games(seasons):
        if game.paused_until == before != now:
            _resume(game, league, None, now)
    _stop_clocks(league, seasons, by, now)
    _store(league, seasons)


def _store(league: League, seasons: Iterable[Season]) -> None:
    league.save(update_fields=["paused_since", "paused_until"])
    for season in seasons:
        reschedule(season)


def _move_dates(seasons: list[Season], before: datetime, after: datetime) -> None:
    """Move the ends of tables, offers and the time to confirm, as much as the end of the pause moves.

    What was late already is due at the end of the pause.
    """
    shift = after - before
    for row in LeagueTable.objects.running().filter(round__division__season__in=seasons):
        row.ends_at = max(row.deadline, before) + shift
        row.save(update_fields=["ends_at"])
    offers = SubstituteOffer.objects.filter(
        substitute__season__in=seasons, answer=SubstituteOffer.Answer.OPEN
    )
    offers.update(until=F("until") + shift)
    for season in seasons:
        if season.state == Season.State.CONFIRMING and season.asked_at is not None:
            season.asked_at += shift
            season.signup_ends_at += shift
            season.begins_at += shift
            season.save(update_fields=["asked_at", "signup_ends_at", "begins_at"])


def _running_games(seasons: Iterable[Season]) -> list[Game]:
    """Return the games in progress at the seasons' tables, locked, with a clock to stop."""
    tables = LeagueTable.objects.running().filter(round__division__season__in=seasons)
    found = Game.objects.running().filter(table__in=tables.values("table")).order_by("pk")
    locked = [locked_game(game.pk) for game in found]
    return [game for game in locked if pace_of(game.table) is not None]


def _stop_clocks(league: League, seasons: Iterable[Season], by: User | None, now: datetime) -> int:
    """Pause the games that would run before the league's pause ends; return how many."""
    until = league.paused_until
    assert until is not None
    games = [
        game for game in _running_games(seasons) if game.paused_until is None or game.paused_until < until
    ]
    by = by or _organiser_of_pause(league) if games else by
    for game in games:
        pause_until(game, by, until, now, is_told=False)
    return len(games)


def _organiser_of_pause(league: League) -> User | None:
    event = league.events.filter(kind=AuditEvent.Kind.PAUSED).select_related("by").first()
    return event.by if event else None


def _resume(game: Game, league: League, by: User | None, now: datetime) -> None:
    """Let a game's clocks run, or rest as long as its players' own pause from before."""
    kinds = (TimeEvent.Kind.PAUSED, TimeEvent.Kind.RESUMED)
    own = game.time_events.filter(kind__in=kinds, at__lt=league.paused_since).order_by("pk").last()
    if own is not None and own.until is not None and own.until > now:
        pause_until(game, own.by, own.until, now, is_told=False)
    else:
        resume(game, by or _organiser_of_pause(league), now, is_told=False)
