"""Reads emails as their recipient would: links, the hand, the decision. Knows no database."""

import re
from email.message import EmailMessage
from html.parser import HTMLParser

LINK = re.compile(r"https?://\S+")


def text_of(email: EmailMessage) -> str:
    """Return the email as plain text."""
    part = email.get_body(("plain",))
    assert part is not None
    return str(part.get_content()).replace("\r\n", "\n")


def html_of(email: EmailMessage) -> str:
    part = email.get_body(("html",))
    assert part is not None
    return str(part.get_content()).replace("\r\n", "\n")


def text_links(email: EmailMessage) -> list[str]:
    """Return every address in the text, in order."""
    return LINK.findall(text_of(email))


def all_links(email: EmailMessage) -> list[str]:
    """Return every address in text, HTML and headers, once each."""
    found = text_links(email) + _Links(html_of(email)).found
    found += re.findall(r"<(https?://[^>]+)>", str(email["List-Unsubscribe"] or ""))
    return list(dict.fromkeys(found))


def link_after(email: EmailMessage, words: str) -> str:
    """Return the first address below the words."""
    text = text_of(email)
    assert words in text, text
    return LINK.findall(text[text.index(words) :])[0]


def code_in(email: EmailMessage) -> str:
    """Return the sign-in code, which is alone in its line."""
    found = re.search(r"^ {4}(\S+)$", text_of(email), re.M)
    assert found, text_of(email)
    return found[1]


def hand_in(email: EmailMessage) -> str:
    """Return the hand as the email lists it, or nothing."""
    found = re.search(
        r"^Your hand: (.+?)(?=\n\n|\nOpen the game \(|\nSee the table \(|\Z)", text_of(email), re.M | re.S
    )
    return " ".join(found[1].split()) if found else ""


class _Links(HTMLParser):
    """Return all addresses that an HTML email would open or load."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src", "action", "background") and value and not value.startswith("cid:"):
                self.found.append(value)
