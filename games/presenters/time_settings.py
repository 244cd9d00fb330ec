"""A table's time settings: time per move, counted hours, and what happens when a player is away.

Has the form fields, and the sentences in which pages and emails repeat the choices.
"""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.functional import Promise
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext, pgettext_lazy

from accounts.durations import duration
from accounts.form_limits import SaysLimits
from games.clocks.policy import PACES
from games.models import MAX_SEATS, MIN_SEATS, Table

LONGEST_HOLIDAYS = 90
MOST_MISSES = 9
MOST_DAYS, MONTH = 10, 30  # longer lengths are in weeks, and from two months on in months

# Days from the first deal to the end of a game, by pace and seats: the median, and the 90th percentile.
# Made with `python -m tests.simulation --forecast --games 200`: half of the people give standing orders.
EXPECTED_DAYS: dict[str, dict[int, tuple[int, int]]] = {
    "hours": {2: (2, 8), 3: (4, 11), 4: (6, 15), 5: (9, 20), 6: (13, 25)},
    "day": {2: (5, 18), 3: (10, 26), 4: (14, 35), 5: (19, 46), 6: (29, 57)},
    "days": {2: (8, 25), 3: (15, 36), 4: (21, 49), 5: (30, 63), 6: (44, 79)},
    "week": {2: (13, 38), 3: (25, 55), 4: (35, 74), 5: (49, 97), 6: (72, 122)},
}

_PACE_NAMES = {
    "hours": pgettext_lazy("time per move", "Quick"),
    "day": pgettext_lazy("time per move", "Daily"),
    "days": pgettext_lazy("time per move", "Slow"),
    "week": pgettext_lazy("time per move", "Weekly"),
}
_HOURS = {
    Table.Hours.OWN: gettext_lazy(
        "Each player’s own hours. Their quiet hours, days off and holidays do not count."
    ),
    Table.Hours.HOLIDAYS: gettext_lazy("All hours, except each player’s own holidays"),
    Table.Hours.ALL: gettext_lazy("All hours of all days, whatever a player’s calendar says"),
}
_ABSENT = {
    Table.Absent.BOT: gettext_lazy("A bot plays until the player is back."),
    Table.Absent.OFFER: gettext_lazy("A bot plays until the player is back or someone else takes the seat."),
}
_TIME_BY = {
    Table.TimeBy.ALL: gettext_lazy("All players together"),
    Table.TimeBy.HOST: gettext_lazy("All players together, or the host alone (everyone sees it)"),
}


def _allowance(pace: str) -> dict[str, str]:
    """Return a pace's two lengths of time, as its sentences give them."""
    terms = PACES[pace]
    return {"turn": duration(terms.per_decision), "reserve": duration(terms.reserve)}


def expected_length(pace: str, seats: int) -> str:
    """Return how long a game with this many seats is likely to last; empty where no clock runs."""
    if pace not in EXPECTED_DAYS:
        return ""
    median, ninety = EXPECTED_DAYS[pace][seats]
    return " ".join((_usual(seats, *round_span(median)), _longest(*round_span(ninety))))


def round_span(days: int) -> tuple[int, str]:
    """Return about so many days as a round number of days, weeks or months."""
    if days <= MOST_DAYS:
        return days, "days"
    return (round(days / 7), "weeks") if days < 2 * MONTH else (round(days / MONTH), "months")


def _usual(seats: int, n: int, unit: str) -> str:
    text = {
        "days": ngettext(
            "At a table of %(seats)d, a game lasts about %(n)d day.",
            "At a table of %(seats)d, a game lasts about %(n)d days.",
            n,
        ),
        "weeks": ngettext(
            "At a table of %(seats)d, a game lasts about %(n)d week.",
            "At a table of %(seats)d, a game lasts about %(n)d weeks.",
            n,
        ),
        "months": ngettext(
            "At a table of %(seats)d, a game lasts about %(n)d month.",
            "At a table of %(seats)d, a game lasts about %(n)d months.",
            n,
        ),
    }[unit]
    return text % {"seats": seats, "n": n}


