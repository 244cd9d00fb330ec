"""Forms that check input before any service sees it. They hold no rules of the game."""

from __future__ import annotations

import re
import uuid
from datetime import datetime, time
from email.utils import unquote
from secrets import choice
from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.utils.timezone import get_current_timezone, localtime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext_lazy

from accounts import clock
from accounts.addresses import is_address, normal_address
from accounts.characters import CharactersField, count, cut, shortened
from accounts.forms.fields import AddressField, OwnDate, OwnTime
from accounts.local_times import typed_instant
from accounts.names import clean_name
from accounts.token_links import without_token_links
from games.clocks.pauses import DAYS_OF_PAUSE, HOURS_OF_MORE_TIME
from games.models import MAX_SEATS, MIN_SEATS, Seat, Table
from games.narration.typed_names import meant, names_of_cards
from games.orders import LISTED, Fight
from games.presenters.chat_settings import ChatSettings
from games.presenters.game_settings import GameSettings
from games.presenters.time_settings import TimeSettings
from games.rules import CARDS, Move, parse_move
from games.services import Refused
from games.services.hours import DAY, FURTHEST, when_to_meet
from games.services.table_invitations import MOST_INVITATIONS

LONGEST_NOTE = 10_000
LONGEST_WORDS = 200
MOST_LISTED, LONGEST_CARD = 100, 20  # far more than a hand holds and a card's name has
LONGEST_MOVE = 60  # any move of a person's; only the site's own shuffles are longer


def read_move(asked: QueryDict) -> Move | str:
    """Return the move a form or a link names.

    A str is the beginning of a move that needs a second step, or no move. Cards ticked one by one (R18)
    arrive as `card` and are put into the one exact order.
    """
    text = asked.get("fight_on") or asked.get("move", "")
    if text == "keep":
        kept = sorted(asked.getlist("card")[:3], key=lambda card: CARDS.index(card) if card in CARDS else 0)
        text = "keep " + (" ".join(kept) or "nothing")
    try:
        return parse_move(text) if len(text) <= LONGEST_MOVE else text
    except ValueError:
        return text


def read_fight(asked: QueryDict, after: str | None = None) -> Fight:
    """Return the cards and the limit to fight on with; what cannot be read is refused with the order.

    `after` is a card that is played first, so the list holds one fewer of it.
    """
    words = re.split(r"[\s,;]+", asked.get("cards", ""), maxsplit=MOST_LISTED)
    named = {name: card for name, card in names_of_cards().items() if card in LISTED}
    cards = [meant(word, named) or cut(word, LONGEST_CARD) for word in words if word]
    if after in cards:
        cards.remove(after)
    limit = read_number(asked.get("limit", "").strip()) or 0
    return Fight(tuple(cards), limit, "pass" in asked)


def read_number(text: str) -> int | None:
    """Return a number from an address or a form, or None if it is none that a row could have."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def single_line(text: str) -> str:
    """Return text without control, bidirectional or line-breaking characters; inner spaces are single."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


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
            # Translators: %(wrong)s is what was typed, perhaps in several pieces.
            raise ValidationError(_("These are not email addresses: %(wrong)s") % {"wrong": listed})
        names: dict[str, str] = {}
        for address, name in named:
            email = normal_address(address)
            names[email] = names.get(email) or name
        return names


# The text between line breaks, commas and semicolons; those inside quotation marks belong to a name.
# They are short, so that no mark is compared with all that follows it.
_PART = re.compile(r'(?:"(?:\\.|[^"\\\r\n]){0,200}"|[^,;\r\n])+')


def _addresses_in(part: str) -> list[tuple[str, str]]:
    """Return the address and name of `Bert <bert@example.org>`, or several addresses separated by spaces.

    Anything else is returned as it was typed.
    """
    name, _bracket, rest = part.rpartition("<")
    address = rest.removesuffix(">").strip()
    if rest.endswith(">") and is_address(address):
        return [(address, _name_in(name))]
    words = part.split()
    return [(word, "") for word in words] if all(map(is_address, words)) else [(part, "")]


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


