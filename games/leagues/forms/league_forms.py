"""Forms for a league: its description, its organisers and its pause."""

from __future__ import annotations

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from accounts.forms.fields import AddressField
from accounts.models import User
from games.forms.plain import PlainForm
from games.leagues.forms.league_fields import (
    DAY_ENDS,
    DayField,
    ReasonForm,
    about_field,
    name_field,
    reason_field,
)
from games.leagues.models import Organiser
from games.presenters.chat_settings import YesOrNo


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
    """The form to add an organiser or an assistant by the email address of their account."""

    email = AddressField(
        label=gettext_lazy("Email address"),
        help_text=gettext_lazy("The person needs an account on this site."),
        widget=forms.EmailInput(attrs={"autocomplete": "off"}),
    )
    role = forms.TypedChoiceField(
        label=gettext_lazy("What they can do"),
        choices=Organiser.Role,
        coerce=Organiser.Role,
        initial=Organiser.Role.ORGANISER,
        empty_value=Organiser.Role.ORGANISER,
        required=False,
        widget=forms.RadioSelect,
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


class PauseLeagueForm(ReasonForm):
    """The form to pause the whole league."""

    field_order = ("until", "reason")
    until = DayField(label=gettext_lazy("Last day of the pause"), at=DAY_ENDS)
