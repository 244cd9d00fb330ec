"""What a season will come to if all goes as planned, in a few sentences: for who plans it, before he does."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games.leagues.models import Season
from games.leagues.overview.course_in_words import rises_and_falls
from games.leagues.seating import rounds_for_everybody
from games.time_terms import EXPECTED_DAYS, expected_length


def outlook(season: Season) -> list[str]:
    """The season in figures. It need not be stored; its plan is sound."""
    return [sentence for sentence in _sentences(season) if sentence]


def _sentences(season: Season) -> Iterator[str]:
    yield _company(season)
    yield _dates(season)
    yield _tables(season)
    yield _sitting_out(season)
    yield _meetings(season)
    yield _length(season)
    yield _pace(season)
    yield _moves(season)
    yield _after(season)


def _company(season: Season) -> str:
    words = {"places": season.places, "n": season.most_divisions, "size": season.division_size}
    if season.most_divisions == 1:
        company = _("Up to %(places)d players, all in one division.") % words
    else:
        company = _("Up to %(places)d players in %(n)d divisions of %(size)d.") % words
    return f"{company} " + _("From %(least)d players on it begins.") % {"least": season.least}


def _dates(season: Season) -> str:
    confirmed = season.signup_ends_at + timedelta(days=season.confirm_days)
    words = {
        "opens": day(season.opens_at),
        "ends": day(season.signup_ends_at),
        "confirmed": day(confirmed),
        "begins": day(season.begins_at),
    }
    told = _(
        "Sign-up from %(opens)s to %(ends)s; who has a place confirms it by %(confirmed)s; the first round "
        "begins on %(begins)s."
    )
    return told % words


def _tables(season: Season) -> str:
    words = {"n": season.rounds, "size": season.size}
    if season.size == 2:
        return (
            ngettext("Each plays %(n)d duel.", "Each plays %(n)d duels, one a round.", season.rounds) % words
        )
    told = ngettext(
        "Each plays %(n)d table of %(size)d.",
        "Each plays %(n)d tables of %(size)d, one a round.",
        season.rounds,
    )
    return told % words


def _sitting_out(season: Season) -> str:
    """Who has no table in a round of full divisions."""
    out = season.division_size % season.size
    told = ngettext(
        "In a full division %(n)d player sits out each round.",
        "In a full division %(n)d players sit out each round.",
        out,
    )
    return told % {"n": out} if out else ""


def _meetings(season: Season) -> str:
    others = season.division_size - 1
    most = min(others, season.rounds * (season.size - 1))
    words = {"most": most, "others": others}
    needed = rounds_for_everybody(season.division_size, season.size)
    if season.format == Season.Format.SWISS:
        return _("Whoever has scored alike meets, as far as that can be had without meeting again.")
    if most == others and season.rounds >= needed:
        return _("Everybody meets all %(others)d others of a full division.") % words
    if most == others:
        return _("Each meets nearly all of the %(others)d others in a full division.") % words
    return _("Each meets about %(most)d of the %(others)d others in a full division.") % words


def _length(season: Season) -> str:
    rounds = timedelta(days=season.rounds * season.round_days)
    extended = timedelta(days=season.rounds * season.extension_days)
    ends = season.begins_at + rounds
    words = {"days": season.round_days, "ends": day(ends), "latest": day(ends + extended)}
    lasts = ngettext("A round lasts %(days)d day.", "A round lasts %(days)d days.", season.round_days)
    told = (
        _("The season ends about %(ends)s; if tables are late in every round, about %(latest)s.")
        if season.extension_days
        else _("The season ends about %(ends)s.")
    )
    sooner = _("It ends sooner if its tables do.") if season.begins_early else ""
    return " ".join(filter(None, [lasts % words, told % words, sooner]))


def _pace(season: Season) -> str:
    """How long games of this pace last, and whether a round leaves them the time."""
    pace = str(season.terms.get("pace", ""))
    if pace not in EXPECTED_DAYS:
        return _("No clock runs at its tables: only the end of a round ends a game that does not end.")
    length = expected_length(pace, season.size)
    median, ninety = EXPECTED_DAYS[pace][season.size]
    if median > season.round_days:
        return f"{length} " + _("A round is shorter than that: most tables would be late.")
    if ninety > season.round_days + season.extension_days:
        return f"{length} " + _("A round may be too short for them: expect some tables to be late.")
    return length


def _moves(season: Season) -> str:
    if season.most_divisions == 1 or not (season.promoted or season.relegated):
        return ""
    return " ".join(rises_and_falls(season))


def _after(season: Season) -> str:
    if season.pause_days is None:
        return _("No season follows by itself.")
    told = ngettext(
        "The sign-up for the next season opens %(n)d day after its end.",
        "The sign-up for the next season opens %(n)d days after its end.",
        season.pause_days,
    )
    return told % {"n": season.pause_days}


def day(moment: datetime) -> str:
    """A day by the reader's calendar."""
    return str(date_format(localtime(moment), "DATE_FORMAT"))
