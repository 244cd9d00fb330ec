"""Open seats: who is asked to take one, and how the search ends. Needs the season's lock."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from accounts import clock
from accounts.mail.outbox import queue
from accounts.mail.suppression import fails
from accounts.models import Block, User
from games.chat.text import cleaned
from games.leagues.models import (
    AuditEvent,
    LeagueTable,
    OpenSeat,
    Registration,
    Season,
    SeatAssignment,
    Substitute,
    SubstituteOffer,
)
from games.leagues.services.audit_log import record_event
from games.leagues.services.permissions import (
    cleaned_reason,
    locked_season,
    require_account,
    require_organiser,
)
from games.models import Note, Seat, SeatChange, Table, TimeEvent
from games.models.matches import last_game
from games.services import Refused, fill_seat, write_note

SOUGHT = (OpenSeat.State.OPEN, OpenSeat.State.NOBODY)
LONGEST_NOTE = 2000
_LONGEST_NOTE_OF_A_GAME = 10_000


def cleaned_note(text: str) -> str:
    """What is left for whoever takes a seat; empty is well. Raises Refused."""
    note = cleaned(text)
    if len(note) > LONGEST_NOTE:
        raise Refused(_("A note for a seat has at most %(most)d characters.") % {"most": LONGEST_NOTE})
    return note


def open_seat_now(open_seat: OpenSeat) -> OpenSeat:
    """The row as it is under the lock, with its table and season."""
    return OpenSeat.objects.select_related("table__table", "table__round__division__season").get(
        pk=open_seat.pk
    )


def season_of(open_seat: OpenSeat) -> Season:
    return open_seat.table.round.division.season


def season_number_of(open_seat: OpenSeat) -> int:
    """By which the season is locked, before anything of it is looked at."""
    return Season.objects.values_list("pk", flat=True).get(divisions__rounds__tables__open_seats=open_seat.pk)


def seat_of(open_seat: OpenSeat) -> Seat:
    """The seat at the games' table, as it is now."""
    seats = Seat.objects.select_related("table", "user")
    return seats.get(table=open_seat.table.table_id, number=open_seat.seat)


def seek(
    table: LeagueTable, seat: int, left_by: User | None, why: OpenSeat.Why, now: datetime, note: str = ""
) -> OpenSeat:
    """Somebody is sought for this seat from now on. A search that goes on already is this one: whoever stayed
    away has now left for good."""
    open_seat = table.open_seats.filter(seat=seat, state__in=SOUGHT).first()
    if open_seat is None:
        note = "\n\n".join(filter(None, (note, _note_left_before(table, seat))))[:LONGEST_NOTE]
        return table.open_seats.create(seat=seat, left_by=left_by, why=why, note=note, opened_at=now)
    open_seat.why, open_seat.left_by = why, left_by
    open_seat.note = note or open_seat.note
    open_seat.save(update_fields=["why", "left_by", "note"])
    return open_seat


def _note_left_before(table: LeagueTable, seat: int) -> str:
    """What was left for who had the seat in between belongs to the seat, and goes to the next."""
    taken = table.open_seats.filter(seat=seat, state=OpenSeat.State.TAKEN).last()
    return taken.note if taken else ""


def is_needed(open_seat: OpenSeat) -> bool:
    """Whether a bot still plays there, in a running season's running table."""
    is_on = season_of(open_seat).state == Season.State.RUNNING
    playing = open_seat.table.table.state == Table.State.PLAYING
    return is_on and playing and bool(seat_of(open_seat).played_by)


def close(open_seat: OpenSeat, now: datetime) -> None:
    """Nobody is sought any more, and who was asked need not answer. What was written for the seat is gone."""
    open_seat.state, open_seat.closed_at, open_seat.note = OpenSeat.State.CLOSED, now, ""
    open_seat.save(update_fields=["state", "closed_at", "note"])
    nobody_is_asked(open_seat)


def take(open_seat: OpenSeat, user: User, now: datetime) -> None:
    """The seat is this person's, and with it the note that was left there."""
    open_seat.state, open_seat.closed_at, open_seat.taken_by = OpenSeat.State.TAKEN, now, user
    open_seat.save(update_fields=["state", "closed_at", "taken_by"])
    nobody_is_asked(open_seat)
    if open_seat.note:
        _hand_on(open_seat, user)


def nobody_is_asked(open_seat: OpenSeat) -> None:
    """Whoever was asked need not answer any more."""
    open_seat.asks.filter(answer=SubstituteOffer.Answer.OPEN).update(answer=SubstituteOffer.Answer.NEEDLESS)


