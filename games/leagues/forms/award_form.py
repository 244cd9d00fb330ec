"""The form in which an organiser corrects the result of a table: places, regions and points."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import zip_longest
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from games.leagues.forms.league_fields import ReasonForm
from games.leagues.scoring.scoring_methods import MOST_POINTS, ScoringRules
from games.leagues.scoring.table_facts import BadFacts, SeatCorrection, TableFacts, corrected
from games.leagues.scoring.table_points import scores_of
from games.leagues.selectors.exact_numbers import exactly


@dataclass(frozen=True)
class TableResult:
    """The result of a table that an organiser may correct.

    `people` are the seats' positions with the names of their players. `played` and `counted` are the table
    as played and as it counts now; None while its result is not counted. The final gives no points.
    """

    people: Sequence[tuple[int, str]]
    rules: ScoringRules
    played: TableFacts | None = None
    counted: TableFacts | None = None
    is_awarded: bool = False
    gives_points: bool = True


class SeatPointsField(forms.CharField):
    """A field of whole points, which also takes what a table can give, as the form fills it in."""

    def __init__(self, **kwargs: Any) -> None:
        widget = forms.TextInput(attrs={"inputmode": "numeric"})
        super().__init__(required=False, widget=widget, **kwargs)

    def clean(self, value: Any) -> Fraction | None:
        typed = str(super().clean(value)).strip()
        if not typed:
            return None
        if (filled_in := _as_filled_in(typed)) is not None:
            return filled_in
        if not re.fullmatch("[0-9]{1,4}", typed) or int(typed) > MOST_POINTS:
            error = _("Points must be whole numbers from 0 to %(most)d.")
            raise ValidationError(error % {"most": MOST_POINTS})
        return Fraction(int(typed))


def _as_filled_in(typed: str) -> Fraction | None:
    """Return the fraction that the form shows so, such as 4/3 for "1.33 (exactly 4/3)"; else None."""
    if found := re.search("([0-9]{1,4})/([1-9][0-9]{0,3})", typed):
        number = Fraction(int(found[1]), int(found[2]))
    elif re.fullmatch("[0-9]{1,4}[.,][0-9]{1,2}", typed):
        number = Fraction(typed.replace(",", "."))
    else:
        return None
    return number if exactly(number) == typed else None


class AwardForm(ReasonForm):
    """The form to correct the places, regions and points of each seat of a table.

    It is filled in with what counts now. An empty field is as played; points that the result gives anyway
    are not awarded. With everything as played, it withdraws an earlier award.
    """

    def __init__(self, result: TableResult, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.result = result
        self.positions = sorted(position for position, _name in result.people)
        values = fields_of(result.counted, result.rules) if result.counted else {}
        for position, name in result.people:
            self._add_fields(position, name)
        for field in self.fields.keys() & values.keys():
            self.fields[field].initial = values[field]
        self.order_fields([*[field for field in self.fields if field != "reason"], "reason"])

    def _add_fields(self, position: int, name: str) -> None:
        """Add the fields of a seat: place and regions once the result is counted, and points."""
        if self.result.played is not None:
            # Translators: name is a player.
            place = _("Place of %(name)s") % {"name": name}
            self.fields[f"place_{position}"] = _number_field(place, 1, len(self.positions))
            # Translators: name is a player.
            regions = _("Regions of %(name)s") % {"name": name}
            self.fields[f"regions_{position}"] = _number_field(regions, 0, MOST_POINTS)
        if not self.result.gives_points:
            return
        # Translators: name is a player.
        label = _("Points for %(name)s") % {"name": name}
        self.fields[f"points_{position}"] = SeatPointsField(label=label)

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if self.errors:
            return cleaned
        try:
            own = self.own_points
        except BadFacts:
            self.add_error(
                None,
                _("Count places from 1. Players who share a place leave out the next, as in 1, 2, 2, 4."),
            )
            return cleaned
        self._require_whole(own)
        if not self.errors and not self.result.is_awarded and self.is_empty:
            self.add_error(None, _("Everything is as played. Correct at least one number."))
        if not self.errors:
            self._ask_about_total(own)
        return cleaned

    @property
    def own_points(self) -> list[Fraction]:
        """Return the points that the places and regions entered give; empty until the result is counted."""
        if self.result.played is None:
            return []
        facts = corrected(self.result.played, self.results) if self.results else self.result.played
        return [score.points for score in scores_of(facts, self.result.rules)]

    @property
    def results(self) -> list[SeatCorrection] | None:
        """Return the places and regions by position; None if they are as played."""
        played = self.result.played
        if played is None:
            return None
        entered = []
        for position, seat in enumerate(played.seats):
            place, regions = (self.cleaned_data.get(f"{what}_{position}") for what in ("place", "regions"))
            entered.append(
                SeatCorrection(
                    seat.place if place is None else place, seat.regions if regions is None else regions
                )
            )
        is_as_played = entered == [SeatCorrection(seat.place, seat.regions) for seat in played.seats]
        return None if is_as_played else entered

    @property
    def points(self) -> list[int | None]:
        """Return the awarded points by position; None where the result gives them."""
        own: Sequence[Fraction | None] = self.own_points or [None] * len(self.positions)
        entered = [self.cleaned_data.get(f"points_{position}") for position in self.positions]
        return [
            None if one is None or one == gives else int(one) for one, gives in zip(entered, own, strict=True)
        ]

    @property
    def is_empty(self) -> bool:
        """Whether everything is as played."""
        return self.results is None and all(one is None for one in self.points)

    def _require_whole(self, own: Sequence[Fraction]) -> None:
        """Refuse points with a fraction that the result doesn't give, as played or as corrected."""
        for position, gives in zip_longest(self.positions, own):
            entered = self.cleaned_data.get(f"points_{position}")
            if entered is not None and entered != gives and entered.denominator != 1:
                error = _("Points must be whole numbers from 0 to %(most)d.")
                self.add_error(f"points_{position}", error % {"most": MOST_POINTS})

    def _ask_about_total(self, own: Sequence[Fraction]) -> None:
        """Require an extra confirmation if the award changes the table's total of points."""
        given = [gives if new is None else new for new, gives in zip(self.points, own, strict=False)]
        total = sum((Fraction(points) for points in given), Fraction(0))
        played = sum(scores_of_seats(self.result), Fraction(0))
        if total == played:
            return
        self.fields["another_total"] = forms.BooleanField(
            label=_("Award these points anyway"), required=False
        )
        if not self.data.get("another_total"):
            # Translators: new and played are numbers of points, such as 11 or 5.5.
            problem = _(
                "These points total %(new)s, but the table gave %(played)s. Nothing was changed. "
                "Correct the points, or tick the box to award them anyway."
            )
            self.add_error(None, problem % {"new": exactly(total), "played": exactly(played)})


