"""Template tags for emails, and for addresses that receive none."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from accounts.mail import suppression
from accounts.mail.subjects import name_in_subject
from games.map.board import SEAT_LETTERS
from games.models import Table
from games.narration.roster import roster_at
from games.narration.vocabulary import CARD_SIGNS, card_name
from games.rules import MERCENARIES

register = template.Library()
register.filter("in_subject", name_in_subject)

CARD = (
    '<table class="card" role="presentation" align="left" cellpadding="0" cellspacing="3"><tr>'
    '<td class="{}" align="center">{}{}</td></tr></table>\n'  # long lines are encoded, which takes longer
)


@register.simple_tag
def seat_letter(seat: int) -> SafeString:
    """Render a seat's letter on its colour, as on the email's map; not read aloud, because a name follows."""
    return format_html('<span class="seat seat-{}" aria-hidden="true">{}</span>', seat, SEAT_LETTERS[seat])


@register.simple_tag
def email_card(card: str, counts: int | None = None, size: str = "small") -> SafeString:
    """Render a card as a table that floats, because mail programs know neither flex nor inline blocks.

    `counts` is its strength where that differs from its own number; `size` is "small" or "large".
    """
    name = card_name(card)
    face = name if card in MERCENARIES else _sign_and_name(CARD_SIGNS.get(card, ""), name)
    changed = "" if counts is None else format_html('<br><span class="word">→ {}</span>', counts)
    kind = "mercenary" if card in MERCENARIES else card
    return format_html(CARD, f"face face-{size} tone-{kind}", face, changed)


@register.simple_tag
def email_card_down(words: str) -> SafeString:
    """Render a card that lies face down, with what the reader may know of it."""
    face = _sign_and_name("?", words)
    return format_html(CARD, "face face-small face-down", face, "")


def _sign_and_name(sign: str, name: str) -> SafeString:
    return format_html('<span aria-hidden="true">{}</span><br><span class="word">{}</span>', sign, name)


@register.inclusion_tag("games/_parts/no_emails.html")
def no_emails(table: Table, reader: Any) -> dict[str, list[str]]:
    """Return, for everyone at the table, which other players get no emails about their turns.

    Empty at anonymous tables: it would identify people, as it is the same at all of their tables.
    """
    roster = roster_at(table, reader)
    if table.anonymity or reader.pk not in {seat.user_id for seat in roster.seats if seat.user_id}:
        return {"names": []}
    others = [(seat.user, name) for seat, name in roster.named if seat.user_id != reader.pk]
    return {"names": [name for user, name in others if user is not None and user.gets_no_emails]}


@register.inclusion_tag("games/_parts/mail_fails.html")
def mail_fails(
    table: Table, reader: Any, failing_here: Collection[str] | None = None
) -> dict[str, list[str]]:
    """Return, for the host only, who at their table gets no emails.

    At anonymous tables the host sees nothing: they may know which address they wrote to without success.
    `failing_here` are the failing addresses at the table; if omitted, they are read.
    """
    if table.host_id is None or table.host_id != reader.pk or table.anonymity:
        return {"names": []}
    named = [(seat.user, name) for seat, name in roster_at(table, reader).named]
    others = [(user.email, name) for user, name in named if user is not None and user.pk != reader.pk]
    lost = suppression.fails(email for email, _ in others) if failing_here is None else failing_here
    return {"names": [name for email, name in others if email in lost]}
