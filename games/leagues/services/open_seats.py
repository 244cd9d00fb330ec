"""Open seats: the order in which substitutes are asked, and how the search ends. Needs the season's lock."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts import clock
from accounts.characters import count, cut
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
from games.leagues.models.rounds import LONGEST_NOTE
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

_LONGEST_NOTE_OF_A_GAME = 10_000


def cleaned_note(text: str) -> str:
    """Clean the note left for the next holder of a seat; it may be empty. Raises Refused for a long one."""
    note = cleaned(text)
    if count(note) > LONGEST_NOTE:
        raise Refused(
            ngettext(
                "This note is too long. Use at most %(most)d character.",
                "This note is too long. Use at most %(most)d characters.",
                LONGEST_NOTE,
            )
            % {"most": LONGEST_NOTE}
        )
    return note


def open_seat_now(open_seat: OpenSeat) -> OpenSeat:
    """Return the current row under the lock, with its table and season."""
    return OpenSeat.objects.select_related("table__table", "table__round__division__season").get(
        pk=open_seat.pk
    )


def season_of(open_seat: OpenSeat) -> Season:
    return open_seat.table.round.division.season


def season_number_of(open_seat: OpenSeat) -> int:
    """Return the season's ID, needed to lock the season before anything of it is read."""
    return Season.objects.values_list("pk", flat=True).get(divisions__rounds__tables__open_seats=open_seat.pk)


def seat_of(open_seat: OpenSeat) -> Seat:
    """Return the seat at the games' table, as it is now."""
    seats = Seat.objects.select_related("table", "user")
    return seats.get(table=open_seat.table.table_id, number=open_seat.seat)


def seek(
    table: LeagueTable, seat: int, left_by: User | None, why: OpenSeat.Why, now: datetime, note: str = ""
) -> OpenSeat:
    """Open a search for a substitute for this seat, or update the search in progress.

    An absent player may since have left for good.
    """
    open_seat = table.open_seats.filter(seat=seat, state__in=OpenSeat.SOUGHT).first()
    if open_seat is None:
        note = cut("\n\n".join(filter(None, (note, _note_left_before(table, seat)))), LONGEST_NOTE)
        return table.open_seats.create(seat=seat, left_by=left_by, why=why, note=note, opened_at=now)
    open_seat.why, open_seat.left_by = why, left_by
    open_seat.note = note or open_seat.note
    open_seat.save(update_fields=["why", "left_by", "note"])
    return open_seat


def _note_left_before(table: LeagueTable, seat: int) -> str:
    """Return the note left for the previous substitute: it belongs to the seat and goes to the next one."""
    taken = table.open_seats.filter(seat=seat, state=OpenSeat.State.TAKEN).last()
    return taken.note if taken else ""


def is_needed(open_seat: OpenSeat) -> bool:
    """Return whether a bot still plays there, at an active table of a running season."""
    is_on = season_of(open_seat).state == Season.State.RUNNING
    playing = open_seat.table.game_table.state == Table.State.PLAYING
    return is_on and playing and bool(seat_of(open_seat).played_by)


def close(open_seat: OpenSeat, now: datetime) -> None:
    """End the search and any open offer, and delete the note left for the seat."""
    open_seat.state, open_seat.closed_at, open_seat.note = OpenSeat.State.CLOSED, now, ""
    open_seat.save(update_fields=["state", "closed_at", "note"])
    nobody_is_asked(open_seat)


def take(open_seat: OpenSeat, user: User, now: datetime) -> None:
    """Give the seat to this person, with the note left there."""
    open_seat.state, open_seat.closed_at, open_seat.taken_by = OpenSeat.State.TAKEN, now, user
    open_seat.save(update_fields=["state", "closed_at", "taken_by"])
    nobody_is_asked(open_seat)
    if open_seat.note:
        _hand_on(open_seat, user)


def nobody_is_asked(open_seat: OpenSeat) -> None:
    """Mark open offers as no longer needed."""
    open_seat.asks.filter(answer=SubstituteOffer.Answer.OPEN).update(answer=SubstituteOffer.Answer.NEEDLESS)