if TYPE_CHECKING:
    ModelFormOfTable = forms.ModelForm[Table]  # Django's own class takes no parameter at runtime
else:
    ModelFormOfTable = forms.ModelForm


class TableWords(ModelFormOfTable):
    """A table's own texts: its name and its host's message."""

    class Meta:
        model = Table
        fields = ("name", "note")
        field_classes = {"note": CharactersField}

    def clean_name(self) -> str:
        name = single_line(self.cleaned_data["name"])
        if not name:
            raise ValidationError(_("Give the table a name."))
        return without_token_links(name)

    def clean_note(self) -> str:
        note: str = self.cleaned_data["note"]
        return without_token_links("\n".join(single_line(line) for line in note.splitlines())).strip()


_FIRST = ("name", "size")
_FIELDS = (
    pgettext_lazy("place of an Italian battle", "Anghiari"),
    pgettext_lazy("place of an Italian battle", "Bicocca"),
    pgettext_lazy("place of an Italian battle", "Campomorto"),
    pgettext_lazy("place of an Italian battle", "Caravaggio"),
    pgettext_lazy("place of an Italian battle", "Castagnaro"),
    pgettext_lazy("place of an Italian battle", "Cerignola"),
    pgettext_lazy("place of an Italian battle", "Fornovo"),
    pgettext_lazy("place of an Italian battle", "Garigliano"),
    pgettext_lazy("place of an Italian battle", "Maclodio"),
    pgettext_lazy("place of an Italian battle", "Marignano"),
    pgettext_lazy("place of an Italian battle", "Novara"),
    pgettext_lazy("place of an Italian battle", "Pavia"),
    pgettext_lazy("place of an Italian battle", "Ravenna"),
    pgettext_lazy("place of an Italian battle", "San Romano"),
    pgettext_lazy("place of an Italian battle", "Zagonara"),
)


def proposed_name() -> str:
    """Return a default name for a table: a place where condottieri fought."""
    # Translators: the name of a table; %(place)s is the place of an Italian battle.
    return _("Field of %(place)s") % {"place": choice(_FIELDS)}


