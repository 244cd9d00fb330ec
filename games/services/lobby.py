"""The lobby: create a table, invite, take seats and confirm, until the first deal or its cancellation.

Every function locks the table first, so two people cannot both take the last seat.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from django.db import IntegrityError, transaction
from django.db.models import Exists, Max, OuterRef, Q
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts import clock
from accounts.addresses import normal_address, readable_address
from accounts.blocking import is_blocked
from accounts.mail.outbox import queue
from accounts.models import User
from accounts.rate_limits import hit
from games.models import Game, Invitation, Seat, Table, TableAlert
from games.models.locking import Refused, over_before_it_began, require_accounts
from games.rules import nonce_from_words
from games.services.expiry import allow_time_to_confirm
from games.services.start import start_game

MOST_INVITATIONS = 20
INVITATIONS_LAST = timedelta(days=30)  # after the table stopped gathering players; the privacy page says so
MOST_SENDINGS = 3
INVITATIONS_A_DAY = 60
INVITATIONS_TO_ONE_A_DAY = 10


def make_table(
    host: User, *, form_key: UUID | None = None, invited: Mapping[str, str] | Iterable[str] = (), **terms: Any
) -> Table:
    """Create a table with the host in the first seat, and send the invitations.

    `invited` holds addresses, or names by address. `terms` are the table's columns. Submitting the same form
    twice makes one table. Raises Refused if the host's account is closed or an address cannot be invited.
    """
    key = form_key or uuid4()
    invited = invited if isinstance(invited, Mapping) else dict.fromkeys(invited, "")
    try:
        with transaction.atomic():
            return _make_table(host, invited, form_key=key, **terms)
    except IntegrityError:
        made = Table.objects.filter(host=host, form_key=key).first()
        if made is not None:
            return made
    with transaction.atomic():
        # the key belonged to someone else's form
        return _make_table(host, invited, form_key=uuid4(), **terms)


def _make_table(host: User, invited: Mapping[str, str], **terms: Any) -> Table:
    require_accounts([host])
    table = Table.objects.create(host=host, **terms)
    Seat.objects.create(table=table, number=0, user=host)
    for email in sorted(invited):  # in a fixed order, because each counts against a shared limit
        invite(table, email, invited[email])
    return table


@transaction.atomic
def invite(table: Table, email: str, name: str = "") -> Invitation:
    """Email this address a link to take a seat; inviting the same address again resends it."""
    table = _locked(table)
    email = normal_address(email)
    if table.seats.filter(user__email=email).exists():
        raise Refused(_("%(email)s already has a seat at this table.") % {"email": readable_address(email)})
    count_invitation(table.host, email)
    invitation = table.invitations.filter(email=email).first()
    if invitation is None:
        if table.invitations.count() >= MOST_INVITATIONS:
            raise Refused(
                _("You cannot send more invitations. The maximum for a table is %(most)d.")
                % {"most": MOST_INVITATIONS}
            )
        invitation = Invitation(table=table, email=email)
    else:
        count_again(invitation)
    invitation.name = name or invitation.name
    deliver(invitation, table.host, "invitation")
    return invitation


def deliver(invitation: Invitation, sender: User | None, kind: str, *, by_email: bool = True) -> None:
    """Store the invitation and email its recipient, unless they block the sender: then it stays hidden.

    The sender sees no difference. Whether it was hidden never changes, so a later block reveals nothing.
    """
    invited = invitation.user or User.objects.filter(email=invitation.email).first()
    invitation.is_kept_back = bool(invited and sender and is_blocked(sender, by=[invited.pk]))
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
            _("%(email)s cannot get more invitations today. Try again tomorrow.")
            % {"email": readable_address(email)}
        )


def count_sent_invitation(sender: User | None) -> None:
    """Count an invitation against its sender's daily limit."""
    if not hit("invite", str(sender.pk if sender else None), INVITATIONS_A_DAY):
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
            # Translators: email is an address
            ngettext(
                "You cannot invite %(email)s again. The limit is %(most)d invitation for this table.",
                "You cannot invite %(email)s again. The limit is %(most)d invitations for this table.",
                MOST_SENDINGS,
            )
            % {"email": readable_address(invitation.email), "most": MOST_SENDINGS}
        )
    invitation.state = Invitation.State.SENT
    invitation.sent_count += 1


@transaction.atomic
def withdraw(invitation: Invitation) -> None:
    """Withdraw an unanswered invitation; its link no longer gives a seat."""
    _locked(invitation.table)
    changed = Invitation.objects.filter(pk=invitation.pk, state=Invitation.State.SENT).update(
        state=Invitation.State.WITHDRAWN
    )
    if not changed:
        raise Refused(_("That invitation has already been answered."))


