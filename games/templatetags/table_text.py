"""Template tags for names, settings, times, matches and the log of a table."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django import template
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from accounts import names
from games.links import seat_url
from games.models import Game, Seat, Table
from games.narration import roster as names_at_tables
from games.narration.times import time_since
from games.narration.vocabulary import in_columns
from games.presenters import chat_settings, game_settings, time_settings
from games.presenters.chapters import Chapter
from games.presenters.game_view import GameView
from games.presenters.settings_text import Setting, settings_of
from games.selectors.match_standings import Standings, standings_as_rows, standings_of

register = template.Library()


@register.filter
def first_in_sentence(name: str) -> str:
    """The name as a sentence begins with it."""
    return names.first_in_sentence(name)


@register.filter
def seat_name(seat: Seat) -> str:
    """What a seat is called by itself, or what its person is hidden behind."""
    return names_at_tables.seat_name(seat)


# A table's game and time in words, for pages and emails.


@register.filter
def game_in_words(table: Table) -> str:
    """Edition, optional rules and match in one phrase."""
    return game_settings.game_in_words(table)


@register.filter
def options_explained(table: Table) -> list[str]:
    """Each optional rule in force, in a sentence."""
    return game_settings.options_explained(table)


@register.filter
def pace_in_words(table: Table) -> str:
    """How much time a question has, in one phrase."""
    return time_settings.pace_in_words(table)


@register.filter
def time_explained(table: Table) -> list[str]:
    """The rest of the terms of time, a sentence each."""
    return time_settings.time_explained(table)


@register.filter
def unusual_chat(table: Table) -> list[str]:
    """What is not as it mostly is of chat and names, in a few words each."""
    return chat_settings.unusual_chat(table)


@register.filter
def chat_explained(table: Table) -> list[str]:
    """The terms of chat, a sentence each."""
    return chat_settings.chat_explained(table)


@register.filter
def anonymity_explained(table: Table) -> list[str]:
    """That nobody knows who is who, a sentence each."""
    return chat_settings.anonymity_explained(table)


@register.filter
def table_settings(table: Table) -> list[Setting]:
    """The terms of a table, matter by matter."""
    return settings_of(table)


@register.filter
def pace_name(table: Table) -> str:
    """The name of the table's pace, in two words."""
    return time_settings.pace_name(table)


@register.filter
def length_in_words(table: Table) -> str:
    """How long a game at this table is likely to last; empty where no clock runs."""
    return time_settings.expected_length(table.pace, table.size)


@register.filter
def chairs(table: Table) -> list[bool]:
    """One for each seat of a listed table (`annotate_taken`): whether somebody has it."""
    return [number < table.taken for number in range(table.size)]  # type: ignore[attr-defined]


# Template filter for how long ago something was.


@register.filter
def how_long(since: datetime) -> str:
    """The time since then in words."""
    return time_since(since)


# Template tags for how a match stands. Read only.


@register.simple_tag
def match_standings(
    game: Game, names: Sequence[str], seat: Seat | None = None, *, watching: bool = False
) -> Standings | None:
    """How the match of this game stands for the reader who has this seat; None for a game by itself."""
    return standings_of(game, names, seat, watching=watching)


@register.simple_tag
def match_in_email(view: GameView) -> Standings | None:
    """The same for the reader of an email."""
    mine = next((seat for seat in view.game.table.seats.all() if seat.number == view.viewer), None)
    return standings_of(view.game, view.names, mine)


@register.simple_tag
def seat_link(seat: Seat) -> str:
    """Where this seat's person answers for it without signing in."""
    return seat_url(seat)


@register.filter
def standings_text(standings: Standings) -> str:
    """The standings in columns."""
    return in_columns(standings_as_rows(standings))


# The sentences of a game's log as a list: most of a long page, and so joined here, not in a template.


@register.simple_tag
def chapter_sentences(chapter: Chapter) -> SafeString:
    """The items of one chapter, what its reader has not read yet marked as new."""
    return _items(chapter.sentences, chapter.read if chapter.is_new else None, _("New"))


def _items(sentences: tuple[str, ...], read: int | None, new: str) -> SafeString:
    mark = format_html('<li class="new"><strong class="new-mark">{}</strong> ', new)
    first_new = len(sentences) if read is None else read
    told = ((mark if number >= first_new else "<li>", escape(one)) for number, one in enumerate(sentences))
    return SafeString("".join(f"{opening}{sentence}</li>" for opening, sentence in told))
