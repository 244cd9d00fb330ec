"""Inviting people by email, and the name of someone who takes a seat."""

from __future__ import annotations

import re
from email.utils import unquote
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from accounts.addresses import is_address, normal_address
from accounts.characters import shortened
from accounts.forms.fields import AddressField
from accounts.names import clean_name
from games.forms.known_people import KnownPeopleForm
from games.forms.plain import PlainForm
from games.selectors.fellow_players import KnownPeople
from games.services.table_invitations import MOST_INVITATIONS

# The text between line breaks, commas and semicolons; those inside quotation marks belong to a name.
# They are short, so that no mark is compared with all that follows it.
_PART = re.compile(r'(?:"(?:\\.|[^"\\\r\n]){0,200}"|[^,;\r\n])+')


class AddressesField(forms.CharField):
    """Email addresses, with or without names, one per line or comma-separated; cleaned: names by address."""

    widget = forms.Textarea(attrs={"rows": 4, "autocomplete": "off", "spellcheck": "false"})

    def clean(self, value: Any) -> dict[str, str]:
        text = super().clean(value)
        named = [each for part in _PART.findall(text) for each in _addresses_in(part.strip())]
        typed = [address for address, _name in named]
        if len(typed) > MOST_INVITATIONS:
            raise ValidationError(
                _("Too many addresses. The maximum is %(most)d.") % {"most": MOST_INVITATIONS}
            )
        wrong = [address for address in typed if not is_address(address)]
        if wrong:
            listed = ", ".join(shortened(address, 80) for address in wrong)
            # Translators: %(wrong)s is what was typed, perhaps several words.
            said = ngettext(
                "This is not an email address: %(wrong)s",
                "These are not email addresses: %(wrong)s",
                len(wrong),
            )
            raise ValidationError(said % {"wrong": listed})
        names: dict[str, str] = {}
        for address, name in named:
            email = normal_address(address)
            names[email] = names.get(email) or name
        return names


def _addresses_in(part: str) -> list[tuple[str, str]]:
    """Return the address and name of `Bert <bert@example.org>`, or several addresses separated by spaces.

    The brackets may be missing. Anything else is returned as it was typed.
    """
    name, _bracket, rest = part.rpartition("<")
    address = rest.removesuffix(">").strip()
    if rest.endswith(">") and is_address(address):
        return [(address, _name_in(name))]
    words = part.split()
    if all(map(is_address, words)):
        return [(word, "") for word in words]
    if is_address(words[-1]) and "@" not in "".join(words[:-1]):
        return [(words[-1], _name_in(" ".join(words[:-1])))]
    return [(part, "")]


def _name_in(typed: str) -> str:
    """Return the name typed before an address.

    Empty for a name that is not allowed here, which must not block the invitation.
    """
    name = unquote(typed.strip())
    if "@" in name:  # mail programs put the address there where they know no name
        return ""
    try:
        return clean_name(name)
    except ValidationError:
        return ""


class InviteForm(KnownPeopleForm):
    """More people to invite to a table that gathers players: by name or by address."""

    invited = AddressesField(label=gettext_lazy("Invite by email"), max_length=6000, required=False)

    def __init__(self, *args: Any, known: KnownPeople | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.offer(known)
        # With no one to choose, an address is needed; browsers then say so at once.
        self.fields["invited"].required = len(self.fields) == 1

    def clean(self) -> dict[str, Any]:
        """Return what was chosen; someone must be."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if not self.errors and not (cleaned["invited"] or self.chosen()):
            self.add_error("invited", _("Choose someone or enter an address."))
        return cleaned


class OfferForm(PlainForm):
    """The address to which a player offers their seat in a running game."""

    email = AddressField(label=gettext_lazy("Email address of the new player"), widget=forms.EmailInput)


class TakeSeatForm(PlainForm):
    """The name of a person who takes a seat and has no account yet."""

    name = forms.CharField(
        label=gettext_lazy("Your name at the table"),
        help_text=gettext_lazy("Shown to the other players. You can change it later."),
    )

    def clean_name(self) -> str:
        return clean_name(self.cleaned_data["name"])
