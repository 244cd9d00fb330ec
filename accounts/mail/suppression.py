"""People who get no email: suppressed addresses, unsubscribed lists, and turn emails turned off."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeVar

from django.core import signing
from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from accounts import clock, tokens
from accounts.addresses import normal_address
from accounts.characters import cut
from accounts.mail.models import OutgoingEmail, SuppressedAddress, Unsubscription
from accounts.mail.outbox import keep_preferences, queue
from accounts.models import User
from accounts.rate_limits import hit
from accounts.tokens import SIGN_IN, recipient_token

RETRIED_AFTER = timedelta(days=7)
NEVER_SUPPRESSED = frozenset({"account"})  # emails for signing in and for changing an address
_LONGEST_REASON = 500
_DAYS_OF_FAILURES = 3
_MOST_LOOKED_AT = 100


def suppressions_of(addresses: Iterable[str]) -> dict[str, SuppressedAddress]:
    """Return the current suppressions of these addresses, by normalized address."""
    rows = _suppressed(clock.now()).filter(address__in={normal_address(address) for address in addresses})
    return {row.address: row for row in rows}


def fails(addresses: Iterable[str]) -> frozenset[str]:
    """Return which of these addresses are suppressed now, normalized."""
    return frozenset(suppressions_of(addresses))


def suppression_of(address: str) -> SuppressedAddress | None:
    """Return the suppression of this address, or None if it gets emails."""
    return suppressions_of([address]).get(normal_address(address))


def is_suppressed(email: OutgoingEmail) -> bool:
    """Return whether this email is skipped: its address is suppressed, and it is not for signing in."""
    return email.kind not in NEVER_SUPPRESSED and bool(fails([email.to_address]))


def suppress(email: OutgoingEmail, reason: str, now: datetime) -> None:
    """Suppress the address of this email, or restart its seven days."""
    if email.forgets_address or not email.to_address:
        return
    found = {"reason": cut(reason, _LONGEST_REASON), "since": now, "email": email}
    SuppressedAddress.objects.update_or_create(address=normal_address(email.to_address), defaults=found)


def keeps_failing(email: OutgoingEmail) -> bool:
    """Return whether this email is the last of several that failed, queued on three different days.

    An email that a server accepted ends the row. Emails that were never sent don't count.
    """
    tried = (OutgoingEmail.State.SENT, OutgoingEmail.State.FAILED, OutgoingEmail.State.BOUNCED)
    before = OutgoingEmail.objects.filter(to_address=email.to_address, state__in=tried, pk__lt=email.pk)
    days = {email.created_at.date()}
    found = before.order_by("-pk").values_list("state", "last_error", "created_at")
    for state, error, queued_at in found[:_MOST_LOOKED_AT]:
        if state == OutgoingEmail.State.SENT or len(days) == _DAYS_OF_FAILURES:
            break
        if state == OutgoingEmail.State.BOUNCED or _ANSWER.match(error):
            days.add(queued_at.date())
    return len(days) == _DAYS_OF_FAILURES


def unsuppress(*addresses: str) -> bool:
    """Remove the suppression of these addresses; return True if there was one."""
    wanted = {normal_address(address) for address in addresses}
    return bool(SuppressedAddress.objects.filter(address__in=wanted).delete()[0])


def _suppressed(now: datetime) -> "QuerySet[SuppressedAddress]":
    return SuppressedAddress.objects.filter(since__gt=now - RETRIED_AFTER)


# Unsubscribe and sign-in links: each names exactly one reader; an unsubscribe link also one list


INVITATIONS = "invitations"  # the one list of all invitations, for every table

_UNSUBSCRIBE = "unsubscribe"

N = TypeVar("N", bound="Callable[[int], str]")

# The name of a list, by the first word of its id; each is registered in the `emails` module of its app
LIST_NAMES: dict[str, Callable[[int], str]] = {}


def names_list(kind: str) -> Callable[[N], N]:
    """Register the decorated function: it returns the name of the list "<kind>-<number>", or ""."""

    def register(name_of: N) -> N:
        LIST_NAMES[kind] = name_of
        return name_of

    return register


@names_list(INVITATIONS)
def _invitations(_number: int) -> str:
    return pgettext("kind of email", "Invitations")


@dataclass(frozen=True)
class Subscription:
    """One address and one list that it can turn off; an empty address is not known any more."""

    address: str
    list_id: str
    list_name: str

    @property
    def kind(self) -> str:
        """Return the first word of the list id, as in "game-42"."""
        return self.list_id.partition("-")[0]


def unsubscribe_path(reader: User | OutgoingEmail, list_id: str) -> str:
    """Return the path of the page that turns this list off for a reader.

    It works for as long as the account has this address; without an account, as long as the email's row is
    kept.
    """
    return reverse("unsubscribe", args=[recipient_token(_UNSUBSCRIBE, reader, list_id)])


def read_token(token: str) -> Subscription:
    """Return the subscription in a token; raises signing.BadSignature if this site did not make it."""
    address, (list_id,) = _read_recipient(_UNSUBSCRIBE, token)
    return Subscription(address, list_id, name_of_list(list_id))


def name_of_list(list_id: str) -> str:
    """Return the display name of a list; empty if what it was about is gone."""
    kind, _hyphen, number = list_id.partition("-")
    name_of = LIST_NAMES.get(kind)
    return name_of(int(number or 0)) if name_of else ""


def address_to_sign_in(token: str) -> str:
    """Return the address that a sign-in link fills in; "" if it is not known any more, or not ours."""
    try:
        return _read_recipient(SIGN_IN, token)[0]
    except signing.BadSignature:
        return ""


def _read_recipient(purpose: str, token: str) -> tuple[str, list[str]]:
    """Return the address of an email's reader, and the token's other parts.

    The address is empty if the account has another address since, or the email's row is gone.
    """
    kind, pk, fingerprinted, *more = tokens.read(purpose, token)
    address = address_of(OutgoingEmail if kind == "e" else User, tokens.decode(pk))
    return (address if tokens.fingerprint(address) == fingerprinted else ""), more


def address_of(kind: type[User] | type[OutgoingEmail], pk: int) -> str:
    """Return the address of this account, or of this email; empty if it is gone."""
    column = "email" if kind is User else "to_address"
    rows: QuerySet[Any] = kind.objects.filter(pk=pk)
    return normal_address(rows.values_list(column, flat=True).first() or "")


def is_unsubscribed(address: str, list_id: str) -> bool:
    """Return whether this address is unsubscribed from this list."""
    return Unsubscription.objects.filter(address=normal_address(address), list_id=list_id).exists()


def lists_turned_off(address: str) -> frozenset[str]:
    """Return all lists that this address is unsubscribed from."""
    rows = Unsubscription.objects.filter(address=normal_address(address))
    return frozenset(rows.values_list("list_id", flat=True))


def unsubscribe(subscription: Subscription) -> None:
    """Stop sending this list to the address. Safe to repeat."""
    Unsubscription.objects.get_or_create(
        address=subscription.address,
        list_id=subscription.list_id,
        defaults={"list_name": subscription.list_name},
    )


def turn_off(subscription: Subscription) -> None:
    """Do what one click on an unsubscribe link does, without its page. Safe to repeat."""
    if subscription.list_id in SWITCHES:
        turn_off_switch(subscription.address, subscription.list_id)
    else:
        unsubscribe(subscription)


def resubscribe(subscription: Subscription) -> None:
    """Send this list to the address again. Safe to repeat."""
    Unsubscription.objects.filter(address=subscription.address, list_id=subscription.list_id).delete()


def refuse_invitations(address: str, *, refused: bool) -> None:
    """Stop or resume invitations to the address. Safe to repeat."""
    invitations = Subscription(normal_address(address), INVITATIONS, pgettext("kind of email", "Invitations"))
    unsubscribe(invitations) if refused else resubscribe(invitations)


# Why an email to a person did not arrive, for their list of emails


ADDRESS_FAILS = "emails to this address fail"  # stored in last_error; never shown

_ANSWER = re.compile(r"[245]\d\d\b")


def why(email: OutgoingEmail) -> str:
    """Return the reason in one sentence; empty if the email arrived, waits, or was not wanted."""
    if email.state == OutgoingEmail.State.BOUNCED:
        return _came_back(email.last_error)
    if email.state != OutgoingEmail.State.FAILED:
        return ""
    if email.last_error == ADDRESS_FAILS:
        return _("We didn't send it, because emails to your address fail.")
    if _ANSWER.match(email.last_error):
        return _("Your mail server refused it: %(answer)s") % {"answer": email.last_error}
    return _("We couldn't send it. The site's operator can see why.")


def _came_back(answer: str) -> str:
    if not answer:
        return _("Your mail server sent it back.")
    return _("Your mail server sent it back: %(answer)s") % {"answer": answer}


# Unsubscribe switches for turn emails: a click changes the preferences; nothing else is stored


# What a click turns off: the email of each turn, the daily email with its reminders, or reminders only.
TURNS, DIGEST, REMINDERS = "turns", "digest", "reminders"
SWITCHES = frozenset({TURNS, DIGEST, REMINDERS})
CHOICE = ("frequency", "at_once_when_alone", "every_move", "reminders")  # columns that a click changes
MOST_CONFIRMED = 10  # per day; someone else may have the link

_UNDO = "undo"


def switch_of(reader: User | None, *, is_reminder: bool = False, is_at_once: bool = False) -> str:
    """Return which switch an unsubscribe click in a turn or reminder email uses for this reader.

    `is_at_once` says that the email is about one turn alone, which readers of the daily email may get too.
    """
    if reader is not None and reader.frequency in (User.Frequency.DIGEST, User.Frequency.NEVER):
        return DIGEST if not is_at_once or is_turned_off(reader, TURNS) else TURNS
    return REMINDERS if is_reminder else TURNS


def is_turned_off(reader: User, switch: str) -> bool:
    """Return whether this switch is off for the reader."""
    match switch:
        case "turns":
            is_daily = reader.frequency == User.Frequency.DIGEST and not reader.at_once_when_alone
            return is_daily or reader.gets_no_emails
        case "reminders":
            return reader.gets_no_emails or not reader.reminders
    return reader.gets_no_emails


def reader_at(address: str) -> User | None:
    """Return the active user with this address, or None."""
    return User.objects.filter(email=address, is_active=True).first()


@transaction.atomic
def turn_off_switch(address: str, switch: str) -> str:
    """Turn these emails off for the user at this address and queue one confirmation email.

    Returns the undo token, or an empty string if nothing changed, as when a click is repeated.
    """
    reader = _locked(address)
    if reader is None or is_turned_off(reader, switch):
        return ""
    undo = _undo_token(reader)
    if switch == REMINDERS:
        reader.reminders = []
    else:
        reader.frequency = User.Frequency.DIGEST if switch == TURNS else User.Frequency.NEVER
        reader.at_once_when_alone = reader.every_move = False
    keep_preferences(reader, CHOICE)
    if hit("fewer emails", str(reader.pk), MOST_CONFIRMED):
        key = f"fewer_emails:{reader.pk}:{switch}:{clock.now().isoformat()}"
        queue("fewer_emails", to=reader, key=key, context={"switch": switch, "undo": undo})
    return undo


def undo_path(token: str) -> str:
    """Return the path of the page that undoes a click."""
    return reverse("undo_unsubscribe", args=[token])


def _undo_token(reader: User) -> str:
    """Return a token of the reader's address and preferences before a click."""
    frequency = list(User.Frequency).index(User.Frequency(reader.frequency))
    before = [frequency, int(reader.at_once_when_alone), int(reader.every_move), *reader.reminders]
    return recipient_token(_UNDO, reader, *map(signing.b62_encode, before))


def read_undo_token(token: str) -> tuple[str, dict[str, Any]]:
    """Return the address and the earlier preferences from an undo token. Raises signing.BadSignature."""
    address, before = _read_recipient(_UNDO, token)
    frequency, when_alone, every_move, *reminders = map(tokens.decode, before)
    values = [list(User.Frequency)[frequency].value, bool(when_alone), bool(every_move), reminders]
    return address, dict(zip(CHOICE, values, strict=True))


@transaction.atomic
def undo(token: str) -> None:
    """Restore the preferences from before a click. Raises signing.BadSignature for a wrong token."""
    address, before = read_undo_token(token)
    reader = _locked(address)
    if reader is not None:
        for name, value in before.items():
            setattr(reader, name, value)
        keep_preferences(reader, CHOICE)


def _locked(address: str) -> User | None:
    """Return the active user at this address, locked so that concurrent changes run one after another."""
    return User.objects.select_for_update(no_key=True).filter(email=address, is_active=True).first()
