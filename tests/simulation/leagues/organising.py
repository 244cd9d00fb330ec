"""What the organiser of a simulated league does: by the site's own commands, with reasons."""

from __future__ import annotations

from datetime import timedelta

from accounts import clock
from accounts.models import User
from games.leagues.models import LeagueTable, OpenSeat, Registration, Season
from games.leagues.seating import table_sizes
from games.leagues.services.adjudication import adjudicate_by_hand
from games.leagues.services.awards import award
from games.leagues.services.founding import found_league
from games.leagues.services.season_plans import plan_season
from games.leagues.services.withdrawals import expel
from games.models import Table
from games.presenters.time_settings import EXPECTED_DAYS
from tests.simulation.leagues.habits import Plan

DAY = timedelta(days=1)
OPENS, ENDS, BEGINS = DAY, 8 * DAY, 12 * DAY  # after the founding
PATIENCE = 10 * DAY


def found(organiser: User, plan: Plan) -> Season:
    """Make a league with a season, as planned on its page."""
    now = clock.now()
    league = found_league(organiser, name="League of the Simulated", about="As many as the plan says.")
    places = -(-plan.players // plan.divisions)
    days = plan.days or EXPECTED_DAYS[plan.pace][max(table_sizes(places, plan.size))][1]
    return plan_season(
        league,
        organiser,
        terms={"options_json": {"edition": "2007", "variants": []}, "pace": plan.pace, "absent": "bot"},
        size=plan.size,
        format=plan.format,
        rounds=plan.tables,
        tables_at_once=plan.at_once,
        table_days=days,
        extension_days=-(-days // 4),
        late=plan.late,
        scoring=plan.scoring,
        split=plan.split,
        bye_points=plan.bye,
        division_size=places,
        most_divisions=plan.divisions,
        promoted=int(plan.divisions > 1),
        min_players=max(plan.players // 2, plan.size),
        opens_at=now + OPENS,
        signup_ends_at=now + ENDS,
        begins_at=now + BEGINS,
        pause_days=None,
    )


def daily(season: Season, organiser: User) -> None:
    """Expel who has been away for long, decide about late tables, and award the points of one table."""
    _expel_who_vanished(season, organiser)
    tables = LeagueTable.objects.filter(round__division__season=season).select_related("table")
    late = tables.running().filter(table__state=Table.State.PLAYING, ends_at__lte=clock.now())
    for table in late if season.late == Season.Late.ORGANISER else ():
        if table.is_extended:
            adjudicate_by_hand(table, organiser, True, "It has had two weeks more than the others.")
    first = tables.filter(collected_at__isnull=False).order_by("collected_at").first()
    if first is not None and season.state == Season.State.RUNNING and not first.awards.exists():
        points = [*range(first.assignments.count() - 1, 0, -1), None]
        award(first, organiser, points, "Two of them were seen to have shared a screen.")


def _expel_who_vanished(season: Season, organiser: User) -> None:
    away = OpenSeat.objects.filter(table__round__division__season=season, why=OpenSeat.Why.AWAY)
    long_ago = away.filter(opened_at__lte=clock.now() - PATIENCE).exclude(state=OpenSeat.State.CLOSED)
    playing = season.entries.filter(state=Registration.State.PLAYING, user__in=long_ago.values("left_by"))
    for entry in playing.order_by("pk") if season.state == Season.State.RUNNING else ():
        expel(entry, organiser, "They have answered neither at their tables nor any email.")
