"""The form in which a bargain is proposed: to whom, what in words, and what of it the table shall judge."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.forms.boundfield import BoundField
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.press.commands.bargaining import FURTHEST, Promise, Proposed
from games.press.forms.messages import MessageField
from games.press.models import Bargain, Pledge
from games.rules import REGIONS, region_name

ROWS = 4
SHOWN_ROWS = 2  # the others are folded away until they are wanted
Choices = Sequence[tuple[str, str]]

KINDS = {
    Pledge.Kind.NO_ATTACK: gettext_lazy("starts no battle for"),
    Pledge.Kind.POPE: gettext_lazy("places the Pope on"),
    Pledge.Kind.PASSES: gettext_lazy("passes, and plays no more cards in this battle or the next"),
}


class BargainForm(forms.Form):
    """A bargain among people of one circle. What is typed stays when something is wrong."""

    seats = forms.MultipleChoiceField(
        label=gettext_lazy("To whom"),
        widget=forms.CheckboxSelectMultiple,
        error_messages={
            "required": gettext_lazy("Choose somebody to propose it to."),
            "invalid_choice": gettext_lazy(
                "Choose among the others who read here now: neither yourself nor who has left."
            ),
        },
    )
    text = MessageField(
        label=gettext_lazy("What is promised, in your words"),
        help_text=gettext_lazy("**Bold**, *italics*, lists, > quotes and links are understood."),
        required=False,  # the field itself says what is missing
    )
    until = forms.ChoiceField(label=gettext_lazy("It holds until"), initial=Bargain.Until.GAME)
    until_number = forms.IntegerField(
        label=gettext_lazy("Number of that round or battle"), required=False, min_value=1, max_value=FURTHEST
    )
    after = forms.IntegerField(widget=forms.HiddenInput, required=False, min_value=0)

    def __init__(
        self,
        *args: Any,
        me: tuple[str, str],
        others: Choices,
        kinds: Sequence[Pledge.Kind],
        has_rounds: bool,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.label_suffix = ""
        self.me = me[0]
        fields: dict[str, Any] = self.fields
        fields["seats"].choices = others
        if len(others) == 1:
            fields["seats"].initial = [others[0][0]]
        fields["until"].choices = _ends(has_rounds=has_rounds)
        for number in range(1, ROWS + 1):
            fields |= _row(number, [me, *others], kinds)

    @property
    def rows(self) -> list[tuple[int, BoundField, BoundField, BoundField]]:
        """The fields of each pledge: who, what, and which region."""
        return [
            (number, self[f"who_{number}"], self[f"kind_{number}"], self[f"region_{number}"])
            for number in range(1, ROWS + 1)
        ]

    @property
    def uses_more(self) -> bool:
        """Whether something was chosen in a row that is folded away at first."""
        folded = [bound for number, *bounds in self.rows for bound in bounds[1:] if number > SHOWN_ROWS]
        return any(bound.value() for bound in folded)

    def clean(self) -> dict[str, Any]:
        """A pledge says what and, where one is meant, which region."""
        super().clean()
        for number in range(1, ROWS + 1):
            self._check_row(number)
        if self.cleaned_data.get("until") != Bargain.Until.GAME and not self.cleaned_data.get("until_number"):
            self.add_error("until_number", _("Say the number of the round or battle."))
        return self.cleaned_data

    def _check_row(self, number: int) -> None:
        kind, region = (self.cleaned_data.get(f"{field}_{number}") for field in ("kind", "region"))
        if region and not kind:
            self.add_error(f"kind_{number}", _("Choose what is promised about this region."))
        if kind and kind != Pledge.Kind.PASSES and not region:
            self.add_error(f"region_{number}", _("Choose the region that is meant."))

    @property
    def proposed(self) -> Proposed:
        """What was filled in."""
        chosen = self.cleaned_data
        promises = tuple(
            Promise(
                int(chosen[f"who_{number}"] or self.me), kind, "" if kind == Pledge.Kind.PASSES else region
            )
            for number in range(1, ROWS + 1)
            for kind, region in [(chosen[f"kind_{number}"], chosen[f"region_{number}"])]
            if kind
        )
        seats = tuple(map(int, chosen["seats"]))
        return Proposed(chosen["text"], seats, promises, chosen["until"], chosen["until_number"])


def _ends(*, has_rounds: bool) -> Choices:
    ends = [(str(Bargain.Until.GAME), _("the end of the game"))]
    if has_rounds:
        ends.append((str(Bargain.Until.ROUND), _("the end of a round")))
    return [*ends, (str(Bargain.Until.BATTLE), _("the end of a battle"))]


def _row(number: int, people: Choices, kinds: Sequence[Pledge.Kind]) -> dict[str, forms.Field]:
    regions = sorted(((region, region_name(region)) for region in REGIONS), key=lambda pair: pair[1])
    what = [(str(kind), KINDS[kind]) for kind in KINDS if kind in kinds]
    return {
        f"who_{number}": forms.ChoiceField(
            label=_("Who"), choices=people, initial=people[0][0], required=False
        ),
        f"kind_{number}": forms.ChoiceField(
            label=_("What"), choices=[("", _("– nothing –")), *what], required=False
        ),
        f"region_{number}": forms.ChoiceField(
            label=_("Region"), choices=[("", "–"), *regions], required=False
        ),
    }