@transaction.atomic
def decline(invitation: Invitation) -> None:
    """Decline an invitation and tell the host. Safe to repeat."""
    table = _locked(invitation.table)
    changed = Invitation.objects.filter(pk=invitation.pk, state=Invitation.State.SENT).update(
        state=Invitation.State.DECLINED
    )
    if changed:
        _tell_host(
            table,
            "declined",
            key=f"declined:{invitation.pk}:{invitation.sent_count}",
            context={"invitation": invitation.pk},
        )


@transaction.atomic
def take_seat(table: Table, user: User, invitation: Invitation | None = None, words: str = "") -> Seat:
    """Give this user a seat, by invitation where the table needs one; return their seat if they have one.

    Only a nonce derived from the user's own words for the shuffle is stored (RECORD.md, "A provable
    shuffle").

    Raises Refused if the table is full, has begun, or has withdrawn the invitation. Also raises Refused if
    someone there has blocked the user, or the user's account is closed.
    """
    require_accounts([user])
    table = _locked(table)
    seat = table.seats.filter(user=user).first()
    if seat is None:
        _require_chair(table)
        require_welcome(table, user)
        seat = Seat.objects.create(table=table, user=user, number=_next_number(table), nonce=_nonce_of(words))
        TableAlert.objects.filter(user=user).delete()
    if invitation is not None:
        _accept(invitation)
    _accept_invitations_to(table, user)
    if table.seats.count() == table.size:
        ask_everybody_to_confirm(table)
    return seat


@transaction.atomic
def give_words(seat: Seat, words: str) -> None:
    """Set this player's own words for the shuffle, until they confirm; "" removes them.

    Only a nonce derived from them is stored. Raises Refused once the player has confirmed, unless the words
    are the same.
    """
    table = _locked(seat.table, also_begun=True)
    if table.never_began:
        raise Refused(over_before_it_began(table))
    nonce, mine = _nonce_of(words), table.seats.filter(pk=seat.pk)
    changeable = mine.filter(confirmed_at__isnull=True, table__state=Table.State.GATHERING)
    if not changeable.update(nonce=nonce) and not mine.filter(nonce=nonce):
        raise Refused(_("You have confirmed, so you cannot change your words for the shuffle."))


def _nonce_of(words: str) -> str:
    return nonce_from_words(words).hex() if words else ""


@transaction.atomic
def seat_bot(table: Table, strength: str, roster: int) -> Seat:
    """Give a free seat to a bot, as the host; bots agree to everything.

    `roster` is how many were seated when the host chose, so a repeated submission seats one bot. Raises
    Refused if the table is full or no longer gathers players, or someone else has sat down since.
    """
    table = _locked(table)
    last = table.seats.last()
    if last is not None and last.bot == strength and table.seats.count() == roster + 1:
        return last
    _require_chair(table)
    if table.seats.count() != roster:
        raise Refused(_("The players have changed. Check who is at the table now."))
    number = _next_number(table)
    seat = Seat.objects.create(table=table, bot=strength, number=number, confirmed_at=clock.now())
    if table.seats.count() == table.size:
        ask_everybody_to_confirm(table)
    return seat


def _next_number(table: Table) -> int:
    last = table.seats.aggregate(last=Max("number"))["last"]
    return 0 if last is None else last + 1


def _require_chair(table: Table) -> None:
    if table.seats.count() >= table.size:
        raise Refused(_("All seats at this table are taken."))


def require_welcome(table: Table, user: User, leaving: Seat | None = None) -> None:
    """Raise Refused if the host or someone at the table has blocked the user; never say who.

    The player in `leaving`, who is giving up that seat, is ignored.
    """
    seats = table.seats.exclude(pk=leaving.pk) if leaving else table.seats.all()
    roster = [seated for seated in seats.values_list("user_id", flat=True) if seated is not None]
    if table.host_id is not None:
        roster.append(table.host_id)
    if is_blocked(user, by=roster):
        raise Refused(_("You cannot take a seat at this table."))


def _accept(invitation: Invitation) -> None:
    """Accept by compare-and-set, so that a withdrawal a moment ago wins."""
    takeable = (Invitation.State.SENT, Invitation.State.DECLINED, Invitation.State.ACCEPTED)
    changed = Invitation.objects.filter(pk=invitation.pk, state__in=takeable).update(
        state=Invitation.State.ACCEPTED
    )
    if not changed:
        raise Refused(_("The host has withdrawn this invitation."))


