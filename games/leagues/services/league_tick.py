"""The tick of all leagues: run everything that is due.

Each step runs in its own transaction under its season's lock.
A season that fails is logged and does not stop the others.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from django.db.models import Exists, OuterRef, Q, QuerySet

from games.leagues.models import LeagueTable, Season
from games.leagues.services.absences import notice_absences
from games.leagues.services.adjudication import adjudicate_late
from games.leagues.services.chasing import remind_before_end
from games.leagues.services.each_row import run_for_all
from games.leagues.services.final_start import start_final
from games.leagues.services.league_pause import run_pauses
from games.leagues.services.league_ratings import rate_new
from games.leagues.services.left_places import fill_gaps
from games.leagues.services.make_up_starts import start_make_ups
from games.leagues.services.outage_time import last_outage
from games.leagues.services.rated_tables import read_results
from games.leagues.services.result_collection import collect, collect_finished
from games.leagues.services.round_draws import draw_rounds
from games.leagues.services.schedule import moments, reschedule_if_due
from games.leagues.services.season_end import close_season
from games.leagues.services.season_start import close_sign_up, draw
from games.leagues.services.sign_up_opening import open_sign_up
from games.leagues.services.substitute_offers import run_offers
from games.leagues.services.table_deadlines import extend_late, give_back_outages
from games.leagues.services.table_reminders import remind_late
from games.leagues.services.table_starts import start_tables


def run_seasons(now: datetime) -> int:
    """Run everything that is due; return how much was done. Missed or repeated ticks do no harm."""
    return sum([step(now) for step in _STEPS])


def _begin_seasons(now: datetime) -> int:
    return run_for_all(_before_the_start(now), _move_towards_start, now)


def _run_seasons_in_play(now: datetime) -> int:
    return run_for_all(_in_play_and_due(now), _run_season, now)


def _before_the_start(now: datetime) -> list[Season]:
    return list(_seasons().filter(state__in=Season.BEFORE_PLAY, next_action_at__lte=now))


def _seasons() -> QuerySet[Season]:
    return Season.objects.select_related("league").order_by("pk")


def _move_towards_start(season: Season, now: datetime) -> int:
    done = _prepare(season, now)
    reschedule_if_due(season, now)
    return done


def _prepare(season: Season, now: datetime) -> int:
    match season.state:
        case Season.State.PLANNED:
            return open_sign_up(season, None, now)
        case Season.State.SIGN_UP:
            return close_sign_up(season, now) or remind_before_end(season, now)
        case _:
            return draw(season, now)


def _in_play_and_due(now: datetime) -> list[Season]:
    """Return running seasons that are due or were played during an outage."""
    running = LeagueTable.objects.running().filter(round__division__season=OuterRef("pk"))
    due = Q(next_action_at__lte=now) | Exists(running.filter(outage__lt=last_outage()))
    return list(_seasons().filter(due, state=Season.State.RUNNING))


def _run_season(season: Season, now: datetime) -> int:
    """Look at the season's running tables, then draw and begin what follows, or close the season."""
    running = LeagueTable.objects.running().filter(round__division__season=season).order_by("pk")
    latest = last_outage()
    rows = [row for row in running if row.outage < latest or min(moments(season, row), default=now) <= now]
    done = run_for_all(rows, _run_table_steps, now)
    divisions = list(season.divisions.order_by("level"))
    for step in (draw_rounds, start_make_ups, start_tables):
        done += run_for_all(divisions, step, now)
    done += start_final(season, now) + close_season(season, now)
    reschedule_if_due(season, now)
    return done


def _run_table_steps(row: LeagueTable, now: datetime) -> int:
    """Run the steps of a running table that are due, in order."""
    steps = (give_back_outages, remind_late, extend_late, adjudicate_late, collect)
    return sum([step(row, now) for step in steps])


_STEPS: tuple[Callable[[datetime], int], ...] = (
    run_pauses,
    _begin_seasons,
    collect_finished,
    fill_gaps,
    _run_seasons_in_play,
    notice_absences,
    run_offers,
    read_results,
    rate_new,
)
