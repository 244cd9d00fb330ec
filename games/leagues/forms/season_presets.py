"""The usual kinds of seasons, and the plan with which an organiser begins."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from accounts import clock
from accounts.local_times import instant_on
from games.leagues.forms.league_fields import DAY_ENDS
from games.leagues.models import League, Season
from games.leagues.models.seasons import usual_terms, usual_tie_breaks
from games.leagues.services.plan_checks import DATES, PLAN

_USUAL_DAYS_OF_SIGN_UP = 14


@dataclass(frozen=True)
class Preset:
    """A usual kind of season."""

    name: str | Promise
    gist: str | Promise
    plan: dict[str, Any]


def _preset(name: str | Promise, gist: str | Promise, **plan: Any) -> Preset:
    usual: dict[str, Any] = {"size": 4, "rounds": 4, "tables_at_once": 2, "table_days": None}
    usual |= {"format": Season.Format.BALANCED, "scoring": Season.Scoring.PLACEMENT}
    divisions = {"division_size": 24, "most_divisions": 1, "promoted": 0}
    return Preset(name, gist, {**usual, **divisions, **plan})


PRESETS = {
    "club": _preset(
        pgettext_lazy("season preset", "Club season"),
        _("One division. Everyone meets as many of the others as possible."),
    ),
    "ladder": _preset(
        pgettext_lazy("season preset", "Ladder"),
        _("Small divisions. The best are promoted and the last relegated, season after season."),
        rounds=3, division_size=8, most_divisions=3, promoted=2,
    ),
    "open": _preset(
        pgettext_lazy("season preset", "One big table"),
        _("Everyone in one standing, up to 60 players. Players with similar scores meet."),
        format=Season.Format.SWISS, rounds=5, division_size=60,
    ),
    "duels": _preset(
        pgettext_lazy("season preset", "Duels"),
        _("Two players at a table, against as many of the others as possible."),
        size=2, rounds=7, tables_at_once=3, scoring=Season.Scoring.WINS,
    ),
}  # fmt: skip


def usual_plan(league: League) -> dict[str, Any]:
    """Return the usual plan of a season, in which only the dates need checking."""
    opens = timezone.localdate(clock.now()) + timedelta(days=1)  # until then the plan can still be revised
    ends = opens + timedelta(days=_USUAL_DAYS_OF_SIGN_UP)
    usual = Season()
    return (
        {name: getattr(usual, name) for name in PLAN}
        | {
            "opens_at": _at(opens, time(0, 0)),
            "signup_ends_at": _at(ends, DAY_ENDS),
            "begins_at": _at(ends + timedelta(days=4), time(9, 0)),
            "tie_breaks": usual_tie_breaks(),
            "table_days": None,
            "terms": usual_terms(),
        }
        | PRESETS["club"].plan
    )


def _at(day: date, hour: time) -> datetime:
    return instant_on(day, hour, timezone.get_current_timezone())


def not_before(plan: dict[str, Any], now: datetime) -> dict[str, Any]:
    """Shift all dates of the plan so that the sign-up opens tomorrow at the earliest."""
    late = max(now + timedelta(days=1) - plan["opens_at"], timedelta())
    return plan | {name: plan[name] + late for name in DATES}
