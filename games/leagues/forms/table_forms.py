"""Forms for organisers' decisions about tables and their seats, and for messages to players."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from games.clocks.pauses import HOURS_OF_MORE_TIME
from games.leagues.forms.league_fields import ChoiceForm, ReasonForm, WordsField, say_range
from games.leagues.models import Season
from games.leagues.scoring.scoring_methods import MOST_POINTS
from games.leagues.selectors.exact_numbers import exactly
from games.leagues.services.league_texts import cleaned_reason
from games.leagues.services.table_deadlines import MOST_DAYS


class ExtendForm(ReasonForm):
    """The form to extend a table."""

    field_order = ("days", "hours", "reason")
    days = forms.IntegerField(
        label=gettext_lazy("Extra days"),
        min_value=1,
        max_value=MOST_DAYS,
        initial=7,
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )
    hours = forms.IntegerField(
        label=gettext_lazy("More hours for players whose turn it is now"),
        help_text=gettext_lazy("Leave it empty to leave their deadlines as they are."),
        min_value=HOURS_OF_MORE_TIME[0],
        max_value=HOURS_OF_MORE_TIME[-1],
        required=False,
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )


class ReplaceForm(ReasonForm):
    """The form to give a player's seat to someone else."""

    field_order = ("seat", "user", "reason")
    seat = forms.TypedChoiceField(
        label=gettext_lazy("Player to replace"), coerce=int, widget=forms.RadioSelect
    )
    user = forms.TypedChoiceField(label=gettext_lazy("New player"), coerce=int)


class OrganiserMessageForm(ChoiceForm):
    """A message from an organiser to a table, a division or everyone."""

    to = forms.ChoiceField(label=pgettext_lazy("form", "To"))
    text = WordsField(
        stored_as=cleaned_reason,
        label=pgettext_lazy("form", "Message"),
        help_text=gettext_lazy("With your name. The league’s log shows it to the league’s members."),
        widget=forms.Textarea(attrs={"rows": 6}),
    )


class AdjudicateForm(ReasonForm):
    """The form to end a table early and choose how it counts."""

    field_order = ("result", "reason")
    result = forms.ChoiceField(
        label=pgettext_lazy("form", "Result"),
        choices=[
            (
                Season.Late.REGIONS,
                gettext_lazy("The players with most regions win. If no one holds a region, no one wins."),
            ),
            (Season.Late.NOBODY, gettext_lazy("No one wins.")),
        ],
        initial=Season.Late.REGIONS,
        widget=forms.RadioSelect,
    )


class AwardForm(ReasonForm):
    """The form to award points to each player seated at a table.

    An empty field keeps the points as played. All fields empty withdraw an earlier award.
    """

    def __init__(
        self,
        people: Sequence[tuple[int, str]],
        played: Sequence[Fraction],
        *args: Any,
        is_awarded: bool = False,
        **kwargs: Any,
    ) -> None:
        """Set up one field per seat.

        `people` are the seat positions with the names of their players. `played` is the points as played for
        each position, and empty if they are not known yet.
        """
        super().__init__(*args, **kwargs)
        self.played, self.is_awarded = played, is_awarded
        self.positions = {f"points_{position}": position for position, _name in people}
        for position, name in people:
            self.fields[f"points_{position}"] = _points_field(name)
            say_range(self.fields[f"points_{position}"])
        self.order_fields([*self.positions, "reason"])

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if not self.errors and not self.is_awarded and self.is_empty:
            self.add_error(None, _("All fields are empty. Enter points for at least one player."))
        if not self.errors:
            self._ask_about_total()
        return cleaned

    @property
    def is_empty(self) -> bool:
        """Whether no points were entered."""
        return not any(self.data.get(name) for name in self.positions)

    def _ask_about_total(self) -> None:
        """Require an extra confirmation if the award changes the table's total of points."""
        played = sum(self.played, Fraction(0))
        given = [self.played[at] if new is None else new for at, new in enumerate(self.points) if self.played]
        total = sum((Fraction(points) for points in given), Fraction(0))
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

    @property
    def points(self) -> list[int | None]:
        """Return the points by position; None keeps the points as played."""
        by_position = {position: self.cleaned_data[name] for name, position in self.positions.items()}
        seats = max(len(self.played), *[position + 1 for position in by_position])
        return [by_position.get(position) for position in range(seats)]


def _points_field(name: str) -> forms.IntegerField:
    return forms.IntegerField(
        # Translators: name is a player.
        label=_("Points for %(name)s") % {"name": name},
        min_value=0,
        max_value=MOST_POINTS,
        required=False,
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )


class SubstituteForm(ReasonForm):
    """The form to give a seat to one of the substitutes or to the organiser."""

    field_order = ("user", "reason")
    user = forms.TypedChoiceField(
        label=pgettext_lazy("form", "Substitute"), coerce=int, widget=forms.RadioSelect
    )