class TableForm(GameSettings, TimeSettings, ChatSettings, TableWords):
    """The settings of a new table and the people to invite."""

    field_order = (
        *_FIRST,
        *GameSettings.base_fields,
        *TimeSettings.base_fields,
        "entry",
        "watch",
        *ChatSettings.base_fields,
    )

    size = forms.TypedChoiceField(
        label=gettext_lazy("Players, including you"),
        coerce=int,
        choices=[(n, str(n)) for n in range(MIN_SEATS, MAX_SEATS + 1)],
        initial=4,
        widget=forms.RadioSelect,
    )
    entry = forms.ChoiceField(
        label=pgettext_lazy("setting", "Joining"),
        choices=Table.Entry.choices,
        initial=Table.Entry.INVITATION,
        widget=forms.RadioSelect,
    )
    watch = forms.ChoiceField(
        label=pgettext_lazy("setting", "Spectators"),
        choices=[
            (Table.Watch.NOBODY, gettext_lazy("No spectators")),
            (
                Table.Watch.LINK,
                gettext_lazy("Anyone with the spectator link, which is on the table page"),
            ),
            (
                Table.Watch.ANYONE,
                gettext_lazy("Anyone: the game is listed with the players' names, also after its end"),
            ),
        ],
        help_text=gettext_lazy(
            "Spectators see what everyone at the table sees, but never a hand. They don't need an account."
        ),
        initial=Table.Watch.NOBODY,
        required=False,
        widget=forms.RadioSelect,
    )
    invited = AddressesField(
        label=gettext_lazy("Invite by email"),
        help_text=gettext_lazy(
            "One address per line, with or without a name. Each person gets an email with a link. They don't "
            "need an account to take the seat."
        ),
        required=False,
        max_length=6000,
    )

    form_key = forms.UUIDField(widget=forms.HiddenInput, required=False)

    class Meta:
        model = Table
        fields = ("name", "size", "entry", "watch", "invited", "note")
        field_classes = {"note": CharactersField}
        widgets = {"note": forms.Textarea(attrs={"rows": 3})}
        help_texts = {
            "name": gettext_lazy("The name is in the subject of every email. You can change it."),
            "note": gettext_lazy(
                "Optional. Say how you would like to play. Everyone sees it before taking a seat."
            ),
        }

    def __init__(self, *args: Any, host_email: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.label_suffix = ""
        self.host_email = host_email
        self.names_host = False  # whether the host's own address was among the invited

    @property
    def rare_fields(self) -> list[forms.BoundField]:
        """The rules, who may watch and the host's message, which most hosts leave unchanged."""
        return [self[name] for name in (*GameSettings.base_fields, "watch", "note")]

    @property
    def has_rare_field_errors(self) -> bool:
        return any(field.errors for field in self.rare_fields)

    def clean_watch(self) -> str:
        """Return who may watch; by default no one."""
        return str(self.cleaned_data["watch"] or Table.Watch.NOBODY)

    def clean_invited(self) -> dict[str, str]:
        invited: dict[str, str] = self.cleaned_data["invited"]
        self.names_host = self.host_email in invited
        return {email: name for email, name in invited.items() if email != self.host_email}


class PlainForm(forms.Form):
    """A form whose labels have no colon at the end."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("label_suffix", "")
        super().__init__(*args, **kwargs)


class InviteForm(PlainForm):
    """More addresses to invite to a table that gathers players."""

    invited = AddressesField(label=gettext_lazy("Invite by email"), max_length=6000)


class OfferForm(PlainForm):
    """The address to which a player offers their seat in a running game."""

    email = AddressField(label=gettext_lazy("Email address of the new player"), widget=forms.EmailInput)


class PauseForm(PlainForm):
    """The length of a pause."""

    days = forms.IntegerField(
        label=gettext_lazy("Length of the pause (days)"),
        min_value=DAYS_OF_PAUSE[0],
        max_value=DAYS_OF_PAUSE[-1],
        initial=3,
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )


class MoreTimeForm(PlainForm):
    """How much more time the players to move get."""

    hours = forms.IntegerField(
        label=gettext_lazy("Extra time (hours)"),
        min_value=HOURS_OF_MORE_TIME[0],
        max_value=HOURS_OF_MORE_TIME[-1],
        initial=24,
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )


class PracticeForm(PlainForm):
    """A game against bots that begins at once."""

    opponents = forms.TypedChoiceField(
        label=pgettext_lazy("form", "Opponents"),
        coerce=int,
        choices=[(n, str(n)) for n in range(MIN_SEATS - 1, MAX_SEATS)],
        initial=2,
    )
    strength = forms.ChoiceField(
        label=pgettext_lazy("of a bot", "Level"),
        choices=[
            (Seat.Bot.RECRUIT, gettext_lazy("Recruit: plays simply")),
            (Seat.Bot.CAPTAIN, gettext_lazy("Captain: plays well")),
        ],
        initial=Seat.Bot.RECRUIT,
    )
    form_key = forms.UUIDField(widget=forms.HiddenInput, initial=uuid.uuid4)


class BotForm(PlainForm):
    """A bot for an open seat. `roster` is how many were seated when the host chose."""

    strength = forms.ChoiceField(label=gettext_lazy("Add a bot"), choices=Seat.Bot.choices)
    roster = forms.IntegerField(min_value=1, max_value=MAX_SEATS, widget=forms.HiddenInput)


class WordsForm(PlainForm):
    """A player's own words for the shuffle, exactly as typed: nothing is trimmed or normalised."""

    words = CharactersField(
        label=gettext_lazy("Your words"),
        help_text=gettext_lazy(
            "At most 200 characters. Capitals, spaces and punctuation count exactly as typed. Keep a copy: "
            "the site stores only a number made from them (the nonce), which everyone can see. Do not use a "
            "password of yours."
        ),
        required=False,
        strip=False,
        max_length=LONGEST_WORDS,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false", "autocapitalize": "off"}),
    )


class WordsAgainForm(WordsForm):
    """The same words, typed again to see which nonce they make."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["words"].help_text = _("Type them exactly as you did when you took your seat.")


def words_typed(sent: QueryDict) -> str:
    """Return the words for the shuffle posted with a form; "" for none.

    Raises Refused if they cannot be used.
    """
    form = WordsForm(sent)
    if not form.is_valid():
        raise Refused(" ".join(map(str, form.errors["words"])))
    return str(form.cleaned_data["words"])


class TakeSeatForm(PlainForm):
    """The name of a person who takes a seat and has no account yet."""

    name = forms.CharField(
        label=gettext_lazy("Your name at the table"),
        help_text=gettext_lazy("Shown to the other players. You can change it later."),
    )

    def clean_name(self) -> str:
        return clean_name(self.cleaned_data["name"])


class NoteForm(PlainForm):
    """A player's private note about a game."""

    text = forms.CharField(
        label=gettext_lazy("Your notes"),
        help_text=gettext_lazy("Only you can see them, even after the game. At most 10,000 characters."),
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 6, "autocomplete": "off"}),
    )

    def clean_text(self) -> str:
        """Count as the browser does: a line break is one character."""
        text: str = self.cleaned_data["text"].replace("\r\n", "\n")
        length = count(text)
        if length > LONGEST_NOTE:
            raise ValidationError(
                # Translators: count and most are numbers of characters
                ngettext(
                    "Your notes are too long: %(count)d character. The maximum is %(most)d.",
                    "Your notes are too long: %(count)d characters. The maximum is %(most)d.",
                    length,
                )
                % {"count": length, "most": LONGEST_NOTE}
            )
        return text


