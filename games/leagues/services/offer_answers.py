"""Substitutes accept or decline a seat that was offered to them."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from accounts import clock
from games.leagues.models import AuditEvent, OpenSeat, SubstituteOffer
from games.leagues.services.audit_log import record_event
from games.leagues.services.open_seats import close, give_seat, is_needed, open_seat_now, season_of, seat_of
from games.leagues.services.permissions import require_account
from games.leagues.services.substitute_offers import locked_offer, pass_on
from games.models import Seat
from games.services import Refused


@transaction.atomic
def decline(ask: SubstituteOffer) -> None:
    """Decline this seat, so that the next substitute is asked. Safe to repeat, also when it is too late."""
    ask = locked_offer(ask)
    if ask.answer == SubstituteOffer.Answer.ACCEPTED:
        raise Refused(_("You have already taken this seat. You can give it up on the game’s page."))
    if ask.answer == SubstituteOffer.Answer.OPEN:
        pass_on(ask, SubstituteOffer.Answer.DECLINED, clock.now())


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
    ask, now = locked_offer(ask), clock.now()
    open_seat = open_seat_now(ask.open_seat)
    if _is_theirs(ask, open_seat):
        return ""
    if not is_needed(open_seat) and open_seat.state in OpenSeat.SOUGHT:
        close(open_seat, now)
    refusal = _why_not_free(ask, open_seat)
    return refusal or _seat_substitute(ask, open_seat, now)


def _is_theirs(ask: SubstituteOffer, open_seat: OpenSeat) -> bool:
    is_taken = open_seat.state == OpenSeat.State.TAKEN and open_seat.taken_by_id == ask.substitute.user_id
    return is_taken and seat_of(open_seat).user_id == ask.substitute.user_id


def _why_not_free(ask: SubstituteOffer, open_seat: OpenSeat) -> str:
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
            pass_on(ask, SubstituteOffer.Answer.DECLINED, now)
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