def _hand_on(open_seat: OpenSeat, user: User) -> None:
    game = last_game(open_seat.table.game_table)
    assert game is not None
    own = Note.objects.filter(game=game, user=user).values_list("text", flat=True).first()
    left = "\n".join(f"> {line}" for line in open_seat.note.splitlines())  # quoted, as someone else wrote it
    write_note(game, user, cut("\n\n".join(filter(None, (left, own))), _LONGEST_NOTE_OF_A_GAME))


def is_settled(table: LeagueTable, seat: Seat) -> bool:
    """Return whether a search is open, or has ended, since a bot began to play here."""
    since = _bot_since(seat)
    if since is None:
        return True
    known = table.open_seats.filter(seat=seat.number).exclude(state=OpenSeat.State.TAKEN)
    sought = (
        Q(state__in=OpenSeat.SOUGHT)
        if seat.played_by_bot
        else Q(state__in=OpenSeat.SOUGHT) & ~Q(why=OpenSeat.Why.AWAY)
    )
    return known.filter(sought | Q(opened_at__gte=since, state=OpenSeat.State.CLOSED)).exists()


def _bot_since(seat: Seat) -> datetime | None:
    """Return when the seat's player left or became absent; None if a person plays there."""
    if seat.bot:
        left = SeatChange.objects.filter(game__table=seat.table_id, seat=seat.number, after=None)
        return left.order_by("pk").values_list("at", flat=True).last()
    if seat.played_by_bot:
        away = TimeEvent.objects.filter(game__table=seat.table_id, seat=seat.number)
        kept_away = away.filter(kind=TimeEvent.Kind.STOOD_IN)
        return kept_away.order_by("pk").values_list("at", flat=True).last()
    return None


def left_by(seat: Seat) -> User | None:
    """Return the absent player of this seat, or the last one who gave it up."""
    if seat.user is not None:
        return seat.user
    changes = SeatChange.objects.filter(game__table=seat.table_id, seat=seat.number, before__isnull=False)
    change = changes.select_related("before").order_by("pk").last()
    return change.before if change else None


# Offering a seat, to one substitute after the other. Needs the season's lock.


def offer_seat(open_seat: OpenSeat, now: datetime) -> SubstituteOffer | None:
    """Offer the seat to the next substitute, unless an offer is open; tell organisers if no one is left.

    A substitute with an open offer for another seat is waited for: no one gets two offers at once.
    """
    if (
        open_seat.state not in OpenSeat.SOUGHT
        or open_seat.asks.filter(answer=SubstituteOffer.Answer.OPEN).exists()
    ):
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
    """Yield the substitutes who may be asked, in order.

    They are active, can be reached by email, were not asked for this seat before, and are welcome there.
    """
    helping = season_of(open_seat).substitutes.filter(
        stopped_at=None, user__is_active=True, user__deleted_at=None
    )
    free = helping.exclude(asks__open_seat=open_seat).exclude(user__in=_expelled(open_seat))
    lost = fails(free.values_list("user__email", flat=True))
    for substitute in free.exclude(user__email__in=lost).select_related("user").order_by("turn_at", "pk"):
        if may_sit(open_seat, substitute.user):
            yield substitute


def may_sit(open_seat: OpenSeat, user: User) -> bool:
    """Return whether this person never sat at this table and no block exists with anyone there."""
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
    """Return whether this person and a remaining player do not want to play together; no one learns which."""
    roster = Seat.objects.filter(table=open_seat.table.table_id, user__isnull=False)
    others = roster.exclude(pk=seat_of(open_seat).pk).values("user")
    return Block.objects.filter(Q(whom=user, by__in=others) | Q(by=user, whom__in=others)).exists()


def _expelled(open_seat: OpenSeat) -> QuerySet[Registration, Any]:
    out = Registration.objects.filter(season=season_of(open_seat), state=Registration.State.EXPELLED)
    return out.values("user")


def _is_held(user: User) -> bool:
    """Lock the user's row until the transaction ends, so that no other season asks them at this moment.

    Does not wait for a row locked elsewhere: that person is asked at the next tick.
    """
    here = User.objects.filter(pk=user.pk, deleted_at=None)
    return bool(here.select_for_update(no_key=True, skip_locked=True))


def _is_asked(user: User) -> bool:
    return SubstituteOffer.objects.filter(substitute__user=user, answer=SubstituteOffer.Answer.OPEN).exists()


