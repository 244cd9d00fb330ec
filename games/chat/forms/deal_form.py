"""The form to propose a deal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.forms.boundfield import BoundField
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from games.chat.forms.field_choices import Choices, regions_by_name
from games.chat.forms.message_forms import MessageField
from games.chat.models import Deal, DealPromise
from games.chat.services.deals import FURTHEST, Proposed, ProposedPromise
from games.forms.plain import PlainForm
from games.rules import REGIONS

ROWS = 4
SHOWN_ROWS = 2  # the other rows are folded away at first


class DealForm(PlainForm):
    """A deal among the people of one channel. Input is kept if something is wrong."""

    seats = forms.MultipleChoiceField(
        label=gettext_lazy("Propose to"),
        widget=forms.CheckboxSelectMultiple,
        error_messages={
            "required": gettext_lazy("Choose at least one player to propose it to."),
            "invalid_choice": gettext_lazy(
                "That player can’t be in this deal. Choose other players who can read this channel now."
            ),
        },
    )
    text = MessageField(gettext_lazy("Deal in your own words"))
    until = forms.ChoiceField(label=gettext_lazy("Holds until"), initial=Deal.Until.GAME)
    until_number = forms.IntegerField(
        label=gettext_lazy("Number of the round or battle"),
        help_text=gettext_lazy("Leave it empty for the current one."),
        required=False,
        min_value=1,
        max_value=FURTHEST,
    )
    after = forms.IntegerField(widget=forms.HiddenInput, required=False, min_value=0)

    def __init__(
        self,
        *args: Any,
        me: tuple[str, str],
        others: Choices,
        kinds: Sequence[DealPromise.Kind],
        current: Mapping[str, int],
        **kwargs: Any,
    ) -> None:
        """`current` is the number of the current round, if there are rounds, and of the battle."""
        super().__init__(*args, **kwargs)
        self.me, self.current = me[0], current
        fields: dict[str, Any] = self.fields
        fields["seats"].choices = others
        if len(others) == 1:
            fields["seats"].initial = [others[0][0]]
        fields["until"].choices = [
            choice for choice in Deal.Until.choices if choice[0] in (Deal.Until.GAME, *current)
        ]
        for number in range(1, ROWS + 1):
            fields |= _row(number, [me, *others], kinds)

    @property
    def rows(self) -> list[tuple[int, BoundField, BoundField, BoundField]]:
        """Return the fields of each promise: who, what, and which region."""
        return [
            (number, self[f"who_{number}"], self[f"kind_{number}"], self[f"region_{number}"])
            for number in range(1, ROWS + 1)
        ]

    @property
    def uses_more(self) -> bool:
        """Return whether a row that is folded away at first has a choice."""
        folded = [bound for number, *bounds in self.rows for bound in bounds[1:] if number > SHOWN_ROWS]
        return any(bound.value() for bound in folded)

    def clean(self) -> dict[str, Any]:
        """Check that each promise says what and, if it needs one, which region."""
        super().clean()
        for number in range(1, ROWS + 1):
            self._check_row(number)
        if not self.cleaned_data.get("until_number"):
            self.cleaned_data["until_number"] = self.current.get(self.cleaned_data.get("until", ""))
        return self.cleaned_data

    def _check_row(self, number: int) -> None:
        kind, region = (self.cleaned_data.get(f"{field}_{number}") for field in ("kind", "region"))
        if region and not kind:
            self.add_error(f"kind_{number}", _("Choose a promise for this region, or clear the region."))
        if kind and kind != DealPromise.Kind.PASSES and not region:
            self.add_error(f"region_{number}", _("This promise needs a region. Choose one."))

    @property
    def proposed(self) -> Proposed:
        """Return the proposal that was filled in."""
        chosen = self.cleaned_data
        promises = tuple(
            ProposedPromise(
                int(chosen[f"who_{number}"] or self.me),
                kind,
                "" if kind == DealPromise.Kind.PASSES else region,
            )
            for number in range(1, ROWS + 1)
            for kind, region in [(chosen[f"kind_{number}"], chosen[f"region_{number}"])]
            if kind
        )
        seats = tuple(map(int, chosen["seats"]))
        return Proposed(chosen["text"], seats, promises, chosen["until"], chosen["until_number"])


def _row(number: int, people: Choices, kinds: Sequence[DealPromise.Kind]) -> dict[str, forms.Field]:
    what = [(kind.value, kind.label) for kind in DealPromise.Kind if kind in kinds]
    return {
        f"who_{number}": forms.ChoiceField(
            label=pgettext("promise", "Player"), choices=people, initial=people[0][0], required=False
        ),
        f"kind_{number}": forms.ChoiceField(
            label=pgettext("deal", "Promise"),
            choices=[("", pgettext("promise", "None")), *what],
            required=False,
        ),
        f"region_{number}": forms.ChoiceField(
            label=pgettext("promise", "Region"),
            choices=[("", "–"), *regions_by_name(REGIONS)],
            required=False,
        ),
    }
