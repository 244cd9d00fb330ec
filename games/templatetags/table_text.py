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
    """Return the name as it appears at the start of a sentence."""
    return names.first_in_sentence(name)


@register.filter
def seat_name(seat: Seat) -> str:
    """Return one seat's name, or the anonymous name of its person."""
    return names_at_tables.seat_name(seat)


# A table's game and time settings, for pages and emails


@register.filter
def game_in_words(table: Table) -> str:
    """Return edition, optional rules and match in one phrase."""
    return game_settings.game_in_words(table)


@register.filter
def options_explained(table: Table) -> list[str]:
    """Return each optional rule in force, in a sentence."""
    return game_settings.options_explained(table)


@register.filter
def pace_in_words(table: Table) -> str:
    """Return the time per move, in one phrase."""
    return time_settings.pace_in_words(table)


@register.filter
def time_explained(table: Table) -> list[str]:
    """Return the other time settings, a sentence each."""
    return time_settings.time_explained(table)


@register.filter
def unusual_chat(table: Table) -> list[str]:
    """Return what is unusual about chat and names, in a few words each."""
    return chat_settings.unusual_chat(table)


@register.filter
def chat_explained(table: Table) -> list[str]:
    """Return the chat settings, a sentence each."""
    return chat_settings.chat_explained(table)


@register.filter
def anonymity_explained(table: Table) -> list[str]:
    """Return what anonymous seats mean, a sentence each."""
    return chat_settings.anonymity_explained(table)


@register.filter
def table_settings(table: Table) -> list[Setting]:
    """Return the settings of a table, one by one."""
    return settings_of(table)


@register.filter
def pace_name(table: Table) -> str:
    """Return the name of the table's pace, in two words."""
    return time_settings.pace_name(table)


@register.filter
def length_in_words(table: Table) -> str:
    """Return how long a game at this table is likely to last; empty where no clock runs."""
    return time_settings.expected_length(table.pace, table.size)


@register.filter
def chairs(table: Table) -> list[bool]:
    """Return for each seat of a listed table (`annotate_taken`) whether it is taken."""
    return [number < table.taken for number in range(table.size)]  # type: ignore[attr-defined]


# Elapsed time


@register.filter
def how_long(since: datetime) -> str:
    """Return the time since then in words."""
    return time_since(since)


# Match standings. Reads only


@register.simple_tag
def match_standings(
    game: Game, names: Sequence[str], seat: Seat | None = None, *, watching: bool = False
) -> Standings | None:
    """Return the match standings for the reader with this seat; None for a single game."""
    return standings_of(game, names, seat, watching=watching)


@register.simple_tag
def match_in_email(view: GameView) -> Standings | None:
    """Return the match standings for the reader of an email."""
    mine = next((seat for seat in view.game.table.seats.all() if seat.number == view.viewer), None)
    return standings_of(view.game, view.names, mine)


@register.simple_tag
def seat_link(seat: Seat) -> str:
    """Return the link where this seat's person answers without signing in."""
    return seat_url(seat)


@register.filter
def standings_text(standings: Standings) -> str:
    """Return the standings in columns."""
    return in_columns(standings_as_rows(standings))


# Log sentences: most of a long page, so they are joined here for speed, not in a template


@register.simple_tag
def chapter_sentences(chapter: Chapter) -> SafeString:
    """Render the items of one chapter; those the reader has not read are marked as new."""
    return _items(chapter.sentences, chapter.read if chapter.is_new else None, _("New"))


def _items(sentences: tuple[str, ...], read: int | None, new: str) -> SafeString:
    mark = format_html('<li><strong class="new-mark">{}</strong> ', new)
    first_new = len(sentences) if read is None else read
    told = ((mark if number >= first_new else "<li>", escape(one)) for number, one in enumerate(sentences))
    return SafeString("".join(f"{opening}{sentence}</li>" for opening, sentence in told))
