"""Offers of a seat in a running game: by its player, or by the host for a player who is away (R49)."""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.addresses import normal_address, readable_address
from accounts.models import User
from games.models import Invitation, Seat, Table
from games.models.locking import Refused, locked_seat
from games.services.table_invitations import count_again, count_invitation, deliver


@transaction.atomic
def hand_over(seat: Seat, email: str) -> Invitation:
    """Offer one's seat in a running game to an email address; the holder plays until it is accepted.

    Repeating the call with the same address repeats the same offer. Raises Refused if no game is running,
    another offer is open, or the address belongs to someone seated. Also raises Refused at a table that
    belongs to a source, and beyond the invitation limits.
    """
    _game, seat = locked_seat(seat)
    email = normal_address(email)
    if seat.table.source:
        raise Refused(_("You can’t offer your seat at this table. Give it up, and we look for a substitute."))
    standing = seat.invitations.filter(state=Invitation.State.SENT).first()
    if standing is not None and standing.email != email:
        raise Refused(_("You have already offered your seat. Withdraw that offer first."))
    if standing is not None:
        return standing
    if seat.table.seats.filter(user__email=email).exists():
        raise Refused(_("%(email)s already has a seat at this table.") % {"email": readable_address(email)})
    count_invitation(seat.person, email)
    return _send_offer(seat, seat.person, email)


@transaction.atomic
def offer_absent_seat(seat: Seat, host: User, email: str) -> Invitation:
    """Offer an absent player's seat to an address, as the host, if the settings allow it.

    The offer ends when the player is back. An earlier offer to another address is withdrawn. Repeating the
    call with the same address repeats the same offer.

    Raises Refused if the caller is not the host, the player is back, or the seat has changed hands. Also
    raises Refused in the cases of `hand_over`.
    """
    if seat.user_id is None:
        raise Refused(no_longer_free())
    _game, seat = locked_seat(seat)
    email = normal_address(email)
    if seat.table.host_id != host.pk:
        raise Refused(_("Only the host can offer the seat of a player who is away."))
    if not _is_offered(seat):
        raise Refused(no_longer_free())
    standing = seat.invitations.filter(state=Invitation.State.SENT, email=email).first()
    if standing is not None:
        return standing
    if seat.table.seats.filter(user__email=email).exists():
        raise Refused(_("%(email)s already has a seat at this table.") % {"email": readable_address(email)})
    count_invitation(host, email)
    withdraw_offers(seat)
    return _send_offer(seat, host, email)


def _send_offer(seat: Seat, sender: User, email: str) -> Invitation:
    offer = _offer_for(seat, email)
    deliver(offer, sender, "hand_over")
    return offer


def _offer_for(seat: Seat, email: str) -> Invitation:
    """Return the table's one invitation to this address, now for this seat; `deliver` stores it."""
    offer = seat.table.invitations.filter(email=email).first()
    if offer is None:
        return Invitation(table=seat.table, seat=seat, email=email)
    count_again(offer)
    offer.seat, offer.user = seat, None
    return offer


def withdraw_offers(seat: Seat) -> None:
    seat.invitations.filter(state=Invitation.State.SENT).update(state=Invitation.State.WITHDRAWN)


@transaction.atomic
def close_offer(offer: Invitation, state: str) -> None:
    """Close an offer of a seat as declined or withdrawn; its holder plays on. Safe to repeat.

    Raises Refused if the offer was closed in another way.
    """
    Table.objects.select_for_update(of=("self",)).get(pk=offer.table_id)
    closed = Invitation.objects.filter(pk=offer.pk, state__in=(Invitation.State.SENT, state))
    if not closed.update(state=state):
        raise Refused(_("That offer has already been answered or withdrawn."))


def may_be_taken(seat: Seat) -> bool:
    """Return whether any newcomer who can see the table may take this absent player's seat.

    At a table by invitation only the host can offer the seat.
    """
    return _is_offered(seat) and seat.table.entry != Table.Entry.INVITATION


def _is_offered(seat: Seat) -> bool:
    table = seat.table
    is_away = seat.user_id is not None and bool(seat.played_by_bot)
    return is_away and table.absent == Table.Absent.OFFER and table.state == Table.State.PLAYING


def no_longer_free() -> str:
    return _("This seat is no longer free. Its player is back, or someone else has taken it.")
