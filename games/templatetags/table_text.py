"""Template tags for names, settings, times, matches and the log of a table."""

from __future__ import annotations

from django import template
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString
from django.utils.translation import pgettext

from accounts.names import first_in_sentence
from games.links import seat_url
from games.models import Table
from games.narration.seat_names import seat_name
from games.narration.text_columns import in_columns
from games.presenters.chapters import Chapter
from games.presenters.chat_settings import unusual_settings
from games.presenters.game_settings import game_in_words
from games.presenters.position import Position
from games.presenters.settings_text import settings_of
from games.presenters.time_settings import expected_length, pace_in_words, pace_name
from games.selectors.match_standings import Standings, standings_as_rows, standings_of

register = template.Library()


for in_words in (
    first_in_sentence,
    seat_name,
    game_in_words,
    pace_in_words,
    pace_name,
    unusual_settings,
):
    register.filter(in_words)
register.filter("table_settings", settings_of)
register.simple_tag(standings_of, name="match_standings")
register.simple_tag(seat_url, name="seat_link")


@register.filter
def length_in_words(table: Table) -> str:
    """Return how long a game at this table is likely to last; empty where no clock runs."""
    return expected_length(table.pace, table.size)


@register.filter
def chairs(table: Table) -> list[bool]:
    """Return for each seat of a listed table (`annotate_taken`) whether it is taken."""
    return [number < table.taken for number in range(table.size)]  # type: ignore[attr-defined]  # annotated


@register.simple_tag
def match_in_email(view: Position) -> Standings | None:
    """Return the match standings for the reader of an email."""
    mine = next((seat for seat in view.game.table.all_seats() if seat.number == view.viewer), None)
    return standings_of(view.game, view.names, mine)


@register.filter
def standings_text(standings: Standings) -> str:
    """Return the standings in columns."""
    return in_columns(standings_as_rows(standings))


@register.simple_tag
def chapter_sentences(chapter: Chapter) -> SafeString:
    """Render the items of one chapter; those the reader has not read are marked as new.

    They are most of a long page, so they are joined here for speed, not in a template.
    """
    return _items(chapter.sentences, chapter.read if chapter.is_new else None, pgettext("news", "New"))


def _items(sentences: tuple[str, ...], read: int | None, new: str) -> SafeString:
    mark = format_html('<li><strong class="new-mark">{}</strong> ', new)
    first_new = len(sentences) if read is None else read
    items = ((mark if number >= first_new else "<li>", escape(one)) for number, one in enumerate(sentences))
    return SafeString("".join(f"{opening}{sentence}</li>" for opening, sentence in items))
