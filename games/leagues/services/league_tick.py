"""The tick of all leagues: run everything that is due.

Each piece runs in its own transaction under its season's lock.
A season that fails is logged and does not stop the others.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from django.db.models import Exists, OuterRef, Q, QuerySet

from games.leagues.models import Division, LeagueTable, Round, Season
from games.leagues.services.adjudication import adjudicate_late, extend_round, give_back_outages, remind_late
from games.leagues.services.league_ratings import rate_new
from games.leagues.services.lifecycle import close_sign_up, draw, open_sign_up
from games.leagues.services.pairing import begin_round, close_round
from games.leagues.services.schedule import last_outage, run_for_all
from games.leagues.services.season_end import close_season, collect_finished, collect_round
from games.leagues.services.substitutes import run_offers
from games.leagues.services.withdrawals import fill_gaps, notice_absences


def run_seasons(now: datetime) -> int:
    """Run everything that is due; return how many pieces were done. Missed or repeated ticks do no harm."""
    return sum([piece(now) for piece in _PIECES])


def _begin_seasons(now: datetime) -> int:
    return run_for_all(_before_the_start(now), _bring_on, now)


def _run_rounds(now: datetime) -> int:
    return run_for_all(_to_go_on(now), _go_on, now)


# Before the start


def _before_the_start(now: datetime) -> list[Season]:
    return list(_seasons().filter(state__in=Season.BEFORE_PLAY, next_action_at__lte=now))


def _seasons() -> QuerySet[Season]:
    return Season.objects.select_related("league").order_by("pk")


def _bring_on(season: Season, now: datetime) -> int:
    match season.state:
        case Season.State.PLANNED:
            return open_sign_up(season, None, now)
        case Season.State.SIGN_UP:
            return close_sign_up(season, now)
        case _:
            return draw(season, now)


# While the season runs


def _to_go_on(now: datetime) -> list[Season]:
    """Return running seasons that are due, have a fully played round, or were played during an outage."""
    playing = Round.objects.filter(division__season=OuterRef("pk"), state=Round.State.PLAYING)
    uncollected = LeagueTable.objects.filter(round=OuterRef("pk"), collected_at=None)
    over = Exists(playing.filter(~Exists(uncollected)))
    cut_off = Exists(playing.filter(outage__lt=last_outage()))
    due = Q(next_action_at__lte=now) | over | cut_off
    return list(_seasons().filter(due, state=Season.State.RUNNING))


def _go_on(season: Season, now: datetime) -> int:
    """Advance each division, then the season as a whole."""
    done = run_for_all(season.divisions.order_by("level"), _go_on_with, now)
    return done + close_season(season, now)


def _go_on_with(division: Division, now: datetime) -> int:
    """Advance the division's rounds in order, as far as they have come."""
    done = 0
    for round_ in division.rounds.exclude(state=Round.State.CLOSED).order_by("number"):
        done += _bring_up(round_, now)
        round_.refresh_from_db(fields=["state"])
        if round_.state != Round.State.CLOSED:
            break
    return done


def _bring_up(round_: Round, now: datetime) -> int:
    """Run the steps of a round that are due, in order."""
    steps: tuple[Callable[[Round, datetime], int], ...] = (
        begin_round,
        give_back_outages,
        remind_late,
        extend_round,
        adjudicate_late,
        collect_round,
        close_round,
    )
    return sum([step(round_, now) for step in steps])


_PIECES: tuple[Callable[[datetime], int], ...] = (
    _begin_seasons,
    collect_finished,
    fill_gaps,
    _run_rounds,
    notice_absences,
    run_offers,
    rate_new,
)
