"""Invitations to a table: send, count, withdraw, decline and delete them."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.addresses import normal_address, readable_address
from accounts.blocking import is_blocked
from accounts.mail.outbox import queue
from accounts.models import User
from accounts.rate_limits import hit
from accounts.row_locks import delete_free
from games.models import Game, Invitation, Table
from games.models.invitations import address_of_account
from games.models.locking import Refused, locked_gathering

MOST_INVITATIONS = 20
INVITATIONS_LAST = timedelta(days=30)  # after the table stopped gathering players; the privacy page says so
MOST_SENDINGS = 3
INVITATIONS_A_DAY = 60
INVITATIONS_TO_ONE_A_DAY = 10


@transaction.atomic
def invite(table: Table, email: str, name: str = "", *, again: bool = True) -> Invitation:
    """Email this address a link to take a seat; inviting the same address again resends it.

    Without `again`, an invitation that waits for an answer stays as it is.
    """
    table = locked_gathering(table)
    email = normal_address(email)
    if table.seats.filter(user__email=email).exists():
        raise Refused(_("%(email)s already has a seat at this table.") % {"email": readable_address(email)})
    if not again and (waiting := _waiting_invitation(table, email)):
        return waiting
    count_invitation(table.host, email)
    invitation = _invitation_of(table, email)
    invitation.name = name or invitation.name
    deliver(invitation, table.host, "invitation")
    return invitation


@transaction.atomic
def invite_person(table: Table, person: User, *, again: bool = True) -> Invitation:
    """Invite someone by name, whose address the host doesn't learn; inviting them again resends it.

    Without `again`, an invitation that waits for an answer stays as it is.
    If they had enough emails today, it appears only among their games. At an anonymous table, the host
    doesn't learn either whether they already have a seat: then it stays hidden.
    """
    table = locked_gathering(table)
    is_seated = table.seats.filter(user=person).exists()
    if is_seated and not table.is_anonymous:
        raise Refused(_("%(name)s already has a seat at this table.") % {"name": person.shown_name})
    if person.is_bot and not table.welcomes_bots:
        raise Refused(_("Players’ own bots can’t take a seat at this table."))
    if not again and (waiting := _waiting_invitation(table, address_of_account(person))):
        return waiting
    count_sent_invitation(table.host)
    invitation = _invitation_of(table, address_of_account(person), person)
    by_email = has_room_for_invitation(person.email)
    deliver(invitation, table.host, "invitation", by_email=by_email, is_needless=is_seated)
    return invitation


def _waiting_invitation(table: Table, email: str) -> Invitation | None:
    return table.invitations.filter(email=email, state=Invitation.State.SENT).first()


def _invitation_of(table: Table, email: str, person: User | None = None) -> Invitation:
    """Return the table's one invitation to this address or person, to be sent; `deliver` stores it."""
    invitation = table.invitations.filter(email=email).first()
    if invitation is not None:
        count_again(invitation)
        return invitation
    if table.invitations.count() >= MOST_INVITATIONS:
        raise Refused(
            _("You can’t send more invitations. The maximum for a table is %(most)d.")
            % {"most": MOST_INVITATIONS}
        )
    return Invitation(table=table, email=email, user=person)


def deliver(
    invitation: Invitation,
    sender: User | None,
    kind: str,
    *,
    by_email: bool = True,
    is_needless: bool = False,
) -> None:
    """Store the invitation and email its recipient, unless they block the sender: then it stays hidden.

    So does one that is needless. The sender sees no difference. Whether it was hidden never changes, so a
    later block reveals nothing.
    """
    invited = invitation.user or User.objects.filter(email=invitation.email).first()
    is_unwanted = bool(invited and sender and is_blocked(sender, by=[invited.pk]))
    invitation.is_kept_back = is_unwanted or is_needless
    invitation.save()
    if by_email and not invitation.is_kept_back:
        to = invitation.user or invitation.email
        context = {"invitation": invitation.pk}
        queue(kind, to=to, key=invitation.email_key, context=context, by=sender)


def count_invitation(sender: User | None, email: str) -> None:
    """Count an invitation against the daily limits of its sender and its recipient."""
    count_sent_invitation(sender)
    if not has_room_for_invitation(email):
        raise Refused(
            _("%(email)s can’t get more invitations today. Try again tomorrow.")
            % {"email": readable_address(email)}
        )


def count_sent_invitation(sender: User | None) -> None:
    """Count an invitation against its sender's daily limit, which a person shares with their bots."""
    counted = (sender.owner_id or sender.pk) if sender else None
    if not hit("invite", str(counted), INVITATIONS_A_DAY):
        raise Refused(
            _("You have reached the limit of invitations for today (%(most)d). Try again tomorrow.")
            % {"most": INVITATIONS_A_DAY}
        )


def has_room_for_invitation(email: str) -> bool:
    """Count an invitation against its recipient's daily limit; return whether it is within it."""
    return hit("be invited", email, INVITATIONS_TO_ONE_A_DAY)


def count_again(invitation: Invitation) -> None:
    """Mark an earlier invitation to this address, unsaved, as sent once more."""
    if invitation.sent_count >= MOST_SENDINGS:
        raise Refused(
            # Translators: email is an address or a name
            ngettext(
                "You can’t invite %(email)s again. The limit is %(most)d invitation for this table.",
                "You can’t invite %(email)s again. The limit is %(most)d invitations for this table.",
                MOST_SENDINGS,
            )
            % {"email": _named_or_address(invitation), "most": MOST_SENDINGS}
        )
    invitation.state = Invitation.State.SENT
    invitation.sent_count += 1


def _named_or_address(invitation: Invitation) -> str:
    by_name = invitation.user
    return readable_address(invitation.email) if by_name is None else by_name.shown_name


@transaction.atomic
def withdraw(invitation: Invitation) -> None:
    """Withdraw an unanswered invitation; its link no longer gives a seat."""
    locked_gathering(invitation.table)
    changed = Invitation.objects.filter(pk=invitation.pk, state=Invitation.State.SENT).update(
        state=Invitation.State.WITHDRAWN
    )
    if not changed:
        raise Refused(_("That invitation has already been answered."))


@transaction.atomic
def decline(invitation: Invitation) -> None:
    """Decline an invitation and tell the host. Safe to repeat."""
    table = locked_gathering(invitation.table)
    changed = Invitation.objects.filter(pk=invitation.pk, state=Invitation.State.SENT).update(
        state=Invitation.State.DECLINED
    )
    if changed:
        tell_host(
            table,
            "declined",
            key=f"declined:{invitation.pk}:{invitation.sent_count}",
            context={"invitation": invitation.pk},
        )


def tell_host(table: Table, kind: str, *, key: str, context: dict[str, Any]) -> None:
    if table.host is not None:  # a guest's practice table has no host
        queue(kind, to=table.host, key=key, context=context)


def forget_old_invitations(now: datetime) -> int:
    """Delete invitations of tables that stopped gathering players a month ago; return how many.

    Offers of a seat stay while their game runs (R49).
    """
    long_ago = now - INVITATIONS_LAST
    begun = Game.objects.filter(table=OuterRef("table"), started_at__lt=long_ago)
    given_up = Q(table__state__in=(Table.State.CANCELLED, Table.State.CLOSED), table__closes_at__lt=long_ago)
    offered = Q(seat__isnull=False, table__state=Table.State.PLAYING)
    return delete_free(Invitation.objects.filter(Exists(begun) | given_up).exclude(offered))[0]
