"""A table's settings in sentences for its page, the same for every reader.

Nothing here can be changed once the table is made. Players accept what is written here.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games.models import Table
from games.presenters import chat_settings, time_settings
from games.presenters.game_settings import game_in_words, options_explained


@dataclass(frozen=True)
class Setting:
    """One setting in words. `key` identifies it for pages that say more about it."""

    key: str
    title: str
    sentences: tuple[str, ...]


def settings_of(table: Table) -> list[Setting]:
    """Return the settings of a table, the most asked about first."""
    told = [
        Setting("players", _("Who plays"), _players(table)),
        Setting("game", _("Game"), (f"{game_in_words(table)}.", *options_explained(table))),
        Setting("time", _("Time"), _time(table)),
        Setting("absent", _("Who stays away"), _absent(table)),
        Setting("chat", _("Chat"), tuple(chat_settings.chat_explained(table))),
        Setting("watch", _("Who may watch"), (_watching(table),)),
    ]
    return [article for article in told if article.sentences]


def _players(table: Table) -> tuple[str, ...]:
    seats = ngettext("%(n)d seat.", "%(n)d seats.", table.size) % {"n": table.size}
    entry = {
        Table.Entry.OPEN: _("Anyone may take one that is free."),
        Table.Entry.INVITATION: _("Only people the host invites by e-mail may take one."),
        Table.Entry.LINK: _("Anyone who has the link may take one."),
    }[Table.Entry(table.entry)]
    begins = _("The game begins when all are taken and everybody has accepted these terms.")
    return f"{seats} {entry}", begins, *chat_settings.anonymity_explained(table)


def _time(table: Table) -> tuple[str, ...]:
    pace = f"{time_settings.pace_in_words(table)}."
    if not time_settings.has_clock(table):
        return (pace,)
    return (
        pace,
        time_settings.expected_length(table.pace, table.size),
        time_settings.hours_that_count(table),
        time_settings.who_gives_time(table),
    )


def _absent(table: Table) -> tuple[str, ...]:
    if not time_settings.has_clock(table):
        return (_("Nothing is played for whoever stays away: the table waits."),)
    return time_settings.when_time_is_out(table), time_settings.when_nobody_is_left()


def _watching(table: Table) -> str:
    if table.watch == Table.Watch.ANYONE and table.is_anonymous:
        return _(
            "Anyone: the game is listed, after its end with the players' names. Spectators never see a hand."
        )
    return {
        Table.Watch.NOBODY: _("Nobody but the players."),
        Table.Watch.LINK: _("Whoever has the watching link. Spectators never see a hand."),
        Table.Watch.ANYONE: _(
            "Anyone: the game is listed with the players' names, also after its end. Spectators never see a "
            "hand."
        ),
    }[Table.Watch(table.watch)]