def _accept_invitations_to(table: Table, user: User) -> None:
    sent = table.invitations.to_person(user).filter(state=Invitation.State.SENT)
    sent.update(state=Invitation.State.ACCEPTED)


def ask_everybody_to_confirm(table: Table) -> None:
    """Ask everyone who has not confirmed this exact roster to confirm it."""
    allow_time_to_confirm(table, clock.now())
    roster = ",".join(str(pk) for pk in table.seats.values_list("pk", flat=True).order_by("pk"))
    for seat in table.seats.people().filter(confirmed_at__isnull=True):
        queue("confirm", to=seat.person, key=f"confirm:{seat.pk}:{roster}", context={"seat": seat.pk})


@transaction.atomic
def confirm(seat: Seat) -> None:
    """Confirm the settings and the roster for this player. The last confirmation starts the game."""
    table = _locked(seat.table, also_begun=True)
    if not table.is_gathering:
        if table.never_began:
            raise Refused(over_before_it_began(table))
        return
    if table.seats.count() < table.size:
        raise Refused(_("There are still free seats. You can confirm when the table is full."))
    changed = table.seats.filter(pk=seat.pk, confirmed_at__isnull=True).update(confirmed_at=clock.now())
    if changed and not table.seats.filter(confirmed_at__isnull=True).exists():
        start_game(table)


@transaction.atomic
def leave(seat: Seat) -> None:
    """Give up a seat before the game begins. The host cannot leave, only cancel the table."""
    table = _locked(seat.table)
    if seat.user_id == table.host_id:
        raise Refused(_("The host cannot leave the table. Cancel it instead."))
    _free(seat)
    _tell_host(table, "left", key=f"left:{seat.pk}", context={"table": table.pk, "user": seat.user_id})


@transaction.atomic
def remove(seat: Seat) -> None:
    """Remove a player before the game begins, as the host, and tell them."""
    table = _locked(seat.table)
    if seat.user_id == table.host_id:
        raise Refused(_("The host cannot be removed. Cancel the table instead."))
    _free(seat)
    if seat.user is not None:
        table.invitations.to_person(seat.user).update(state=Invitation.State.WITHDRAWN)
        queue("removed", to=seat.user, key=f"removed:{seat.pk}", context={"table": table.pk})


def _free(seat: Seat) -> None:
    """Free a seat; the roster changes, so everyone must confirm again."""
    Seat.objects.filter(pk=seat.pk).delete()
    Seat.objects.filter(table_id=seat.table_id, bot="").update(confirmed_at=None)


@transaction.atomic
def cancel(table: Table) -> None:
    """Cancel a table before its game begins and tell everyone seated or invited."""
    table = _locked(table)
    table.state, table.closes_at = Table.State.CANCELLED, clock.now()
    table.save(update_fields=["state", "closes_at"])
    for seat in table.seats.people().exclude(user=table.host):
        queue("cancelled", to=seat.person, key=f"cancelled:{table.pk}:{seat.pk}", context={"table": table.pk})
    for invitation in table.invitations.filter(state=Invitation.State.SENT, is_kept_back=False):
        queue(
            "cancelled",
            to=invitation.email,
            key=f"cancelled:{table.pk}:invitation:{invitation.pk}",
            context={"table": table.pk},
            by=table.host,
        )


def forget_old_invitations(now: datetime) -> int:
    """Delete invitations of tables that stopped gathering players a month ago; return how many.

    Offers of a seat stay while their game runs (R49).
    """
    long_ago = now - INVITATIONS_LAST
    begun = Game.objects.filter(table=OuterRef("table"), started_at__lt=long_ago)
    given_up = Q(table__state__in=(Table.State.CANCELLED, Table.State.CLOSED), table__closes_at__lt=long_ago)
    offered = Q(seat__isnull=False, table__state=Table.State.PLAYING)
    return Invitation.objects.filter(Exists(begun) | given_up).exclude(offered).delete()[0]


def _tell_host(table: Table, kind: str, *, key: str, context: dict[str, Any]) -> None:
    if table.host is not None:  # a guest's practice table has no host
        queue(kind, to=table.host, key=key, context=context)


def _locked(table: Table, *, also_begun: bool = False) -> Table:
    """Return the table's row, locked until the transaction ends; refuse if it is not gathering players."""
    locked = Table.objects.select_for_update().select_related(None).get(pk=table.pk)
    if locked.is_gathering or also_begun:
        return locked
    raise Refused(over_before_it_began(locked))
