"""What organisers do at their desk: remind players, write to them, and pause the whole league."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _

from accounts import clock
from accounts.mail.outbox import queue
from accounts.models import Block, User
from accounts.rate_limits import hit
from games.clocks.counted_hours import HIDDEN
from games.clocks.pauses import PRESSED_TWICE, pause_until, resume
from games.clocks.running_clocks import pace_of
from games.leagues.models import (
    AuditEvent,
    Division,
    League,
    LeagueTable,
    OpenSeat,
    Registration,
    Season,
    SubstituteOffer,
)
from games.leagues.services.adjudication import is_running, people_of, ruled
from games.leagues.services.audit_log import record_event
from games.leagues.services.open_seats import require_willing
from games.leagues.services.permissions import (
    cleaned_reason,
    locked_league,
    locked_season,
    require_account,
    require_organiser,
)
from games.leagues.services.schedule import reschedule, run_for_all
from games.models import Game, Seat, Table, TimeEvent
from games.models.locking import locked_game
from games.models.matches import last_game
from games.narration.roster import shown_names
from games.services import Refused, replace_player

# Reminders


REMIND_AGAIN = timedelta(hours=6)


@transaction.atomic
def remind_now(row: LeagueTable, by: User) -> list[str]:
    """Remind the players whose turn it is; return their names, or none while decisions are secret (R17).

    Raises Refused if no one has to move, in a pause of the league and soon after another reminder.
    Also raises Refused for everyone but an organiser.
    """
    row, season = ruled(row, by)
    _require_remindable(row, season)
    asked = list(row.game_table.seats.people().filter(asked_since__isnull=False, played_by_bot=""))
    game = last_game(row.game_table)
    is_secret = game is not None and game.phase == HIDDEN and not game.is_over
    if not asked and not is_secret:
        raise Refused(_("No one has to move at this table now."))
    told = [seat for seat in asked if seat.user_id != by.pk]
    if not told and not is_secret:
        raise Refused(_("Only you have to move at this table."))
    event = record_event(AuditEvent.Kind.REMINDED, season, by, table=row)
    seated = dict(row.assignments.values_list("position", "entry"))
    for seat in told:
        context = {"table": row.pk, "entry": seated[seat.number], "by": by.pk}
        key = f"league_reminder:{row.pk}:{seat.user_id}:by-{event.pk}"
        queue("league_reminder", to=seat.person, key=key, context=context)
    names = shown_names(row.game_table.all_seats(), None)
    return [] if is_secret else [names[seat.number] for seat in told]


def _require_remindable(row: LeagueTable, season: Season) -> None:
    if not is_running(row):
        raise Refused(_("The game at this table is not in progress."))
    now = clock.now()
    if season.league.is_paused(now):
        raise Refused(_("The league is paused, so no one has to move now."))
    if row.events.filter(kind=AuditEvent.Kind.REMINDED, at__gt=now - REMIND_AGAIN).exists():
        raise Refused(_("You reminded this table less than six hours ago. Wait before you do it again."))


# Someone else in the seat of a player


@transaction.atomic
def replace_seated(row: LeagueTable, number: int, by: User, user: User, reason: str) -> None:
    """Give the seat of a player to someone else, who plays on; the player stays in the season.

    Safe to repeat.
    Raises Refused at an anonymous table, for a seat that a bot plays and in the cases of `seat_substitute`.
    """
    require_account(user)
    row, season = ruled(row, by)
    reason = cleaned_reason(reason)
    seat = Seat.objects.select_related("table", "user").filter(table=row.table_id, number=number).first()
    if seat is not None and seat.user_id == user.pk:
        return
    seat = _replaceable(row, seat)
    require_willing(OpenSeat(table=row, seat=number), season, by, user)
    leaver = seat.person
    replace_player(seat, user)
    for kind, person in ((AuditEvent.Kind.REPLACED, leaver), (AuditEvent.Kind.SUBSTITUTED, user)):
        record_event(kind, season, by, touched=[person], reason=reason, table=row)
    reschedule(season)  # the player who left the table has room for another


def _replaceable(row: LeagueTable, seat: Seat | None) -> Seat:
    if seat is None or row.game_table.state != Table.State.PLAYING:
        raise Refused(_("The game at this table is not in progress."))
    if row.game_table.is_anonymous:
        raise Refused(_("Seats at this table are secret, so you cannot replace a player before it is over."))
    if seat.played_by:
        raise Refused(_("A bot plays there now. Give the free seat to someone instead."))
    return seat


# Messages


MESSAGES_A_DAY = 20


@transaction.atomic
def write(season: Season, by: User, to: Division | LeagueTable | None, text: str) -> None:
    """Email a message to the players of a table or a division, or to everyone in the season.

    Each gets it as their notification settings say; people who block the organiser don't. Pressed twice, it
    is sent once. Raises Refused if there is no one to write to, after too many messages, and as every
    organiser action does.
    """
    season = locked_season(season)
    require_organiser(season.league, by)
    text = cleaned_reason(text)
    table, facts = (to, {}) if isinstance(to, LeagueTable) else (None, {"division": to.level} if to else {})
    same = season.events.filter(kind=AuditEvent.Kind.WROTE, by=by, table=table, facts=facts, reason=text)
    if same.filter(at__gt=clock.now() - PRESSED_TWICE).exists():
        return
    people = _readers(season, by, to)
    if not people:
        raise Refused(_("There is no one to write to."))
    if not hit("league_message", str(by.pk), MESSAGES_A_DAY):
        raise Refused(_("You’ve sent too many messages today. Try again tomorrow."))
    record_event(
        AuditEvent.Kind.WROTE,
        season,
        by,
        touched=people,
        reason=text,
        facts=facts,
        table=table,
        email="league_message",
    )


def _readers(season: Season, by: User, to: Division | LeagueTable | None) -> list[User]:
    """Return those who get the message: active people other than its author, who don't block them."""
    if isinstance(to, LeagueTable):
        found = set(people_of(to))
    else:
        entries = season.entries.exclude(state__in=Registration.OUT).select_related("user")
        found = {entry.user for entry in (entries.filter(division=to) if to else entries)}
    blocking = set(Block.objects.filter(whom=by, by__in=found).values_list("by", flat=True))
    left_out = blocking | {by.pk}
    return sorted((one for one in found if one.is_active and one.pk not in left_out), key=lambda one: one.pk)


