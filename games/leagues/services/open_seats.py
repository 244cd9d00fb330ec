"""Seats that need a substitute: a search begins, goes on and ends. Needs the season's lock."""

from __future__ import annotations

from datetime import datetime

from django.db.models import Q, QuerySet
from django.utils.translation import ngettext

from accounts.characters import count, cut
from accounts.models import User
from games.chat.text_cleaning import cleaned
from games.leagues.models import LeagueTable, OpenSeat, Season, SubstituteOffer
from games.leagues.models.substitutes import LONGEST_NOTE
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
    """Return the season of the seat's table; makes no query for an `open_seat_now`."""
    return open_seat.table.round.division.season


def season_id_of(open_seat: OpenSeat) -> int:
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
    withdraw_offers(open_seat)


def take(open_seat: OpenSeat, user: User, now: datetime) -> None:
    """Give the seat to this person, with the note left there."""
    open_seat.state, open_seat.closed_at, open_seat.taken_by = OpenSeat.State.TAKEN, now, user
    open_seat.save(update_fields=["state", "closed_at", "taken_by"])
    withdraw_offers(open_seat)
    if open_seat.note:
        _hand_on(open_seat, user)


def withdraw_offers(open_seat: OpenSeat) -> None:
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


def give_seat(open_seat: OpenSeat, user: User, now: datetime) -> None:
    """Give the seat to this person. Raises Refused if the table does not accept them."""
    fill_seat(seat_of(open_seat), user)
    take(open_seat, user, now)


def tables_in_play() -> QuerySet[LeagueTable]:
    """Return the tables in play, in the order in which their games are locked."""
    playing = LeagueTable.objects.filter(collected_at=None, table__state=Table.State.PLAYING)
    return playing.select_related("table").order_by("pk")
