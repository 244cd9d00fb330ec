"""The state of a season and its next steps, for its organisers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.times import day
from games.leagues.models import LeagueTable, OpenSeat, Registration, Season
from games.leagues.seating import rounds_for_everybody
from games.leagues.selectors.season_summary import rises_and_falls
from games.leagues.selectors.text import BEFORE_PLAY, Date, dates_of, next_dates
from games.presenters.time_settings import EXPECTED_DAYS, expected_length


def outlook(season: Season) -> list[str]:
    """Return what follows from a season's plan, in figures.

    The season need not be saved, but its plan must be valid.
    """
    return [sentence for sentence in _sentences(season) if sentence]


def _sentences(season: Season) -> Iterator[str]:
    yield _planned_players(season)
    yield _dates(season)
    yield _planned_tables(season)
    yield _sitting_out(season)
    yield _meetings(season)
    yield _length(season)
    yield _pace(season)
    yield _moves(season)
    yield _after(season)


def _planned_players(season: Season) -> str:
    words = {"places": season.max_players, "n": season.most_divisions, "size": season.division_size}
    if season.most_divisions == 1:
        roster = _("Up to %(places)d players, all in one division.") % words
    else:
        roster = _("Up to %(places)d players in %(n)d divisions of %(size)d.") % words
    return f"{roster} " + _("From %(least)d players on it begins.") % {"least": season.min_players}


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


def _planned_tables(season: Season) -> str:
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
    """Return how many players sit out in each round of a full division; empty if none do."""
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
    """Return how long games take at this time per move, and whether a round is long enough."""
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


# # The current state and the next steps


State = Season.State
OVER = (State.CLOSED, State.CANCELLED)


@dataclass(frozen=True)
class Way:
    """A link to something that the organiser can do."""

    url: str
    words: str


@dataclass(frozen=True)
class SeasonNow:
    """An unfinished season as its organiser sees it."""

    season: Season
    sentences: list[str]
    coming: list[Date]
    ways: list[Way]
    plan: list[str]  # what follows from the plan, while it can still be changed


def season_now(season: Season, now: datetime) -> SeasonNow:
    """Return the state of a season, its upcoming dates and what the organiser can do."""
    return SeasonNow(
        season,
        list(filter(None, _how_it_stands(season))),
        next_dates(dates_of([season]), now, most=6),
        list(_ways(season)),
        outlook(season) if season.state == State.PLANNED else [],
    )


def _how_it_stands(season: Season) -> Iterator[str]:
    count = Counter(season.entries.values_list("state", flat=True))
    if season.state in BEFORE_PLAY:
        yield from _company(season, count)
        yield _invited(season)
    else:
        players = count[Registration.State.PLAYING]
        yield ngettext("%(n)d player.", "%(n)d players.", players) % {"n": players}
        yield _out(count)
        yield _tables(season)
    waiting = count[Registration.State.WAITING]
    yield (
        ngettext("%(n)d waits for a place.", "%(n)d wait for a place.", waiting) % {"n": waiting}
        if waiting
        else ""
    )
    yield _helpers(season)


def _company(season: Season, count: Counter[str]) -> Iterator[str]:
    with_place = count[Registration.State.SIGNED_UP] + count[Registration.State.CONFIRMED]
    words = {"n": with_place, "places": season.max_players, "least": season.min_players}
    yield _("%(n)d of %(places)d places are taken; at least %(least)d are needed.") % words
    if kept := count[Registration.State.EXPECTED]:
        told = ngettext("%(n)d more is kept.", "%(n)d more are kept from the season before.", kept)
        yield told % {"n": kept}
    if season.state == State.CONFIRMING:
        yield _("%(n)d have confirmed.") % {"n": count[Registration.State.CONFIRMED]}


def _invited(season: Season) -> str:
    open_ones = season.invited.filter(state="sent").count()
    told = ngettext(
        "%(n)d invitation is not answered yet.", "%(n)d invitations are not answered yet.", open_ones
    )
    return told % {"n": open_ones} if open_ones else ""


def _out(count: Counter[str]) -> str:
    out = count[Registration.State.WITHDRAWN] + count[Registration.State.EXPELLED]
    return ngettext("%(n)d has left.", "%(n)d have left.", out) % {"n": out} if out else ""


def _waiting(waiting: int) -> str:
    told = ngettext("%(n)d waits for a place.", "%(n)d wait for a place.", waiting)
    return told % {"n": waiting} if waiting else ""


def _tables(season: Season) -> str:
    running = LeagueTable.objects.filter(round__division__season=season, collected_at=None).count()
    sought = OpenSeat.objects.filter(
        table__round__division__season=season, state__in=(OpenSeat.State.OPEN, OpenSeat.State.NOBODY)
    ).count()
    told = ngettext("%(n)d table is being played.", "%(n)d tables are being played.", running) % {
        "n": running
    }
    if not sought:
        return told
    seats = ngettext("Somebody is sought for %(n)d seat.", "Somebody is sought for %(n)d seats.", sought) % {
        "n": sought
    }
    return f"{told % {'n': running}} {seats}"


def _helpers(season: Season) -> str:
    helpers = season.substitutes.filter(stopped_at=None).count()
    return (
        ngettext("%(n)d person helps out.", "%(n)d people help out.", helpers) % {"n": helpers}
        if helpers
        else ""
    )


def way_to(season: Season, name: str, words: str) -> Way:
    """Return the link to a page about this season."""
    return Way(reverse(name, args=[season.league_id, season.number]), words)


def _ways(season: Season) -> Iterator[Way]:
    """Yield what the organiser can do at this stage, the most usual first."""

    way = partial(way_to, season)

    if season.state == State.PLANNED:
        yield way("replan_season", _("Change the plan"))
        yield way("season_open", _("Open the sign-up now"))
    if season.state in BEFORE_PLAY:
        yield way("season_invite", _("Invite people"))
        yield way("season_import", _("Import players from a list"))
        yield way("season_players", _("Who is in it"))
    if season.state == State.SIGN_UP or season.short_since:
        yield way("season_longer", _("Leave the sign-up open for longer"))
    if season.short_since:
        yield way("season_fewer", _("Begin with fewer players"))
    if season.state == State.RUNNING:
        yield way("season_rulings", _("Rounds, tables and free seats"))
        yield way("season_players", _("Players, free places and who waits"))
    if season.state != State.PLANNED:
        yield way("replan_season", _("Its rules"))
    if season.state in BEFORE_PLAY:
        yield way("season_cancel", _("Call it off"))
