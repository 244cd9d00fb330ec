"""What a league says of itself, and who runs it."""

from __future__ import annotations

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.addresses import normal_address
from accounts.models import User
from games.forms import PlainForm
from games.leagues.forms.words import about_field, name_field, reason_field
from games.leagues.models.leagues import LONGEST_NAME
from games.talk_terms import YesOrNo


class LeagueForm(PlainForm):
    """A new league."""

    name = name_field(
        label=gettext_lazy("Name of the league"), widget=forms.TextInput(attrs={"maxlength": LONGEST_NAME})
    )
    about = about_field(
        label=gettext_lazy("What it is"),
        help_text=gettext_lazy("Optional: for whom it is, and how you like to play."),
    )
    is_private = YesOrNo(
        label=gettext_lazy("Who knows of it"),
        yes=gettext_lazy("Only its people, whom you invite, and who has its joining link."),
        no=gettext_lazy("Everybody: it is listed, and anyone may sign up for its seasons."),
        usual=False,
    )
    form_key = forms.UUIDField(widget=forms.HiddenInput, required=False)


class ChangeLeagueForm(LeagueForm):
    """What is written about a league, changed."""

    reason = reason_field()
    form_key = None  # type: ignore[assignment]  # sent twice, the same is written twice


class OrganiserForm(PlainForm):
    """Somebody with an account, by his e-mail address."""

    email = forms.EmailField(
        label=gettext_lazy("E-mail address"),
        help_text=gettext_lazy("Of somebody who has an account here."),
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "off"}),
    )
    reason = reason_field()

    user: User

    def clean_email(self) -> str:
        """The address of an account; whose it is stays with the form."""
        email = normal_address(self.cleaned_data["email"])
        user = User.objects.filter(email=email, is_active=True).first()
        if user is None:
            raise ValidationError(_("Nobody has an account with this address."))
        self.user = user
        return email
