"""The course of a season in words: its dates, late tables, who leaves and who helps, and what follows."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games.leagues.models import Season


def at(moment: datetime) -> str:
    """A date and time by the reader's clock."""
    return date_format(localtime(moment), "DATETIME_FORMAT")


def dates_told(season: Season) -> Iterator[str]:
    """When it is signed up for, confirmed and played."""
    words = {"opens": at(season.opens_at), "ends": at(season.signup_ends_at), "begins": at(season.begins_at)}
    yield _("Sign-up is open from %(opens)s to %(ends)s.") % words
    if season.closes_when_full:
        yield _("It ends at once when all places are taken.")
    yield _confirming(season)
    yield _("The first round begins on %(begins)s.") % words
    yield _least(season)
    yield from _each_round(season)


def _confirming(season: Season) -> str:
    told = ngettext(
        "Then everybody who has a place is asked by letter to confirm it, and has %(n)d day to do so. Who "
        "does not loses the place to whoever waits.",
        "Then everybody who has a place is asked by letter to confirm it, and has %(n)d days to do so. Who "
        "does not loses the place to whoever waits.",
        season.confirm_days,
    )
    return told % {"n": season.confirm_days}


def _least(season: Season) -> str:
    told = ngettext(
        "With fewer than %(n)d player it does not begin.",
        "With fewer than %(n)d players it does not begin.",
        season.least,
    )
    return told % {"n": season.least}


def _each_round(season: Season) -> Iterator[str]:
    days = ngettext("A round has %(n)d day.", "A round has %(n)d days.", season.round_days)
    yield days % {"n": season.round_days}
    if season.rounds > 1:
        yield (
            _("The next one begins as soon as the one before is over.")
            if season.begins_early
            else _("The next one begins on its day, or when the one before is over if that is later.")
        )


def late_told(season: Season) -> Iterator[str]:
    """What becomes of a table that is not over in time."""
    if season.remind_days:
        told = ngettext(
            "%(n)d day before a round ends, whoever is asked at a table that still plays is reminded.",
            "%(n)d days before a round ends, whoever is asked at a table that still plays is reminded.",
            season.remind_days,
        )
        yield told % {"n": season.remind_days}
    if season.extension_days:
        told = ngettext(
            "If a table still plays when the round ends, it gets %(n)d day more, once.",
            "If a table still plays when the round ends, it gets %(n)d days more, once.",
            season.extension_days,
        )
        yield told % {"n": season.extension_days}
    yield {
        Season.Late.REGIONS: _(
            "A table that is late even so is adjudicated: the players with most regions win, or nobody, if "
            "nobody holds a region."
        ),
        Season.Late.NOBODY: _("A table that is late even so is adjudicated: nobody wins."),
        Season.Late.ORGANISER: _("At a table that is late even so an organiser decides, with his reason."),
    }[Season.Late(season.late)]
    if season.scoring == Season.Scoring.PLACEMENT:
        yield _("Where nobody wins, all players of the table share the points of all places equally.")


def leaving_told(season: Season) -> Iterator[str]:
    """What becomes of a seat that is left, and of its points."""
    yield _(
        "Whoever cannot go on may withdraw at any time. He is marked as withdrawn, and stands after all who "
        "stay."
    )
    yield _(
        "The seat of somebody who leaves or stays away is offered to those who have said that they help, in "
        "their order; until one takes it a bot plays. Whoever takes it gets the hand, the notes left for him "
        "and a whole reserve of time."
    )
    hours = ngettext(
        "Each has %(n)d hour to answer; silence is a no.",
        "Each has %(n)d hours to answer; silence is a no.",
        season.ask_hours,
    )
    yield hours % {"n": season.ask_hours}
    yield {
        Season.Split.SHARE: _(
            "Points of a seat that changed hands are shared by the turns that each held it; "
            "what falls to a bot is lost."
        ),
        Season.Split.STARTER: _("Points of a seat that changed hands all go to whoever began in it."),
        Season.Split.FINISHER: _("Points of a seat that changed hands all go to whoever held it last."),
    }[Season.Split(season.split)]
    yield _("What a helper earns is listed beside the standings, and changes nothing in his own place.")
    if season.fills_gaps:
        yield _("The place of somebody who left goes to whoever waits, from the next round on.")


def after_told(season: Season) -> Iterator[str]:
    """What follows when the season is over."""
    if season.most_divisions > 1:
        yield from rises_and_falls(season)
    if season.pause_days is not None:
        told = ngettext(
            "Sign-up for the next season opens %(n)d day after the end; until it ends, places are kept for "
            "those who played.",
            "Sign-up for the next season opens %(n)d days after the end; until it ends, places are kept for "
            "those who played.",
            season.pause_days,
        )
        yield told % {"n": season.pause_days}
    if season.is_rated and not season.league.is_private:
        yield _("Games count for the players' ratings.")
    else:
        yield _("Games count for no ratings.")


def moving_told(season: Season, level: int) -> list[str]:
    """Who of a division goes up and down when the season is over."""
    told = []
    if level > 1 and season.promoted:
        first = ngettext("The first goes up.", "The first %(n)d go up.", season.promoted)
        told.append(_filled(first, season.promoted))
    if level < season.most_divisions and season.relegated:
        last = ngettext("The last goes down.", "The last %(n)d go down.", season.relegated)
        told.append(_filled(last, season.relegated))
    return told


def _filled(told: str, number: int) -> str:
    """The sentence with its number, if it names it."""
    return told % {"n": number} if "%(n)d" in told else told


def rises_and_falls(season: Season) -> Iterator[str]:
    """How many of each division go up and down when the season is over."""
    for number, told in (
        (
            season.promoted,
            ngettext(
                "The first of each lower division goes up.",
                "The first %(n)d of each lower division go up.",
                season.promoted,
            ),
        ),
        (
            season.relegated,
            ngettext(
                "The last of each higher division goes down.",
                "The last %(n)d of each higher division go down.",
                season.relegated,
            ),
        ),
    ):
        if number:
            yield _filled(told, number)
