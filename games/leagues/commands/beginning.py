"""How a season begins: its sign-up ends, its players confirm, divisions are drawn and rounds planned."""

from __future__ import annotations

import secrets
from collections import Counter
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _

from accounts import present
from accounts.models import User
from accounts.post.outbox import queue
from games.commands import Refused
from games.leagues.commands.deeds import write_down
from games.leagues.commands.dividing import Candidate, divided, division_sizes
from games.leagues.commands.locking import locked_season
from games.leagues.commands.looking import SHORT_LASTS, answers_by, draws_at, is_full, put_off
from games.leagues.commands.opening import call_off, prolong
from games.leagues.commands.outages import is_watched
from games.leagues.commands.people import require_organiser
from games.leagues.commands.signing_up import ask_to_confirm, calls_up, move_up, take_out
from games.leagues.commands.telling import tell
from games.leagues.commands.words import cleaned_reason
from games.leagues.models import Deed, Division, Entry, Round, Season, Standing

A_WEEK = timedelta(days=7)


@transaction.atomic
def close_sign_up(season: Season, now: datetime) -> bool:
    """The sign-up ends, by date or because all places are taken: everybody with a place is asked to confirm.

    Places kept for people who have not signed up go to those who wait. Whether it was this call that did it.
    """
    season = locked_season(season)
    if season.state != Season.State.SIGN_UP or not _is_over(season, now):
        return False
    for entry in season.entries.filter(state=Entry.State.EXPECTED):
        take_out(entry, Entry.State.DROPPED, now)
    season.state, season.asked_at = Season.State.CONFIRMING, now
    season.signup_ends_at = min(season.signup_ends_at, now)
    season.begins_at = max(season.begins_at, season.confirm_by)
    season.save(update_fields=["state", "asked_at", "signup_ends_at", "begins_at"])
    for entry in season.entries.filter(state=Entry.State.SIGNED_UP).select_related("user"):
        ask_to_confirm(entry, now)
    move_up(season, now)
    write_down(Deed.Kind.ASKED, season, None)
    put_off(season)
    return True


def _is_over(season: Season, now: datetime) -> bool:
    return season.signup_ends_at <= now or (season.closes_when_full and is_full(season))


@transaction.atomic
def draw(season: Season, now: datetime) -> bool:
    """When all have confirmed or had their days: divisions are drawn, and the season runs.

    Who has not confirmed is out, and those who wait are asked in his place, once. With too few the sign-up
    stays open for another week, and after a month the season is called off. Whether this call drew.
    """
    season = locked_season(season)
    if season.state != Season.State.CONFIRMING or not is_watched(now):
        return False
    if now < draws_at(season):
        put_off(season)
        return False
    _drop_silent(season, now)
    if season.entries.filter(state=Entry.State.SIGNED_UP).exists():
        put_off(season)
        return False
    return _begin_or_wait(season, now)


@transaction.atomic
def begin_with_fewer(season: Season, by: User, reason: str) -> Season:
    """Draw with those who have confirmed, although the season asked for more. Raises Refused for fewer than
    fill a table, and where it is not for an organiser to decide."""
    season = locked_season(season)
    require_organiser(season.league, by)
    if season.state != Season.State.CONFIRMING or season.short_since is None:
        raise Refused(_("Nobody has to decide how this season begins."))
    entries = _confirmed(season)
    if len(entries) < season.size:
        raise Refused(_("A table needs %(size)d players.") % {"size": season.size})
    season.least = min(season.least, len(entries))
    season.save(update_fields=["least"])
    _begin(season, entries, present.now(), by=by, reason=cleaned_reason(reason))
    return season


def _drop_silent(season: Season, now: datetime) -> None:
    """Whoever has had his days to confirm, and whoever has closed his account."""
    may_call = calls_up(season, now)
    for entry in season.entries.filter(state=Entry.State.SIGNED_UP).select_related("user"):
        if entry.asked_at is not None and answers_by(season, entry.asked_at) <= now:
            take_out(entry, Entry.State.DROPPED, now)
            key = f"league_dropped:{entry.pk}:{entry.asked_at.isoformat()}"
            queue("league_dropped", to=entry.user, key=key, about={"entry": entry.pk})
    for entry in season.entries.filter(state=Entry.State.CONFIRMED, user__is_active=False):
        take_out(entry, Entry.State.LEFT, now)
    if may_call:
        move_up(season, now)