# A pause of the whole league: all clocks of its running tables stop, and no table begins


LONGEST_PAUSE = timedelta(days=60)


@transaction.atomic
def pause_league(league: League, by: User, until: datetime, reason: str) -> None:
    """Stop all clocks of the league's running tables until then; a running pause gets this end.

    Safe to repeat. A table that its players have paused for longer stays as it is.
    Raises Refused for a date that is past or too far away, and as every organiser action does.
    """
    league, seasons = _locked(league)
    require_organiser(league, by)
    reason, now = cleaned_reason(reason), clock.now()
    if not now < until <= now + LONGEST_PAUSE:
        raise Refused(_("Choose a date within the next 60 days."))
    if league.paused_until == until:
        return
    before = league.paused_until if league.is_paused(now) and league.paused_until else now
    if before == now:
        league.paused_since = now
    league.paused_until = until
    _end_at(league, seasons, before, now, by)
    facts = {"until": until.isoformat()}
    record_event(AuditEvent.Kind.PAUSED, league, by, touched=_players(seasons), reason=reason, facts=facts)


@transaction.atomic
def resume_league(league: League, by: User, reason: str) -> None:
    """End the pause now; clocks and deadlines go on where they stopped. Safe to repeat.

    Raises Refused as every organiser action does.
    """
    league, seasons = _locked(league)
    require_organiser(league, by)
    reason, now = cleaned_reason(reason), clock.now()
    if league.is_paused(now):
        _end_pause(league, seasons, now, by)
        record_event(AuditEvent.Kind.RESUMED, league, by, touched=_players(seasons), reason=reason)


def run_pauses(now: datetime) -> int:
    """End pauses that are over, and stop clocks that began to run in a pause. Part of the tick."""
    return run_for_all(League.objects.exclude(paused_until=None).order_by("pk"), _run_pause, now)


