"""A new table: its settings and the people to invite."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext, gettext_lazy, pgettext_lazy

from accounts.characters import CharactersField
from games.forms.invitations import AddressesField
from games.forms.known_people import KnownPeopleForm
from games.forms.table_words import TableWords
from games.models import MAX_SEATS, MIN_SEATS, Table
from games.presenters.chat_settings import ChatSettings
from games.presenters.game_settings import GameSettings
from games.presenters.time_settings import TimeSettings
from games.selectors.fellow_players import KnownPeople


class TableForm(GameSettings, TimeSettings, ChatSettings, KnownPeopleForm, TableWords):
    """The settings of a new table and the people to invite."""

    field_order = (
        "name",
        "size",
        *GameSettings.base_fields,
        *TimeSettings.base_fields,
        "entry",
        "is_rated",
        "least_seen",
        "takes_bots",
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
    is_rated = forms.BooleanField(
        label=gettext_lazy("Rated game"),
        help_text=gettext_lazy(
            "The result changes the rating of every player, and everyone can see ratings. Anyone must be "
            "able to watch, and bots can’t take a seat."
        ),
        required=False,
    )
    least_seen = forms.TypedChoiceField(
        label=gettext_lazy("Games seen to the end"),
        help_text=gettext_lazy(
            "Asked of players who take a seat without an invitation. Players with no finished game can join. "
            "At an anonymous table, no one is asked."
        ),
        coerce=int,
        choices=Table.GamesSeen.choices,
        initial=Table.GamesSeen.ANY,
        required=False,
        widget=forms.RadioSelect,
    )
    takes_bots = forms.BooleanField(
        label=gettext_lazy("Players’ own bots can take a seat"),
        help_text=gettext_lazy(
            "Programs that people have made play with them. “(bot)” stands after their names. In a rated "
            "game, they can’t take a seat."
        ),
        required=False,
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
                gettext_lazy("Anyone: the game is listed with the players’ names, also after its end"),
            ),
        ],
        help_text=gettext_lazy(
            "Spectators see what everyone at the table sees, but never a hand. They don’t need an account."
        ),
        initial=Table.Watch.NOBODY,
        required=False,
        widget=forms.RadioSelect,
    )
    invited = AddressesField(
        label=gettext_lazy("Invite by email"),
        help_text=gettext_lazy(
            "One address per line, with or without a name. Each person gets an email with a link. They don’t "
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

    def __init__(self, *args: Any, host_email: str, known: KnownPeople | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.offer(known)
        self.label_suffix = ""
        self.host_email = host_email
        self.names_host = False  # whether the host's own address was among the invited

    @property
    def rare_fields(self) -> list[forms.BoundField]:
        """The rules, who may join and watch, and the host's message, which most hosts leave unchanged."""
        names = (*GameSettings.base_fields, "least_seen", "is_rated", "takes_bots", "watch", "note")
        return [self[name] for name in names]

    @property
    def has_rare_field_errors(self) -> bool:
        return any(field.errors for field in self.rare_fields)

    def clean(self) -> dict[str, Any]:
        """Return the settings, and as `people` everyone invited by name."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        chosen = self.chosen()
        if any(person.is_bot for person in chosen) and not cleaned.get("takes_bots"):
            said = gettext("You invite a bot. Tick that players’ own bots can take a seat, too.")
            self.add_error("takes_bots", said)
        cleaned.pop("groups", None)
        return {**cleaned, "people": chosen}

    def clean_least_seen(self) -> int:
        """Return what is asked of players; by default nothing."""
        return int(self.cleaned_data["least_seen"] or Table.GamesSeen.ANY)

    def clean_watch(self) -> str:
        """Return who may watch; by default no one, but a rated game is for everyone."""
        watch = str(self.cleaned_data["watch"] or Table.Watch.NOBODY)
        if self.cleaned_data.get("is_rated") and watch != Table.Watch.ANYONE:
            raise forms.ValidationError(
                gettext("Anyone can watch a rated game. Choose “Anyone”, or don’t rate the game.")
            )
        return watch

    def clean_invited(self) -> dict[str, str]:
        invited: dict[str, str] = self.cleaned_data["invited"]
        self.names_host = self.host_email in invited
        return {email: name for email, name in invited.items() if email != self.host_email}
