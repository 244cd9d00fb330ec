"""Who is signed in: Django's sessions in the database and its users, found by statements composed once."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from allauth.account.auth_backends import AuthenticationBackend
from django.contrib.sessions.backends.db import SessionStore as StoredSessions
from django.db import connection
from django.utils import timezone

from accounts.composed import Statement, rows
from accounts.models import User

_SESSION = "SELECT session_data FROM django_session WHERE session_key = %s AND expire_date > %s"
_PERSON = Statement("SELECT {person} FROM accounts_user AS person WHERE person.id = %s", person=User)


def last_minute() -> datetime:
    """The last moment of the present minute."""
    now = timezone.now()  # noqa: TID251 - by this clock sessions are written
    return now.replace(second=59, microsecond=999_999)


class SessionStore(StoredSessions):
    """Django's store, which finds a session with less ado; writes and cycles as it does.

    A session ends with the minute before its last one. So within a minute it is asked for in the same words,
    and a page that is kept (accounts.kept_pages) knows no session longer than others do.
    """

    def load(self) -> dict[str, Any]:
        until = connection.ops.adapt_datetimefield_value(last_minute())
        found = rows(_SESSION, self.session_key, until)
        if not found:
            self._session_key = None
            return {}
        session: dict[str, Any] = self.decode(found[0][0])
        return session


class People(AuthenticationBackend):  # type: ignore[misc]  # allauth ships no types
    """Signs people in as allauth does; finds who has signed in with less ado."""

    def get_user(self, user_id: Any) -> User | None:
        found = _PERSON.first(user_id)
        return found[0] if found is not None and self.user_can_authenticate(found[0]) else None
