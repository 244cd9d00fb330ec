"""Sessions: the ones that are about a person, and how long each lasts.

A session in which someone is signed in has a row in the person's list of sessions. One in which someone is
only about to sign in holds the address that was typed, and ends soon. So a person's sessions are found
without reading everyone's.
"""

from collections.abc import Iterable, Iterator
from datetime import timedelta

from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.sessions.models import Session
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest, HttpResponse

from accounts import clock
from accounts.models import User
from accounts.row_locks import delete_free

SIGN_IN_ADDRESS = "sign_in_address"  # session key: the address whose email link was opened in this browser
UNFINISHED_LASTS = timedelta(seconds=settings.ACCOUNT_LOGIN_TIMEOUT)


def hold_address(request: HttpRequest) -> None:
    """Let a stranger's session end soon, because it holds the address of someone."""
    if not request.user.is_authenticated:
        request.session.set_expiry(int(UNFINISHED_LASTS.total_seconds()))


def keep_signed_in(request: HttpRequest) -> None:
    """Let the session of someone who has just signed in last; forget whose link was opened in it before."""
    request.session.pop(SIGN_IN_ADDRESS, None)
    request.session.set_expiry(None)


def forget_pages(response: HttpResponse) -> HttpResponse:
    """Let the browser of someone who has just signed out forget the pages it has, also those behind Back."""
    response["Clear-Site-Data"] = '"cache"'
    return response


def end_sessions_of(user: User, addresses: Iterable[str]) -> None:
    """End a person's sessions, and those in which someone is about to sign in with these addresses."""
    _expired().delete()
    listed = UserSession.objects.filter(user=user)
    ended = [*listed.values_list("session_key", flat=True), *_holding(frozenset(addresses))]
    Session.objects.filter(pk__in=ended).delete()
    listed.delete()


def delete_ended_sessions() -> int:
    """Delete expired sessions and the records of sessions that are gone; return how many rows."""
    ended, _ = delete_free(_expired())
    session = Session.objects.filter(pk=OuterRef("session_key"))
    records, _ = delete_free(UserSession.objects.filter(~Exists(session)))
    return int(ended + records)


def _expired() -> QuerySet[Session]:
    return Session.objects.filter(expire_date__lt=clock.now())


def _holding(addresses: frozenset[str]) -> Iterator[str]:
    for session in Session.objects.filter(expire_date__lte=clock.now() + UNFINISHED_LASTS).iterator():
        held = str(session.get_decoded())
        if any(address in held for address in addresses):
            yield session.pk
