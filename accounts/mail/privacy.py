"""Export and erase the mail app's personal data: delivery records and unsubscriptions."""

from datetime import timedelta
from typing import Any

from allauth.account.models import EmailAddress
from django.db.models import Q

from accounts import clock
from accounts.mail import sent_words, suppression
from accounts.mail.models import (
    CapturedEmail,
    CheckEmail,
    OutgoingEmail,
    SentWords,
    SetAsideMessage,
    SuppressedAddress,
    Unsubscription,
)
from accounts.models import User
from accounts.row_locks import delete_free

DELIVERY_RECORDS_LAST = timedelta(days=90)
CAPTURED_EMAILS_LAST = timedelta(days=30)
SET_ASIDE_LAST = timedelta(days=30)
CHECK_EMAILS_LAST = timedelta(days=1)  # check_site itself deletes them, unless it is interrupted


def export(user: User) -> dict[str, Any]:
    """Return the subject and state of each email, address suppressions and unsubscriptions.

    The rest of an email's content is not stored, but for keyed hashes of its words that no one can read.
    """
    emails = OutgoingEmail.objects.to_person(user).order_by("pk")
    unsubscribed = Unsubscription.objects.filter(address=user.email).order_by("pk")
    return {
        "emails": list(emails.values("kind", "subject", "to_address", "state", "created_at", "sent_at")),
        "emails_that_fail": list(
            SuppressedAddress.objects.filter(address=user.email).values("address", "cause", "reason", "since")
        ),
        "emails_recognised_in_replies": list(
            SentWords.objects.filter(to_user=user).order_by("pk").values("thread", "sent_at")
        ),
        "emails_turned_off": list(unsubscribed.values("list_id", "list_name", "since")),
    }


def erase(user: User) -> None:
    """Delete all rows about emails to this person or their addresses, and clear subjects with their name.

    An email being sent at this moment still arrives; nothing is recorded about it.
    """
    addresses = _addresses(user)
    about_the_account = Q(key__startswith=account_emails_of(user.pk))
    OutgoingEmail.objects.filter(Q(to_user=user) | Q(to_address__in=addresses) | about_the_account).delete()
    SentWords.objects.filter(to_user=user).delete()
    Unsubscription.objects.filter(address__in=addresses).delete()
    SuppressedAddress.objects.filter(address__in=addresses).delete()
    CapturedEmail.objects.filter(to__in=addresses).delete()
    _erase_messages_set_aside(addresses)
    if user.name:
        OutgoingEmail.objects.filter(subject__contains=user.name).update(subject="")


def _erase_messages_set_aside(addresses: set[str]) -> None:
    """Delete the messages that name one of these addresses: who wrote them is not known otherwise."""
    wanted = [address.encode() for address in addresses]
    for row in SetAsideMessage.objects.only("source").iterator(chunk_size=10):
        source = bytes(row.source).lower()
        if any(address in source for address in wanted):
            row.delete()


def account_emails_of(pk: int | None) -> str:
    """Return the key prefix of emails about one account, for all its addresses."""
    return f"account-{pk or 'nobody'}-"


def delete_old_emails() -> int:
    """Delete delivery records after 90 days, failures after 7, other mail after 30; return how many.

    What owners of addresses asked for stays. Words of emails are deleted when replies to them are no longer
    read. Queued emails stay.
    """
    now = clock.now()
    closed = OutgoingEmail.objects.exclude(state=OutgoingEmail.State.QUEUED)
    outdated = (
        closed.filter(created_at__lt=now - DELIVERY_RECORDS_LAST),
        CapturedEmail.objects.filter(captured_at__lt=now - CAPTURED_EMAILS_LAST),
        SetAsideMessage.objects.filter(received_at__lt=now - SET_ASIDE_LAST),
        CheckEmail.objects.filter(created_at__lt=now - CHECK_EMAILS_LAST),
    )
    deleted = sum(delete_free(rows)[0] for rows in outdated)
    return deleted + suppression.delete_outdated(now) + sent_words.delete_outdated(now)


def _addresses(user: User) -> set[str]:
    """Return the person's present address and all others they added, confirmed or not."""
    return {user.email, *EmailAddress.objects.filter(user=user).values_list("email", flat=True)}
