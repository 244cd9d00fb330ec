"""Forms to show cards and to seal a note."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext, pgettext_lazy

from games.chat.forms.field_choices import Choices, regions_by_name
from games.chat.forms.message_forms import MessageField
from games.chat.models import SealedNote
from games.forms.plain import PlainForm
from games.narration.vocabulary import card_name

PEOPLE = "people"  # a choice: show cards to people who share no channel yet


class ShowForm(PlainForm):
    """Which cards of a hand to show, and to whom. Two copies of a card are two choices."""

    card = forms.MultipleChoiceField(
        label=pgettext_lazy("form", "Cards"),
        widget=forms.CheckboxSelectMultiple,
        error_messages={
            "required": gettext_lazy("Choose the cards that you want to show."),
            "invalid_choice": gettext_lazy(
                "You no longer hold all of these cards. Choose from your hand as it is now."
            ),
        },
    )
    to = forms.ChoiceField(
        label=gettext_lazy("Show to"),
        widget=forms.RadioSelect,
        error_messages={"required": gettext_lazy("Choose who will see the cards.")},
    )
    seats = forms.MultipleChoiceField(
        label=gettext_lazy("Players at the table"),
        widget=forms.CheckboxSelectMultiple,
        required=False,
        error_messages={
            "invalid_choice": gettext_lazy("You can only show cards to players at this table, not to bots.")
        },
    )

    def __init__(
        self, *args: Any, hand: Sequence[str], channels: Choices, others: Choices, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.hand = hand
        fields: dict[str, Any] = self.fields
        fields["card"].choices = [(card, card_name(card)) for card in dict.fromkeys(hand)]
        fields["to"].choices = [*channels, (PEOPLE, _("Only the players selected below"))]
        fields["seats"].choices = others

    @property
    def hand_ticked(self) -> list[tuple[str, bool]]:
        """Return each card of the hand, and whether it is chosen."""
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
        """Check that people are ticked only if the chosen audience needs them."""
        to, seats = self.cleaned_data.get("to"), self.cleaned_data.get("seats")
        if to == PEOPLE and seats == []:
            self.add_error("seats", _("Choose the players who will see the cards."))
        elif to not in (None, PEOPLE) and seats:
            self.add_error("to", _("You chose both a channel and players. Choose one or the other."))
        return self.cleaned_data


class SealForm(PlainForm):
    """The words of a sealed note, its readers, and the event that opens it."""

    text = MessageField(gettext_lazy("Sealed note"))
    to = forms.ChoiceField(
        label=gettext_lazy("Readers after it opens"),
        widget=forms.RadioSelect,
        error_messages={"required": gettext_lazy("Choose who will read the note.")},
    )
    opens = forms.ChoiceField(
        label=pgettext_lazy("sealed note", "Opens"),
        widget=forms.RadioSelect,
        choices=SealedNote.Opens,
        error_messages={"required": gettext_lazy("Choose when the note opens.")},
    )
    region = forms.ChoiceField(
        label=gettext_lazy("Region that opens it"),
        help_text=gettext_lazy("Only if it opens when a region is taken."),
        required=False,
        error_messages={
            "invalid_choice": gettext_lazy("That region can no longer be taken. Choose another.")
        },
    )

    def __init__(self, *args: Any, channels: Choices, regions: Sequence[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        fields: dict[str, Any] = self.fields
        fields["to"].choices = channels
        if len(channels) == 1:
            self.initial["to"] = channels[0][0]
        fields["region"].choices = [("", pgettext("region", "None")), *regions_by_name(regions)]

    def clean(self) -> dict[str, Any]:
        """Check that a region is named only if the note opens when the region is taken."""
        opens, region = self.cleaned_data.get("opens"), self.cleaned_data.get("region")
        if opens == SealedNote.Opens.REGION and region == "":
            self.add_error("region", _("Choose the region whose taking opens the note."))
        elif opens not in (None, SealedNote.Opens.REGION) and region:
            self.add_error(
                "opens",
                _("You chose a region, but not to open the note when it is taken. Change one of the two."),
            )
        return self.cleaned_data
