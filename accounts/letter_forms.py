"""The form about letters to oneself: how often they come, when they remind, and what they say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.db import transaction
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from accounts.hours_forms import OwnTime
from accounts.models import User
from accounts.post.collecting import keep_preferences
from accounts.post.unsubscribing import INVITATIONS, is_silenced, refuse_invitations

if TYPE_CHECKING:
    UserForm = forms.ModelForm[User]
else:
    UserForm = forms.ModelForm

EVERY_MOVE = "every move"
MINUTES = (15, 30, 60, 120, 240, 480)
LEADS = (48, 24, 12, 6, 3, 1)


def _hours(hours: int) -> Any:
    return ngettext_lazy("%(n)d hour before", "%(n)d hours before", hours) % {"n": hours}


def _minutes(minutes: int) -> Any:
    if minutes % 60:
        return ngettext_lazy("%(n)d minute", "%(n)d minutes", minutes) % {"n": minutes}
    return ngettext_lazy("%(n)d hour", "%(n)d hours", minutes // 60) % {"n": minutes // 60}


class LetterPreferencesForm(UserForm):
    """One choice of how often letters come, with what belongs to each; leads of reminders; and switches."""

    how = forms.ChoiceField(
        label=_("When it is your move"),
        choices=[
            (User.Rhythm.AT_ONCE, _("One letter for each question, at once")),
            (EVERY_MOVE, _("The same, and one letter whenever somebody else has moved")),
            (User.Rhythm.BATCHED, _("One letter for all that is asked within a while")),
            (User.Rhythm.DIGEST, _("One letter a day, at your own hour, with all games that wait for you")),
            (User.Rhythm.NEVER, _("No emails: nothing tells you of your turns or deadlines")),
        ],
        widget=forms.RadioSelect,
    )
    batch_minutes = forms.TypedChoiceField(
        label=_("How long a while is"),
        help_text=_("From the first question or message on; only for letters that collect for a while."),
        choices=[(minutes, _minutes(minutes)) for minutes in MINUTES],
        coerce=int,
    )
    digest_at = forms.TimeField(
        label=_("Your hour"),
        help_text=_("Only for the letter a day. None comes on a day on which nothing new was asked or said."),
        required=False,
        widget=OwnTime,
    )
    reminders = forms.TypedMultipleChoiceField(
        label=_("Reminders of a deadline"),
        choices=[(hours, _hours(hours)) for hours in LEADS],
        coerce=int,
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )
    hand_in_letters = forms.BooleanField(
        label=_("Show my hand of cards in letters"),
        help_text=_(
            "When this is off, a letter does not name your cards. "
            "Its link opens your hand all the same, without signing in, to whoever can open your mail."
        ),
        required=False,
    )
    talk_letters = forms.ChoiceField(
        label=_("Letters about what is written at tables"),
        help_text=_(
            "What you choose for one talk, on its own page, goes before this. Once a day it comes in one "
            "letter with the games that wait, if these come once a day too."
        ),
        choices=User.TalkLetters.choices,
        widget=forms.RadioSelect,
        required=False,  # left out: as it was
    )
    refuse_invitations = forms.BooleanField(
        label=_("Refuse all invitations by e-mail"),
        help_text=_("Nobody can invite your address to a table; links and open tables still work."),
        required=False,
    )

    class Meta:
        model = User
        fields = ("batch_minutes", "digest_at", "reminders", "hand_in_letters", "talk_letters")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.label_suffix = ""
        person = self.instance
        self.initial["how"] = EVERY_MOVE if person.every_move else person.rhythm
        self.initial["refuse_invitations"] = is_silenced(person.email, INVITATIONS)
        self._offer_present()

    def _offer_present(self) -> None:
        """What is stored can be kept, also if it is offered to nobody else."""
        minutes = self.instance.batch_minutes
        field = self.fields["batch_minutes"]
        assert isinstance(field, forms.TypedChoiceField)
        if minutes not in MINUTES:
            field.choices = [(minutes, _minutes(minutes)), *field.choices]  # type: ignore[misc]

    def switches(self) -> list[forms.BoundField]:
        """The fields that are either on or off."""
        return [bound for bound in self if isinstance(bound.field, forms.BooleanField)]

    def clean_talk_letters(self) -> str:
        return self.cleaned_data["talk_letters"] or self.instance.talk_letters

    def clean_reminders(self) -> list[int]:
        """The longest lead first, as they come."""
        return sorted(self.cleaned_data["reminders"], reverse=True)

    def clean(self) -> dict[str, Any]:
        """No hour given keeps the one that was; but a letter a day needs one."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if "digest_at" in cleaned and cleaned["digest_at"] is None:
            if cleaned.get("how") == User.Rhythm.DIGEST:
                self.add_error("digest_at", _("Please say at which hour."))
            else:
                cleaned["digest_at"] = self.instance.digest_at
        return cleaned

    @transaction.atomic
    def save(self, commit: bool = True) -> User:
        """Stores these preferences and no other column."""
        person, how = self.instance, self.cleaned_data["how"]
        User.objects.select_for_update(no_key=True).get(pk=person.pk)  # two changes at once, one by one
        person.every_move = how == EVERY_MOVE
        person.rhythm = User.Rhythm.AT_ONCE if person.every_move else how
        refuse_invitations(person.email, refused=self.cleaned_data["refuse_invitations"])
        keep_preferences(person, [*self.Meta.fields, "rhythm", "every_move"])
        return person
