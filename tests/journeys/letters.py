"""Reading letters as their recipient would: links, the hand, what is asked. Knows no database."""

import re
from email.message import EmailMessage
from html.parser import HTMLParser

LINK = re.compile(r"https?://\S+")


def text_of(letter: EmailMessage) -> str:
    """The letter as plain text."""
    part = letter.get_body(("plain",))
    assert part is not None
    return str(part.get_content()).replace("\r\n", "\n")


def html_of(letter: EmailMessage) -> str:
    part = letter.get_body(("html",))
    assert part is not None
    return str(part.get_content()).replace("\r\n", "\n")


def text_links(letter: EmailMessage) -> list[str]:
    """Every address in the text, in order."""
    return LINK.findall(text_of(letter))


def all_links(letter: EmailMessage) -> list[str]:
    """Every address in text, HTML and headers, once each."""
    found = text_links(letter) + _Links(html_of(letter)).found
    found += re.findall(r"<(https?://[^>]+)>", str(letter["List-Unsubscribe"] or ""))
    return list(dict.fromkeys(found))


def link_after(letter: EmailMessage, words: str) -> str:
    """The first address below the words."""
    text = text_of(letter)
    assert words in text, text
    return LINK.findall(text[text.index(words) :])[0]


def code_in(letter: EmailMessage) -> str:
    """A sign-in code: alone in its line."""
    found = re.search(r"^ {4}(\S+)$", text_of(letter), re.M)
    assert found, text_of(letter)
    return found[1]


def hand_in(letter: EmailMessage) -> str:
    """The hand as the letter tells it, or nothing."""
    found = re.search(r"^Your hand: (.+?)(?=\n\n|\nThe game:|\Z)", text_of(letter), re.M | re.S)
    return " ".join(found[1].split()) if found else ""


class _Links(HTMLParser):
    """All addresses that an HTML letter would open or load."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src", "action", "background") and value and not value.startswith("cid:"):
                self.found.append(value)
