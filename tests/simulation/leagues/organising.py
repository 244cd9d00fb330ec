"""What the organiser of a simulated league does: by the site's own commands, with reasons."""

from __future__ import annotations

from datetime import timedelta

from accounts import clock
from accounts.models import User
from games.leagues.models import League, LeagueTable, OpenSeat, Registration, Season
from games.leagues.services.adjudication import award
from games.leagues.services.founding import found_league
from games.leagues.services.season_plans import plan_season
from games.leagues.services.withdrawals import expel
from tests.simulation.leagues.habits import Plan

DAY = timedelta(days=1)
OPENS, ENDS, BEGINS = DAY, 8 * DAY, 12 * DAY  # after the founding
ROUND_DAYS, EXTENSION = 10, 3
PATIENCE = 2 * DAY
TERMS = {
    "options_json": {"edition": "2007", "variants": []},
    "pace": "day",
    "absent": "bot",
    "time_by": "all",
}


def found(organiser: User, plan: Plan) -> Season:
    """Make a league with a season, as planned on its page."""
    now = clock.now()
    league = found_league(organiser, name="League of the Simulated", about="Sixty people, more or less.")
    return plan_season(
        league,
        organiser,
        terms=TERMS,
        size=plan.size,
        rounds=plan.rounds,
        table_days=ROUND_DAYS,
        extension_days=EXTENSION,
        division_size=-(-plan.players // plan.divisions),
        most_divisions=plan.divisions,
        promoted=min(2, plan.divisions - 1),
        min_players=max(plan.players // 2, plan.size),
        opens_at=now + OPENS,
        signup_ends_at=now + ENDS,
        begins_at=now + BEGINS,
    )


def expel_who_vanished(season: Season, organiser: User) -> bool:
    """Expel a player days after a bot began to play for them; return whether there was one."""
    away = OpenSeat.objects.filter(table__round__division__season=season, why=OpenSeat.Why.AWAY)
    long_ago = away.filter(opened_at__lte=clock.now() - PATIENCE).exclude(state=OpenSeat.State.CLOSED)
    playing = season.entries.filter(state=Registration.State.PLAYING, user__in=long_ago.values("left_by"))
    entry = playing.order_by("pk").first()
    if entry is None:
        return False
    expel(entry, organiser, "He has not answered at his table for weeks, nor any email.")
    return True


def award_a_table(season: Season, organiser: User) -> bool:
    """Award the points of a finished table of the last round but one; return whether there was one."""
    number = max(season.rounds - 1, 1)
    over = LeagueTable.objects.filter(round__division__season=season, round__number=number)
    table = over.filter(collected_at__isnull=False).order_by("pk").first()
    if table is None or season.state != Season.State.RUNNING:
        return False
    seats = table.assignments.count()
    award(
        table, organiser, [*range(seats - 1, 0, -1), None], "Two of them were seen to have shared a screen."
    )
    return True


def league_of(organiser: User) -> League:
    return League.objects.organised_by(organiser).get()


def latest_season(league: League) -> Season:
    season = league.seasons.order_by("number").last()
    assert season is not None
    return season
