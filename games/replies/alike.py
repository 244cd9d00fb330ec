"""Which lines of a reply repeat emails that were sent, whatever a mail program puts before or between them.

Nothing here knows marks of mail programs: only words count.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from accounts.mail.sent_words import SHORTEST, Find, Span, beginning, letters, without_links
from games.replies.chat_lines import message_in

SEARCHED = 300  # characters of a line; the patterns of mail programs take long on longer ones
LONG_RUN = 32  # letters and digits in a row that no one writes by chance as one of our emails does
RUN_FROM_BEGINNING = 20  # the same where it is the beginning of an email


def find_nothing(texts: Sequence[str]) -> list[list[Span]]:
    """Find no emails, for a reply that cannot quote any."""
    return [[] for _text in texts]


class Alike:
    """Lines that repeat emails: `begin` is the first of a quote, if there is one; `lines` are all of them."""

    def __init__(self, lines: Sequence[str], find: Find) -> None:
        self._views = list(_views(lines))
        beginnings = list({text for view in self._views for text in view.beginnings()})
        found = find([*(view.letters for view in self._views), *beginnings])
        known = {text for text, spans in zip(beginnings, found[len(self._views) :], strict=True) if spans}
        self._starts = {
            at for view in self._views for at, text in enumerate(view.beginnings()) if text in known
        }
        shares = [
            (share, view.is_quoted(share))
            for view, spans in zip(self._views, found, strict=False)
            for span in spans
            for share in view.shares(span, known)
        ]
        self._quoted = {share.line for share, is_quoted in shares if is_quoted and share.line}
        self._strong = {share.line for share, is_quoted in shares if is_quoted and not share.is_weak}
        self.begin = self._first()
        long = {share.line for share, _is_quoted in shares if share.is_long and share.count >= SHORTEST}
        self.lines = self._quoted | long

    def _first(self) -> int | None:
        """Return the first line of a quote. A line alone, among one's own words, is none.

        Nor is a short line above the beginning of an email: it is alike by chance.
        """
        first, second = (view.counts for view in self._views[:2])
        filled = [at for at, counts in enumerate(zip(first, second, strict=True)) if all(counts)]
        for at, after in pairwise([*filled, None]):
            if at not in self._strong and after in self._starts:
                self._quoted.discard(at)
            if at in self._quoted and (after is None or after in self._quoted):
                return at
        return None


@dataclass(frozen=True)
class _Share:
    """What a line has of a span that repeats an email: how many letters, and whether its first and last.

    The span is long or not, and may be the beginning of an email. A share is weak if the span begins with so
    few letters that the end of a message may be alike by chance.
    """

    line: int
    count: int
    begins: bool
    ends: bool
    is_long: bool
    is_weak: bool


class _View:
    """Lines as letters only, and where each of them ends. Some views leave out how the lines begin."""

    def __init__(self, parts: Sequence[str], lines: Sequence[str], *, is_trimmed: bool) -> None:
        self.letters = "".join(parts)
        self.counts = [len(part) for part in parts]
        self._ends = list(accumulate(self.counts))
        self._lines, self._is_trimmed = lines, is_trimmed

    def beginning(self, at: int) -> str:
        """Return what this line would be as the beginning of an email."""
        first = self._ends[at] - self.counts[at]
        return beginning(self.letters[first : first + SHORTEST])

    def beginnings(self) -> Iterator[str]:
        return (self.beginning(at) for at in range(len(self.counts)))

    def shares(self, span: Span, beginnings: Collection[str]) -> Iterator[_Share]:
        """Yield what each line has of a span."""
        begin, end = span
        is_beginning = beginning(self.letters[begin : begin + SHORTEST]) in beginnings
        is_long = end - begin >= (RUN_FROM_BEGINNING if is_beginning else LONG_RUN)
        at, first = bisect_right(self._ends, begin), begin
        while first < end:
            last = self._ends[at]
            count = min(end, last) - first
            begins = first == last - self.counts[at]
            is_weak = first == begin and count < SHORTEST and not is_beginning
            if count > 0:
                yield _Share(at, count, begins, end >= last, is_long, is_weak)
            at, first = at + 1, last

    def is_quoted(self, share: _Share) -> bool:
        """Return whether a line begins or ends as an email does, in a long span, or all of it is in one."""
        if self._is_trimmed and message_in([self._lines[share.line]]) is not None:
            return False
        if share.is_weak and (self._is_trimmed or (share.line and self._lines[share.line - 1])):
            return False
        is_whole = share.begins and share.ends and share.count >= SHORTEST
        ends = share.ends and share.count >= SHORTEST
        return is_whole or (share.is_long and (share.begins or ends))


def _views(lines: Sequence[str]) -> Iterator[_View]:
    """Yield the lines as they are, without what neighbours have in common, and without their first words.

    Some programs put words before each line that they quote, such as initials. Some show links, some do not.
    """
    common = _without_common(lines)
    for shown in (lines, common, [line.partition(" ")[2] for line in lines]):
        bare = [letters(without_links(line)) for line in shown]
        yield _View(bare, lines, is_trimmed=shown is not lines)
    for shown in (lines, common):
        yield _View([letters(line) for line in shown], lines, is_trimmed=shown is not lines)


def _without_common(lines: Sequence[str]) -> list[str]:
    shared = [0] * len(lines)
    for one, other in pairwise(at for at, line in enumerate(lines) if line):
        length = _alike(lines[one], lines[other])
        shared[one], shared[other] = max(shared[one], length), length
    return [line[length:] for line, length in zip(lines, shared, strict=True)]


def _alike(one: str, other: str) -> int:
    """Return the length of the beginning that two lines share, up to a mark or space."""
    length = 0
    for count, (first, second) in enumerate(zip(one[:SEARCHED], other[:SEARCHED], strict=False), 1):
        if first != second:
            break
        if not first.isalnum():
            length = count
    return length
