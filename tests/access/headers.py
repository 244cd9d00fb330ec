"""What every page of the site carries: policies, no copies, translations."""

from __future__ import annotations

import re
from typing import Any

from django.conf import settings
from django.utils.dates import MONTHS
from django.utils.translation import get_language_info

from games.narration.seat_names import BOT_NAMES
from tests.access.rows import read_rows, rows_for
from tests.access.world import Address, addresses, status_of
from tests.words.pseudo import nested, texts_of, untranslated
from tests.words.reading import ON_THE_MAP

ROWS = read_rows()
# What shows a hand, or is opened by a link or key.
UNSTORED = re.compile(
    r"game|game_(?!note|rematch).*|answer.*|practice.*|seat|invitation|watch.*|chat_answer|deal_by_link|live"
    r"|operator_.*|unsubscribe|export_me|delete_me|profile|my_emails|notice_target.*"
)
# Pages of Django's own, an email's HTML, and a record's words, which are the same in every language.
NOT_TRANSLATED = re.compile(r"admin:.*|api_guide|operator_email.*|.*_proof")
# What people typed, and names that are the same in every language, as each language's own.
TYPED = re.compile(
    ON_THE_MAP + "|"
    r"http://testserver/\S+|[0-9a-f]{64}|Anna|Bruno|Carla|Elena|Fabio|Gino|Otto|Ugo|Stranger|Dario|UTC|CSV|JSON"
    r"|Table \d+|Round \d, table \d|Autumn League|Night club|Another league|Next year|\w+@example\.org"
    r"|A program( \(…\S{4}\))?|Discord|Slack|ntfy|A word( to you)?|I help you, if you help me"
    r"|It is (enough|no word)|"
    + "|".join(BOT_NAMES)
    + "|"
    + "|".join(get_language_info(code)["name_local"] for code, _name in settings.LANGUAGES)
)
MONTH = "|".join(map(str, MONTHS.values()))
EMAIL_FRAME = "operator_email_html"  # an email's own HTML, in a sandbox of its own (tests/mail)
INLINE = re.compile(
    rb"(?i)\sstyle\s*=|<style\b|\son[a-z]+\s*=\s*[\"']|javascript:|<script(?![^>]*\ssrc=)[^>]*>"
)


# The sites that may show a page in a frame, where there are any: this one for an email, all for standings.
_FRAMED = {EMAIL_FRAME: "SAMEORIGIN", "division_embed": None}


def our_pages() -> list[tuple[Address, str]]:
    """Yield each of our readable addresses, once for each object it can show."""
    return [
        (address, about)
        for address in addresses()
        for row in rows_for(address.name, "GET", ROWS)
        if not row.is_room
        for about in row.about
    ]


def lacking(name: str, answer: Any) -> list[str]:
    policy = answer.headers.get("Content-Security-Policy", "")
    caching = answer.headers.get("Cache-Control", "")
    is_page = answer.status_code == 200
    is_email = is_page and name == EMAIL_FRAME
    is_html = answer.headers.get("Content-Type", "").startswith("text/html")
    told = {
        "policy": "default-src 'none'" in policy if is_email else "default-src 'self'" in policy,
        "no unsafe policy": is_email or "unsafe" not in policy,
        "nosniff": answer.headers.get("X-Content-Type-Options") == "nosniff",
        "frame": answer.headers.get("X-Frame-Options") == _FRAMED.get(name if is_page else "", "DENY"),
        "not stored": not is_page or not UNSTORED.fullmatch(name) or "no-store" in caching,
        "referrer for this site alone": answer.headers.get("Referrer-Policy") == "same-origin",
        "no inline style or script": is_email or not is_html or not INLINE.search(answer.content),
    }
    if is_page and "answer" in name:
        told["no index"] = "noindex" in answer.headers.get("X-Robots-Tag", "")
    return [f"lacks {what}" for what, holds in told.items() if not holds and status_of(answer) != "login"]


def not_translated(name: str, answer: Any) -> list[str]:
    """Return what a page says outside every message, and messages built from messages."""
    is_html = answer.headers.get("Content-Type", "").startswith("text/html")
    if answer.status_code != 200 or not is_html or NOT_TRANSLATED.fullmatch(name):
        return []
    texts = texts_of(answer.content.decode())
    left = [line for line in untranslated("\n".join(texts)) if TYPED.sub("", line).strip(" ,.:;·–0123456789")]
    return [f"not translated: {line}" for line in left] + [
        f"built from pieces: {message}" for text in texts for message in nested(text)
    ]


def times_outside_elements(name: str, answer: Any) -> list[str]:
    """Return what a page says of a day that programs cannot read; a choice can hold no element."""
    if answer.status_code != 200 or "html" not in answer.headers["Content-Type"] or "email" in name:
        return []
    shown = re.sub(r"(?s)<(time|option|title|textarea)\b.*?</\1>|<[^>]*>", "", answer.content.decode())
    return [f"a time outside <time>: {told}" for told in re.findall(rf".*\b\d\d? (?:{MONTH})\b.*", shown)]
