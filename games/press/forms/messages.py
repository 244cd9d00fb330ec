"""The form for a message: what is typed is cleaned here, and stays in the form when it is refused."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.press.text.cleaning import LONGEST_MESSAGE, cleaned, is_visible


class MessageField(forms.CharField):
    """Text for people: cleaned, neither empty nor too long. Nothing is cut off in silence."""

    widget = forms.Textarea(attrs={"rows": 4})

    def to_python(self, value: Any) -> str:
        typed = str(value or "")
        # Far too long: cleaning it would take longer than it is worth.
        text = typed.strip() if len(typed) > 4 * LONGEST_MESSAGE else cleaned(typed)
        if len(text) > LONGEST_MESSAGE:
            raise ValidationError(
                _("A message has at most %(most)d characters; this one has %(count)d."),
                params={"most": LONGEST_MESSAGE, "count": len(text)},
            )
        if not is_visible(text):
            raise ValidationError(_("Write something first: the message is empty."))
        return text


class MessageForm(forms.Form):
    """A message to a circle; who is not told which it is writes to those who read there."""

    text = MessageField(
        label=gettext_lazy("Your message"),
        help_text=gettext_lazy("**Bold**, *italics*, lists, > quotes and links are understood."),
        required=False,  # the field itself says what is missing
    )
    after = forms.IntegerField(widget=forms.HiddenInput, required=False, min_value=0)
    back = forms.CharField(widget=forms.HiddenInput, required=False)

    def __init__(self, *args: Any, is_private: bool | None = None, **kwargs: Any) -> None:
        kwargs.setdefault("auto_id", "talk_%s")  # pages have other forms with a text
        super().__init__(*args, **kwargs)
        self.label_suffix = ""
        self.is_private = is_private
        if is_private is not None:
            self.fields["text"].label = _("Write to them") if is_private else _("Write to the table")

    @property
    def sends(self) -> str:
        """What its button says."""
        return _("Send to the table") if self.is_private is False else _("Send")


class CircleForm(forms.Form):
    """With whom somebody wants to talk, and his first words to them."""

    seats = forms.MultipleChoiceField(
        label=gettext_lazy("With whom"),
        widget=forms.CheckboxSelectMultiple,
        error_messages={
            "required": gettext_lazy("Choose somebody to talk with."),
            "invalid_choice": gettext_lazy(
                "Choose among the others who sit here now: neither yourself nor a bot, nor who has left."
            ),
        },
    )
    text = MessageField(
        label=gettext_lazy("Write to them"),
        help_text=gettext_lazy("**Bold**, *italics*, lists, > quotes and links are understood."),
        required=False,  # the field itself says what is missing
    )

    def __init__(self, *args: Any, others: list[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.label_suffix = ""
        seats: Any = self.fields["seats"]
        seats.choices = others
