"""Forms of the chat: messages, shown cards, sealed notes, deals, reports and bans."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.forms.boundfield import BoundField
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext, pgettext_lazy

from accounts.characters import CODE_POINTS, count
from games.chat.models import ChannelReadMarker, Deal, DealPromise, Report, SealedNote
from games.chat.services.deals import FURTHEST, Promise, Proposed
from games.chat.text import LONGEST_MESSAGE, cleaned, is_visible
from games.forms.plain import PlainForm
from games.map.region_names import region_name
from games.narration.vocabulary import card_name
from games.rules import REGIONS

Choices = Sequence[tuple[str, str]]


# Message forms: they clean the text and keep it when it is refused.


class MessageField(forms.CharField):
    """A text field for chat: cleaned, neither empty nor too long. Text is never cut off silently."""

    widget = forms.Textarea(attrs={"rows": 4})

    def __init__(self, label: Any) -> None:
        help_text = gettext_lazy("You can use **bold**, *italics*, lists, > quotes and links.")
        super().__init__(
            label=label, help_text=help_text, required=False
        )  # to_python reports what is missing

    def to_python(self, value: Any) -> str:
        typed = str(value or "")
        # Far too long: cleaning it would waste time.
        is_far_too_long = len(typed) > CODE_POINTS * LONGEST_MESSAGE
        text = typed.strip() if is_far_too_long else cleaned(typed)
        length = count(text)
        if length > LONGEST_MESSAGE:
            raise ValidationError(
                # Translators: most and count are numbers of characters.
                ngettext(
                    "A message can have at most %(most)d character. This one has %(count)d, so shorten it.",
                    "A message can have at most %(most)d characters. This one has %(count)d, so shorten it.",
                    LONGEST_MESSAGE,
                ),
                params={"most": LONGEST_MESSAGE, "count": length},
            )
        if not is_visible(text):
            raise ValidationError(_("The message is empty. Write something first."))
        return text


class MessageForm(PlainForm):
    """A message to a channel. `is_private` chooses the labels; None keeps them general."""

    text = MessageField(gettext_lazy("Your message"))
    after = forms.IntegerField(widget=forms.HiddenInput, required=False, min_value=0)
    back = forms.CharField(widget=forms.HiddenInput, required=False)

    def __init__(self, *args: Any, is_private: bool | None = None, **kwargs: Any) -> None:
        super().__init__(*args, auto_id="chat_%s", **kwargs)  # pages have other forms with a text field
        self.is_private = is_private
        if is_private is not None:
            self.fields["text"].label = (
                _("Message to this channel") if is_private else _("Message to everyone")
            )

    @property
    def sends(self) -> str:
        """Return the label of the submit button."""
        return _("Send to everyone") if self.is_private is False else _("Send message")


class ChannelForm(PlainForm):
    """The people to start a private channel with, and the first message to them."""

    seats = forms.MultipleChoiceField(
        label=pgettext_lazy("private channel", "Players"),
        widget=forms.CheckboxSelectMultiple,
        error_messages={
            "required": gettext_lazy("Choose at least one player to chat with."),
            "invalid_choice": gettext_lazy(
                "That player can't join a private channel. Choose others who are at this table now, not bots."
            ),
        },
    )
    text = MessageField(gettext_lazy("First message"))

    def __init__(self, *args: Any, others: list[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        seats: Any = self.fields["seats"]
        seats.choices = others


class ChannelEmailsForm(PlainForm):
    """When emails of one channel come."""

    emails = forms.ChoiceField(
        label=gettext_lazy("Emails about this channel"),
        choices=ChannelReadMarker.Emails.choices,
        widget=forms.RadioSelect,
        required=False,
    )


# Forms for shown cards and sealed notes


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
        fields["region"].choices = [("", pgettext("region", "None")), *_by_name(regions)]

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


def _by_name(regions: Iterable[str]) -> Choices:
    """Return regions as form choices, ordered by name."""
    return sorted(((region, region_name(region)) for region in regions), key=lambda pair: pair[1])


# Deal form


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
                "That player can't be in this deal. Choose other players who can read this channel now."
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
            Promise(
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
            label=pgettext("promise", "Region"), choices=[("", "–"), *_by_name(REGIONS)], required=False
        ),
    }


# Moderation forms: the reasons for a report, and the reason and length of a ban


LONGEST_REASON = 500

LASTS = {
    "day": pgettext_lazy("length of a ban", "1 day"),
    "three": pgettext_lazy("length of a ban", "3 days"),
    "week": pgettext_lazy("length of a ban", "1 week"),
    "month": pgettext_lazy("length of a ban", "30 days"),
    "lifted": pgettext_lazy("length of a ban", "Until the ban is lifted"),
}
_DAYS = {"day": 1, "three": 3, "week": 7, "month": 30}


class ReasonField(forms.CharField):
    """A few words on one line: cleaned, not too long, and not empty if required."""

    def to_python(self, value: Any) -> str:
        typed = str(value or "")
        is_far_too_long = len(typed) > CODE_POINTS * LONGEST_REASON
        text = typed if is_far_too_long else " ".join(cleaned(typed).split())
        length = count(text)
        if length > LONGEST_REASON:
            raise ValidationError(
                # Translators: most and count are numbers of characters.
                ngettext(
                    "A reason can have at most %(most)d character. This one has %(count)d, so shorten it.",
                    "A reason can have at most %(most)d characters. This one has %(count)d, so shorten it.",
                    LONGEST_REASON,
                ),
                params={"most": LONGEST_REASON, "count": length},
            )
        return text if is_visible(text) else ""


def reason_field(label: Any, missing: Any = "", **more: Any) -> ReasonField:
    """Return a ReasonField, required if `missing`, its error text, is given."""
    widget = forms.Textarea(attrs={"rows": 2})
    errors = {"required": missing}
    return ReasonField(label=label, widget=widget, required=bool(missing), error_messages=errors, **more)


def lasts_field() -> forms.ChoiceField:
    return forms.ChoiceField(
        label=gettext_lazy("Length of the ban"), choices=list(LASTS.items()), initial="day"
    )


def length_of(lasts: str) -> timedelta | None:
    """Return how long a ban lasts; None until it is lifted."""
    return timedelta(days=_DAYS[lasts]) if lasts in _DAYS else None


class ReportForm(PlainForm):
    """Why someone reports a message."""

    reason = forms.ChoiceField(
        label=gettext_lazy("What is wrong with this message?"),
        choices=Report.Reason.choices,
        widget=forms.RadioSelect,
    )
    words = reason_field(gettext_lazy("Anything else the operator should know (optional)"))


class BanForm(PlainForm):
    """The player whom the host bans (by seat), why and for how long."""

    seat = forms.ChoiceField(label=pgettext_lazy("ban", "Player"))
    lasts = lasts_field()
    reason = reason_field(
        pgettext_lazy("ban", "Reason"),
        gettext_lazy("Enter a reason. Everyone at the table can read it."),
        help_text=gettext_lazy("Everyone at the table can read it, including the banned player."),
    )

    def __init__(self, *args: Any, others: list[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, auto_id="ban_%s", **kwargs)
        seat: Any = self.fields["seat"]
        seat.choices = others


class DecisionForm(PlainForm):
    """An operator's decision about a report."""

    WHERE = (
        ("table", pgettext_lazy("ban", "This table")),
        ("everywhere", pgettext_lazy("ban", "All tables")),
    )

    decision = reason_field(
        gettext_lazy("Message to the reporter"),
        help_text=gettext_lazy("Required if you dismiss the report."),
    )
    reason = reason_field(
        gettext_lazy("Reason for the ban"),
        help_text=gettext_lazy(
            "The banned player can read it. If you ban them at this table only, so can everyone at the table."
        ),
    )
    where = forms.ChoiceField(label=pgettext_lazy("ban", "Applies to"), choices=WHERE, initial="table")
    lasts = lasts_field()
    action = forms.ChoiceField(choices=[("dismiss", ""), ("ban", "")])  # the button that was pressed

    def clean(self) -> dict[str, Any]:
        """Check that each decision has the words it needs."""
        typed = self.cleaned_data
        if typed.get("action") == "dismiss" and not typed.get("decision") and "decision" not in self.errors:
            self.add_error("decision", _("Enter why you dismiss the report. We'll email it to the reporter."))
        if typed.get("action") == "ban" and not typed.get("reason") and "reason" not in self.errors:
            self.add_error("reason", _("Enter a reason for the ban. The banned player can read it."))
        return typed
