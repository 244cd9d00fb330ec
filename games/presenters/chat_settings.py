"""Chat settings: who may chat with whom, whether cards may be shown, whether players are anonymous.

Also whether standing orders may be given.

Has the form fields, and the sentences in which pages and emails repeat the choices.
"""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext, pgettext_lazy

from accounts.form_limits import SaysLimits
from games.models import Table

_CHAT: dict[str, str | Promise] = {
    Table.Chat.ALL: gettext_lazy(
        "Public and private: players can write to everyone, or to some of the players."
    ),
    Table.Chat.PUBLIC: gettext_lazy("Public only: everyone at the table reads every message."),
    Table.Chat.BETWEEN: gettext_lazy("Public and private, but not during a battle."),
    Table.Chat.NONE: gettext_lazy("No chat during the game."),
}


class YesOrNo(forms.ChoiceField):
    """A choice of two options in words, the default first. The cleaned value is a bool."""

    def __init__(self, *, yes: str | Promise, no: str | Promise, usual: bool, **kwargs: Any) -> None:
        ways = [("yes", yes), ("no", no)]
        super().__init__(
            choices=ways if usual else ways[::-1],
            initial="yes" if usual else "no",
            required=False,
            widget=forms.RadioSelect,
            **kwargs,
        )

    def prepare_value(self, value: Any) -> Any:
        return {True: "yes", False: "no"}.get(value, value)

    def clean(self, value: Any) -> bool:
        return bool((super().clean(value) or self.initial) == "yes")


class ChatSettings(SaysLimits, forms.Form):
    """The chat settings of a table. The cleaned data are a table's columns; missing ones get the default."""

    chat = forms.ChoiceField(
        label=pgettext_lazy("setting", "Chat"),
        choices=list(_CHAT.items()),
        initial=Table.Chat.ALL,
        required=False,
        widget=forms.RadioSelect,
        help_text=gettext_lazy(
            "Every message says who can read it. When all games are over, everyone can write."
        ),
    )
    shows_cards = YesOrNo(
        label=gettext_lazy("Showing cards from your hand"),
        yes=gettext_lazy(
            "Players can show cards from their hands. The site confirms that the cards are real."
        ),
        no=gettext_lazy("Players can’t show cards from their hands."),
        usual=True,
    )
    spectators_read = YesOrNo(
        label=gettext_lazy("Chat and spectators"),
        yes=gettext_lazy("Spectators can read the public channel, but not write."),
        no=gettext_lazy("Spectators can’t read the chat."),
        usual=True,
    )
    has_orders = YesOrNo(
        label=gettext_lazy("Standing orders"),
        yes=gettext_lazy(
            "Players can let the site pass or play cards for them within one battle. Games take fewer days."
        ),
        no=gettext_lazy("Players make every move themselves."),
        usual=True,
    )
    is_anonymous = YesOrNo(
        label=pgettext_lazy("setting", "Names"),
        yes=gettext_lazy(
            "Anonymous: until all games are over, players have names of animals, such as Eagle. The chat "
            "opens "
            "when the game starts."
        ),
        no=gettext_lazy("Everyone sees everyone’s name."),
        usual=False,
    )

    @property
    def chat_fields(self) -> list[forms.BoundField]:
        """Return all chat fields, which few people change."""
        return [self[name] for name in ChatSettings.base_fields]

    @property
    def has_chat_errors(self) -> bool:
        return any(field.errors for field in self.chat_fields)

    def clean_chat(self) -> str:
        """Return who may chat; by default everyone with everyone."""
        return str(self.cleaned_data["chat"] or Table.Chat.ALL)


def unusual_settings(table: Table) -> list[str]:
    """Return what is unusual about a table's names, chat and rating, in a few words, for a list of tables."""
    texts = {
        Table.Chat.PUBLIC: pgettext("table", "no private chat"),
        Table.Chat.BETWEEN: pgettext("table", "no chat during battles"),
        Table.Chat.NONE: pgettext("table", "no chat"),
    }
    marks = [pgettext("table", "rated")] if table.is_rated else []
    marks += [pgettext("table", "anonymous")] if table.is_anonymous else []
    return [*marks, *(texts[chat] for chat in (Table.Chat(table.chat),) if chat in texts)]


def chat_explained(table: Table) -> list[str]:
    """Return all chat settings, a sentence each; nothing at a guest's table, which has no chat."""
    if table.is_practice:
        return []
    sentences = [_who_writes(table), *_who_reads(table), *_since_when(table), _cards(table)]
    return [sentence for sentence in sentences if sentence]


def _who_writes(table: Table) -> str:
    return {
        Table.Chat.ALL: _("Players can write in public and in private channels."),
        Table.Chat.PUBLIC: _("Players can write in the public channel only."),
        Table.Chat.BETWEEN: _(
            "Players can write in public and in private channels, but not during a battle."
        ),
        Table.Chat.NONE: _("No chat during the game."),
    }[Table.Chat(table.chat)]


def _who_reads(table: Table) -> list[str]:
    everybody = _("Everyone at the table reads the public channel, including players who join later.")
    return [everybody, _spectators(table)]


def _spectators(table: Table) -> str:
    if table.watch == Table.Watch.NOBODY:
        return ""
    if not table.spectators_read:
        return _("Spectators can’t read the chat.")
    if table.is_anonymous:
        return _("Spectators read the public channel too.")
    return _("Spectators read the public channel too, including messages from before the game.")


def _since_when(table: Table) -> list[str]:
    """Explain when players can write, whatever the game itself allows."""
    if table.chat == Table.Chat.NONE:
        if table.is_anonymous:
            return [_("When all games are over, everyone can write in the public channel.")]
        return [_("Before the game, and when all games are over, everyone can write in the public channel.")]
    return [_("The chat opens when the game starts.")] if table.is_anonymous else []


def _cards(table: Table) -> str:
    if not table.shows_cards:
        return _("Players can’t show cards from their hands.")
    return _("Players can show cards from their hands. The site confirms that the cards are real.")


def anonymity_explained(table: Table) -> list[str]:
    """Return what anonymous seats mean, a sentence each; nothing where everyone is named."""
    if not table.is_anonymous:
        return []
    return [
        _("Players are anonymous until all games are over. Then everyone sees all names."),
        _(
            "When the game starts, each player draws a seat and the animal’s name that goes with it. "
            "Everyone "
            "sees who the host is, but not in which seat."
        ),
    ]
