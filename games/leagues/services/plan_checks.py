"""A season's plan: its columns, and everything that would make it unplayable."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.form_limits import range_text
from games.leagues.models import MOST_ROUNDS, Season
from games.leagues.scoring.scoring_methods import MOST_POINTS, TieBreak
from games.leagues.seating import rounds_for_everybody
from games.models import MAX_SEATS, Table
from games.rules import MOST_GAMES
from games.services import Refused

DATES = ("opens_at", "signup_ends_at", "begins_at")
PLAN = (
    "terms", "size", "format", "rounds", "tables_at_once", "table_days", "extension_days",
    "late", "scoring", "placement", "tie_breaks", "split", "bye_points", "division_size", "most_divisions",
    "promoted", "promoted_share", "final", "min_players", "joining", "asks", "min_finished", *DATES,
    "pause_days",
)  # fmt: skip
LATEST = timedelta(days=2 * 365)  # how far ahead anything can be planned
A_DAY = timedelta(days=1)  # a sign-up may open on the day it is planned
Problems = dict[str, list[str]]
FieldProblems = Iterator[tuple[str, str]]


class BadPlan(Refused):
    """A plan that cannot be played. `problems` lists what is wrong with it, by field."""

    def __init__(self, problems: Problems) -> None:
        super().__init__(" ".join(message for field in problems.values() for message in field))
        self.problems = problems


def problems_of(plan: Mapping[str, Any], now: datetime) -> Problems:
    """Return what is wrong with a plan, as sentences by field; missing fields get their defaults."""
    return problems_in(Season(**with_lot(plan)), set(PLAN), now)


def problems_in(season: Season, columns: Collection[str], now: datetime) -> Problems:
    """Return what is wrong with these columns of an unsaved season and with what depends on them."""
    problems = _column_problems(season)
    for about, look in _CHECKS:
        if not problems.keys() & set(about) and set(about) & set(columns):
            add_problems(problems, look(season, now))
    return problems


def sound_plan(plan: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    """Return the plan as it is stored. Raises BadPlan."""
    if problems := problems_of(plan, now):
        raise BadPlan(problems)
    return with_lot(plan)


def with_lot(plan: Mapping[str, Any]) -> dict[str, Any]:
    """Add the drawing of lots as the last tie-break, whether it was chosen or not."""
    fields = dict(plan)
    chosen = fields.get("tie_breaks")
    if isinstance(chosen, (list, tuple)) and TieBreak.LOT not in chosen:
        fields["tie_breaks"] = [*chosen, TieBreak.LOT.value]
    return fields


def add_problems(problems: Problems, added: FieldProblems) -> None:
    """Add these sentences to those of their fields."""
    for field, sentence in list(added):
        problems.setdefault(field, []).append(sentence)


def _column_problems(season: Season) -> Problems:
    """Return numbers out of range, unknown choices and missing dates."""
    others = [field.name for field in Season._meta.fields if field.name not in PLAN]
    try:
        season.clean_fields(exclude=[*others, "terms", "placement", "tie_breaks"])
    except ValidationError as error:
        return {name: [_in_our_words(season, name, one) for one in found] for name, found in _by_field(error)}
    return {}


def _by_field(error: ValidationError) -> Iterator[tuple[str, list[ValidationError]]]:
    for name, found in error.error_dict.items():
        yield name, [one for each in found for one in each.error_list]


def _in_our_words(season: Season, name: str, error: ValidationError) -> str:
    """Return an error of a column; for a number out of range, which numbers are possible."""
    if error.code not in ("min_value", "max_value"):
        return str(error.messages[0])
    checks = next(field for field in Season._meta.fields if field.name == name).validators
    least = max([one.limit_value for one in checks if isinstance(one, MinValueValidator)], default=0)
    most = min([one.limit_value for one in checks if isinstance(one, MaxValueValidator)])
    return range_text(least, most)


def _check_terms(season: Season, now: datetime) -> FieldProblems:
    terms = season.terms
    if not isinstance(terms, dict) or set(terms) - set(Table.SETTINGS):
        yield "terms", _("Some game settings are missing or unknown. Fill in the form again.")
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
    """Return whether these options and this match length can be played, with enough secrets."""
    try:
        options = table.options
    except (KeyError, TypeError, ValueError):
        return False
    is_match = table.target is not None
    return options.plays_for_points == is_match and table.chain == (MOST_GAMES + 1 if is_match else 1)


def _check_placement(season: Season, now: datetime) -> FieldProblems:
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
        yield "placement", _("A lower place can’t give more points than a higher one.")
    elif points and points[0] == points[-1]:
        yield "placement", _("The first place must give more points than the last.")


def _check_tie_breaks(season: Season, now: datetime) -> FieldProblems:
    chosen = season.tie_breaks
    if not isinstance(chosen, (list, tuple)) or not all(one in list(TieBreak) for one in chosen):
        yield "tie_breaks", _("There is no such tie-break. Choose another.")
    elif len(set(chosen)) < len(chosen):
        yield "tie_breaks", _("Choose each tie-break only once.")
    elif chosen[-1] != TieBreak.LOT:
        yield "tie_breaks", _("Drawing lots must be the last tie-break.")


def _check_division(season: Season, now: datetime) -> FieldProblems:
    if season.division_size < season.size:
        text = _("A division needs enough players for one table: at least %(size)d.")
        yield "division_size", text % {"size": season.size}


def _check_moves(season: Season, now: datetime) -> FieldProblems:
    moving = 2 * season.promoted
    if season.most_divisions == 1 and moving:
        yield "promoted", _("With only one division, no one can be promoted or relegated. Enter 0.")
    elif moving > season.division_size:
        text = _("In a division of %(size)d, at most %(most)d can go up and as many down. Enter fewer.")
        yield "promoted", text % {"size": season.division_size, "most": season.division_size // 2}
    if season.most_divisions == 1 and season.promoted_share:
        yield "promoted_share", _("With only one division, no one can be promoted or relegated. Enter 0.")
    elif season.promoted and season.promoted_share:
        yield "promoted_share", _("Enter either a number of players or a percentage. Enter 0 for the other.")


def _check_final(season: Season, now: datetime) -> FieldProblems:
    if season.final != Season.Final.DIVISIONS:
        return
    if season.most_divisions == 1:
        yield "final", _("With only one division, choose a final of the first four or none.")
    elif season.most_divisions > MAX_SEATS:
        text = _("These are too many divisions for one table. Choose at most %(most)d, or another final.")
        yield "final", text % {"most": MAX_SEATS}


def _check_min_players(season: Season, now: datetime) -> FieldProblems:
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


def _check_rounds(season: Season, now: datetime) -> FieldProblems:
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


def _check_dates(season: Season, now: datetime) -> FieldProblems:
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
        yield "opens_at", past_date()
    elif season.state == Season.State.PLANNED and season.signup_ends_at <= now:
        yield "signup_ends_at", past_date()
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


def past_date() -> str:
    """Return the sentence about a date that has passed."""
    return _("This date is in the past. Choose a later one.")


# Checks of several fields, each with the fields that must be valid on their own first
_CHECKS: tuple[tuple[tuple[str, ...], Callable[[Season, datetime], FieldProblems]], ...] = (
    (("terms",), _check_terms),
    (("placement", "size"), _check_placement),
    (("tie_breaks",), _check_tie_breaks),
    (("division_size", "size"), _check_division),
    (("promoted", "promoted_share", "division_size", "most_divisions"), _check_moves),
    (("final", "most_divisions"), _check_final),
    (("min_players", "size", "division_size", "most_divisions"), _check_min_players),
    (("format", "division_size", "size", "rounds"), _check_rounds),
    (DATES, _check_dates),
)