@transaction.atomic
def _run_pause(league: League, now: datetime) -> int:
    league, seasons = _locked(league)
    if league.paused_until is None:
        return 0
    if not league.is_paused(now):
        _end_pause(league, seasons, league.paused_until, None)
        record_event(AuditEvent.Kind.RESUMED, league, None)
        return 1
    return _stop_clocks(league, seasons, None, now)


def _locked(league: League) -> tuple[League, list[Season]]:
    """Lock the league's unfinished seasons, then the league; return them as they are now."""
    seasons = [locked_season(one) for one in league.seasons.exclude(state__in=Season.OVER).order_by("pk")]
    league = locked_league(league)
    for season in seasons:
        season.league = league
    return league, seasons


def _players(seasons: Iterable[Season]) -> list[User]:
    entries = Registration.objects.filter(season__in=seasons).exclude(state__in=Registration.OUT)
    return [entry.user for entry in entries.select_related("user")]


def _end_pause(league: League, seasons: list[Season], now: datetime, by: User | None) -> None:
    """End the pause at this moment, which may be its planned end."""
    assert league.paused_until is not None
    before, league.paused_until = league.paused_until, now
    if before > now:
        _move_dates(seasons, before, now)
        for game in _games(seasons):
            if game.paused_until == before:
                _resume(game, league, by, now)
    league.paused_since = league.paused_until = None
    _save(league, seasons)


def _end_at(league: League, seasons: list[Season], before: datetime, now: datetime, by: User) -> None:
    """Let the pause end at its new date; `before` is its end so far, or now."""
    assert league.paused_until is not None
    _move_dates(seasons, before, league.paused_until)
    for game in _games(seasons):
        if game.paused_until == before != now:
            _resume(game, league, None, now)
    _stop_clocks(league, seasons, by, now)
    _save(league, seasons)


def _save(league: League, seasons: Iterable[Season]) -> None:
    league.save(update_fields=["paused_since", "paused_until"])
    for season in seasons:
        reschedule(season)


def _move_dates(seasons: list[Season], before: datetime, after: datetime) -> None:
    """Move the ends of tables, offers and the time to confirm, as much as the end of the pause moves.

    What was late already is due at the end of the pause.
    """
    shift = after - before
    for row in LeagueTable.objects.running().filter(round__division__season__in=seasons):
        row.ends_at = max(row.deadline, before) + shift
        row.save(update_fields=["ends_at"])
    offers = SubstituteOffer.objects.filter(
        substitute__season__in=seasons, answer=SubstituteOffer.Answer.OPEN
    )
    offers.update(until=F("until") + shift)
    for season in seasons:
        if season.state == Season.State.CONFIRMING and season.asked_at is not None:
            season.asked_at += shift
            season.signup_ends_at += shift
            season.begins_at += shift
            season.save(update_fields=["asked_at", "signup_ends_at", "begins_at"])


def _games(seasons: Iterable[Season]) -> list[Game]:
    """Return the games in progress at the seasons' tables, locked, with a clock to stop."""
    tables = LeagueTable.objects.running().filter(round__division__season__in=seasons)
    found = Game.objects.running().filter(table__in=tables.values("table")).order_by("pk")
    return [game for game in map(locked_game, found) if pace_of(game.table) is not None]


def _stop_clocks(league: League, seasons: Iterable[Season], by: User | None, now: datetime) -> int:
    """Pause the games that would run before the league's pause ends; return how many."""
    until = league.paused_until
    assert until is not None
    games = [game for game in _games(seasons) if game.paused_until is None or game.paused_until < until]
    by = by or _pausing(league) if games else by
    for game in games:
        pause_until(game, by, until, now, is_told=False)
    return len(games)


def _pausing(league: League) -> User | None:
    event = league.events.filter(kind=AuditEvent.Kind.PAUSED).select_related("by").first()
    return event.by if event else None


def _resume(game: Game, league: League, by: User | None, now: datetime) -> None:
    """Let a game's clocks run, or rest as long as its players' own pause from before."""
    kinds = (TimeEvent.Kind.PAUSED, TimeEvent.Kind.RESUMED)
    own = game.time_events.filter(kind__in=kinds, at__lt=league.paused_since).order_by("pk").last()
    if own is not None and own.until is not None and own.until > now:
        pause_until(game, own.by, own.until, now, is_told=False)
    else:
        resume(game, by or _pausing(league), now, is_told=False)
