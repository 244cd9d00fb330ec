"""A league's public news, for the channels that its organisers added. It's no more than its pages say."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import uuid4

from django.db.models import QuerySet
from django.urls import reverse
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import User
from accounts.push.models import NoticeTarget
from accounts.push.queueing import queue_news
from accounts.rate_limits import hit
from games.leagues.models import League, LeagueTable, Round, Season
from games.leagues.services.permissions import require_organiser
from games.services import Refused

LEAGUE = "league"  # before the number, in a target's subject
DRAWN, TABLE_OVER, STANDINGS, SEASON_OVER, WORDS = (
    "round_drawn",
    "league_table",
    "standings",
    "season_over",
    "league_words",
)
KINDS = (
    (DRAWN, gettext_lazy("Each round that is drawn")),
    (TABLE_OVER, gettext_lazy("Each table that is over")),
    (STANDINGS, gettext_lazy("The standings, once a week")),
    (SEASON_OVER, gettext_lazy("The end of a season")),
    (WORDS, gettext_lazy("What organisers write here")),
)
MESSAGES_A_DAY = 20
MONDAY_AT = 8  # o'clock in the site's time zone, when the standings go out


def subject_of(league: int) -> str:
    """Return what news about this league have as subject."""
    return f"{LEAGUE}:{league}"


def name_of(number: int) -> str:
    """Return the name of the league with this number; empty if it's gone."""
    return str(League.objects.filter(pk=number).values_list("name", flat=True).first() or "")


def targets_of(league: League) -> QuerySet[NoticeTarget]:
    """Return the targets that get this league's news, whichever organiser added them."""
    return NoticeTarget.objects.filter(subject=subject_of(league.pk)).select_related("user")


def leagues_to_choose(user: User) -> list[tuple[str, str]]:
    """Return the paths and names of the leagues whose tables this person may play at."""
    mine = League.objects.filter(seasons__entries__user=user).distinct().order_by("name", "pk")
    return [(reverse("league", args=[league.pk]), league.name) for league in mine]


def tell_round_drawn(drawn: Round, season: Season) -> None:
    """Queue the news that a round is drawn, in the caller's transaction."""
    queue_news(subject_of(season.league_id), DRAWN, key=f"{DRAWN}:{drawn.pk}", context={"round": drawn.pk})


def tell_table_over(row: LeagueTable, season: Season) -> None:
    """Queue the news that a table is over, in the caller's transaction."""
    subject = subject_of(season.league_id)
    queue_news(subject, TABLE_OVER, key=f"{TABLE_OVER}:{row.pk}", context={"table": row.pk})


def tell_season_over(season: Season) -> None:
    """Queue the news that a season is over, in the caller's transaction."""
    key = f"{SEASON_OVER}:{season.pk}"
    queue_news(subject_of(season.league_id), SEASON_OVER, key=key, context={"season": season.pk})


def tell_standings(now: datetime) -> int:
    """Queue the week's standings of running seasons, from Monday morning on; return their number.

    Safe to repeat. Targets that were added later in the week get them from the next one on.
    """
    local = localtime(now)
    monday = (local - timedelta(days=local.weekday())).replace(
        hour=MONDAY_AT, minute=0, second=0, microsecond=0
    )
    if local < monday:
        return 0
    told = NoticeTarget.objects.filter(subject__startswith=f"{LEAGUE}:", since__lte=monday, off_at=None)
    leagues = {int(one.subject.partition(":")[2]) for one in told if STANDINGS in one.kinds}
    seasons = Season.objects.filter(league__in=leagues, state=Season.State.RUNNING)
    for season in seasons:
        key = f"{STANDINGS}:{season.pk}:{monday.date()}"
        queue_news(subject_of(season.league_id), STANDINGS, key=key, context={"season": season.pk})
    return len(seasons)


def write_to_channels(league: League, by: User, text: str) -> None:
    """Queue a message of an organiser. Raises Refused after too many."""
    require_organiser(league, by)
    if not hit("league_words", str(by.pk), MESSAGES_A_DAY):
        raise Refused(_("You’ve sent too many messages today. Try again tomorrow."))
    key = f"{WORDS}:{league.pk}:{uuid4()}"
    queue_news(subject_of(league.pk), WORDS, key=key, context={"league": league.pk, "text": text})
