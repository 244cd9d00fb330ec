"""The form of a person's profile."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from accounts.availability import choose_zone
from accounts.form_limits import SaysLimits
from accounts.mail.preferences import follow_frequency
from accounts.models import User
from accounts.names import LONGEST_NAME, clean_name
from accounts.zones import zone_choices

if TYPE_CHECKING:
    UserForm = forms.ModelForm[User]
else:
    UserForm = forms.ModelForm


class ProfileForm(SaysLimits, UserForm):
    """Name, language and time zone. A name given here counts as chosen."""

    # Longer than a name may be, so that the whole input is shown again with the error.
    name = forms.CharField(
        label=_("Your name"),
        help_text=_("Other players see this name on pages and in emails."),
        max_length=20 * LONGEST_NAME,
        widget=forms.TextInput(attrs={"autocomplete": "nickname", "maxlength": None}),
        strip=False,
    )
    language = forms.ChoiceField(
        label=pgettext_lazy("form", "Language"), help_text=_("For pages and emails.")
    )
    time_zone = forms.ChoiceField(label=_("Time zone"), help_text=_("We show all times and deadlines in it."))
    plays_at_once = forms.BooleanField(
        label=_("Play cards without confirming"),
        help_text=_("Without this, you choose a card, see what it does, and then play it."),
        required=False,
    )

    hides_page = forms.BooleanField(
        label=_("Hide my page from others"),
        help_text=_("Your page shows your finished games and ratings. If you hide it, only you can open it."),
        required=False,
    )

    class Meta:
        model = User
        fields = ("name", "language", "time_zone", "plays_at_once", "hides_page")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.label_suffix = ""
        languages = self.fields["language"]
        zones = self.fields["time_zone"]
        assert isinstance(languages, forms.ChoiceField)
        assert isinstance(zones, forms.ChoiceField)
        languages.choices = settings.LANGUAGES
        zones.choices = zone_choices(self.instance.time_zone)
        if not self.instance.time_zone_chosen:
            zones.widget.attrs["data-follows-browser"] = True

    def clean_name(self) -> str:
        """Return the name as it will be stored; refuse bad ones with an error text."""
        return clean_name(self.cleaned_data["name"])

    def save(self, commit: bool = True) -> User:
        """Save the profile and no other column of the row; the name now counts as chosen."""
        person = self.instance
        person.name_chosen = True
        person.save(update_fields=[*set(self.Meta.fields) - {"time_zone"}, "name_chosen"])
        if "time_zone" in self.changed_data:
            choose_zone(person, person.time_zone)
        follow_frequency(person)  # the digest hour depends on the time zone
        return person
