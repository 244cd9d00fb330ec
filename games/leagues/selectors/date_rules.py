"""When a season's players sign up, confirm and play, and how long it takes, in sentences."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from math import ceil

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.time_elements import day_element, moment_element, with_times
from games.leagues.models import Season
from games.leagues.seating import table_sizes
from games.leagues.services.finals import most_finalists
from games.presenters.time_settings import EXPECTED_DAYS

# A later table waits for the last of its players, so on average it adds a little more than the days in which
# 9 out of 10 games end. Measured with simulated seasons.
_LATER = 1.08


def span_rules(season: Season) -> Iterator[str]:
    """Yield when the first tables begin, how long a table has, and when tables are likely to end."""
    # Translators: begins is a date
    text = _("The first tables begin on %(begins)s.")
    yield with_times(text, {"begins": day_element(season.begins_at)})
    yield table_days_text(season)
    yield from expected_dates(season)


def short_table_warnings(season: Season) -> Iterator[str]:
    """Yield a warning if tables have fewer days than games are likely to take."""
    if not (lengths := game_lengths(season)):
        yield _("There is no time limit per move, so only the end of a table’s days ends a slow game.")
    elif lengths[0] > season.table_days:
        yield _("Most games take longer than a table’s days, so most would be late. Give tables more days.")
    elif lengths[1] > season.table_days + season.extension_days:
        yield _("Some games take longer than a table’s days, so expect some late tables.")


def date_rules(season: Season) -> Iterator[str]:
    """Yield when players sign up, confirm and play."""
    words = {
        "opens": moment_element(season.opens_at),
        "ends": moment_element(season.signup_ends_at),
        "begins": moment_element(season.begins_at),
    }
    # Translators: opens and ends are dates with times
    yield with_times(_("Sign-up is open from %(opens)s to %(ends)s."), words)
    yield _confirmation_text(season)
    yield _("Players who do not confirm are reminded once, and keep their place unless someone waits for it.")
    yield _("In that case, it goes to the first person on the waiting list who has confirmed.")
    # Translators: begins is a date with a time
    yield with_times(_("The first tables begin on %(begins)s."), words)
    yield least_text(season)
    yield table_days_text(season)
    yield _("A table begins as soon as all its players are free. A slow table holds up no one else.")
    if season.format == Season.Format.SWISS:
        yield (
            _("A round is drawn when the one before is over.")
            if season.tables_at_once == 1
            else _(
                "A round is drawn when half the tables of the one before are over, and all tables of earlier "
                "rounds."
            )
        )
    if season.state in Season.BEFORE_PLAY:
        yield from expected_dates(season)


def _confirmation_text(season: Season) -> str:
    text = ngettext(
        "After that, we email everyone who signed up. They have %(n)d day to confirm that they play.",
        "After that, we email everyone who signed up. They have %(n)d days to confirm that they play.",
        season.confirm_days,
    )
    return text % {"n": season.confirm_days}


def least_text(season: Season) -> str:
    """Return how many players the season needs."""
    text = ngettext(
        "The season does not begin with fewer than %(n)d player.",
        "The season does not begin with fewer than %(n)d players.",
        season.min_players,
    )
    return text % {"n": season.min_players}


def table_days_text(season: Season) -> str:
    """Return how long a table has."""
    days = ngettext("Each table has %(n)d day.", "Each table has %(n)d days.", season.table_days)
    return days % {"n": season.table_days}


def expected_dates(season: Season) -> Iterator[str]:
    """Yield when the first and the last tables are likely to end, and when they end at the latest."""
    at_once = min(season.tables_at_once, season.rounds, 2 if season.format == Season.Format.SWISS else 20)
    most = season.table_days + season.extension_days
    longest = ceil(season.rounds / at_once) * most
    finalists = most_finalists(season)
    days = {"latest": longest + most * bool(finalists)}
    if median_and_ninety := game_lengths(season):
        median, ninety = (min(one, most) for one in median_and_ninety)
        usual = min(ceil(days_of_all_tables(season.rounds, at_once, median, ninety)), longest)
        days |= {"median": median, "ninety": ninety, "usual": usual}
    words = {name: day_element(season.begins_at + timedelta(days=n)) for name, n in days.items()}
    if median_and_ninety:
        # Translators: median and ninety are dates
        text = _("First tables usually end around %(median)s, and 9 out of 10 by %(ninety)s.")
        yield with_times(text, words)
        # Translators: usual is a date
        yield with_times(_("Half of the players finish their last table by about %(usual)s."), words)
    if finalists and (lengths := lengths_at(season, finalists)):
        text = ngettext(
            "The final begins once all tables are over, and usually takes about %(n)d day.",
            "The final begins once all tables are over, and usually takes about %(n)d days.",
            min(lengths[0], most),
        )
        yield text % {"n": min(lengths[0], most)}
    # Translators: latest is a date
    yield with_times(_("If every table took all its days, the season would end around %(latest)s."), words)


def days_of_all_tables(tables: int, at_once: int, median: float, ninety: float) -> float:
    """Return the days in which half of the players finish all their tables, given those of one game.

    This is within 8 per cent of what simulated seasons of daily games give.
    """
    later = tables / at_once - 1  # how often all of a player's tables are followed by others
    return median + ninety * (_LATER * later + (at_once - 1) / 7)


def game_lengths(season: Season) -> tuple[int, int] | None:
    """Return the days in which half of the games at the largest tables end, and 9 out of 10."""
    sizes = table_sizes(season.division_size, season.size, season.rounds)
    return lengths_at(season, max(sizes, default=season.size))


def lengths_at(season: Season, seats: int) -> tuple[int, int] | None:
    """Return the days in which half of the games at a table of this size end, and 9 out of 10."""
    by_seats = EXPECTED_DAYS.get(str(season.terms.get("pace", "")))
    return by_seats[seats] if by_seats else None