def _begin_or_wait(season: Season, now: datetime) -> bool:
    entries = _confirmed(season)
    if len(entries) < max(season.least, season.size):
        _wait_for_more(season, now)
        return False
    _begin(season, entries, now)
    return True


def _confirmed(season: Season) -> list[Entry]:
    here = {"user__is_active": True, "user__deleted_at": None}
    return list(season.entries.filter(state=Entry.State.CONFIRMED, **here).select_related("user"))


def _wait_for_more(season: Season, now: datetime) -> None:
    """Too few: an organiser decides; until he does, the sign-up stays open a week at a time, for a month."""
    if season.short_since is None:
        season.short_since = now
        _tell_organisers(season)
    if now >= season.short_since + SHORT_LASTS:
        call_off(season, None, why=Deed.TOO_FEW)
        return
    until = now + A_WEEK
    prolong(season, until)
    season.save(update_fields=["short_since"])
    facts = {"until": until.isoformat(), "why": Deed.TOO_FEW}
    write_down(Deed.Kind.SIGN_UP_LONGER, season, None, facts=facts)
    put_off(season)


def _tell_organisers(season: Season) -> None:
    for organiser in season.league.organisers.select_related("user"):
        key = f"league_needs:short:{season.pk}:{season.short_since:%Y-%m-%d}:{organiser.user_id}"
        queue("league_needs", to=organiser.user, key=key, about={"season": season.pk})


def _begin(
    season: Season, entries: list[Entry], now: datetime, *, by: User | None = None, reason: str = ""
) -> None:
    season.begins_at = max(season.begins_at, now)
    season.seed, season.short_since = secrets.token_hex(32), None
    season.state = Season.State.RUNNING
    season.save(update_fields=["begins_at", "seed", "short_since", "state"])
    for level, players in enumerate(_drawn(season, entries), 1):
        division = Division.objects.create(season=season, level=level)
        playing = {"state": Entry.State.PLAYING, "division": division}
        Entry.objects.filter(pk__in=players).update(**playing)
        Round.objects.bulk_create(_rounds(division))
    write_down(Deed.Kind.DRAWN, season, by, facts={"seed": season.seed}, reason=reason)
    for entry in entries:
        tell("league_begins", to=entry.user, key=f"league_begins:{entry.pk}", about={"entry": entry.pk})
    put_off(season)


def _drawn(season: Season, entries: list[Entry]) -> tuple[tuple[int, ...], ...]:
    relegated = _relegated(season)
    kept = Counter(entry.reserved for entry in entries)
    sizes = division_sizes(
        len(entries),
        table=season.size,
        largest=season.division_size,
        most=season.most_divisions,
        kept=[kept[level] for level in range(1, season.most_divisions + 1)],
    )
    claims = sorted(entries, key=lambda entry: (entry.seeding, entry.signed_at, entry.pk))
    candidates = [Candidate(one.pk, one.reserved, one.user_id in relegated) for one in claims]
    return divided(candidates, sizes)


def _relegated(season: Season) -> set[int]:
    """Who was sent down after the season before."""
    last = season.league.seasons.filter(state=Season.State.CLOSED, number__lt=season.number).last()
    sent_down = Standing.objects.filter(division__season=last, next_level__gt=F("division__level"))
    return set(sent_down.values_list("entry__user_id", flat=True)) if last else set()


def _rounds(division: Division) -> list[Round]:
    season = division.season
    length = timedelta(days=season.round_days)
    return [
        Round(
            division=division,
            number=number,
            starts_at=season.begins_at + length * (number - 1),
            ends_at=season.begins_at + length * number,
        )
        for number in range(1, season.rounds + 1)
    ]
