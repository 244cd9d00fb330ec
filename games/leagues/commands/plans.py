"""What a season's plan says, and what is wrong with it: everything that would make it unplayable is told at
once, field by field, before anybody signs up."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from games.commands import Refused
from games.leagues.models import MOST_ROUNDS, Season
from games.leagues.scoring import TieBreak
from games.leagues.seating import rounds_for_everybody
from games.models import Table
from games.rules import MOST_GAMES

PLAN = (
    "terms", "size", "format", "rounds", "round_days", "begins_early", "remind_days", "extension_days",
    "late", "scoring", "placement", "tie_breaks", "split", "bye_points", "division_size", "most_divisions",
    "promoted", "relegated", "least", "opens_at", "signup_ends_at", "closes_when_full", "confirm_days",
    "begins_at", "ask_hours", "fills_gaps", "pause_days", "is_rated",
)  # fmt: skip
DATES = ("opens_at", "signup_ends_at", "begins_at")
TERMS = (
    "options_json", "target", "chain", "pace", "hours", "most_holidays", "most_misses", "absent", "time_by",
    "talk", "shows_cards", "watchers_read", "is_anonymous", "watch",
)  # fmt: skip
LATEST = timedelta(days=2 * 365)  # that anything can be planned ahead
A_DAY = timedelta(days=1)  # a sign-up may open on the very day on which it is planned
MOST_POINTS = 1000

Problems = dict[str, list[str]]
Told = Iterator[tuple[str, str]]


class BadPlan(Refused):
    """A plan that cannot be played. `problems` are what is wrong with it, by field."""

    def __init__(self, problems: Problems) -> None:
        super().__init__(" ".join(told for field in problems.values() for told in field))
        self.problems = problems


def problems_of(plan: Mapping[str, Any], now: datetime) -> Problems:
    """What is wrong with a plan, in sentences by field; what it does not say is as usual."""
    season = Season(**_with_lot(plan))
    problems = _wrong_by_itself(season)
    for about, look in _LOOKS:
        if not problems.keys() & set(about):
            _add(problems, look(season, now))
    return problems


def sound_plan(plan: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    """The plan as it is stored. Raises BadPlan."""
    if problems := problems_of(plan, now):
        raise BadPlan(problems)
    return _with_lot(plan)


def _with_lot(plan: Mapping[str, Any]) -> dict[str, Any]:
    """The lot decides what is still even, whether it was chosen or not."""
    told = dict(plan)
    chosen = told.get("tie_breaks")
    if isinstance(chosen, (list, tuple)) and TieBreak.LOT not in chosen:
        told["tie_breaks"] = [*chosen, TieBreak.LOT.value]
    return told


def _add(problems: Problems, told: Told) -> None:
    for field, sentence in list(told):
        problems.setdefault(field, []).append(sentence)


def _wrong_by_itself(season: Season) -> Problems:
    """Numbers out of range, unknown choices, no dates."""
    others = [field.name for field in Season._meta.fields if field.name not in PLAN]
    try:
        season.clean_fields(exclude=[*others, "terms", "placement", "tie_breaks"])
    except ValidationError as error:
        return {field: list(map(str, told)) for field, told in error.message_dict.items()}
    return {}


def _terms(season: Season, now: datetime) -> Told:
    terms = season.terms
    if not isinstance(terms, dict) or set(terms) - set(TERMS):
        yield "terms", _("These are no terms of a table.")
        return
    table = Table(**terms)
    if not _plays_a_game(table):
        yield "terms", _("Optional rules and matches belong to the game of 2007.")
    others = [field.name for field in Table._meta.fields if field.name not in TERMS]
    try:
        table.clean_fields(exclude=[*others, "options_json"])
    except ValidationError as error:
        yield from (("terms", told) for told in error.messages)


def _plays_a_game(table: Table) -> bool:
    """Whether this edition has these rules, and a match, but nothing else, secrets for all its games."""
    try:
        options = table.options
    except (KeyError, TypeError, ValueError):
        return False
    is_match = table.target is not None
    return options.plays_for_points == is_match and table.chain == (MOST_GAMES + 1 if is_match else 1)


def _placement(season: Season, now: datetime) -> Told:
    points = season.placement
    if not isinstance(points, list) or not all(type(one) is int for one in points):
        yield "placement", _("Points are whole numbers, the first place's first.")
    elif points and len(points) != season.size:
        told = _("A table of %(size)d has %(size)d places; there are points for %(count)d.")
        yield "placement", told % {"size": season.size, "count": len(points)}
    elif points and not 0 <= min(points) <= max(points) <= MOST_POINTS:
        yield "placement", _("A place gives from 0 to %(most)d points.") % {"most": MOST_POINTS}
    elif any(lower > higher for higher, lower in pairwise(points)):
        yield "placement", _("No place gives more points than a better one.")
    elif points and points[0] == points[-1]:
        yield "placement", _("The first place gives more points than the last.")


def _tie_breaks(season: Season, now: datetime) -> Told:
    chosen = season.tie_breaks
    if not isinstance(chosen, (list, tuple)) or not all(one in list(TieBreak) for one in chosen):
        yield "tie_breaks", _("There is no such tie-break.")
    elif len(set(chosen)) < len(chosen):
        yield "tie_breaks", _("Each tie-break is asked once.")
    elif chosen[-1] != TieBreak.LOT:
        yield "tie_breaks", _("The lot decides everything that is left: it comes last.")


def _division(season: Season, now: datetime) -> Told:
    if season.division_size < season.size:
        told = _("A division needs at least the players of one table, %(size)d.")
        yield "division_size", told % {"size": season.size}


def _moves(season: Season, now: datetime) -> Told:
    moving = season.promoted + season.relegated
    if season.most_divisions == 1 and moving:
        field = "promoted" if season.promoted else "relegated"
        yield field, _("With one division there is nowhere to go up or down.")
    elif moving > season.division_size:
        field = "promoted" if season.promoted >= season.relegated else "relegated"
        told = _("A division has %(size)d places: no %(moving)d can go up or down.")
        yield field, told % {"size": season.division_size, "moving": moving}


def _least(season: Season, now: datetime) -> Told:
    if season.least < season.size:
        yield "least", _("A table needs %(size)d players.") % {"size": season.size}
    elif season.least > season.places:
        yield "least", _("There are places for %(places)d only.") % {"places": season.places}


def _everybody(season: Season, now: datetime) -> Told:
    if season.format != Season.Format.ALL or season.division_size < season.size:
        return
    needed = rounds_for_everybody(season.division_size, season.size)
    words = {"players": season.division_size, "needed": needed, "most": MOST_ROUNDS}
    if needed > MOST_ROUNDS:
        told = _("%(players)d meet each other in %(needed)d rounds; a season has at most %(most)d.")
        yield "division_size", told % words
    elif season.rounds < needed:
        told = _("%(players)d players need at least %(needed)d rounds to meet each other.")
        yield "rounds", told % words


def _reminder(season: Season, now: datetime) -> Told:
    if season.remind_days >= season.round_days:
        told = _("A round lasts %(days)d days: remind later than at its start.")
        yield "remind_days", told % {"days": season.round_days}


def _dates(season: Season, now: datetime) -> Told:
    dates = [(field, getattr(season, field)) for field in DATES]
    far = [field for field, moment in dates if moment > now + LATEST]
    if far:
        yield from ((field, _("Plan at most two years ahead.")) for field in far)
        return
    if season.opens_at >= season.signup_ends_at:
        yield "signup_ends_at", _("The sign-up ends after it has opened.")
    elif season.opens_at < now - A_DAY:
        yield "opens_at", _("This moment is past.")
    elif season.signup_ends_at <= now:
        yield "signup_ends_at", _("This moment is past.")
    if season.begins_at <= season.signup_ends_at:
        yield "begins_at", _("The first round begins after the end of the sign-up.")
    elif season.begins_at < season.signup_ends_at + timedelta(days=season.confirm_days):
        told = _("Between the end of the sign-up and the first round players have %(days)d days to confirm.")
        yield "begins_at", told % {"days": season.confirm_days}


# Which fields must be sound by themselves before they are looked at together.
_LOOKS: tuple[tuple[tuple[str, ...], Callable[[Season, datetime], Told]], ...] = (
    (("terms",), _terms),
    (("placement", "size"), _placement),
    (("tie_breaks",), _tie_breaks),
    (("division_size", "size"), _division),
    (("promoted", "relegated", "division_size", "most_divisions"), _moves),
    (("least", "size", "division_size", "most_divisions"), _least),
    (("format", "division_size", "size", "rounds"), _everybody),
    (("remind_days", "round_days"), _reminder),
    ((*DATES, "confirm_days"), _dates),
)
