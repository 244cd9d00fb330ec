"""Subjects that fit a phone: names in them are marked, and shortened until the whole is short enough."""

import re

from accounts.characters import count, shortened
from accounts.mail.models import LONGEST_SUBJECT

_SHORTEST_NAME = 8
_OPENING, _CLOSING = "\x02", "\x03"  # control characters, which one_line removes from what people typed
_MARKED = re.compile(f"{_OPENING}([^{_OPENING}{_CLOSING}]*){_CLOSING}")


def name_in_subject(name: object) -> str:
    """Return the name of a person, table or league with marks, for `fit_subject` to shorten it."""
    return f"{_OPENING}{str(name).translate({2: None, 3: None})}{_CLOSING}"


def fit_subject(subject: str) -> str:
    """Return the subject without marks, in at most 55 characters: the longest names are shortened first."""
    names = [found.strip() for found in _MARKED.findall(subject)]
    most = max(map(count, names), default=0)
    text = _with_names(subject, most)
    while count(text) > LONGEST_SUBJECT and most > _SHORTEST_NAME:
        most -= 1
        text = _with_names(subject, most)
    return shortened(text, LONGEST_SUBJECT)


def _with_names(subject: str, most: int) -> str:
    return _MARKED.sub(lambda found: shortened(found[1].strip(), most), subject)
