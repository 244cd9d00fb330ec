"""A table's settings in sentences for its page, the same for every reader.

Nothing here can be changed once the table is made. Players accept what is written here.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

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
    settings = [
        Setting("players", pgettext("setting", "Players"), _players(table)),
        Setting("game", pgettext("edition", "Game"), (game_in_words(table), *options_explained(table))),
        Setting("time", _("Time per move"), _time(table)),
        Setting("rated", pgettext("setting", "Rating"), _rating(table)),
        Setting("absent", _("Running out of time"), _absent(table)),
        Setting("chat", pgettext("setting", "Chat"), tuple(chat_settings.chat_explained(table))),
        Setting("orders", _("Standing orders"), (_orders(table),)),
        Setting("watch", pgettext("setting", "Spectators"), (_watching(table),)),
    ]
    return [article for article in settings if article.sentences]


def _players(table: Table) -> tuple[str, ...]:
    seats = _("Seats: %(n)d") % {"n": table.size}
    entry = {
        Table.Entry.OPEN: _("Anyone can take a free seat."),
        Table.Entry.INVITATION: _("Only people the host invites by email can take a seat."),
        Table.Entry.LINK: _("Anyone with the link can take a seat."),
    }[Table.Entry(table.entry)]
    begins = _("The game starts when all seats are taken and everyone has confirmed these settings.")
    return seats, entry, *_games_seen(table), *_bots(table), begins, *chat_settings.anonymity_explained(table)


def _games_seen(table: Table) -> tuple[str, ...]:
    match table.games_seen_asked:
        case 0:
            return ()
        case Table.GamesSeen.ALL:
            return (_("Players without an invitation must have seen all their finished games to the end."),)
    asked = _(
        "Players without an invitation must have seen at least %(least)d of 10 finished games to the end. "
        "Players with no finished game can join."
    )
    return (asked % {"least": table.games_seen_asked},)


def _bots(table: Table) -> tuple[str, ...]:
    if not table.welcomes_bots:
        return ()
    return (_("Players’ own bots can take a seat. “(bot)” stands after their names."),)


def _time(table: Table) -> tuple[str, ...]:
    pace = time_settings.pace_in_words(table)
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
        return (_("No one runs out of time. The game waits for every player."),)
    return time_settings.when_time_is_out(table), time_settings.when_nobody_is_left()


def _rating(table: Table) -> tuple[str, ...]:
    if not table.is_rated:
        return ()
    return (
        _("This game is rated: its result changes the rating of every player. Everyone can see ratings."),
        _("Players who leave, or whom a bot replaces to the end, are rated as last."),
        _("Without a winner, no rating changes."),
    )


def _orders(table: Table) -> str:
    if table.has_orders:
        return _("Players can let the site pass or play cards for them within one battle.")
    return _("Players make every move themselves.")


def _watching(table: Table) -> str:
    if table.watch == Table.Watch.ANYONE and table.is_anonymous:
        return _(
            "Anyone can watch: the game is listed. The players’ names appear when it is over. Spectators "
            "never "
            "see a hand."
        )
    return {
        Table.Watch.NOBODY: _("Only the players can watch."),
        Table.Watch.LINK: _("Anyone with the spectator link can watch. Spectators never see a hand."),
        Table.Watch.ANYONE: _(
            "Anyone can watch: the game is listed with the players’ names, and stays listed after its end. "
            "Spectators never see a hand."
        ),
    }[Table.Watch(table.watch)]
