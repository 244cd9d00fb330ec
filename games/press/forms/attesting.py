"""The forms for what the table itself vouches for: cards to show, a letter to seal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.press.forms.messages import MessageField
from games.press.models import Seal
from games.rules import region_name
from games.telling.vocabulary import card_name

PEOPLE = "people"  # to show cards to people whom no circle has yet
Choices = Sequence[tuple[str, str]]


class ShowForm(forms.Form):
    """Which cards of a hand are shown, and to whom. The same card twice is two cards."""

    card = forms.MultipleChoiceField(
        label=gettext_lazy("Cards"),
        widget=forms.CheckboxSelectMultiple,
        error_messages={
            "required": gettext_lazy("Choose the cards that you want to show."),
            "invalid_choice": gettext_lazy(
                "You do not hold all of these cards any more. Choose from your hand as it is now."
            ),
        },
    )
    to = forms.ChoiceField(
        label=gettext_lazy("Who sees them"),
        widget=forms.RadioSelect,
        error_messages={"required": gettext_lazy("Choose who is to see the cards.")},
    )
    seats = forms.MultipleChoiceField(
        label=gettext_lazy("People at the table"),
        widget=forms.CheckboxSelectMultiple,
        required=False,
        error_messages={
            "invalid_choice": gettext_lazy("Only people at this table can be shown cards: bots cannot.")
        },
    )

    def __init__(
        self, *args: Any, hand: Sequence[str], circles: Choices, others: Choices, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.label_suffix = ""
        self.hand = hand
        fields: dict[str, Any] = self.fields
        fields["card"].choices = [(card, card_name(card)) for card in dict.fromkeys(hand)]
        fields["to"].choices = [*circles, (PEOPLE, _("Those whom I tick below"))]
        fields["seats"].choices = others

    @property
    def hand_ticked(self) -> list[tuple[str, bool]]:
        """Each card of the hand, and whether it has been chosen."""
        chosen, rows = Counter(self._chosen), list[tuple[str, bool]]()
        for card in self.hand:
            rows.append((card, chosen[card] > 0))
            chosen[card] -= 1
        return rows

    @property
    def _chosen(self) -> list[str]:
        return list(self["card"].value() or ())

    def clean_card(self) -> list[str]:
        chosen: list[str] = self.cleaned_data["card"]
        if Counter(chosen) - Counter(self.hand):
            raise ValidationError(self.fields["card"].error_messages["invalid_choice"])
        return chosen

    def clean(self) -> dict[str, Any]:
        """People are ticked exactly where they are asked for."""
        to, seats = self.cleaned_data.get("to"), self.cleaned_data.get("seats")
        if to == PEOPLE and seats == []:
            self.add_error("seats", _("Choose the people who are to see the cards."))
        elif to not in (None, PEOPLE) and seats:
            self.add_error("to", _("You have chosen a circle and people as well: choose one or the other."))
        return self.cleaned_data


class SealForm(forms.Form):
    """The words of a letter, who will read it, and what opens it."""

    text = MessageField(
        label=gettext_lazy("The letter"),
        help_text=gettext_lazy("**Bold**, *italics*, lists, > quotes and links are understood."),
        required=False,  # the field itself says what is missing
    )
    to = forms.ChoiceField(
        label=gettext_lazy("Who reads it once it is open"),
        widget=forms.RadioSelect,
        error_messages={"required": gettext_lazy("Choose who is to read the letter.")},
    )
    opens = forms.ChoiceField(
        label=gettext_lazy("What opens it"),
        widget=forms.RadioSelect,
        choices=Seal.Opens,
        error_messages={"required": gettext_lazy("Choose what opens the letter.")},
    )
    region = forms.ChoiceField(
        label=gettext_lazy("Which region"),
        required=False,
        error_messages={
            "invalid_choice": gettext_lazy("That region cannot be taken any more: choose another.")
        },
    )

    def __init__(self, *args: Any, circles: Choices, regions: Sequence[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.label_suffix = ""
        fields: dict[str, Any] = self.fields
        fields["to"].choices = circles
        named = sorted(((region, region_name(region)) for region in regions), key=lambda pair: pair[1])
        fields["region"].choices = [("", _("None")), *named]

    def clean(self) -> dict[str, Any]:
        """A region is named exactly where its conquest opens the letter."""
        opens, region = self.cleaned_data.get("opens"), self.cleaned_data.get("region")
        if opens == Seal.Opens.REGION and region == "":
            self.add_error("region", _("Choose the region that is to be taken."))
        elif opens not in (None, Seal.Opens.REGION) and region:
            self.add_error(
                "opens", _("You have chosen a region, but not that its conquest opens the letter.")
            )
        return self.cleaned_data
