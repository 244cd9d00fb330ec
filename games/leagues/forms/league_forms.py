"""Forms for a league's description, invitations, and organisers' decisions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from fractions import Fraction
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from accounts import clock
from accounts.forms import AddressField, OwnDate
from accounts.local_times import instant_on
from accounts.models import User
from games.clocks.pauses import HOURS_OF_MORE_TIME
from games.forms import PlainForm
from games.leagues.models import Division, Season
from games.leagues.selectors.exact_numbers import exactly
from games.leagues.services.adjudication import MOST_DAYS, MOST_POINTS
from games.leagues.services.permissions import (
    cleaned_about,
    cleaned_name,
    cleaned_reason,
)
from games.leagues.services.player_lists import MOST_BYTES, text_of
from games.presenters.chat_settings import YesOrNo
from games.services import Refused

FARTHEST = timedelta(days=5 * 366)
DAY_ENDS = time(23, 59, fold=1)  # a day on which clocks go back before midnight ends with the second one


class WordsField(forms.CharField):
    """A text field cleaned as the text will be stored; invalid text is a field error."""

    def __init__(self, *, stored_as: Callable[[str], str], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.stored_as = stored_as

    def clean(self, value: Any) -> str:
        try:
            return self.stored_as(str(super().clean(value)))
        except Refused as refused:
            raise ValidationError(str(refused)) from refused


class DayField(forms.DateField):
    """A date field in the user's time zone that cleans to a datetime on that day.

    The time of day is the field's `at`. If it comes twice, its `fold` says whether the second one counts.
    """

    def __init__(self, *, at: time, **kwargs: Any) -> None:
        super().__init__(widget=OwnDate, **kwargs)
        self.at = at

    def clean(self, value: Any) -> datetime:
        day: date = super().clean(value)
        if abs(day - clock.now().date()) > FARTHEST:
            raise ValidationError(_("This date is too far away. Choose one within the next five years."))
        return instant_on(day, self.at, timezone.get_current_timezone())

    def prepare_value(self, value: Any) -> Any:
        return timezone.localtime(value).date() if isinstance(value, datetime) else value


def name_field(**kwargs: Any) -> WordsField:
    """Return the field for a league's name, with its length checked after cleaning."""
    return WordsField(stored_as=cleaned_name, **kwargs)


def about_field(**kwargs: Any) -> WordsField:
    """Return the multi-line field for a league's description."""
    lines = forms.Textarea(attrs={"rows": 4})
    return WordsField(stored_as=cleaned_about, widget=lines, required=False, **kwargs)


def reason_field() -> WordsField:
    """Return the field for the reason of a decision, shown in the league's log."""
    return WordsField(
        stored_as=cleaned_reason,
        label=pgettext_lazy("form", "Reason"),
        help_text=gettext_lazy("Shown to the league’s members, in its log and in emails."),
        widget=forms.Textarea(attrs={"rows": 2}),
    )


