"""Moments and days as `<time>` elements of a page, which programs can read."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, tzinfo

from django.utils.html import conditional_escape, escape, format_html
from django.utils.safestring import SafeString
from django.utils.timezone import localtime
from django.utils.translation import gettext as _

from accounts.durations import ago
from accounts.times import day, moment, time_of_day


class Timed(str):
    """Text with times in it: `<time>` elements where HTML is shown, plain text everywhere else."""

    __slots__ = ("_html",)
    _html: SafeString

    def __new__(cls, text: str, html: SafeString) -> Timed:
        timed = super().__new__(cls, text)
        timed._html = html
        return timed

    def __html__(self) -> SafeString:
        """Return the text as HTML; Django's templates and `format_html` ask for it."""
        return self._html


def moment_element(at: datetime | None, zone: tzinfo | None = None) -> str:
    """Return a moment in the reader's zone, or in another, as a `<time>` element; empty without one."""
    return _element(_exact(at), moment(at, zone)) if at else ""


def span(start: datetime, end: datetime) -> Timed:
    """Return a time with its end, as elements: "Friday 6 March, 20:00 to 21:00"."""
    words = {"start": moment_element(start), "end": _element(_exact(end), time_of_day(end))}
    # Translators: start is a time such as "Friday 6 March, 20:00", end a time of day such as "21:00".
    return with_times(_("%(start)s to %(end)s"), words)


def day_element(on: date | None) -> str:
    """Return a day as a `<time>` element; empty without one."""
    if not on:
        return ""
    exact = localtime(on).date() if isinstance(on, datetime) else on
    return _element(exact.isoformat(), day(on))


def with_times(message: str, words: Mapping[str, str | int]) -> Timed:
    """Fill the placeholders of a message whose times are elements."""
    safe = {name: word if isinstance(word, int) else conditional_escape(word) for name, word in words.items()}
    return Timed(message % words, SafeString(escape(message) % safe))


def _element(exact: str, text: str) -> Timed:
    return Timed(text, format_html('<time datetime="{}">{}</time>', exact, text))


def ago_element(at: datetime) -> SafeString:
    """Return how long ago a moment was, as a `<time>` element that shows the moment on request."""
    return format_html('<time datetime="{}" title="{}">{}</time>', _exact(at), moment(at), ago(at))


def _exact(at: datetime) -> str:
    return localtime(at).isoformat(timespec="seconds")
