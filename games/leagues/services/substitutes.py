"""Substitutes: they volunteer for seats that others leave, are asked in order, and accept or decline."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from accounts import clock
from accounts.models import User
from games.leagues.models import AuditEvent, OpenSeat, Registration, Season, Substitute, SubstituteOffer
from games.leagues.services.audit_log import record_event
from games.leagues.services.open_seats import (
    close,
    give_seat,
    is_needed,
    offer_seat,
    open_seat_now,
    season_number_of,
    season_of,
    seat_of,
)
from games.leagues.services.permissions import locked_season, require_account, require_welcome
from games.leagues.services.schedule import run_for_all
from games.models import Seat
from games.services import Refused


@transaction.atomic
def volunteer(season: Season, user: User) -> Substitute:
    """Become a substitute, last in the order, and get offers at once for seats no one wanted. Safe to repeat.

    Raises Refused if the season is over or the account is closed.
    Also raises Refused for people who were expelled or are blocked by an organiser.
    """
    require_account(user)
    season, now = locked_season(season), clock.now()
    _require_wanted(season, user)
    substitute, _is_new = season.substitutes.get_or_create(user=user, defaults={"turn_at": now})
    if substitute.stopped_at is not None:
        substitute.stopped_at, substitute.turn_at = None, now
        substitute.save(update_fields=["stopped_at", "turn_at"])
    for open_seat in _unwanted(season):
        offer_seat(open_seat, now)
    return substitute


def _require_wanted(season: Season, user: User) -> None:
    require_welcome(season.league, user)
    if season.state in Season.OVER:
        raise Refused(_("This season has ended. It no longer needs substitutes."))
    if season.entries.filter(user=user, state=Registration.State.EXPELLED).exists():
        raise Refused(_("You were expelled from this season, so you cannot be a substitute in it."))


def _unwanted(season: Season) -> list[OpenSeat]:
    found = OpenSeat.objects.filter(table__round__division__season=season, state=OpenSeat.State.NOBODY)
    return [open_seat_now(open_seat) for open_seat in found.order_by("pk")]


@transaction.atomic
def stop_volunteering(season: Season, user: User) -> None:
    """Stop being asked. Seats already taken stay with the substitute. Safe to repeat."""
    season, now = locked_season(season), clock.now()
    stopped = season.substitutes.filter(user=user, stopped_at=None)
    stopped.update(stopped_at=now)
    for ask in SubstituteOffer.objects.filter(
        substitute__season=season, substitute__user=user, answer=SubstituteOffer.Answer.OPEN
    ):
        _answer(ask, SubstituteOffer.Answer.DECLINED, now)


# Making offers


@transaction.atomic
def ask_next(open_seat: OpenSeat, now: datetime) -> SubstituteOffer | None:
    """Offer the seat to the next substitute, unless an offer is open; return None if no one was asked."""
    locked_season(season_number_of(open_seat))
    return offer_seat(open_seat_now(open_seat), now)


def run_offers(now: datetime) -> int:
    """Expire unanswered offers and make the next ones; return how often either happened. Part of the tick."""
    silent = SubstituteOffer.objects.filter(answer=SubstituteOffer.Answer.OPEN, until__lte=now).order_by(
        "until", "pk"
    )
    done = run_for_all(silent, _give_up_waiting, now)
    waiting = OpenSeat.objects.filter(state=OpenSeat.State.OPEN).exclude(
        asks__answer=SubstituteOffer.Answer.OPEN
    )
    return done + run_for_all(waiting.order_by("pk"), ask_next, now)


@transaction.atomic
def _give_up_waiting(ask: SubstituteOffer, now: datetime) -> bool:
    ask = _locked(ask)
    if ask.answer != SubstituteOffer.Answer.OPEN or ask.until > now:
        return False
    _answer(ask, SubstituteOffer.Answer.SILENT, now)
    return True


def _answer(ask: SubstituteOffer, answer: SubstituteOffer.Answer, now: datetime) -> None:
    """Record that the substitute does not take the seat, and ask the next one."""
    ask.answer = answer
    ask.save(update_fields=["answer"])
    offer_seat(open_seat_now(ask.open_seat), now)


def _locked(ask: SubstituteOffer) -> SubstituteOffer:
    """Return the current row under its season's lock."""
    locked_season(Season.objects.values_list("pk", flat=True).get(substitutes__asks=ask.pk))
    return SubstituteOffer.objects.select_related("open_seat", "substitute__user", "substitute__season").get(
        pk=ask.pk
    )


