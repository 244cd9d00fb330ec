"""`{% kept "part.html" name=value %}`: a part of a page, made from values alone, once for equal values.

A page of a game is long and most of it is what it was a moment ago. A kept part sees the values it is given,
language and time zone, and nothing else of its page: neither request nor user nor form token. So what is kept
is never out of date and never anybody else's, and may be dropped at any time.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from threading import Lock
from typing import Any, Protocol

from django import template
from django.conf import settings
from django.template.loader import get_template
from django.utils.safestring import SafeString
from django.utils.timezone import get_current_timezone_name
from django.utils.translation import get_language

from accounts import kept_pages

register = template.Library()

MOST = 4096  # parts, of some kilobytes at most each
_parts: dict[Hashable, SafeString] = {}
_lock = Lock()


class KeptBy(Protocol):
    """A value that says by what it is told from others, where comparing it whole would cost too much."""

    @property
    def kept_by(self) -> Hashable: ...


@register.simple_tag
def kept(part: str, **values: Hashable | KeptBy) -> SafeString:
    """The part rendered from these values alone. Raises TypeError for a value that cannot be compared."""
    return _found(part, _here(), values)


@register.simple_tag
def kept_each(part: str, rows: Iterable[Hashable | KeptBy]) -> SafeString:
    """The part rendered from each of these rows alone, which it knows as `row`, one after the other."""
    here = _here()
    return SafeString("".join([_found(part, here, {"row": row}) for row in rows]))


def forget() -> None:
    """Drops every part, and every page."""
    with _lock:
        _parts.clear()
    kept_pages.forget()


def _here() -> tuple[Hashable, ...]:
    """What every part may depend on beside its values."""
    return get_language(), get_current_timezone_name()


def _found(part: str, here: tuple[Hashable, ...], values: dict[str, Any]) -> SafeString:
    if settings.DEBUG:  # templates change while one looks at them
        return _rendered(part, values)
    key = (part, here, *map(_told_by, values.items()))
    found = _parts.get(key)
    if found is None:
        found = _rendered(part, values)
        _keep(key, found)
    return found


def _told_by(named: tuple[str, Any]) -> Hashable:
    """By its type too: 1 equals True, and safe text equals text that has to be escaped."""
    name, value = named
    return name, type(value), getattr(value, "kept_by", value)


def _rendered(part: str, values: dict[str, Any]) -> SafeString:
    return SafeString(get_template(part).render(values))


def _keep(key: Hashable, part: SafeString) -> None:
    """The oldest goes first: what is asked for often is soon made again."""
    with _lock:
        while len(_parts) >= MOST:
            del _parts[next(iter(_parts))]
        _parts[key] = part
