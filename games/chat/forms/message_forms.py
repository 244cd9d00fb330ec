"""Forms for messages and channels. They clean the text, and keep it when it is refused."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext_lazy

from accounts.characters import CODE_POINTS, count
from accounts.grouped_numbers import grouped
from games.chat.models import ChannelReadMarker
from games.chat.text_cleaning import LONGEST_MESSAGE, cleaned, is_visible
from games.forms.plain import PlainForm


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
                    "A message can have at most %(most)d character. This one has %(count)s, so shorten it.",
                    "A message can have at most %(most)d characters. This one has %(count)s, so shorten it.",
                    LONGEST_MESSAGE,
                ),
                params={"most": LONGEST_MESSAGE, "count": grouped(length)},
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
                "That player can’t join a private channel. Choose others who are at this table now, not bots."
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