def _longest(n: int, unit: str) -> str:
    text = {
        "days": ngettext(
            "9 out of 10 games end within about %(n)d day.",
            "9 out of 10 games end within about %(n)d days.",
            n,
        ),
        "weeks": ngettext(
            "9 out of 10 games end within about %(n)d week.",
            "9 out of 10 games end within about %(n)d weeks.",
            n,
        ),
        "months": ngettext(
            "9 out of 10 games end within about %(n)d month.",
            "9 out of 10 games end within about %(n)d months.",
            n,
        ),
    }[unit]
    return text % {"n": n}


def pace_explained(pace: str, seats: int) -> str:
    """Return a pace in one sentence: its allowance, and how long a game with this many seats lasts."""
    n, unit = round_span(EXPECTED_DAYS[pace][seats][0])
    text = {
        # Translators: turn and reserve are lengths of time, such as "48 hours" and "5 days".
        "days": ngettext(
            "%(turn)s per move, %(reserve)s in reserve; a game of %(seats)d lasts about %(n)d day.",
            "%(turn)s per move, %(reserve)s in reserve; a game of %(seats)d lasts about %(n)d days.",
            n,
        ),
        # Translators: turn and reserve are lengths of time, such as "48 hours" and "5 days".
        "weeks": ngettext(
            "%(turn)s per move, %(reserve)s in reserve; a game of %(seats)d lasts about %(n)d week.",
            "%(turn)s per move, %(reserve)s in reserve; a game of %(seats)d lasts about %(n)d weeks.",
            n,
        ),
        # Translators: turn and reserve are lengths of time, such as "48 hours" and "5 days".
        "months": ngettext(
            "%(turn)s per move, %(reserve)s in reserve; a game of %(seats)d lasts about %(n)d month.",
            "%(turn)s per move, %(reserve)s in reserve; a game of %(seats)d lasts about %(n)d months.",
            n,
        ),
    }[unit]
    return text % {**_allowance(pace), "seats": seats, "n": n}


def _for_each_size(pace: str) -> SafeString:
    """Return a pace in one sentence for each number of seats; a page shows the chosen one (pages.css)."""
    sentences = ((seats, pace_explained(pace, seats)) for seats in range(MIN_SEATS, MAX_SEATS + 1))
    return format_html_join(" ", '<span class="for-seats" data-seats="{}">{}</span>', sentences)


def pace_choices() -> list[tuple[str, SafeString]]:
    """Return the paces, each with its name and one sentence."""
    paces = [(pace, _choice(name, _for_each_size(pace))) for pace, name in _PACE_NAMES.items()]
    waits = _("No one runs out of time, however long the others wait.")
    return [*paces, (Table.Pace.NONE, _choice(pgettext("time per move", "No time limit"), waits))]


def _choice(name: str | Promise, sentence: str) -> SafeString:
    return format_html("<span><strong>{}</strong> {}</span>", name, sentence)


