"""From the end of the sign-up to the first round: players confirm, and the divisions are drawn."""

from __future__ import annotations

import secrets
from collections import Counter
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts import clock
from accounts.mail.outbox import queue
from accounts.models import User
from games.leagues.models import AuditEvent, Division, Registration, Round, Season, Standing
from games.leagues.scoring.division_sizes import Candidate, divided, division_sizes
from games.leagues.services.audit_log import notify, record_event
from games.leagues.services.cancellation import cancel
from games.leagues.services.league_texts import cleaned_reason
from games.leagues.services.locks import locked_season
from games.leagues.services.outage_time import is_watched
from games.leagues.services.permissions import require_organiser
from games.leagues.services.registration import move_up, replace_silent, take_out
from games.leagues.services.schedule import SHORT_LASTS, draws_at, reminds_at, reschedule
from games.leagues.services.season_changes import change_season
from games.leagues.services.short_seasons import Shortage, shortage_of
from games.services import Refused

A_WEEK = timedelta(days=7)
ASKED = (Registration.State.SIGNED_UP, Registration.State.WAITING)
WITH_PLACE = (Registration.State.SIGNED_UP, Registration.State.CONFIRMED)


@transaction.atomic
def close_sign_up(season: Season, now: datetime) -> bool:
    """End the sign-up, by date or when full, and ask everyone, also those who wait, to confirm.

    Places reserved for people who have not signed up go to the waiting list.
    Return whether this call ended it.
    """
    season = locked_season(season)
    if season.state != Season.State.SIGN_UP or season.signup_ends_at > now:
        return False
    for entry in season.entries.filter(state=Registration.State.EXPECTED):
        take_out(entry, Registration.State.NO_SHOW, now)
    season.state, season.asked_at = Season.State.CONFIRMING, now
    season.signup_ends_at = min(season.signup_ends_at, now)
    season.begins_at = max(season.begins_at, season.confirm_by)
    season.save(update_fields=["state", "asked_at", "signup_ends_at", "begins_at"])
    moved = move_up(season, now)  # they are asked in the email that gives them the place
    asked = season.entries.filter(state__in=ASKED).exclude(pk__in=[entry.pk for entry in moved])
    for entry in asked.select_related("user"):
        queue("league_confirm", to=entry.user, key=f"league_confirm:{entry.pk}", context={"entry": entry.pk})
    record_event(AuditEvent.Kind.ASKED, season, None)
    reschedule(season)
    return True


@transaction.atomic
def draw(season: Season, now: datetime) -> bool:
    """Draw the divisions and start the season, once all have confirmed or run out of time.

    Players who have not confirmed are reminded once. Then they lose their place only if someone who waits
    has confirmed. With too few players the sign-up stays open another week at a time.
    After a month the season is cancelled. Return whether this call made the draw.
    """
    season = locked_season(season)
    if season.state != Season.State.CONFIRMING or not is_watched(now):
        return False
    if now < draws_at(season):
        _remind_silent(season, now)
        reschedule(season)
        return False
    _settle_places(season, now)
    return _begin_or_wait(season, now)


@transaction.atomic
def begin_with_fewer(season: Season, by: User, reason: str) -> Season:
    """Draw with the players there are, although the season asked for more.

    Before the season should begin, it only lowers the number of players that it needs.
    Raises Refused for fewer than fill a table, and when there is nothing for an organiser to decide.
    """
    season = locked_season(season)
    require_organiser(season.league, by)
    short = shortage_of(season, clock.now())
    if short is None:
        raise Refused(_("This season is not waiting for a decision about its start."))
    entries = _players_with_place(season)
    if len(entries) < season.size:
        raise Refused(
            ngettext("A table needs %(size)d player.", "A table needs %(size)d players.", season.size)
            % {"size": season.size}
        )
    if short.stage != Shortage.WAITING:
        return change_season(season, by, reason=reason, min_players=len(entries))
    season.min_players = min(season.min_players, len(entries))
    season.save(update_fields=["min_players"])
    _begin_season(season, entries, clock.now(), by=by, reason=cleaned_reason(reason))
    return season


