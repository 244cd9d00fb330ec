"""Find and remove links in user text that give access to a seat or an account on this site."""

from __future__ import annotations

import html
import re
from functools import lru_cache
from urllib.parse import unquote

from django.conf import settings
from django.utils.translation import gettext as _

from accounts.addresses import site_host
from accounts.normal_forms import normalized

_SHORTEST_TOKEN = 12
_PIECE = re.compile(r"\S+")  # what a browser's address bar accepts in one paste
_WORD = re.compile(r"""[^\s<>()\[\]"']+""")
_MARKS = str.maketrans("", "", "*_`~<>()[]{}\"'|^\u200c\u200d")  # may be inside an address
_DESTINATION = re.compile(r"\]\([^()\s]*\)")  # target of a Markdown link; its text stays
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")


def without_token_links(text: str) -> str:
    """Return the text with a short note in place of every personal link to this site."""
    return _PIECE.sub(_without_tokens, text)


def carries_token(address: str) -> bool:
    """Return whether an address or text leads to one of this site's token pages.

    Escapes of Markdown, HTML and URLs and other Unicode forms of characters are undone first, as browsers do.
    Mail programs wrap links in links.
    """
    plain = _ESCAPED.sub(r"\1", html.unescape(address))
    for _layer in range(4):
        plain = unquote(plain)
    plain = normalized("NFKC", plain).replace("\\", "/").replace("\u3002", ".")
    return _leads_to_token(plain) or _leads_to_token(_without_detours(plain))


def _leads_to_token(plain: str) -> bool:
    return _token_pattern(_own_hosts(), tuple(settings.TOKEN_PATHS)).search(plain) is not None


def _without_detours(address: str) -> str:
    """Return the address with "." and ".." segments resolved, never beyond the host."""
    kept = list[str]()
    for part in address.split("/"):
        if part == ".." and len(kept) > 1 and not (len(kept) > 2 and not kept[-2]):
            kept.pop()
        elif part not in (".", ".."):
            kept.append(part)
    return "/".join(kept)


def _without_tokens(piece: re.Match[str]) -> str:
    """Return the text without personal links, or only the note if marks inside it hide one."""
    if len(piece[0]) <= _SHORTEST_TOKEN:
        return piece[0]
    left = _WORD.sub(_without_token, piece[0])
    bare = (words.translate(_MARKS) for words in (left, _DESTINATION.sub("", left)))
    return _taken_out() if any(map(carries_token, bare)) else left


def _without_token(word: re.Match[str]) -> str:
    return _taken_out() if carries_token(word[0]) else word[0]


def _taken_out() -> str:
    return _("(link removed)")


def _own_hosts() -> tuple[str, ...]:
    return tuple({site_host(), *settings.ALLOWED_HOSTS} - {"*"})


@lru_cache(maxsize=8)
def _token_pattern(hosts: tuple[str, ...], paths: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern for an own host, or none, then a token path with a secret after it."""
    host = "|".join(re.escape(host.lstrip(".")) for host in hosts)
    path = "|".join(re.escape(path).replace("/", "/+") for path in paths)
    secret = rf"[\w.:~=-]{{{_SHORTEST_TOKEN},}}"
    return re.compile(rf"(?:(?:{host})\.?(?::\d*)?|(?<![\w.:/-]))/+(?:{path})/+{secret}", re.IGNORECASE)