class TimeSettings(SaysLimits, forms.Form):
    """The time settings of a table. The cleaned data are a table's columns; missing ones get the default."""

    pace = forms.ChoiceField(
        label=gettext_lazy("Time per move"),
        choices=pace_choices,
        initial=Table.Pace.DAY,
        required=False,
        widget=forms.RadioSelect,
        help_text=gettext_lazy(
            "Each player has one reserve for the whole game. When the time for a move and the reserve have "
            "run out, the site plays the default move: it passes, keeps the hand, keeps the two highest "
            "cards, or draws a region."
        ),
    )
    hours = forms.ChoiceField(
        label=gettext_lazy("Hours that count"),
        choices=list(_HOURS.items()),
        initial=Table.Hours.OWN,
        required=False,
        widget=forms.RadioSelect,
        help_text=gettext_lazy("Players set their quiet hours, days off and holidays in their own profiles."),
    )
    most_holidays = forms.IntegerField(
        label=gettext_lazy("Maximum holidays (days per player)"),
        initial=28,
        min_value=0,
        max_value=LONGEST_HOLIDAYS,
        required=False,
        help_text=gettext_lazy("In this game, holidays beyond this number of days count as playing time."),
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )
    most_misses = forms.IntegerField(
        label=gettext_lazy("Missed turns in a row before a bot plays"),
        initial=3,
        min_value=1,
        max_value=MOST_MISSES,
        required=False,
        help_text=gettext_lazy("Every move a player makes sets the count back to zero."),
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )
    absent = forms.ChoiceField(
        label=gettext_lazy("When a player is away"),
        choices=list(_ABSENT.items()),
        initial=Table.Absent.BOT,
        required=False,
        widget=forms.RadioSelect,
    )
    time_by = forms.ChoiceField(
        label=gettext_lazy("Pauses and extra time"),
        choices=list(_TIME_BY.items()),
        initial=Table.TimeBy.ALL,
        required=False,
        widget=forms.RadioSelect,
    )

    @property
    def rare_time_fields(self) -> list[forms.BoundField]:
        """All fields except the pace, which few people change."""
        return [self[name] for name in TimeSettings.base_fields if name != "pace"]

    @property
    def has_rare_errors(self) -> bool:
        return any(field.errors for field in self.rare_time_fields)

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        usual = {name: field.initial for name, field in TimeSettings.base_fields.items()}
        empty = [name for name in usual.keys() & cleaned.keys() if cleaned[name] in ("", None)]
        return cleaned | {name: usual[name] for name in empty}


def pace_name(table: Table) -> str:
    """Return the name of a pace, in a word or two."""
    return str(_PACE_NAMES.get(table.pace, pgettext("time per move", "No time limit")))


def pace_in_words(table: Table) -> str:
    """Return the time per move, in one phrase."""
    if table.pace not in PACES:
        return _("No time limit: players take the time they need")
    words = _allowance(table.pace)
    # Translators: turn and reserve are lengths of time, such as "48 hours" and "5 days".
    return _("%(turn)s per move, %(reserve)s in reserve for the whole game") % words


def has_clock(table: Table) -> bool:
    """Return whether anyone can run out of time at this table."""
    return table.pace in PACES


def hours_that_count(table: Table) -> str:
    """Return which hours count, and how many days of holidays do not."""
    days = table.most_holidays
    if table.hours == Table.Hours.ALL:
        return _("All hours of all days count.")
    if table.hours == Table.Hours.HOLIDAYS:
        most = ngettext(
            "All hours count, except each player’s holidays, up to %(n)d day.",
            "All hours count, except each player’s holidays, up to %(n)d days.",
            days,
        )
        return most % {"n": days}
    most = ngettext(
        "Each player’s quiet hours, days off and holidays do not count. Holidays: at most %(n)d day.",
        "Each player’s quiet hours, days off and holidays do not count. Holidays: at most %(n)d days.",
        days,
    )
    return most % {"n": days}


def when_time_is_out(table: Table) -> str:
    """Explain what the clock does, and when a bot takes over."""
    misses = table.most_misses
    if table.absent == Table.Absent.OFFER:
        text = ngettext(
            "If a player runs out of time, the site plays the default move. After %(n)d missed turn, a bot "
            "plays until the player is back or someone else takes the seat.",
            "If a player runs out of time, the site plays the default move. After %(n)d missed turns in a "
            "row, a bot plays until the player is back or someone else takes the seat.",
            misses,
        )
    else:
        text = ngettext(
            "If a player runs out of time, the site plays the default move. After %(n)d missed turn, a bot "
            "plays until the player is back.",
            "If a player runs out of time, the site plays the default move. After %(n)d missed turns in a "
            "row, a bot plays until the player is back.",
            misses,
        )
    return text % {"n": misses}


def when_nobody_is_left() -> str:
    """Explain what happens to a game that only bots play."""
    return _("If only bots are left, the game is abandoned and no one wins.")


def who_gives_time(table: Table) -> str:
    """Explain who may pause the game and give more time."""
    if table.time_by == Table.TimeBy.HOST:
        return _("All players together, or the host alone, can pause the game or give more time.")
    return _("All players together can pause the game or give more time.")
