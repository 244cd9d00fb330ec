"""A seat for which somebody is sought: how the search begins, and how it ends. Called under the season's
lock."""

from __future__ import annotations

from datetime import datetime

from django.db.models import Q
from django.utils.translation import gettext as _

from accounts.models import User
from games.commands import Refused, write_note
from games.leagues.models import Ask, LeagueTable, Season, Vacancy
from games.matches import last_game
from games.models import Note, Seat, SeatChange, Table, TimeEvent
from games.press.text.cleaning import cleaned

SOUGHT = (Vacancy.State.OPEN, Vacancy.State.NOBODY)
LONGEST_NOTE = 2000
_LONGEST_NOTE_OF_A_GAME = 10_000


def cleaned_note(text: str) -> str:
    """What is left for whoever takes a seat; empty is well. Raises Refused."""
    note = cleaned(text)
    if len(note) > LONGEST_NOTE:
        raise Refused(_("A note for a seat has at most %(most)d characters.") % {"most": LONGEST_NOTE})
    return note


def vacancy_now(vacancy: Vacancy) -> Vacancy:
    """The row as it is under the lock, with its table and season."""
    return Vacancy.objects.select_related("table__table", "table__round__division__season").get(pk=vacancy.pk)


def season_of(vacancy: Vacancy) -> Season:
    return vacancy.table.round.division.season


def season_number_of(vacancy: Vacancy) -> int:
    """By which the season is locked, before anything of it is looked at."""
    return Season.objects.values_list("pk", flat=True).get(divisions__rounds__tables__vacancies=vacancy.pk)


def seat_of(vacancy: Vacancy) -> Seat:
    """The seat at the games' table, as it is now."""
    seats = Seat.objects.select_related("table", "user")
    return seats.get(table=vacancy.table.table_id, number=vacancy.seat)


def seek(
    table: LeagueTable, seat: int, left_by: User | None, why: Vacancy.Why, now: datetime, note: str = ""
) -> Vacancy:
    """Somebody is sought for this seat from now on. A search that goes on already is this one: whoever stayed
    away has now left for good."""
    vacancy = table.vacancies.filter(seat=seat, state__in=SOUGHT).first()
    if vacancy is None:
        note = "\n\n".join(filter(None, (note, _note_left_before(table, seat))))[:LONGEST_NOTE]
        return table.vacancies.create(seat=seat, left_by=left_by, why=why, note=note, opened_at=now)
    vacancy.why, vacancy.left_by = why, left_by
    vacancy.note = note or vacancy.note
    vacancy.save(update_fields=["why", "left_by", "note"])
    return vacancy


def _note_left_before(table: LeagueTable, seat: int) -> str:
    """What was left for who had the seat in between belongs to the seat, and goes to the next."""
    taken = table.vacancies.filter(seat=seat, state=Vacancy.State.TAKEN).last()
    return taken.note if taken else ""


def is_needed(vacancy: Vacancy) -> bool:
    """Whether a bot still plays there, in a running season's running table."""
    is_on = season_of(vacancy).state == Season.State.RUNNING
    playing = vacancy.table.table.state == Table.State.PLAYING
    return is_on and playing and bool(seat_of(vacancy).played_by)


def close(vacancy: Vacancy, now: datetime) -> None:
    """Nobody is sought any more, and who was asked need not answer. What was written for the seat is gone."""
    vacancy.state, vacancy.closed_at, vacancy.note = Vacancy.State.CLOSED, now, ""
    vacancy.save(update_fields=["state", "closed_at", "note"])
    nobody_is_asked(vacancy)


def take(vacancy: Vacancy, user: User, now: datetime) -> None:
    """The seat is this person's, and with it the note that was left there."""
    vacancy.state, vacancy.closed_at, vacancy.taken_by = Vacancy.State.TAKEN, now, user
    vacancy.save(update_fields=["state", "closed_at", "taken_by"])
    nobody_is_asked(vacancy)
    if vacancy.note:
        _hand_on(vacancy, user)


def nobody_is_asked(vacancy: Vacancy) -> None:
    """Whoever was asked need not answer any more."""
    vacancy.asks.filter(answer=Ask.Answer.OPEN).update(answer=Ask.Answer.NEEDLESS)


def _hand_on(vacancy: Vacancy, user: User) -> None:
    game = last_game(vacancy.table.table)
    assert game is not None
    own = Note.objects.filter(game=game, user=user).values_list("text", flat=True).first()
    left = "\n".join(f"> {line}" for line in vacancy.note.splitlines())  # quoted: it is another's
    write_note(game, user, "\n\n".join(filter(None, (left, own)))[:_LONGEST_NOTE_OF_A_GAME])


def is_settled(table: LeagueTable, seat: Seat) -> bool:
    """Whether somebody is sought already, or was sought in vain, since a bot began to play here."""
    since = _bot_since(seat)
    if since is None:
        return True
    known = table.vacancies.filter(seat=seat.number).exclude(state=Vacancy.State.TAKEN)
    sought = Q(state__in=SOUGHT) if seat.stand_in else Q(state__in=SOUGHT) & ~Q(why=Vacancy.Why.AWAY)
    return known.filter(sought | Q(opened_at__gte=since, state=Vacancy.State.CLOSED)).exists()


def _bot_since(seat: Seat) -> datetime | None:
    """When its player left it, or began to stay away; None if somebody plays there himself."""
    if seat.bot:
        left = SeatChange.objects.filter(game__table=seat.table_id, seat=seat.number, after=None)
        return left.order_by("pk").values_list("at", flat=True).last()
    if seat.stand_in:
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
