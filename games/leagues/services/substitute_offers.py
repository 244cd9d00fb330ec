"""Offers of a free seat, made to one substitute after the other. Needs the season's lock.

A substitute with an open offer for another seat is waited for: no one gets two offers at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet

from accounts import clock
from accounts.mail.collecting import collecting_email
from accounts.mail.outbox import queue
from accounts.mail.suppression import fails
from accounts.models import Block, User
from games.leagues.models import (
    LeagueTable,
    OpenSeat,
    Registration,
    Season,
    SeatAssignment,
    Substitute,
    SubstituteOffer,
)
from games.leagues.services.each_row import run_for_all
from games.leagues.services.locks import locked_season
from games.leagues.services.open_seats import (
    close,
    is_needed,
    open_seat_now,
    season_id_of,
    season_of,
    seat_of,
    seek,
)
from games.models import Seat, SeatChange


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
        if _has_lock(substitute.user) and not _has_open_offer(substitute.user):
            return _make_offer(open_seat, substitute, now)
        is_anybody_busy = True
    if is_anybody_busy:
        _set_state(open_seat, OpenSeat.State.OPEN)
    elif open_seat.state == OpenSeat.State.OPEN:
        _tell_that_no_one_is_left(open_seat)
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
    return not _has_sat_there(open_seat, user) and not _is_blocked_there(open_seat, user)


def _has_sat_there(open_seat: OpenSeat, user: User) -> bool:
    table = open_seat.table
    changes = SeatChange.objects.filter(Q(before=user) | Q(after=user), game__table=table.table_id)
    return (
        Seat.objects.filter(table=table.table_id, user=user).exists()
        or changes.exists()
        or SeatAssignment.objects.filter(table=table, entry__user=user).exists()
    )


def _is_blocked_there(open_seat: OpenSeat, user: User) -> bool:
    """Return whether this person and a remaining player do not want to play together; no one learns which."""
    roster = Seat.objects.filter(table=open_seat.table.table_id, user__isnull=False)
    others = roster.exclude(pk=seat_of(open_seat).pk).values("user")
    return Block.objects.filter(Q(whom=user, by__in=others) | Q(by=user, whom__in=others)).exists()


def _expelled(open_seat: OpenSeat) -> QuerySet[Registration, Any]:
    out = Registration.objects.filter(season=season_of(open_seat), state=Registration.State.EXPELLED)
    return out.values("user")


def _has_lock(user: User) -> bool:
    """Lock the user's row until the transaction ends, so that no other season asks them at this moment.

    Does not wait for a row locked elsewhere: that person is asked at the next tick.
    """
    here = User.objects.filter(pk=user.pk, deleted_at=None)
    return bool(here.select_for_update(no_key=True, skip_locked=True))


def _has_open_offer(user: User) -> bool:
    return SubstituteOffer.objects.filter(substitute__user=user, answer=SubstituteOffer.Answer.OPEN).exists()


def _make_offer(open_seat: OpenSeat, substitute: Substitute, now: datetime) -> SubstituteOffer:
    begins = max(now, season_of(open_seat).league.paused_until or now)
    until = begins + timedelta(hours=season_of(open_seat).ask_hours)
    ask = SubstituteOffer.objects.create(
        open_seat=open_seat, substitute=substitute, asked_at=now, until=until
    )
    substitute.turn_at = now
    substitute.save(update_fields=["turn_at"])
    _set_state(open_seat, OpenSeat.State.OPEN)
    queue("league_ask", to=substitute.user, key=f"league_ask:{ask.pk}", context={"ask": ask.pk})
    return ask


def _tell_that_no_one_is_left(open_seat: OpenSeat) -> None:
    """Email the organisers that no one is left to ask, each time the last substitute has declined.

    An email that has not been sent yet names this seat too.
    """
    _set_state(open_seat, OpenSeat.State.NOBODY)
    kind, season = "league_open_seat_over", season_of(open_seat)
    for organiser in season.league.organisers.select_related("user").order_by("user"):
        empty: dict[str, list[int]] = {"open_seats": []}
        prefix = f"no_substitute:{season.pk}:{organiser.user_id}:"
        email = collecting_email(kind, to=organiser.user, key_prefix=prefix, context=empty, due=clock.now())
        email.context["open_seats"].append(open_seat.pk)
        email.save(update_fields=["context"])


def _set_state(open_seat: OpenSeat, state: OpenSeat.State) -> None:
    if open_seat.state != state:
        open_seat.state = state
        open_seat.save(update_fields=["state"])


@transaction.atomic
def offer_to_next(open_seat: OpenSeat, now: datetime) -> SubstituteOffer | None:
    """Offer the seat to the next substitute, unless an offer is open; return None if no one was asked."""
    locked_season(season_id_of(open_seat))
    return offer_seat(open_seat_now(open_seat), now)


def run_offers(now: datetime) -> int:
    """Expire unanswered offers and make the next ones; return how often either happened. Part of the tick."""
    silent = SubstituteOffer.objects.filter(answer=SubstituteOffer.Answer.OPEN, until__lte=now).order_by(
        "until", "pk"
    )
    done = run_for_all(silent, _expire, now)
    waiting = OpenSeat.objects.filter(state=OpenSeat.State.OPEN).exclude(
        asks__answer=SubstituteOffer.Answer.OPEN
    )
    return done + run_for_all(waiting.order_by("pk"), offer_to_next, now)


@transaction.atomic
def _expire(ask: SubstituteOffer, now: datetime) -> bool:
    ask = locked_offer(ask)
    if ask.answer != SubstituteOffer.Answer.OPEN or ask.until > now:
        return False
    pass_on(ask, SubstituteOffer.Answer.SILENT, now)
    return True


def pass_on(ask: SubstituteOffer, answer: SubstituteOffer.Answer, now: datetime) -> None:
    """Record that the substitute does not take the seat, and ask the next one."""
    ask.answer = answer
    ask.save(update_fields=["answer"])
    offer_seat(open_seat_now(ask.open_seat), now)


def locked_offer(ask: SubstituteOffer) -> SubstituteOffer:
    """Return the current row under its season's lock."""
    locked_season(Season.objects.values_list("pk", flat=True).get(substitutes__asks=ask.pk))
    return SubstituteOffer.objects.select_related("open_seat", "substitute__user", "substitute__season").get(
        pk=ask.pk
    )


def seek_substitute(
    table: LeagueTable, seat: int, user: User | None, why: OpenSeat.Why, now: datetime, note: str = ""
) -> None:
    """Search for a substitute for this seat, or go on searching, and offer it to the next one."""
    open_seat = open_seat_now(seek(table, seat, user, why, now, note))
    offer_seat(open_seat, now)