def _hand_on(open_seat: OpenSeat, user: User) -> None:
    game = last_game(open_seat.table.table)
    assert game is not None
    own = Note.objects.filter(game=game, user=user).values_list("text", flat=True).first()
    left = "\n".join(f"> {line}" for line in open_seat.note.splitlines())  # quoted: it is another's
    write_note(game, user, "\n\n".join(filter(None, (left, own)))[:_LONGEST_NOTE_OF_A_GAME])


def is_settled(table: LeagueTable, seat: Seat) -> bool:
    """Whether somebody is sought already, or was sought in vain, since a bot began to play here."""
    since = _bot_since(seat)
    if since is None:
        return True
    known = table.open_seats.filter(seat=seat.number).exclude(state=OpenSeat.State.TAKEN)
    sought = Q(state__in=SOUGHT) if seat.played_by_bot else Q(state__in=SOUGHT) & ~Q(why=OpenSeat.Why.AWAY)
    return known.filter(sought | Q(opened_at__gte=since, state=OpenSeat.State.CLOSED)).exists()


def _bot_since(seat: Seat) -> datetime | None:
    """When its player left it, or began to stay away; None if somebody plays there himself."""
    if seat.bot:
        left = SeatChange.objects.filter(game__table=seat.table_id, seat=seat.number, after=None)
        return left.order_by("pk").values_list("at", flat=True).last()
    if seat.played_by_bot:
        away = TimeEvent.objects.filter(game__table=seat.table_id, seat=seat.number)
        kept_away = away.filter(kind=TimeEvent.Kind.STOOD_IN)
        return kept_away.order_by("pk").values_list("at", flat=True).last()
    return None


def left_by(seat: Seat) -> User | None:
    """Who stays away from this seat, or was the last to give it up."""
    if seat.user is not None:
        return seat.user
    changes = SeatChange.objects.filter(game__table=seat.table_id, seat=seat.number, before__isnull=False)
    change = changes.select_related("before").order_by("pk").last()
    return change.before if change else None


# Who is asked for a seat, one after the other. Called under the season's lock.


def offer_seat(open_seat: OpenSeat, now: datetime) -> SubstituteOffer | None:
    """The next in order is asked, unless somebody has yet to answer. With nobody left an organiser is told.

    Who is being asked for another seat is waited for: nobody is asked twice at once.
    """
    if open_seat.state not in SOUGHT or open_seat.asks.filter(answer=SubstituteOffer.Answer.OPEN).exists():
        return None
    if not is_needed(open_seat):
        close(open_seat, now)
        return None
    is_anybody_busy = False
    for substitute in list(candidates(open_seat)):
        if _is_held(substitute.user) and not _is_asked(substitute.user):
            return _ask(open_seat, substitute, now)
        is_anybody_busy = True
    if is_anybody_busy:
        _become(open_seat, OpenSeat.State.OPEN)
    elif open_seat.state == OpenSeat.State.OPEN:
        _give_in(open_seat)
    return None


def candidates(open_seat: OpenSeat) -> Iterator[Substitute]:
    """Who may be asked, in order: whoever helps, can be reached by mail, was not asked for this seat before,
    and is welcome there."""
    helping = season_of(open_seat).substitutes.filter(
        stopped_at=None, user__is_active=True, user__deleted_at=None
    )
    free = helping.exclude(asks__open_seat=open_seat).exclude(user__in=_expelled(open_seat))
    lost = fails(free.values_list("user__email", flat=True))
    for substitute in free.exclude(user__email__in=lost).select_related("user").order_by("turn_at", "pk"):
        if may_sit(open_seat, substitute.user):
            yield substitute


def may_sit(open_seat: OpenSeat, user: User) -> bool:
    """Whether he neither sits nor has sat at this table, and gets on with everybody there."""
    return not _knows_a_hand(open_seat, user) and not _is_at_odds(open_seat, user)


def _knows_a_hand(open_seat: OpenSeat, user: User) -> bool:
    table = open_seat.table
    changes = SeatChange.objects.filter(Q(before=user) | Q(after=user), game__table=table.table_id)
    return (
        Seat.objects.filter(table=table.table_id, user=user).exists()
        or changes.exists()
        or SeatAssignment.objects.filter(table=table, entry__user=user).exists()
    )


def _is_at_odds(open_seat: OpenSeat, user: User) -> bool:
    """Whether he and somebody who stays do not want to play together; nobody learns which of them."""
    roster = Seat.objects.filter(table=open_seat.table.table_id, user__isnull=False)
    others = roster.exclude(pk=seat_of(open_seat).pk).values("user")
    return Block.objects.filter(Q(whom=user, by__in=others) | Q(by=user, whom__in=others)).exists()


def _expelled(open_seat: OpenSeat) -> QuerySet[Registration]:
    out = Registration.objects.filter(season=season_of(open_seat), state=Registration.State.EXPELLED)
    return out.values("user")  # type: ignore[return-value]


