"""Chat settings: who may chat with whom, whether cards may be shown, and whether players are anonymous.

Has the form fields, and the sentences in which pages and emails repeat the choices.
"""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.models import Table

_CHAT: dict[str, str | Promise] = {
    Table.Chat.ALL: gettext_lazy("To the whole table, and privately among any of it."),
    Table.Chat.PUBLIC: gettext_lazy("To the whole table only."),
    Table.Chat.BETWEEN: gettext_lazy(
        "To the whole table, and privately among any of it, but not during a battle."
    ),
    Table.Chat.NONE: gettext_lazy("Nobody writes to anybody while the game goes on."),
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

    def clean(self, value: Any) -> bool:
        return bool((super().clean(value) or self.initial) == "yes")


class ChatSettings(forms.Form):
    """The chat settings of a table. The cleaned data are a table's columns; missing ones get the default."""

    chat = forms.ChoiceField(
        label=gettext_lazy("Who may write to whom"),
        choices=list(_CHAT.items()),
        initial=Table.Chat.ALL,
        required=False,
        widget=forms.RadioSelect,
        help_text=gettext_lazy("Every message says who can read it. When all is over everybody may write."),
    )
    shows_cards = YesOrNo(
        label=gettext_lazy("Showing cards"),
        yes=gettext_lazy(
            "A player may show cards of his hand to whom he likes; the table attests that he holds them."
        ),
        no=gettext_lazy("No card of a hand may be shown."),
        usual=True,
    )
    spectators_read = YesOrNo(
        label=gettext_lazy("Spectators, if there are any"),
        yes=gettext_lazy("They read what is written to the whole table. They never write."),
        no=gettext_lazy("They read none of it."),
        usual=True,
    )
    is_anonymous = YesOrNo(
        label=gettext_lazy("Who is who"),
        yes=gettext_lazy(
            "Nobody knows it until the end: each player is called by the sign of a seat that he draws. They "
            "chat once the game has begun."
        ),
        no=gettext_lazy("Everybody sees the others' names."),
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


def unusual_chat(table: Table) -> list[str]:
    """Return what differs from the usual chat settings, in a few words each, for a list of tables."""
    told = {
        Table.Chat.PUBLIC: _("no private chat"),
        Table.Chat.BETWEEN: _("no chat during battles"),
        Table.Chat.NONE: _("no chat"),
    }
    marks = [_("anonymous")] if table.is_anonymous else []
    return [*marks, *(told[chat] for chat in (Table.Chat(table.chat),) if chat in told)]


def chat_explained(table: Table) -> list[str]:
    """Return all chat settings, a sentence each; nothing at a guest's table, which has no chat."""
    if table.is_practice:
        return []
    told = [_who_writes(table), *_who_reads(table), *_since_when(table), _cards(table)]
    return [sentence for sentence in told if sentence]


def _who_writes(table: Table) -> str:
    return {
        Table.Chat.ALL: _("Players write to the whole table, and privately among any of it."),
        Table.Chat.PUBLIC: _("Players write to the whole table only, and never among a part of it."),
        Table.Chat.BETWEEN: _(
            "Players write to the whole table, and privately among any of it, but not during a battle."
        ),
        Table.Chat.NONE: _("Nobody writes to anybody while the game goes on."),
    }[Table.Chat(table.chat)]


def _who_reads(table: Table) -> list[str]:
    everybody = _("What is written to the whole table everybody at it reads, also whoever sits down later.")
    return [everybody, _spectators(table)]


def _spectators(table: Table) -> str:
    if table.watch == Table.Watch.NOBODY:
        return ""
    if not table.spectators_read:
        return _("Whoever watches reads none of it.")
    if table.is_anonymous:
        return _("Whoever watches reads it too.")
    return _("Whoever watches reads it too, also what was written before the game.")


def _since_when(table: Table) -> list[str]:
    """Explain when players can write, whatever the game itself allows."""
    if table.chat == Table.Chat.NONE:
        if table.is_anonymous:
            return [_("When all is over everybody may write to the whole table.")]
        return [_("Before the game, and when all is over, everybody may write to the whole table.")]
    return [_("Chat begins with the game.")] if table.is_anonymous else []


def _cards(table: Table) -> str:
    if not table.shows_cards:
        return _("No card of a hand may be shown.")
    return _("A player may show cards of his hand to whom he likes; the table attests that he holds them.")


def anonymity_explained(table: Table) -> list[str]:
    """Return what anonymous seats mean, a sentence each; nothing where everyone is named."""
    if not table.is_anonymous:
        return []
    return [
        _("Nobody knows who is who until all is over; then everybody is named."),
        _(
            "When the game begins everybody draws a seat, and is called by its sign. The host is named, but "
            "not his seat."
        ),
    ]
