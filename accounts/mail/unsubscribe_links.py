"""Unsubscribe and sign-in links in emails: each names one reader; an unsubscribe link also one list."""

from typing import Any

from django.core import signing
from django.db.models import QuerySet
from django.urls import reverse

from accounts import tokens
from accounts.addresses import normal_address
from accounts.mail.list_names import name_of_list
from accounts.mail.models import OutgoingEmail
from accounts.mail.subscriptions import Subscription
from accounts.models import User
from accounts.reader_links import SIGN_IN, recipient_token

_UNSUBSCRIBE = "unsubscribe"


def unsubscribe_path(reader: User | OutgoingEmail, list_id: str) -> str:
    """Return the path of the page that turns this list off for a reader.

    It works for as long as the account has this address; without an account, as long as the email's row is
    kept.
    """
    return reverse("unsubscribe", args=[recipient_token(_UNSUBSCRIBE, reader, list_id)])


def read_token(token: str) -> Subscription:
    """Return the subscription in a token; raises signing.BadSignature if this site did not make it."""
    address, (list_id,) = read_recipient(_UNSUBSCRIBE, token)
    return Subscription(address, list_id, name_of_list(list_id))


def address_to_sign_in(token: str) -> str:
    """Return the address that a sign-in link fills in; "" if it is not known any more, or not ours."""
    try:
        return read_recipient(SIGN_IN, token)[0]
    except signing.BadSignature:
        return ""


def read_recipient(purpose: str, token: str) -> tuple[str, list[str]]:
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
