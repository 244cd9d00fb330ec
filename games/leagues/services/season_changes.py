"""Change a season: everything until its sign-up opens, afterwards only what is fair to its players."""

from __future__ import annotations

import json
from collections.abc import Mapping
from copy import copy
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid5

from django.core.serializers.json import DjangoJSONEncoder
from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts import clock
from accounts.models import User
from games.leagues.models import AuditEvent, Registration, Season
from games.leagues.services.audit_log import email_event, record_event
from games.leagues.services.league_texts import cleaned_reason
from games.leagues.services.locks import locked_season
from games.leagues.services.permissions import require_organiser
from games.leagues.services.plan_checks import (
    DATES,
    PLAN,
    BadPlan,
    FieldProblems,
    Problems,
    add_problems,
    past_date,
    problems_in,
    with_lot,
)
from games.leagues.services.registration import move_up
from games.leagues.services.schedule import reschedule
from games.leagues.services.short_seasons import shortage_of
from games.services import Refused

_LENGTH = ("table_days", "extension_days")  # while it runs, only more
_UNTIL_THE_DRAW = (
    "division_size", "most_divisions", "min_players", "rounds", "tables_at_once", *_LENGTH, "begins_at",
    "pause_days",
)  # fmt: skip
_AMENDABLE = {
    Season.State.PLANNED: PLAN,
    Season.State.SIGN_UP: (*_UNTIL_THE_DRAW, "signup_ends_at"),
    Season.State.CONFIRMING: _UNTIL_THE_DRAW,
    Season.State.RUNNING: (*_LENGTH, "pause_days"),
}
Changes = dict[str, tuple[Any, Any]]  # by column: its value before and after


class Overtaken(Refused):
    """The season changed while an organiser was editing it. `changes` are what saving would now change."""

    def __init__(self, changes: Changes) -> None:
        super().__init__(
            _(
                "Someone changed this season while you were editing it. Nothing was saved. Check the fields "
                "named here, then save again."
            )
        )
        self.changes = changes


def amendable(season: Season) -> set[str]:
    """Return the columns of the plan that an organiser may change now."""
    columns = set(_AMENDABLE.get(Season.State(season.state), ()))
    is_asking = season.state == Season.State.CONFIRMING
    if is_asking and (season.short_since or shortage_of(season, clock.now())):
        columns.add("signup_ends_at")
    if season.state == Season.State.RUNNING and season.begins_at > clock.now():
        columns.add("begins_at")
    return columns


def why_fixed(season: Season, column: str) -> str:
    """Return why this column can no longer be changed."""
    if season.state in Season.OVER:
        return _("The season is over.")
    if column in DATES:
        return _("Fixed, because these dates have passed.")
    if column in _UNTIL_THE_DRAW:
        return _("Fixed, because the divisions and tables are drawn from these.")
    return _("Fixed, because players signed up for these rules. Changing them now would be unfair.")


def plan_key(season: Season) -> UUID:
    """Return a key of the season's plan and state, by which a form knows that they have changed since."""
    plan = {column: getattr(season, column) for column in PLAN}
    return uuid5(season.form_key, json.dumps([season.state, plan], cls=DjangoJSONEncoder, sort_keys=True))


def changes_of(season: Season, plan: Mapping[str, Any]) -> Changes:
    """Return what this plan changes in the season. If sign-up ends later, the season begins later."""
    after = with_lot(plan)
    until, begins = after.get("signup_ends_at"), after.get("begins_at", season.begins_at)
    if until and until != season.signup_ends_at and begins == season.begins_at:
        days = 0 if season.asked_at else season.confirm_days
        after["begins_at"] = max(begins, until + timedelta(days=days))
    pairs = {column: (getattr(season, column), after[column]) for column in PLAN if column in after}
    return {column: (before, value) for column, (before, value) in pairs.items() if value != before}


def changed_season(season: Season, changes: Changes) -> Season:
    """Return the season as it will be; nothing is stored."""
    after = copy(season)
    for column, (_before, value) in changes.items():
        setattr(after, column, value)
    return after


def problems_of_change(season: Season, plan: Mapping[str, Any], now: datetime) -> Problems:
    """Return what is wrong with changing the season like this, as sentences by field."""
    changes = changes_of(season, plan)
    fixed = changes.keys() - amendable(season)
    if fixed:
        return {column: [why_fixed(season, column)] for column in fixed}
    after = changed_season(season, changes)
    problems = problems_in(after, changes, now)
    if not problems:
        for look in (
            _check_dates_ahead(season, changes, now),
            _check_not_shorter(season, changes),
            _check_places(after),
        ):
            add_problems(problems, look)
    return problems


def _check_dates_ahead(season: Season, changes: Changes, now: datetime) -> FieldProblems:
    for column in ("signup_ends_at", "begins_at") if season.state != Season.State.PLANNED else ():
        if column in changes and changes[column][1] <= now:
            yield column, past_date()


def _check_not_shorter(season: Season, changes: Changes) -> FieldProblems:
    for column in _LENGTH if season.state == Season.State.RUNNING else ():
        before, after = changes.get(column, (0, 0))
        if after < before:
            text = ngettext(
                "Players count on %(n)d day. You can enter more, but not fewer.",
                "Players count on %(n)d days. You can enter more, but not fewer.",
                before,
            )
            yield column, text % {"n": before}


def _check_places(season: Season) -> FieldProblems:
    taken = season.entries.filter(state__in=Registration.WITH_PLACE).count()
    if season.state in Season.BEFORE_PLAY and taken > season.max_players:
        text = ngettext(
            "%(taken)d player has a place already. This plan has only %(places)d.",
            "%(taken)d players have places already. This plan has only %(places)d.",
            taken,
        )
        yield "division_size", text % {"taken": taken, "places": season.max_players}


@transaction.atomic
def change_season(
    season: Season, by: User, *, reason: str = "", seen: UUID | None = None, **plan: Any
) -> Season:
    """Change the plan as far as the season's state allows. Changing nothing does nothing.

    Once sign-up is open it needs a reason, and everyone in the season gets an email with what changed.
    Raises BadPlan, and Overtaken if the season is no longer as it was `seen`.
    """
    season, now = locked_season(season), clock.now()
    require_organiser(season.league, by)
    if not (changes := changes_of(season, plan)):
        return season
    if seen is not None and seen != plan_key(season):
        raise Overtaken(changes)
    if problems := problems_of_change(season, plan, now):
        raise BadPlan(problems)
    season = changed_season(season, changes)
    if season.state == Season.State.CONFIRMING and "signup_ends_at" in changes:
        season.short_since = None
    season.save(update_fields=[*changes, "short_since"])
    _record_change(season, by, changes, reason)
    move_up(season, now)
    reschedule(season)
    return season


def _record_change(season: Season, by: User, changes: Changes, reason: str) -> None:
    if season.state == Season.State.PLANNED:
        record_event(AuditEvent.Kind.REPLANNED, season, by)
        return
    facts = {"changes": [[column, *map(_json_value, pair)] for column, pair in changes.items()]}
    event = record_event(AuditEvent.Kind.REPLANNED, season, by, reason=cleaned_reason(reason), facts=facts)
    entries = season.entries.exclude(state__in=Registration.OUT).select_related("user").order_by("pk")
    email_event(event, [entry.user for entry in entries])


def _json_value(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value