# Answering offers


@transaction.atomic
def decline(ask: SubstituteOffer) -> None:
    """Decline this seat, so that the next substitute is asked. Safe to repeat, also when it is too late."""
    ask = _locked(ask)
    if ask.answer == SubstituteOffer.Answer.ACCEPTED:
        raise Refused(_("You have already taken this seat. You can give it up on the game’s page."))
    if ask.answer == SubstituteOffer.Answer.OPEN:
        _answer(ask, SubstituteOffer.Answer.DECLINED, clock.now())


def accept(ask: SubstituteOffer) -> Seat:
    """Take the seat with its hand, its log, the note left there, and full time for the pending decision.

    Safe to repeat. A late answer still counts if no one else has been asked.
    Raises Refused if the seat is no longer free.
    That is so if its player is back, someone else has it, or the game is over.
    """
    refusal = _try_to_accept(ask)
    if refusal:
        raise Refused(refusal)
    return seat_of(OpenSeat.objects.select_related("table").get(pk=ask.open_seat_id))


@transaction.atomic
def _try_to_accept(ask: SubstituteOffer) -> str:
    """Try to seat the substitute; return why it failed, or "". Changes found on the way are kept."""
    require_account(ask.substitute.user)
    ask, now = _locked(ask), clock.now()
    open_seat = open_seat_now(ask.open_seat)
    if _is_theirs(ask, open_seat):
        return ""
    if not is_needed(open_seat) and open_seat.state in OpenSeat.SOUGHT:
        close(open_seat, now)
    refusal = _why_not(ask, open_seat)
    return refusal or _seat_substitute(ask, open_seat, now)


def _is_theirs(ask: SubstituteOffer, open_seat: OpenSeat) -> bool:
    is_taken = open_seat.state == OpenSeat.State.TAKEN and open_seat.taken_by_id == ask.substitute.user_id
    return is_taken and seat_of(open_seat).user_id == ask.substitute.user_id


def _why_not(ask: SubstituteOffer, open_seat: OpenSeat) -> str:
    if open_seat.state == OpenSeat.State.CLOSED:
        return _("This seat is no longer free. Its player is back, or the game is over.")
    if open_seat.state == OpenSeat.State.TAKEN:
        return _("Someone else has already taken this seat.")
    if ask.substitute.stopped_at is not None:
        return _("You are no longer a substitute in this season. Become one again first.")
    if open_seat.asks.filter(answer=SubstituteOffer.Answer.OPEN).exclude(pk=ask.pk).exists():
        return _("The seat has been offered to someone else. If they decline, you can take it.")
    return ""


def _seat_substitute(ask: SubstituteOffer, open_seat: OpenSeat, now: datetime) -> str:
    """Seat the substitute; if the table does not accept them, record the offer as declined."""
    try:
        give_seat(open_seat, ask.substitute.user, now)
    except Refused as refused:
        if ask.answer == SubstituteOffer.Answer.OPEN:
            _answer(ask, SubstituteOffer.Answer.DECLINED, now)
        return str(refused)
    ask.answer = SubstituteOffer.Answer.ACCEPTED
    ask.save(update_fields=["answer"])
    record_event(
        AuditEvent.Kind.SUBSTITUTED,
        season_of(open_seat),
        None,
        touched=[ask.substitute.user],
        table=open_seat.table,
    )
    return ""