class ChoiceForm(PlainForm):
    """A form whose choices, by field, are known only when it is made."""

    def __init__(
        self, *args: Any, choices: Mapping[str, Sequence[tuple[Any, str]]] | None = None, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        for name, known in (choices or {}).items():
            field: Any = self.fields[name]
            field.choices = list(known)


class ReasonForm(ChoiceForm):
    """A form with a reason, which every decision of an organiser needs."""

    reason = reason_field()


# Description and organisers


class LeagueForm(PlainForm):
    """The form for a new league."""

    name = name_field(label=gettext_lazy("League name"))
    about = about_field(
        label=pgettext_lazy("form", "Description"),
        help_text=gettext_lazy("Optional. Say who the league is for and how you like to play."),
    )
    is_private = YesOrNo(
        label=pgettext_lazy("form", "Visibility"),
        yes=gettext_lazy("Private: only members, invited people and people with the joining link see it."),
        no=gettext_lazy("Public: it is listed, and anyone can sign up for its seasons."),
        usual=False,
    )
    form_key = forms.UUIDField(widget=forms.HiddenInput, required=False)


class ChangeLeagueForm(LeagueForm):
    """The form to edit a league's description."""

    reason = reason_field()
    form_key = None  # type: ignore[assignment]  # safe to repeat: sent twice, it stores the same text


class OrganiserForm(PlainForm):
    """The form to add an organiser by the email address of their account."""

    email = AddressField(
        label=gettext_lazy("Email address"),
        help_text=gettext_lazy("The person needs an account on this site."),
        widget=forms.EmailInput(attrs={"autocomplete": "off"}),
    )
    reason = reason_field()

    user: User

    def clean_email(self) -> str:
        """Return the address, and keep its account as `self.user`.

        Raises ValidationError if no active account has the address.
        """
        email: str = self.cleaned_data["email"]
        user = User.objects.filter(email=email, is_active=True).first()
        if user is None:
            raise ValidationError(_("No account has this address. Check it, or ask them to sign in once."))
        self.user = user
        return email


# Sign-up and invitations


def levels_of(season: Season) -> list[tuple[int, str]]:
    """Return the levels of the season's possible divisions with their letters, as form choices."""
    return [(level, Division(level=level).letter) for level in range(1, season.most_divisions + 1)]


class InviteForm(PlainForm):
    """The form for people to invite, as a list that is pasted or uploaded.

    If both are given, the file is used.
    """

    text = forms.CharField(
        label=gettext_lazy("Email addresses"),
        help_text=gettext_lazy(
            "One per line, with or without names. Or paste a whole sheet: columns may be in any order."
        ),
        required=False,
        strip=False,
        max_length=MOST_BYTES,
        widget=forms.Textarea(attrs={"rows": 8, "spellcheck": "false", "autocomplete": "off", "wrap": "off"}),
    )
    file = forms.FileField(
        label=gettext_lazy("Or upload a sheet"),
        help_text=gettext_lazy("Save it as CSV first. Excel’s own files can’t be read."),
        required=False,
        allow_empty_file=True,
    )

    has_guessed_encoding = False  # whether the file is not Unicode

    def clean_file(self) -> str | None:
        """Return the text of the file, or None without a file."""
        file = self.cleaned_data["file"]
        if not file:
            return None if file is None else ""
        if file.size > MOST_BYTES:
            raise ValidationError(_("The file is too large. Split the list into several files."))
        try:
            text, self.has_guessed_encoding = text_of(file.read())
        except Refused as refused:
            raise ValidationError(str(refused)) from refused
        return text

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if not self.errors and not self.list.strip():
            self.add_error("text", _("There is no list yet. Paste one, or choose a file."))
        return cleaned

    @property
    def list(self) -> str:
        """Return the list of people to invite."""
        file, text = self.cleaned_data.get("file"), self.cleaned_data.get("text", "")
        return str(text if file is None else file)


# Decisions about rounds, tables, seats and players


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


class PauseLeagueForm(ReasonForm):
    """The form to pause the whole league."""

    field_order = ("until", "reason")
    until = DayField(label=gettext_lazy("Last day of the pause"), at=DAY_ENDS)


class ReplaceForm(ReasonForm):
    """The form to give a player's seat to someone else."""

    field_order = ("seat", "user", "reason")
    seat = forms.TypedChoiceField(
        label=gettext_lazy("Player to replace"), coerce=int, widget=forms.RadioSelect
    )
    user = forms.TypedChoiceField(label=gettext_lazy("New player"), coerce=int)


class MessageForm(ChoiceForm):
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
                "regions",
                gettext_lazy("The players with most regions win. If no one holds a region, no one wins."),
            ),
            ("nobody", gettext_lazy("No one wins.")),
        ],
        initial="regions",
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
            self.fields[f"points_{position}"] = _points_of(name)
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
        return [by_position[position] for position in sorted(by_position)]


def _points_of(name: str) -> forms.IntegerField:
    return forms.IntegerField(
        # Translators: name is a player.
        label=_("Points for %(name)s") % {"name": name},
        min_value=0,
        max_value=MOST_POINTS,
        required=False,
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )


class MoveForm(ReasonForm):
    """The form to move a player to another division."""

    field_order = ("level", "reason")
    level = forms.TypedChoiceField(label=gettext_lazy("New division"), coerce=int)


class SubstituteForm(ReasonForm):
    """The form to give a seat to one of the substitutes or to the organiser."""

    field_order = ("user", "reason")
    user = forms.TypedChoiceField(
        label=pgettext_lazy("form", "Substitute"), coerce=int, widget=forms.RadioSelect
    )
