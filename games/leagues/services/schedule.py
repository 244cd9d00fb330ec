"""When a season has something to do by date.

Every service that changes a date or a state reschedules the season. The tick looks at nothing else, and
reschedules a season in which it found nothing to do.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q

from accounts import clock
from accounts.availability import hours_of_person
from accounts.models import User
from accounts.working_hours import Hours
from games.leagues.models import LeagueTable, MissedRound, Registration, Round, Season
from games.leagues.services.chase_times import reminder_at
from games.leagues.services.finals import next_final
from games.leagues.services.locks import locked_season
from games.leagues.services.make_ups import next_make_up_at
from games.leagues.services.outage_time import lost_since
from games.leagues.services.ready_tables import ready_tables, round_to_draw

SHORT_LASTS = timedelta(days=30)  # until a season with too few players is cancelled


def reschedule(season: Season) -> None:
    """Store when the tick should next look at this season; the caller holds its lock."""
    season.next_action_at = next_action_at(season)
    season.save(update_fields=["next_action_at"])


@transaction.atomic
def reschedule_if_due(season: Season, now: datetime) -> None:
    """Reschedule a season that is still due after the tick has looked at it, under its lock.

    Otherwise a season that was due for nothing would be looked at in every tick.
    """
    season = locked_season(season)
    if season.next_action_at is not None and season.next_action_at <= now:
        reschedule(season)


def next_action_at(season: Season) -> datetime | None:
    """Return the earliest moment at which something is due by date, possibly in the past; None for never."""
    match season.state:
        case Season.State.PLANNED:
            return season.opens_at
        case Season.State.SIGN_UP:
            return min(season.signup_ends_at, reminder_at(season) or season.signup_ends_at)
        case Season.State.CONFIRMING:
            return min(draws_at(season), reminds_at(season))
        case Season.State.RUNNING:
            return _first_moment_of_tables(season)
    return None


def is_full(season: Season) -> bool:
    """Return whether as many have signed up as can play."""
    taking = (Registration.State.SIGNED_UP, Registration.State.CONFIRMED)
    return season.entries.filter(state__in=taking).count() >= season.max_players


def is_prolonged(season: Season) -> bool:
    """Return whether the sign-up was extended after players had been asked to confirm."""
    return season.asked_at is not None and season.signup_ends_at > season.asked_at


def draws_at(season: Season) -> datetime:
    """Return when the time to confirm ends; a past moment if all players have confirmed.

    Once the sign-up has been extended, return its end.
    """
    if is_prolonged(season) and not is_full(season):
        last = [season.short_since + SHORT_LASTS] if season.short_since else []
        return min([season.signup_ends_at, *last])
    if season.entries.filter(state=Registration.State.SIGNED_UP).exists():
        return answers_by(season)
    return season.asked_at or season.signup_ends_at


def answers_by(season: Season) -> datetime:
    """Return the deadline to confirm: the season's days after its players were asked, plus outages."""
    asked_at = season.asked_at or season.signup_ends_at
    return asked_at + timedelta(days=season.confirm_days) + lost_since(asked_at)


def reminds_at(season: Season) -> datetime:
    """Return when players who have not confirmed are reminded: a day before the deadline.

    Once they were, or the sign-up has been extended, return the moment of the draw.
    """
    if season.reminded_at or is_prolonged(season):
        return draws_at(season)
    return answers_by(season) - timedelta(days=1)


def _first_moment_of_tables(season: Season) -> datetime | None:
    """Return the first due moment of any table; the season's start if something can be done at once."""
    if season.league.is_paused(clock.now()):
        return season.league.paused_until
    divisions = list(season.divisions.all())
    for division in divisions:
        division.season = season
    if is_played(season):
        final = next_final(season, clock.now())
        return final.at if final else season.begins_at
    if any(round_to_draw(division) for division in divisions):
        return season.begins_at
    running = LeagueTable.objects.running().filter(round__division__season=season)
    due = [moment for row in running for moment in moments(season, row)]
    due += [one.due for division in divisions for one in ready_tables(division)]
    return min([*due, *next_make_up_at(divisions)], default=None)


def moments(season: Season, row: LeagueTable) -> Iterator[datetime]:
    """Yield when a running table is due to be reminded, extended or adjudicated."""
    if row.reminded_at is None:
        yield row.deadline - timedelta(days=season.remind_days)
    if late_rule(season) != Season.Late.ORGANISER or (season.extension_days and not row.is_extended):
        yield row.deadline


def late_rule(season: Season) -> str:
    """Return the season's rule for late tables; without an organiser to decide, most regions win."""
    if season.late == Season.Late.ORGANISER and not season.league.organisers.exists():
        return Season.Late.REGIONS
    return season.late


def is_played(season: Season) -> bool:
    """Return whether all rounds are drawn, all their tables counted, and none is to be made up."""
    undrawn = Round.objects.filter(division__season=season, draw__isnull=True)
    open_tables = LeagueTable.objects.filter(round__division__season=season, collected_at=None)
    if undrawn.exists() or open_tables.exists():
        return False
    divisions = list(season.divisions.all())
    for division in divisions:
        division.season = season
    return not next_make_up_at(divisions)


def recheck_waiting_seasons(user: User, hours_before: Hours, now: datetime, **_: object) -> None:
    """Have the seasons that may wait for this player looked at again, if their holidays have changed."""
    if hours_of_person(user).holidays != hours_before.holidays:
        playing = Registration.objects.filter(user=user, state=Registration.State.PLAYING)
        seasons = Season.objects.filter(state=Season.State.RUNNING, entries__in=playing)
        waiting = LeagueTable.objects.planned().filter(waits_since__isnull=False)
        missed = MissedRound.objects.filter(entry__in=playing, make_up=None)
        may_wait = Q(divisions__rounds__tables__in=waiting) | Q(divisions__rounds__missed__in=missed)
        may_wait |= ~Q(final=Season.Final.NONE)
        seasons.filter(pk__in=seasons.filter(may_wait).values("pk")).update(next_action_at=now)
