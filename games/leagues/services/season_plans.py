"""Plan a season: its rules, and everything that would make it unplayable."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from copy import copy
from datetime import datetime, timedelta, tzinfo
from itertools import pairwise
from typing import Any
from uuid import UUID, uuid4, uuid5

from django.core.exceptions import ValidationError
from django.core.serializers.json import DjangoJSONEncoder
from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts import clock
from accounts.local_times import shifted
from accounts.models import User
from games.leagues.models import MOST_ROUNDS, AuditEvent, League, Registration, Season, Standing
from games.leagues.scoring.scoring_methods import TieBreak
from games.leagues.seating import rounds_for_everybody
from games.leagues.services.audit_log import email_event, record_event
from games.leagues.services.league_texts import cleaned_reason
from games.leagues.services.locks import locked_league, locked_season
from games.leagues.services.permissions import require_organiser
from games.leagues.services.registration import move_up
from games.leagues.services.schedule import reschedule
from games.models import Table
from games.rules import MOST_GAMES
from games.services import Refused

PLAN = (
    "terms", "size", "format", "rounds", "tables_at_once", "table_days", "extension_days",
    "late", "scoring", "placement", "tie_breaks", "split", "bye_points", "division_size", "most_divisions",
    "promoted", "min_players", "opens_at", "signup_ends_at", "begins_at", "pause_days",
)  # fmt: skip
DATES = ("opens_at", "signup_ends_at", "begins_at")
LATEST = timedelta(days=2 * 365)  # how far ahead anything can be planned
A_DAY = timedelta(days=1)  # a sign-up may open on the day it is planned
MOST_POINTS = 1000

Problems = dict[str, list[str]]
FieldProblems = Iterator[tuple[str, str]]


class BadPlan(Refused):
    """A plan that cannot be played. `problems` lists what is wrong with it, by field."""

    def __init__(self, problems: Problems) -> None:
        super().__init__(" ".join(message for field in problems.values() for message in field))
        self.problems = problems


def problems_of(plan: Mapping[str, Any], now: datetime) -> Problems:
    """Return what is wrong with a plan, as sentences by field; missing fields get their defaults."""
    return _problems(Season(**_with_lot(plan)), set(PLAN), now)


def _problems(season: Season, columns: Collection[str], now: datetime) -> Problems:
    """Return what is wrong with these columns of an unsaved season and with what depends on them."""
    problems = _wrong_by_itself(season)
    for about, look in _LOOKS:
        if not problems.keys() & set(about) and set(about) & set(columns):
            _add(problems, look(season, now))
    return problems


def sound_plan(plan: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    """Return the plan as it is stored. Raises BadPlan."""
    if problems := problems_of(plan, now):
        raise BadPlan(problems)
    return _with_lot(plan)


def _with_lot(plan: Mapping[str, Any]) -> dict[str, Any]:
    """Add the drawing of lots as the last tie-break, whether it was chosen or not."""
    fields = dict(plan)
    chosen = fields.get("tie_breaks")
    if isinstance(chosen, (list, tuple)) and TieBreak.LOT not in chosen:
        fields["tie_breaks"] = [*chosen, TieBreak.LOT.value]
    return fields


def _add(problems: Problems, added: FieldProblems) -> None:
    for field, sentence in list(added):
        problems.setdefault(field, []).append(sentence)


def _wrong_by_itself(season: Season) -> Problems:
    """Return numbers out of range, unknown choices and missing dates."""
    others = [field.name for field in Season._meta.fields if field.name not in PLAN]
    try:
        season.clean_fields(exclude=[*others, "terms", "placement", "tie_breaks"])
    except ValidationError as error:
        return {field: list(map(str, messages)) for field, messages in error.message_dict.items()}
    return {}


def _terms(season: Season, now: datetime) -> FieldProblems:
    terms = season.terms
    if not isinstance(terms, dict) or set(terms) - set(Table.SETTINGS):
        yield "terms", _("These are not the settings of a table.")
        return
    table = Table(**terms)
    if not _plays_a_game(table):
        yield "terms", _("Optional rules and matches are only for the 2007 edition.")
    others = [field.name for field in Table._meta.fields if field.name not in Table.SETTINGS]
    try:
        table.clean_fields(exclude=[*others, "options_json"])
    except ValidationError as error:
        yield from (("terms", message) for message in error.messages)


def _plays_a_game(table: Table) -> bool:
    """Return whether these options and this match length form a playable game with enough secrets."""
    try:
        options = table.options
    except (KeyError, TypeError, ValueError):
        return False
    is_match = table.target is not None
    return options.plays_for_points == is_match and table.chain == (MOST_GAMES + 1 if is_match else 1)


def _placement(season: Season, now: datetime) -> FieldProblems:
    points = season.placement
    if not isinstance(points, list) or not all(type(one) is int for one in points):
        yield "placement", _("Enter whole numbers, starting with the points for 1st place.")
    elif points and len(points) != season.size:
        text = ngettext(
            "A table of %(size)d has %(size)d place, but you entered points for %(count)d.",
            "A table of %(size)d has %(size)d places, but you entered points for %(count)d.",
            season.size,
        )
        yield "placement", text % {"size": season.size, "count": len(points)}
    elif points and not 0 <= min(points) <= max(points) <= MOST_POINTS:
        yield "placement", _("Points for a place must be from 0 to %(most)d.") % {"most": MOST_POINTS}
    elif any(lower > higher for higher, lower in pairwise(points)):
        yield "placement", _("A place cannot give more points than a better one.")
    elif points and points[0] == points[-1]:
        yield "placement", _("The first place must give more points than the last.")


def _tie_breaks(season: Season, now: datetime) -> FieldProblems:
    chosen = season.tie_breaks
    if not isinstance(chosen, (list, tuple)) or not all(one in list(TieBreak) for one in chosen):
        yield "tie_breaks", _("There is no such tie-break. Choose another.")
    elif len(set(chosen)) < len(chosen):
        yield "tie_breaks", _("Choose each tie-break only once.")
    elif chosen[-1] != TieBreak.LOT:
        yield "tie_breaks", _("Drawing lots must be the last tie-break.")


def _division(season: Season, now: datetime) -> FieldProblems:
    if season.division_size < season.size:
        text = _("A division needs enough players for one table: at least %(size)d.")
        yield "division_size", text % {"size": season.size}


def _moves(season: Season, now: datetime) -> FieldProblems:
    moving = 2 * season.promoted
    if season.most_divisions == 1 and moving:
        yield "promoted", _("With only one division, no one can be promoted or relegated. Enter 0.")
    elif moving > season.division_size:
        text = ngettext(
            "%(moving)d player cannot be promoted or relegated in a division of %(size)d.",
            "%(moving)d players cannot be promoted or relegated in a division of %(size)d.",
            moving,
        )
        yield "promoted", text % {"size": season.division_size, "moving": moving}


def _min_players(season: Season, now: datetime) -> FieldProblems:
    if season.min_players < season.size:
        yield (
            "min_players",
            ngettext("A table needs %(size)d player.", "A table needs %(size)d players.", season.size)
            % {"size": season.size},
        )
    elif season.min_players > season.max_players:
        yield (
            "min_players",
            ngettext(
                "The season has only %(places)d place. Enter fewer players.",
                "The season has only %(places)d places. Enter fewer players.",
                season.max_players,
            )
            % {"places": season.max_players},
        )


def _everybody(season: Season, now: datetime) -> FieldProblems:
    if season.format != Season.Format.ALL or season.division_size < season.size:
        return
    needed = rounds_for_everybody(season.division_size, season.size)
    words = {"players": season.division_size, "needed": needed, "most": MOST_ROUNDS}
    if needed > MOST_ROUNDS:
        text = ngettext(
            "In a division of %(players)d, all meet in %(needed)d round. A season has at most %(most)d.",
            "In a division of %(players)d, all meet in %(needed)d rounds. A season has at most %(most)d.",
            needed,
        )
        yield "division_size", text % words
    elif season.rounds < needed:
        text = ngettext(
            "In a division of %(players)d, all meet in %(needed)d round at the earliest.",
            "In a division of %(players)d, all meet in %(needed)d rounds at the earliest.",
            needed,
        )
        yield "rounds", text % words


def _dates(season: Season, now: datetime) -> FieldProblems:
    dates = [(field, getattr(season, field)) for field in DATES]
    far = [field for field, moment in dates if moment > now + LATEST]
    if far:
        yield from (
            (field, _("This date is more than two years ahead. Choose an earlier one.")) for field in far
        )
        return
    if season.opens_at >= season.signup_ends_at:
        yield "signup_ends_at", _("Sign-up must end after it opens.")
    elif season.state == Season.State.PLANNED and season.opens_at < now - A_DAY:
        yield "opens_at", _past()
    elif season.state == Season.State.PLANNED and season.signup_ends_at <= now:
        yield "signup_ends_at", _past()
    confirmed = season.signup_ends_at + timedelta(days=season.confirm_days)
    if season.begins_at < season.signup_ends_at:
        yield "begins_at", _("The first tables must begin after sign-up ends.")
    elif season.begins_at < (season.confirm_by or confirmed):
        text = ngettext(
            "Players have %(days)d day to confirm after sign-up ends. Let the first tables begin after that.",
            "Players have %(days)d days to confirm after sign-up ends. Let the first tables begin "
            "after that.",
            season.confirm_days,
        )
        yield "begins_at", text % {"days": season.confirm_days}


def _past() -> str:
    return _("This date is in the past. Choose a later one.")


# Checks of several fields, each with the fields that must be valid on their own first
_LOOKS: tuple[tuple[tuple[str, ...], Callable[[Season, datetime], FieldProblems]], ...] = (
    (("terms",), _terms),
    (("placement", "size"), _placement),
    (("tie_breaks",), _tie_breaks),
    (("division_size", "size"), _division),
    (("promoted", "division_size", "most_divisions"), _moves),
    (("min_players", "size", "division_size", "most_divisions"), _min_players),
    (("format", "division_size", "size", "rounds"), _everybody),
    (DATES, _dates),
)


# Planning a season: its rules are fixed once its sign-up is open.


USUAL_PAUSE = 7


def plan_season(league: League, by: User | None, *, form_key: UUID | None = None, **plan: Any) -> Season:
    """Plan the league's next season. The same form sent twice plans one; `by` is None for automatic planning.

    Players who earned a place in the last season have one reserved.
    Raises BadPlan, a subclass of Refused, for a plan that cannot be played.
    Raises Refused while another season has yet to begin.
    """
    sound = sound_plan(plan, clock.now())
    key = form_key or uuid4()
    try:
        return _plan(league, by, key, sound)
    except IntegrityError:
        planned = league.seasons.filter(form_key=key).first()
    return planned or _plan(league, by, uuid4(), sound)  # the key belonged to another league


@transaction.atomic
def _plan(league: League, by: User | None, key: UUID, sound: dict[str, Any]) -> Season:
    league = locked_league(league)
    require_organiser(league, by)
    planned = league.seasons.filter(form_key=key).first()
    if planned is not None:
        return planned
    _require_none_before_its_start(league)
    last = league.seasons.aggregate(last=Max("number"))["last"] or 0
    season = Season.objects.create(league=league, number=last + 1, form_key=key, **sound)
    record_event(AuditEvent.Kind.PLANNED, season, by)
    keep_places(season)
    reschedule(season)
    return season


def _require_none_before_its_start(league: League) -> None:
    waiting = league.seasons.filter(state__in=Season.BEFORE_PLAY).first()
    if waiting is not None:
        text = _("Season %(number)d has not begun yet. Change that one, or cancel it.")
        raise Refused(text % {"number": waiting.number})


def keep_places(season: Season) -> int:
    """Reserve places at the levels the last closed season gave its players; return how many.

    Part of the caller's transaction. Players already in the season are not changed.
    """
    last = season.league.seasons.filter(state=Season.State.CLOSED, number__lt=season.number).last()
    best = earned(last)[: season.max_players] if last else []
    kept = [
        Registration(
            season=season,
            user_id=standing.entry.user_id,
            state=Registration.State.EXPECTED,
            reserved=standing.next_level,
            seeding=seeding,
        )
        for seeding, standing in enumerate(best)
    ]
    return len(Registration.objects.bulk_create(kept, ignore_conflicts=True))


def earned(last: Season) -> list[Standing]:
    """Return the standings that earned a place, the best first: by next level, previous level and place."""
    here = {"entry__user__is_active": True, "entry__user__deleted_at": None}
    standings = Standing.objects.filter(division__season=last, next_level__isnull=False, **here)
    return list(standings.select_related("entry").order_by("next_level", "division__level", "place"))


# Changing a season: everything until its sign-up opens, afterwards only what is fair to those in it.


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
    if season.state == Season.State.CONFIRMING and season.short_since:
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
    after = _with_lot(plan)
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
    problems = _problems(after, changes, now)
    if not problems:
        for look in (_ahead(season, changes, now), _not_less(season, changes), _places(after)):
            _add(problems, look)
    return problems


def _ahead(season: Season, changes: Changes, now: datetime) -> FieldProblems:
    for column in ("signup_ends_at", "begins_at") if season.state != Season.State.PLANNED else ():
        if column in changes and changes[column][1] <= now:
            yield column, _past()


def _not_less(season: Season, changes: Changes) -> FieldProblems:
    for column in _LENGTH if season.state == Season.State.RUNNING else ():
        before, after = changes.get(column, (0, 0))
        if after < before:
            text = ngettext(
                "Players count on %(n)d day. You can give more, but not fewer.",
                "Players count on %(n)d days. You can give more, but not fewer.",
                before,
            )
            yield column, text % {"n": before}


def _places(season: Season) -> FieldProblems:
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
    _announce(season, by, changes, reason)
    move_up(season, now)
    reschedule(season)
    return season


def _announce(season: Season, by: User, changes: Changes, reason: str) -> None:
    if season.state == Season.State.PLANNED:
        record_event(AuditEvent.Kind.REPLANNED, season, by)
        return
    facts = {"changes": [[column, *map(_stored, pair)] for column, pair in changes.items()]}
    event = record_event(AuditEvent.Kind.REPLANNED, season, by, reason=cleaned_reason(reason), facts=facts)
    entries = season.entries.exclude(state__in=Registration.OUT).select_related("user").order_by("pk")
    email_event(event, [entry.user for entry in entries])


def _stored(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value


def next_plan(season: Season, zone: tzinfo) -> dict[str, Any]:
    """Return the plan for the same season again, with its dates moved.

    Its sign-up opens some days after this season's end. All dates keep their local time in this zone.
    """
    plan = {column: getattr(season, column) for column in PLAN}
    pause = USUAL_PAUSE if season.pause_days is None else season.pause_days
    over = season.closed_at or clock.now()
    shift = timedelta(days=(over + timedelta(days=pause) - season.opens_at).days)
    if shifted(season.opens_at, shift, zone) < over:
        shift += A_DAY
    return plan | _following({column: shifted(plan[column], shift, zone) for column in DATES}, season)


def _following(dates: dict[str, datetime], season: Season) -> dict[str, datetime]:
    """Adjust the dates so that everyone has all their days to confirm, even if sign-up was extended."""
    confirmed = dates["signup_ends_at"] + timedelta(days=season.confirm_days)
    return dates | {"begins_at": max(dates["begins_at"], confirmed)}
