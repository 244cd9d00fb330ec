"""The state of a season and its next steps, for its organisers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games.leagues.models import Invitation, LeagueTable, OpenSeat, Registration, Season
from games.leagues.selectors.date_rules import least_text
from games.leagues.selectors.organiser_links import OrganiserLink, season_link
from games.leagues.selectors.organiser_lists import open_answers
from games.leagues.selectors.season_dates import Date, dates_of, next_dates
from games.leagues.selectors.season_rules import outlook
from games.leagues.services.short_seasons import shortage_of
from games.presenters.settings_text import Setting

State = Season.State


@dataclass(frozen=True)
class SeasonNow:
    """An unfinished season as its organiser sees it."""

    season: Season
    sentences: list[str]
    coming: list[Date]
    ways: list[OrganiserLink]
    plan: list[Setting]  # what follows from the plan, while it can still be changed


def season_now(season: Season, now: datetime) -> SeasonNow:
    """Return the state of a season, its upcoming dates and what the organiser can do."""
    return SeasonNow(
        season,
        list(filter(None, _state_texts(season))),
        next_dates(dates_of([season]), now, most=6),
        list(_links_of(season, now)),
        outlook(season) if season.state == State.PLANNED else [],
    )


def season_for_assistant(season: Season, now: datetime) -> SeasonNow:
    """Return the state of a season that goes on, its upcoming dates and what an assistant can do."""
    sentences = list(filter(None, _state_texts(season)))
    coming = next_dates(dates_of([season]), now, most=6)
    return SeasonNow(season, sentences, coming, list(_assistants_links_of(season)), [])


def _assistants_links_of(season: Season) -> Iterator[OrganiserLink]:
    answers = open_answers(season)
    if answers.not_answered:
        yield season_link("season_remind_invited", season, _("Remind people who haven’t answered"))
    if answers.not_confirmed:
        yield season_link("season_remind_silent", season, _("Remind players who haven’t confirmed"))
    if season.state == State.RUNNING:
        yield season_link("season_desk", season, _("Go to your desk: tables and messages"))
    yield season_link("season_write", season, _("Write to players"))


def _state_texts(season: Season) -> Iterator[str]:
    count = Counter(season.entries.values_list("state", flat=True))
    if season.state in Season.BEFORE_PLAY:
        yield from _place_texts(season, count)
        yield _invitations_text(season)
    else:
        players = count[Registration.State.PLAYING]
        yield ngettext("%(n)d player is playing.", "%(n)d players are playing.", players) % {"n": players}
        yield _gone_text(count)
        yield from _table_texts(season)
    yield _waiting_text(count[Registration.State.WAITING])
    yield _substitutes_text(season)


def _place_texts(season: Season, count: Counter[str]) -> Iterator[str]:
    with_place = count[Registration.State.SIGNED_UP] + count[Registration.State.CONFIRMED]
    words = {"n": with_place, "places": season.max_players, "least": season.min_players}
    yield _("Places taken: %(n)d of %(places)d.") % words
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


def _invitations_text(season: Season) -> str:
    open_ones = season.invited.filter(state=Invitation.State.SENT).count()
    text = ngettext("%(n)d invitation is unanswered.", "%(n)d invitations are unanswered.", open_ones)
    return text % {"n": open_ones} if open_ones else ""


def _gone_text(count: Counter[str]) -> str:
    out = count[Registration.State.WITHDRAWN] + count[Registration.State.EXPELLED]
    return ngettext("%(n)d player has left.", "%(n)d players have left.", out) % {"n": out} if out else ""


def _waiting_text(waiting: int) -> str:
    text = ngettext("%(n)d player is on the waiting list.", "%(n)d players are on the waiting list.", waiting)
    return text % {"n": waiting} if waiting else ""


def _table_texts(season: Season) -> Iterator[str]:
    running = LeagueTable.objects.running().filter(round__division__season=season).count()
    text = ngettext("%(n)d table is in progress.", "%(n)d tables are in progress.", running)
    yield text % {"n": running}
    sought = OpenSeat.objects.filter(table__round__division__season=season, state__in=OpenSeat.SOUGHT).count()
    if sought:
        seats = ngettext("%(n)d seat needs a substitute.", "%(n)d seats need a substitute.", sought)
        yield seats % {"n": sought}


def _substitutes_text(season: Season) -> str:
    helpers = season.substitutes.filter(stopped_at=None).count()
    text = ngettext("There is %(n)d substitute.", "There are %(n)d substitutes.", helpers)
    return text % {"n": helpers} if helpers else ""


def _links_of(season: Season, now: datetime) -> Iterator[OrganiserLink]:
    """Yield what the organiser can do at this stage, the most usual first."""

    def way(name: str, words: str) -> OrganiserLink:
        return season_link(name, season, words)

    if season.state == State.PLANNED:
        yield way("replan_season", _("Change the plan"))
        yield way("season_open", _("Open sign-up now"))
    if season.state in Season.BEFORE_PLAY:
        yield way("season_invite", _("Invite people"))
        yield way("season_players", _("See the players"))
    short = shortage_of(season, now)
    if short is not None and short.can_begin:
        yield way("season_fewer", _("Begin with fewer players"))
    if season.state == State.RUNNING:
        yield way("season_desk", _("Go to your desk: tables, free seats and messages"))
        yield way("season_players", _("Manage players and the waiting list"))
    if season.state != State.PLANNED:
        yield way("replan_season", _("Change places, dates or lengths"))
    if season.state in Season.BEFORE_PLAY:
        yield way("season_cancel", _("Cancel the season"))