def scores_of_seats(result: TableResult) -> list[Fraction]:
    """Return the points of each seat as played; empty until the result is counted."""
    return [score.points for score in scores_of(result.played, result.rules)] if result.played else []


def fields_of(facts: TableFacts, rules: ScoringRules) -> dict[str, str | int]:
    """Return the values of all fields for these facts."""
    values: dict[str, str | int] = {}
    for position, (seat, score) in enumerate(zip(facts.seats, scores_of(facts, rules), strict=True)):
        values[f"place_{position}"], values[f"regions_{position}"] = seat.place, seat.regions
        values[f"points_{position}"] = exactly(score.points)
    return values


def filled_in(result: TableResult, sent: Any) -> AwardForm:
    """Return the form with points filled in, and nothing saved: as played, or those of the places sent.

    With places that can't be, it is the form as sent, with what is wrong.
    """
    form = AwardForm(result, sent)
    form.is_valid()
    if result.played is None:
        return form
    facts = result.played
    if sent.get("fill") == "places":
        wrong = [name for name in form.errors if name.startswith(("place_", "regions_"))]
        try:
            results = form.results
            facts = corrected(facts, results) if results else facts
        except BadFacts:
            wrong.append("place_0")
        if wrong:
            return form
    initial = fields_of(facts, result.rules) | {"reason": sent.get("reason", "")}
    filled = AwardForm(result)
    filled.initial = initial
    return filled


def _number_field(label: str, least: int, most: int) -> forms.IntegerField:
    return forms.IntegerField(
        label=label,
        min_value=least,
        max_value=most,
        required=False,
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )
