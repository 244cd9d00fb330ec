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


def vacancy_now(vacancy: OpenSeat) -> OpenSeat:
    """The row as it is under the lock, with its table and season."""
    return OpenSeat.objects.select_related("table__table", "table__round__division__season").get(
        pk=vacancy.pk
    )


def season_of(vacancy: OpenSeat) -> Season:
    return vacancy.table.round.division.season


def season_number_of(vacancy: OpenSeat) -> int:
    """By which the season is locked, before anything of it is looked at."""
    return Season.objects.values_list("pk", flat=True).get(divisions__rounds__tables__vacancies=vacancy.pk)


def seat_of(vacancy: OpenSeat) -> Seat:
    """The seat at the games' table, as it is now."""
    seats = Seat.objects.select_related("table", "user")
    return seats.get(table=vacancy.table.table_id, number=vacancy.seat)


def seek(
    table: LeagueTable, seat: int, left_by: User | None, why: OpenSeat.Why, now: datetime, note: str = ""
) -> OpenSeat:
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
    taken = table.vacancies.filter(seat=seat, state=OpenSeat.State.TAKEN).last()
    return taken.note if taken else ""


def is_needed(vacancy: OpenSeat) -> bool:
    """Whether a bot still plays there, in a running season's running table."""
    is_on = season_of(vacancy).state == Season.State.RUNNING
    playing = vacancy.table.table.state == Table.State.PLAYING
    return is_on and playing and bool(seat_of(vacancy).played_by)


def close(vacancy: OpenSeat, now: datetime) -> None:
    """Nobody is sought any more, and who was asked need not answer. What was written for the seat is gone."""
    vacancy.state, vacancy.closed_at, vacancy.note = OpenSeat.State.CLOSED, now, ""
    vacancy.save(update_fields=["state", "closed_at", "note"])
    nobody_is_asked(vacancy)


def take(vacancy: OpenSeat, user: User, now: datetime) -> None:
    """The seat is this person's, and with it the note that was left there."""
    vacancy.state, vacancy.closed_at, vacancy.taken_by = OpenSeat.State.TAKEN, now, user
    vacancy.save(update_fields=["state", "closed_at", "taken_by"])
    nobody_is_asked(vacancy)
    if vacancy.note:
        _hand_on(vacancy, user)


def nobody_is_asked(vacancy: OpenSeat) -> None:
    """Whoever was asked need not answer any more."""
    vacancy.asks.filter(answer=SubstituteOffer.Answer.OPEN).update(answer=SubstituteOffer.Answer.NEEDLESS)


def _hand_on(vacancy: OpenSeat, user: User) -> None:
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
    known = table.vacancies.filter(seat=seat.number).exclude(state=OpenSeat.State.TAKEN)
    sought = Q(state__in=SOUGHT) if seat.stand_in else Q(state__in=SOUGHT) & ~Q(why=OpenSeat.Why.AWAY)
    return known.filter(sought | Q(opened_at__gte=since, state=OpenSeat.State.CLOSED)).exists()


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


# Who is asked for a seat, one after the other. Called under the season's lock.


def offer_seat(vacancy: OpenSeat, now: datetime) -> SubstituteOffer | None:
    """The next in order is asked, unless somebody has yet to answer. With nobody left an organiser is told.

    Who is being asked for another seat is waited for: nobody is asked twice at once.
    """
    if vacancy.state not in SOUGHT or vacancy.asks.filter(answer=SubstituteOffer.Answer.OPEN).exists():
        return None
    if not is_needed(vacancy):
        close(vacancy, now)
        return None
    is_anybody_busy = False
    for substitute in list(candidates(vacancy)):
        if _is_held(substitute.user) and not _is_asked(substitute.user):
            return _ask(vacancy, substitute, now)
        is_anybody_busy = True
    if is_anybody_busy:
        _become(vacancy, OpenSeat.State.OPEN)
    elif vacancy.state == OpenSeat.State.OPEN:
        _give_in(vacancy)
    return None


def candidates(vacancy: OpenSeat) -> Iterator[Substitute]:
    """Who may be asked, in order: whoever helps, can be reached by mail, was not asked for this seat before,
    and is welcome there."""
    helping = season_of(vacancy).substitutes.filter(
        stopped_at=None, user__is_active=True, user__deleted_at=None
    )
    free = helping.exclude(asks__vacancy=vacancy).exclude(user__in=_expelled(vacancy))
    lost = fails(free.values_list("user__email", flat=True))
    for substitute in free.exclude(user__email__in=lost).select_related("user").order_by("turn_at", "pk"):
        if may_sit(vacancy, substitute.user):
            yield substitute


def may_sit(vacancy: OpenSeat, user: User) -> bool:
    """Whether he neither sits nor has sat at this table, and gets on with everybody there."""
    return not _knows_a_hand(vacancy, user) and not _is_at_odds(vacancy, user)


def _knows_a_hand(vacancy: OpenSeat, user: User) -> bool:
    table = vacancy.table
    changes = SeatChange.objects.filter(Q(before=user) | Q(after=user), game__table=table.table_id)
    return (
        Seat.objects.filter(table=table.table_id, user=user).exists()
        or changes.exists()
        or SeatAssignment.objects.filter(table=table, entry__user=user).exists()
    )


def _is_at_odds(vacancy: OpenSeat, user: User) -> bool:
    """Whether he and somebody who stays do not want to play together; nobody learns which of them."""
    company = Seat.objects.filter(table=vacancy.table.table_id, user__isnull=False)
    others = company.exclude(pk=seat_of(vacancy).pk).values("user")
    return Block.objects.filter(Q(whom=user, by__in=others) | Q(by=user, whom__in=others)).exists()


def _expelled(vacancy: OpenSeat) -> QuerySet[Registration]:
    out = Registration.objects.filter(season=season_of(vacancy), state=Registration.State.EXPELLED)
    return out.values("user")  # type: ignore[return-value]


def _is_held(user: User) -> bool:
    """His row, until the transaction ends, so that no other season asks him at this moment. Who is held by
    another is not waited for: he is asked at the next beat."""
    here = User.objects.filter(pk=user.pk, deleted_at=None)
    return bool(here.select_for_update(no_key=True, skip_locked=True))


def _is_asked(user: User) -> bool:
    return SubstituteOffer.objects.filter(substitute__user=user, answer=SubstituteOffer.Answer.OPEN).exists()


def _ask(vacancy: OpenSeat, substitute: Substitute, now: datetime) -> SubstituteOffer:
    until = now + timedelta(hours=season_of(vacancy).ask_hours)
    ask = SubstituteOffer.objects.create(vacancy=vacancy, substitute=substitute, asked_at=now, until=until)
    substitute.turn_at = now
    substitute.save(update_fields=["turn_at"])
    _become(vacancy, OpenSeat.State.OPEN)
    queue("league_ask", to=substitute.user, key=f"league_ask:{ask.pk}", about={"ask": ask.pk})
    return ask


def _give_in(vacancy: OpenSeat) -> None:
    """Nobody is left to be asked: its organisers are told, each time that the last one has said no."""
    _become(vacancy, OpenSeat.State.NOBODY)
    asked = vacancy.asks.count()
    for organiser in season_of(vacancy).league.organisers.select_related("user"):
        key = f"league_vacancy_over:{vacancy.pk}:{asked}:{organiser.user_id}"
        queue("league_vacancy_over", to=organiser.user, key=key, about={"vacancy": vacancy.pk})


def _become(vacancy: OpenSeat, state: OpenSeat.State) -> None:
    if vacancy.state != state:
        vacancy.state = state
        vacancy.save(update_fields=["state"])


# Seats find somebody, or are left to their bots; an organiser may settle it by himself.


def give_seat(vacancy: OpenSeat, user: User, now: datetime) -> None:
    """Somebody's from now on. Raises Refused where the table does not take him."""
    fill_seat(seat_of(vacancy), user)
    take(vacancy, user, now)


@transaction.atomic
def seat_substitute(vacancy: OpenSeat, by: User, user: User, reason: str) -> Seat:
    """An organiser gives the seat to somebody who helps, whosever turn it is, or takes it himself.

    Raises Refused for who has not offered to help, has declined this seat or does not fit the table, where
    the seat is not free any more, and as all that organisers do.
    """
    require_account(user)
    season, reason = _ruled(vacancy, by, reason)
    vacancy = vacancy_now(vacancy)
    if vacancy.state not in SOUGHT or not is_needed(vacancy):
        raise Refused(_("Nobody is sought for this seat any more."))
    _require_willing(vacancy, season, by, user)
    vacancy.asks.filter(
        substitute__user=user, answer__in=(SubstituteOffer.Answer.OPEN, SubstituteOffer.Answer.SILENT)
    ).update(answer=SubstituteOffer.Answer.ACCEPTED)
    give_seat(vacancy, user, clock.now())
    record_event(AuditEvent.Kind.SUBSTITUTED, season, by, touched=[user], reason=reason, table=vacancy.table)
    return seat_of(vacancy)


def _ruled(vacancy: OpenSeat, by: User, reason: str) -> tuple[Season, str]:
    season = locked_season(season_number_of(vacancy))
    require_organiser(season.league, by)
    return season, cleaned_reason(reason)


def _require_willing(vacancy: OpenSeat, season: Season, by: User, user: User) -> None:
    if user != by and not season.substitutes.filter(user=user, stopped_at=None).exists():
        raise Refused(_("Only who has offered to help can be given a seat."))
    if vacancy.asks.filter(substitute__user=user, answer=SubstituteOffer.Answer.DECLINED).exists():
        raise Refused(_("This person has declined the seat."))
    if not may_sit(vacancy, user):
        raise Refused(_("This person cannot take a seat at this table."))


@transaction.atomic
def play_on(vacancy: OpenSeat, by: User, reason: str) -> None:
    """An organiser leaves the seat to its bot: nobody is sought any more. Twice is once.

    Who stays away may come back all the same. Raises Refused when somebody has taken it, and as all that
    organisers do.
    """
    season, reason = _ruled(vacancy, by, reason)
    vacancy = vacancy_now(vacancy)
    if vacancy.state == OpenSeat.State.TAKEN:
        raise Refused(_("Somebody has taken this seat meanwhile."))
    if vacancy.state == OpenSeat.State.CLOSED:
        return
    nobody_is_asked(vacancy)
    close(vacancy, clock.now())
    touched = [vacancy.left_by] if vacancy.left_by else []
    record_event(AuditEvent.Kind.LEFT_TO_BOT, season, by, touched=touched, reason=reason, table=vacancy.table)
