"""What mail programs put above an email that they quote, in any language: headers, or who wrote it when."""

from __future__ import annotations

import re
from collections.abc import Sequence

from games.replies.alike import SEARCHED
from games.replies.chat_lines import message_in
from games.replies.footers import is_footer
from games.replies.marks import holds_link, is_header, is_rule, names_sender, names_us, tells_of_email

_MOST_LINES = 12
_NARROWEST = 30  # characters of a header that was broken for want of room
_DATE = re.compile(r"(?<!\d)\d{4}(?!\d)|\d{1,2}[./-] ?\d{1,2}[./-] ?\d{2}")
_TIME = re.compile(r"\d{1,2}[:.hH時点시]\s?\d{2}")


def without_head(lines: Sequence[str], end: int, *, is_ours: bool) -> list[str]:
    """Return the lines before this one, without those that introduce the email quoted from there on."""
    is_quoted = end < len(lines)
    is_told = is_quoted and names_us(lines[end]) and not lines[end].startswith(">")
    if is_told:
        end += 1  # the last line of an attribution, or a line of a head
    has_head = not is_quoted
    while True:
        while end and not lines[end - 1]:
            end -= 1
        begin = end
        if _is_left_out(lines, end, is_quoted=is_quoted, is_ours=is_ours):
            begin = end - 1
        elif end and not has_head:
            begin, has_head = _begin_of_head(lines, end, is_apart=not is_told), True
        if begin == end:
            return list(lines[:end])
        end = begin


def _is_left_out(lines: Sequence[str], end: int, *, is_quoted: bool, is_ours: bool) -> bool:
    """Return whether the line above is a footer, a rule or, above an email of ours, one of its links."""
    above = lines[end - 1] if end else ""
    if end > 1 and (is_footer(above) or (is_ours and holds_link([above]))):
        return True
    return is_quoted and is_rule(above)


def _begin_of_head(lines: Sequence[str], end: int, *, is_apart: bool) -> int:
    """Return where the lines that introduce the quoted email begin; `end` if there are none above it."""
    headers = _begin_of_headers(lines, end)
    if headers == end and is_apart:
        headers = _begin_of_headers_apart(lines, end)
    return headers if headers < end else _begin_of_attribution(lines, end)


def _begin_of_headers(lines: Sequence[str], end: int) -> int:
    """Return where the headers above this line begin, in lines that may be broken."""
    begin, count = end, 0
    for at in range(end - 1, max(-1, end - 1 - _MOST_LINES), -1):
        if is_header(lines[at]):
            begin, count = at, count + 1
        elif not lines[at] or not at or not _is_broken(lines, at - 1, end, _NARROWEST):
            break
    return begin if count > 1 and tells_of_email(lines[begin:end]) else end


def _begin_of_headers_apart(lines: Sequence[str], end: int) -> int:
    """Return where the headers above this line begin, with an empty line between any two."""
    begin = end
    for at in range(end - 1, max(-1, end - 1 - 2 * _MOST_LINES), -2):
        if not is_header(lines[at]) or (at and lines[at - 1]):
            break
        begin = at
    return begin if end - begin > 1 and tells_of_email(lines[begin:end]) else end


def _begin_of_attribution(lines: Sequence[str], end: int) -> int:
    """Return where "On Monday, ... wrote:" above this line begins, perhaps some lines before it."""
    top = end
    while top and end - top < _MOST_LINES and lines[top - 1] and message_in([lines[top - 1]]) is None:
        top -= 1
    begin = next((at for at in range(end - 1, top - 1, -1) if _is_attribution(lines[at:end])), end)
    while top < begin < end and _is_broken(lines, begin - 1, end):
        begin -= 1
    return begin


def _is_attribution(lines: Sequence[str]) -> bool:
    """Return whether these lines say who wrote a quoted email, or when."""
    words = " ".join(line[:SEARCHED] for line in lines)[:SEARCHED]
    if any(map(names_us, lines)):
        return True
    is_ended = lines[-1].endswith((":", "："))
    is_dated = _DATE.search(words) is not None and _TIME.search(words) is not None
    return is_dated + is_ended + names_sender(words) > 1


def _is_broken(lines: Sequence[str], at: int, end: int, narrowest: int = 0) -> bool:
    """Return whether this line goes on in the next: there was no room for one more word."""
    following = lines[at + 1] if at + 1 < end else ""
    if not lines[at] or not following:
        return False
    first = following.split(maxsplit=1)[0]
    return len(lines[at]) + 1 + len(first) > max(narrowest, *map(len, lines[at:end]))