class HoursForm(PlainForm):
    """Times at which a player proposes to play together, in their own time zone."""

    ROWS = 3

    weekly = forms.BooleanField(label=gettext_lazy("Every week at this time"), required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.times: list[tuple[datetime, datetime]] = []
        for row in range(1, self.ROWS + 1):
            needed = row == 1
            self.fields[f"day_{row}"] = forms.DateField(
                label=pgettext_lazy("of a shared hour", "Day"), widget=OwnDate, required=needed
            )
            self.fields[f"start_{row}"] = forms.TimeField(
                label=pgettext_lazy("of a shared hour", "From"), widget=OwnTime, required=needed
            )
            self.fields[f"end_{row}"] = forms.TimeField(
                label=pgettext_lazy("of a shared hour", "Until"), widget=OwnTime, required=needed
            )

    def rows(self) -> list[list[forms.BoundField]]:
        """Return the three fields of each time."""
        parts = ("day", "start", "end")
        return [[self[f"{part}_{row}"] for part in parts] for row in range(1, self.ROWS + 1)]

    def clean(self) -> dict[str, Any]:
        """Read the times; an end before its start is on the next day."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        for row in range(1, self.ROWS + 1):
            day, start, end = (cleaned.get(f"{part}_{row}") for part in ("day", "start", "end"))
            if day and start and end:
                self._read(row, datetime.combine(day, start), end)
            elif any((day, start, end)) and not self.errors:
                self.add_error(f"day_{row}", _("Enter the day and both times."))
        return cleaned

    def _read(self, row: int, start: datetime, until: time) -> None:
        today = localtime(clock.now()).date()
        if not today <= start.date() <= today + FURTHEST + DAY:
            self.add_error(f"day_{row}", when_to_meet())
            return
        end = datetime.combine(start.date() + DAY * (until <= start.time()), until)
        instants = []
        for part, local in (("start", start), ("end", end)):
            try:
                instants.append(typed_instant(local, get_current_timezone()))
            except ValidationError as error:
                self.add_error(f"{part}_{row}", error)
        if len(instants) == 2:
            self.times.append((instants[0], instants[1]))