def _is_held(user: User) -> bool:
    """His row, until the transaction ends, so that no other season asks him at this moment. Who is held by
    another is not waited for: he is asked at the next beat."""
    here = User.objects.filter(pk=user.pk, deleted_at=None)
    return bool(here.select_for_update(no_key=True, skip_locked=True))


def _is_asked(user: User) -> bool:
    return SubstituteOffer.objects.filter(substitute__user=user, answer=SubstituteOffer.Answer.OPEN).exists()


def _ask(open_seat: OpenSeat, substitute: Substitute, now: datetime) -> SubstituteOffer:
    until = now + timedelta(hours=season_of(open_seat).ask_hours)
    ask = SubstituteOffer.objects.create(
        open_seat=open_seat, substitute=substitute, asked_at=now, until=until
    )
    substitute.turn_at = now
    substitute.save(update_fields=["turn_at"])
    _become(open_seat, OpenSeat.State.OPEN)
    queue("league_ask", to=substitute.user, key=f"league_ask:{ask.pk}", about={"ask": ask.pk})
    return ask


def _give_in(open_seat: OpenSeat) -> None:
    """Nobody is left to be asked: its organisers are told, each time that the last one has said no."""
    _become(open_seat, OpenSeat.State.NOBODY)
    asked = open_seat.asks.count()
    for organiser in season_of(open_seat).league.organisers.select_related("user"):
        key = f"league_open_seat_over:{open_seat.pk}:{asked}:{organiser.user_id}"
        queue("league_open_seat_over", to=organiser.user, key=key, about={"open_seat": open_seat.pk})


def _become(open_seat: OpenSeat, state: OpenSeat.State) -> None:
    if open_seat.state != state:
        open_seat.state = state
        open_seat.save(update_fields=["state"])


# Seats find somebody, or are left to their bots; an organiser may settle it by himself.


def give_seat(open_seat: OpenSeat, user: User, now: datetime) -> None:
    """Somebody's from now on. Raises Refused where the table does not take him."""
    fill_seat(seat_of(open_seat), user)
    take(open_seat, user, now)


@transaction.atomic
def seat_substitute(open_seat: OpenSeat, by: User, user: User, reason: str) -> Seat:
    """An organiser gives the seat to somebody who helps, whosever turn it is, or takes it himself.

    Raises Refused for who has not offered to help, has declined this seat or does not fit the table, where
    the seat is not free any more, and as all that organisers do.
    """
    require_account(user)
    season, reason = _ruled(open_seat, by, reason)
    open_seat = open_seat_now(open_seat)
    if open_seat.state not in SOUGHT or not is_needed(open_seat):
        raise Refused(_("Nobody is sought for this seat any more."))
    _require_willing(open_seat, season, by, user)
    open_seat.asks.filter(
        substitute__user=user, answer__in=(SubstituteOffer.Answer.OPEN, SubstituteOffer.Answer.SILENT)
    ).update(answer=SubstituteOffer.Answer.ACCEPTED)
    give_seat(open_seat, user, clock.now())
    record_event(
        AuditEvent.Kind.SUBSTITUTED, season, by, touched=[user], reason=reason, table=open_seat.table
    )
    return seat_of(open_seat)


def _ruled(open_seat: OpenSeat, by: User, reason: str) -> tuple[Season, str]:
    season = locked_season(season_number_of(open_seat))
    require_organiser(season.league, by)
    return season, cleaned_reason(reason)


def _require_willing(open_seat: OpenSeat, season: Season, by: User, user: User) -> None:
    if user != by and not season.substitutes.filter(user=user, stopped_at=None).exists():
        raise Refused(_("Only who has offered to help can be given a seat."))
    if open_seat.asks.filter(substitute__user=user, answer=SubstituteOffer.Answer.DECLINED).exists():
        raise Refused(_("This person has declined the seat."))
    if not may_sit(open_seat, user):
        raise Refused(_("This person cannot take a seat at this table."))


@transaction.atomic
def play_on(open_seat: OpenSeat, by: User, reason: str) -> None:
    """An organiser leaves the seat to its bot: nobody is sought any more. Twice is once.

    Who stays away may come back all the same. Raises Refused when somebody has taken it, and as all that
    organisers do.
    """
    season, reason = _ruled(open_seat, by, reason)
    open_seat = open_seat_now(open_seat)
    if open_seat.state == OpenSeat.State.TAKEN:
        raise Refused(_("Somebody has taken this seat meanwhile."))
    if open_seat.state == OpenSeat.State.CLOSED:
        return
    nobody_is_asked(open_seat)
    close(open_seat, clock.now())
    touched = [open_seat.left_by] if open_seat.left_by else []
    record_event(
        AuditEvent.Kind.LEFT_TO_BOT, season, by, touched=touched, reason=reason, table=open_seat.table
    )
