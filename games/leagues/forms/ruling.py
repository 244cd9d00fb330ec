"""What an organiser says when he decides something about a round, a table, a seat or a player."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.leagues.forms.words import ReasonForm
from games.leagues.models import Division
from games.leagues.overview.explaining import in_points

MOST_DAYS = 90
MOST_POINTS = 1000


class ExtendForm(ReasonForm):
    """By how much a round's end is put off."""

    field_order = ("days", "reason")
    days = forms.IntegerField(
        label=gettext_lazy("Days more"),
        min_value=1,
        max_value=MOST_DAYS,
        initial=7,
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )


class AdjudicateForm(ReasonForm):
    """How a table is ended that is not played to its end."""

    field_order = ("result", "reason")
    result = forms.ChoiceField(
        label=gettext_lazy("How it ends"),
        choices=[
            ("regions", gettext_lazy("The players with most regions win; nobody, if nobody holds any.")),
            ("nobody", gettext_lazy("Nobody wins.")),
        ],
        initial="regions",
        widget=forms.RadioSelect,
    )

    @property
    def with_winner(self) -> bool:
        return bool(self.cleaned_data["result"] == "regions")


class AwardForm(ReasonForm):
    """Points for each who was seated at a table, whatever was played; an empty field leaves what was."""

    def __init__(
        self, people: Sequence[tuple[int, str]], played: Sequence[Fraction], *args: Any, **kwargs: Any
    ) -> None:
        """`people` are the positions at the table with the names of who was seated there; `played` is what
        each position gives as it was played, empty if that is not known yet."""
        super().__init__(*args, **kwargs)
        self.played = played
        self.positions = {f"points_{position}": position for position, _name in people}
        for position, name in people:
            self.fields[f"points_{position}"] = _points_of(name)
        self.order_fields([*self.positions, "reason"])

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if not self.errors and all(cleaned.get(name) is None for name in self.positions):
            self.add_error(None, _("Give points to one of them at least."))
        if not self.errors:
            self._ask_about_total()
        return cleaned

    def _ask_about_total(self) -> None:
        """A table that would give more or less than it did is awarded at the second press only."""
        played = sum(self.played, Fraction(0))
        given = [self.played[at] if new is None else new for at, new in enumerate(self.points) if self.played]
        total = sum((Fraction(points) for points in given), Fraction(0))
        if total == played:
            return
        self.fields["another_total"] = forms.BooleanField(label=_("Award them all the same"), required=False)
        if not self.data.get("another_total"):
            told = _("With these the table gives %(new)s in all, and %(played)s as it was played.")
            self.add_error(None, told % {"new": in_points(total), "played": in_points(played)})

    @property
    def points(self) -> list[int | None]:
        """For each position, in their order; None leaves what was played."""
        by_position = {position: self.cleaned_data[name] for name, position in self.positions.items()}
        return [by_position[position] for position in sorted(by_position)]


def _points_of(name: str) -> forms.IntegerField:
    return forms.IntegerField(
        label=_("Points for %(name)s") % {"name": name},
        min_value=0,
        max_value=MOST_POINTS,
        required=False,
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )


class MoveForm(ReasonForm):
    """To which division somebody goes."""

    field_order = ("level", "reason")
    level = forms.TypedChoiceField(label=gettext_lazy("Division"), coerce=int)

    def __init__(self, divisions: Sequence[Division], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["level"].choices = [(one.level, one.letter) for one in divisions]  # type: ignore[attr-defined]


class SubstituteForm(ReasonForm):
    """Who takes a seat: one of those who help, or the organiser himself."""

    field_order = ("user", "reason")
    user = forms.TypedChoiceField(label=gettext_lazy("Who takes it"), coerce=int, widget=forms.RadioSelect)

    def __init__(self, people: Sequence[tuple[int, str]], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["user"].choices = list(people)  # type: ignore[attr-defined]