def _ask(open_seat: OpenSeat, substitute: Substitute, now: datetime) -> SubstituteOffer:
    begins = max(now, season_of(open_seat).league.paused_until or now)
    until = begins + timedelta(hours=season_of(open_seat).ask_hours)
    ask = SubstituteOffer.objects.create(
        open_seat=open_seat, substitute=substitute, asked_at=now, until=until
    )
    substitute.turn_at = now
    substitute.save(update_fields=["turn_at"])
    _become(open_seat, OpenSeat.State.OPEN)
    queue("league_ask", to=substitute.user, key=f"league_ask:{ask.pk}", context={"ask": ask.pk})
    return ask


def _give_in(open_seat: OpenSeat) -> None:
    """Email the organisers that no one is left to ask, each time the last substitute has declined."""
    _become(open_seat, OpenSeat.State.NOBODY)
    asked = open_seat.asks.count()
    for organiser in season_of(open_seat).league.organisers.select_related("user"):
        key = f"league_open_seat_over:{open_seat.pk}:{asked}:{organiser.user_id}"
        queue("league_open_seat_over", to=organiser.user, key=key, context={"open_seat": open_seat.pk})


def _become(open_seat: OpenSeat, state: OpenSeat.State) -> None:
    if open_seat.state != state:
        open_seat.state = state
        open_seat.save(update_fields=["state"])


# Filling a seat, or leaving it to its bot; an organiser may decide either.


def give_seat(open_seat: OpenSeat, user: User, now: datetime) -> None:
    """Give the seat to this person. Raises Refused if the table does not accept them."""
    fill_seat(seat_of(open_seat), user)
    take(open_seat, user, now)


@transaction.atomic
def seat_substitute(open_seat: OpenSeat, by: User, user: User, reason: str) -> Seat:
    """Give the seat to a substitute, out of turn, or to the organiser who asks.

    Raises Refused for someone who is not a substitute, has declined this seat or does not fit the table.
    Also raises Refused if the seat is no longer free, and as every organiser action does.
    """
    require_account(user)
    season, reason = _ruled(open_seat, by, reason)
    open_seat = open_seat_now(open_seat)
    if open_seat.state not in OpenSeat.SOUGHT or not is_needed(open_seat):
        raise Refused(_("This seat no longer needs a substitute."))
    if open_seat.asks.filter(substitute__user=user, answer=SubstituteOffer.Answer.DECLINED).exists():
        raise Refused(_("This person has declined the seat. Choose someone else."))
    require_willing(open_seat, season, by, user)
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


def require_willing(open_seat: OpenSeat, season: Season, by: User, user: User) -> None:
    """Raise Refused for someone to whom an organiser can't give a seat, or not this one."""
    if user != by and user not in willing(season):
        raise Refused(_("You can give a seat only to a substitute or player of this season, or to yourself."))
    if not may_sit(open_seat, user):
        raise Refused(_("This person cannot take a seat at this table. Choose someone else."))


def willing(season: Season) -> list[User]:
    """Return those to whom an organiser may give a seat: first the substitutes in order, then the players."""
    helping = season.substitutes.filter(stopped_at=None).select_related("user")
    playing = season.entries.filter(state=Registration.State.PLAYING).select_related("user")
    found = [one.user for one in helping] + [one.user for one in playing]
    return [user for user in dict.fromkeys(found) if user.is_active]


@transaction.atomic
def play_on(open_seat: OpenSeat, by: User, reason: str) -> None:
    """Leave the seat to its bot and end the search. Safe to repeat.

    An absent player may still come back.
    Raises Refused if the seat has been taken, and as every organiser action does.
    """
    season, reason = _ruled(open_seat, by, reason)
    open_seat = open_seat_now(open_seat)
    if open_seat.state == OpenSeat.State.TAKEN:
        raise Refused(_("Someone has already taken this seat."))
    if open_seat.state == OpenSeat.State.CLOSED:
        return
    nobody_is_asked(open_seat)
    close(open_seat, clock.now())
    touched = [open_seat.left_by] if open_seat.left_by else []
    record_event(
        AuditEvent.Kind.LEFT_TO_BOT, season, by, touched=touched, reason=reason, table=open_seat.table
    )