def _remind_silent(season: Season, now: datetime) -> None:
    """Remind players who have a place and have not confirmed it, once."""
    if now < reminds_at(season):
        return
    season.reminded_at = now
    season.save(update_fields=["reminded_at"])
    for entry in season.entries.filter(state=Registration.State.SIGNED_UP).select_related("user"):
        context = {"entry": entry.pk, "again": True}
        queue("league_confirm", to=entry.user, key=f"league_confirm:{entry.pk}:again", context=context)


def _settle_places(season: Season, now: datetime) -> None:
    """Free the places of closed accounts; silent players give way to people who wait and have confirmed."""
    for entry in season.entries.filter(state__in=WITH_PLACE, user__is_active=False):
        take_out(entry, Registration.State.LEFT, now)
    move_up(season, now)
    replace_silent(season, now)


def _begin_or_wait(season: Season, now: datetime) -> bool:
    entries = _players_with_place(season)
    if len(entries) < max(season.min_players, season.size):
        _wait_for_more(season, now)
        return False
    _begin_season(season, entries, now)
    return True


def _players_with_place(season: Season) -> list[Registration]:
    here = {"user__is_active": True, "user__deleted_at": None}
    return list(season.entries.filter(state__in=WITH_PLACE, **here).select_related("user"))


def _wait_for_more(season: Season, now: datetime) -> None:
    """Keep a season with too few players open, a week at a time for a month, unless an organiser decides."""
    if season.short_since is None:
        season.short_since = now
    if now >= season.short_since + SHORT_LASTS:
        cancel(season, None, why=AuditEvent.TOO_FEW)
        return
    until = now + A_WEEK
    _prolong(season, until)
    season.save(update_fields=["short_since"])
    facts = {"until": until.isoformat(), "why": AuditEvent.TOO_FEW}
    record_event(AuditEvent.Kind.SIGN_UP_LONGER, season, None, facts=facts)
    reschedule(season)


def _prolong(season: Season, until: datetime) -> None:
    """Set the end of the sign-up and leave players time to confirm before the season begins."""
    days = 0 if season.state == Season.State.CONFIRMING else season.confirm_days
    season.signup_ends_at = until
    season.begins_at = max(season.begins_at, until + timedelta(days=days))
    season.save(update_fields=["signup_ends_at", "begins_at"])


def _begin_season(
    season: Season, entries: list[Registration], now: datetime, *, by: User | None = None, reason: str = ""
) -> None:
    season.begins_at = max(season.begins_at, now)
    season.seed, season.short_since = secrets.token_hex(32), None
    season.state = Season.State.RUNNING
    season.save(update_fields=["begins_at", "seed", "short_since", "state"])
    for level, players in enumerate(_drawn(season, entries), 1):
        division = Division.objects.create(season=season, level=level)
        playing = {"state": Registration.State.PLAYING, "division": division}
        Registration.objects.filter(pk__in=players).update(**playing)
        numbers = range(1, season.rounds + 1)
        Round.objects.bulk_create([Round(division=division, number=number) for number in numbers])
    record_event(AuditEvent.Kind.DRAWN, season, by, facts={"seed": season.seed}, reason=reason)
    for entry in entries:
        notify("league_begins", to=entry.user, key=f"league_begins:{entry.pk}", context={"entry": entry.pk})
    reschedule(season)


def _drawn(season: Season, entries: list[Registration]) -> tuple[tuple[int, ...], ...]:
    relegated = _relegated(season)
    kept = Counter(entry.reserved for entry in entries)
    sizes = division_sizes(
        len(entries),
        table=season.size,
        largest=season.division_size,
        most=season.most_divisions,
        kept=[kept[level] for level in range(1, season.most_divisions + 1)],
    )
    claims = sorted(entries, key=lambda entry: (entry.seeding, entry.registered_at, entry.pk))
    candidates = [Candidate(one.pk, one.reserved, one.user_id in relegated) for one in claims]
    return divided(candidates, sizes)


def _relegated(season: Season) -> set[int]:
    """Return the IDs of players relegated after the season before."""
    last = season.league.seasons.filter(state=Season.State.CLOSED, number__lt=season.number).last()
    sent_down = Standing.objects.filter(division__season=last, next_level__gt=F("division__level"))
    return set(sent_down.values_list("entry__user_id", flat=True)) if last else set()
