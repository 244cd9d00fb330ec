"""Where a reply's own words end: at the first line that repeats an email of ours, whatever the mail program.

Marks of mail programs end them too, because people may quote more than our emails. The lines directly above a
quote that introduce it are left out with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mailparser_reply.parser import EmailMessage

from accounts.mail.sent_words import Find
from games.replies.alike import SEARCHED, Alike, find_nothing
from games.replies.heads import without_head
from games.replies.marks import ends_reply, holds_link, is_rule

# Mail programs of players speak other languages than the site.
_LANGUAGES = ("en", "de", "es", "fr", "it", "nl", "pl")
_INVISIBLE = dict.fromkeys([0x200B, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A), 0xFEFF])


@dataclass(frozen=True)
class OwnWords:
    """The lines above a quote; the first line below it, and all lines below a quote in one piece.

    There are lines below only if none are above. `repeating` are those of all that repeat words of ours.
    """

    lines: tuple[str, ...]
    repeating: frozenset[str] = frozenset()
    below: str = ""
    all_below: tuple[str, ...] = ()

    def may_be_sent(self, lines: Sequence[str]) -> bool:
        """Return whether these lines repeat no email of ours and hold no link that opens something."""
        return self.repeating.isdisjoint(lines) and not holds_link(lines)


def separated(text: str, find: Find = find_nothing) -> OwnWords:
    """Return a reply's own words; `find` knows the emails that it may quote."""
    lines = _trimmed(text.translate(_INVISIBLE).split("\n"))
    marked = next((at for at in range(len(lines)) if ends_reply(lines, at)), len(lines))
    alike = Alike(lines[:marked], find)
    end = alike.begin if alike.begin is not None else marked
    own = _without_signature(without_head(lines, end, is_ours=end < marked))
    repeating = frozenset(lines[at] for at in alike.lines if at < len(own))
    if own:
        return OwnWords(tuple(own), repeating)
    below = _all_below(lines)
    repeating = frozenset(below[at] for at in Alike(below, find).lines)
    return OwnWords((), repeating, _first_below(lines), tuple(below))


def own_words(text: str, find: Find = find_nothing) -> list[str]:
    """Return the lines above the quoted email, without empty ones around them."""
    return list(separated(text, find).lines)


def _without_signature(lines: list[str]) -> list[str]:
    """Return the lines without greetings and names at the end, as a library knows them."""
    lines = _trimmed(lines)
    if not lines:
        return []
    short = "\n".join(line[:SEARCHED] for line in lines)
    first = EmailMessage(short, list(_LANGUAGES), keep_hyphen_lists=True).read().replies[0]
    if first.headers:
        return []
    body = first.body
    if not body:
        return []
    return _trimmed(lines[: body.count("\n") + 1] if short.startswith(body) else body.split("\n"))


def _first_below(lines: Sequence[str]) -> str:
    """Return the first line below the quoted email, where some people write; empty if nothing was quoted.

    It may repeat the email, as the name of a choice does: it is only read as a move, and sent to no one.
    """
    quoted = [at for at, line in enumerate(lines) if line.startswith(">")]
    below = lines[quoted[-1] + 1 :] if quoted else []
    first = next((line for line in below if line and not is_rule(line)), "")
    return "" if holds_link([first]) else first


def _all_below(lines: Sequence[str]) -> list[str]:
    """Return the lines below the quoted email; none where someone wrote between its lines."""
    quoted = [at for at, line in enumerate(lines) if line.startswith(">")]
    if not quoted or any(line and not line.startswith(">") for line in lines[quoted[0] : quoted[-1]]):
        return []
    return _without_signature(list(lines[quoted[-1] + 1 :]))


def _trimmed(lines: Sequence[str]) -> list[str]:
    filled = [at for at, line in enumerate(lines) if line.strip()]
    return [line.strip() for line in lines[filled[0] : filled[-1] + 1]] if filled else []
