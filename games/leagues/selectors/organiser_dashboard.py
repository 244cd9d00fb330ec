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

from accounts.times import day_element, with_times
from games.leagues.models import LeagueTable, OpenSeat, Registration, Season
from games.leagues.seating import rounds_for_everybody, table_sizes
from games.leagues.selectors.season_rules import (
    after_season_rules,
    date_rules,
    least_text,
    rounds_and_tables,
    size_rules,
    table_days_text,
)
from games.leagues.selectors.text import Date, dates_of, next_dates
from games.presenters.time_settings import EXPECTED_DAYS, expected_length


def outlook(season: Season) -> list[str]:
    """Return what follows from a season's plan, in figures.

    The season need not be saved, but its plan must be valid.
    """
    return [sentence for sentence in _sentences(season) if sentence]


def effort(season: Season) -> list[str]:
    """Return what a season asks of its players: when it begins, its rounds and how long it lasts."""
    # Translators: begins is a date
    begins = with_times(_("The first round begins on %(begins)s."), {"begins": day_element(season.begins_at)})
    return [begins, *rounds_and_tables(season), table_days_text(season), *_length(season)]


def _sentences(season: Season) -> Iterator[str]:
    yield from size_rules(season)
    yield from date_rules(season)
    yield _meetings(season)
    yield from _length(season)
    yield from _pace(season)
    yield from after_season_rules(season)


def _meetings(season: Season) -> str:
    others = season.division_size - 1
    sizes = table_sizes(season.division_size, season.size)
    most = min(others, season.rounds * sum(size * (size - 1) for size in sizes) // season.division_size)
    words = {"most": most, "others": others}
    needed = rounds_for_everybody(season.division_size, season.size)
    if season.format == Season.Format.SWISS:
        return _("Players with similar scores meet, and pairs meet again as rarely as possible.")
    if most == others and season.rounds >= needed:
        text = ngettext(
            "In a full division, everyone meets %(others)d other player: all of them.",
            "In a full division, everyone meets all %(others)d other players.",
            others,
        )
    elif most == others:
        text = ngettext(
            "In a full division, everyone meets nearly all of %(others)d other player.",
            "In a full division, everyone meets nearly all of the %(others)d other players.",
            others,
        )
    else:
        text = ngettext(
            "In a full division, everyone meets about %(most)d of %(others)d other player.",
            "In a full division, everyone meets about %(most)d of the %(others)d other players.",
            others,
        )
    return text % words


def _length(season: Season) -> Iterator[str]:
    rounds = timedelta(days=season.rounds * season.table_days)
    extended = timedelta(days=season.rounds * season.extension_days)
    ends = season.begins_at + rounds
    words = {"ends": day_element(ends), "latest": day_element(ends + extended)}
    # Translators: ends is a date
    yield with_times(_("The season ends around %(ends)s."), words)
    if season.extension_days:
        # Translators: latest is a date
        yield with_times(_("If tables are late in every round, it ends around %(latest)s."), words)
    if season.begins_early:
        yield _("It ends sooner if all tables finish early.")


def _pace(season: Season) -> Iterator[str]:
    """Yield how long games take at this time per move, and whether a round is long enough."""
    pace = str(season.terms.get("pace", ""))
    if pace not in EXPECTED_DAYS:
        yield _(
            "There is no time limit per move, so only the end of a round ends a game that does not finish."
        )
        return
    largest = max(table_sizes(season.division_size, season.size), default=season.size)
    yield expected_length(pace, largest)
    median, ninety = EXPECTED_DAYS[pace][largest]
    if median > season.table_days:
        yield _("A round is shorter than that, so most tables would be late.")
    elif ninety > season.table_days + season.extension_days:
        yield _("A round may be too short for that, so expect some late tables.")


# The current state and the next steps


State = Season.State


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
    if season.state in Season.BEFORE_PLAY:
        yield from _places(season, count)
        yield _invited(season)
    else:
        players = count[Registration.State.PLAYING]
        yield ngettext("%(n)d player is playing.", "%(n)d players are playing.", players) % {"n": players}
        yield _out(count)
        yield from _tables(season)
    yield _waiting(count[Registration.State.WAITING])
    yield _helpers(season)


def _places(season: Season, count: Counter[str]) -> Iterator[str]:
    with_place = count[Registration.State.SIGNED_UP] + count[Registration.State.CONFIRMED]
    words = {"n": with_place, "places": season.max_players, "least": season.min_players}
    taken = ngettext(
        "%(n)d of %(places)d place is taken.", "%(n)d of %(places)d places are taken.", season.max_players
    )
    yield taken % words
    yield least_text(season)
    if kept := count[Registration.State.EXPECTED]:
        text = ngettext(
            "%(n)d more place is reserved for a player of the last season.",
            "%(n)d more places are reserved for players of the last season.",
            kept,
        )
        yield text % {"n": kept}
    if season.state == State.CONFIRMING:
        confirmed = count[Registration.State.CONFIRMED]
        text = ngettext("%(n)d player has confirmed.", "%(n)d players have confirmed.", confirmed)
        yield text % {"n": confirmed}


def _invited(season: Season) -> str:
    open_ones = season.invited.filter(state="sent").count()
    text = ngettext("%(n)d invitation is unanswered.", "%(n)d invitations are unanswered.", open_ones)
    return text % {"n": open_ones} if open_ones else ""


def _out(count: Counter[str]) -> str:
    out = count[Registration.State.WITHDRAWN] + count[Registration.State.EXPELLED]
    return ngettext("%(n)d player has left.", "%(n)d players have left.", out) % {"n": out} if out else ""


def _waiting(waiting: int) -> str:
    text = ngettext("%(n)d player is on the waiting list.", "%(n)d players are on the waiting list.", waiting)
    return text % {"n": waiting} if waiting else ""


def _tables(season: Season) -> Iterator[str]:
    running = LeagueTable.objects.filter(round__division__season=season, collected_at=None).count()
    text = ngettext("%(n)d table is in progress.", "%(n)d tables are in progress.", running)
    yield text % {"n": running}
    sought = OpenSeat.objects.filter(table__round__division__season=season, state__in=OpenSeat.SOUGHT).count()
    if sought:
        seats = ngettext("%(n)d seat needs a substitute.", "%(n)d seats need a substitute.", sought)
        yield seats % {"n": sought}


def _helpers(season: Season) -> str:
    helpers = season.substitutes.filter(stopped_at=None).count()
    text = ngettext("There is %(n)d substitute.", "There are %(n)d substitutes.", helpers)
    return text % {"n": helpers} if helpers else ""


def way_to(season: Season, name: str, words: str) -> Way:
    """Return the link to a page about this season."""
    return Way(reverse(name, args=[season.league_id, season.number]), words)


def _ways(season: Season) -> Iterator[Way]:
    """Yield what the organiser can do at this stage, the most usual first."""

    way = partial(way_to, season)

    if season.state == State.PLANNED:
        yield way("replan_season", _("Change the plan"))
        yield way("season_open", _("Open sign-up now"))
    if season.state in Season.BEFORE_PLAY:
        yield way("season_invite", _("Invite people"))
        yield way("season_players", _("See the players"))
    if season.state == State.SIGN_UP or season.short_since:
        yield way("season_longer", _("Extend sign-up"))
    if season.short_since:
        yield way("season_fewer", _("Begin with fewer players"))
    if season.state == State.RUNNING:
        yield way("season_rulings", _("Manage rounds, tables and free seats"))
        yield way("season_players", _("Manage players and the waiting list"))
    if season.state in Season.BEFORE_PLAY:
        yield way("season_cancel", _("Cancel the season"))
