"""Draw a rating over time as an SVG: a line, a band for its uncertainty, and a few numbers.

Colours and sizes are the style sheet's (look/leagues.css): nothing here writes a style attribute.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.utils.formats import date_format
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.timezone import localtime
from django.utils.translation import gettext as _

from games.leagues.selectors.rating_history import RatedMoment, RatingHistory

WIDTH, HEIGHT = 360, 190
LEFT, RIGHT, TOP, BOTTOM = 38, 350, 10, 160  # the edges of what is drawn
STEPS = (50, 100, 200, 500, 1000)  # between two lines across
MOST_LINES = 6
FEWEST = 2  # moments that make a line


@dataclass(frozen=True)
class _Scale:
    """The ratings and times that fit on the chart."""

    low: int
    high: int
    first: datetime
    last: datetime

    def x(self, at: datetime) -> int:
        span = (self.last - self.first).total_seconds()
        share = (at - self.first).total_seconds() / span if span else 0.5
        return round(LEFT + share * (RIGHT - LEFT))

    def y(self, rating: float) -> int:
        return round(BOTTOM - (rating - self.low) / (self.high - self.low) * (BOTTOM - TOP))


def rating_chart(history: RatingHistory) -> SafeString:
    """Return the chart of a rating's history; empty if there are too few moments for a line."""
    moments = history.moments
    if len(moments) < FEWEST:
        return SafeString("")
    step, low, high = _lines_across(moments)
    scale = _Scale(low, high, moments[0].at, moments[-1].at)
    name = f"chart-{history.now.edition}"
    return format_html(
        '<svg class="rating-chart" viewBox="0 0 {} {}" role="img" aria-labelledby="{}-title {}-words">'
        '<title id="{}-title">{}</title><desc id="{}-words">{}</desc>{}{}{}{}</svg>',
        *(WIDTH, HEIGHT, name, name, name, _("Rating over time"), name, _in_words(moments)),
        format_html_join("", '<path class="across" d="M{} {}H{}"/>', _across(scale, step)),
        format_html('<polygon class="band" points="{}"/>', _points(_band(moments, scale))),
        format_html('<polyline class="course" points="{}"/>', _points(_course(moments, scale))),
        format_html("{}{}", _numbers(scale, step), _dates(scale)),
    )


def _lines_across(moments: Iterable[RatedMoment]) -> tuple[int, int, int]:
    """Return the step between lines across, and the lowest and the highest line."""
    lowest = min([one.value.shown - one.value.uncertainty for one in moments])
    highest = max([one.value.shown + one.value.uncertainty for one in moments])
    fitting = (step for step in STEPS if (highest - lowest) / step < MOST_LINES - 1)
    step = next(fitting, STEPS[-1])
    return step, lowest // step * step, -(-highest // step) * step


def _across(scale: _Scale, step: int) -> list[tuple[int, int, int]]:
    return [(LEFT, scale.y(line), RIGHT) for line in range(scale.low, scale.high + 1, step)]


def _course(moments: Iterable[RatedMoment], scale: _Scale) -> list[tuple[int, int]]:
    return [(scale.x(one.at), scale.y(one.value.shown)) for one in moments]


def _band(moments: Iterable[RatedMoment], scale: _Scale) -> list[tuple[int, int]]:
    above = [(scale.x(one.at), scale.y(one.value.shown + one.value.uncertainty)) for one in moments]
    below = [(scale.x(one.at), scale.y(one.value.shown - one.value.uncertainty)) for one in moments]
    return [*above, *below[::-1]]


def _points(places: Iterable[tuple[int, int]]) -> str:
    return " ".join([f"{x},{y}" for x, y in places])


def _numbers(scale: _Scale, step: int) -> SafeString:
    lines = range(scale.low, scale.high + 1, step)
    return format_html_join(
        "",
        '<text class="at-side" x="{}" y="{}">{}</text>',
        [(LEFT - 4, scale.y(line) + 4, line) for line in lines],
    )


def _dates(scale: _Scale) -> SafeString:
    places = (("from", LEFT, scale.first), ("until", RIGHT, scale.last))
    return format_html_join(
        "",
        '<text class="{}" x="{}" y="{}">{}</text>',
        [(kind, x, HEIGHT - 10, date_format(localtime(at), "SHORT_DATE_FORMAT")) for kind, x, at in places],
    )


def _in_words(moments: tuple[RatedMoment, ...]) -> str:
    shown = [one.value.shown for one in moments]
    words = {"first": shown[0], "last": shown[-1], "lowest": min(shown), "highest": max(shown)}
    # Translators: all are ratings, such as 1520
    return _("From %(first)d to %(last)d. Lowest: %(lowest)d. Highest: %(highest)d.") % words
