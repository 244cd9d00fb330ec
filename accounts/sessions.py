"""Who is signed in: Django's sessions in the database and its users, found by statements composed once."""

from __future__ import annotations

from typing import Any

from allauth.account.auth_backends import AuthenticationBackend
from django.contrib.sessions.backends.db import SessionStore as StoredSessions
from django.contrib.sessions.models import Session
from django.db import connection
from django.utils import timezone

from accounts.composed import Statement
from accounts.models import User

_SESSION = Statement(
    "SELECT {session} FROM django_session AS session"
    " WHERE session.session_key = %s AND session.expire_date > %s",
    session=Session,
)
_PERSON = Statement("SELECT {person} FROM accounts_user AS person WHERE person.id = %s", person=User)


class SessionStore(StoredSessions):
    """Django's store, which finds a session with less ado; writes, cycles and expires as it does."""

    def _get_session_from_db(self) -> Session | None:
        now = timezone.now()  # noqa: TID251 - by this clock it was written
        found = _SESSION.first(self.session_key, connection.ops.adapt_datetimefield_value(now))
        session: Session | None = found[0] if found is not None else None
        if session is None:
            self._session_key = None
        return session


class People(AuthenticationBackend):  # type: ignore[misc]  # allauth ships no types
    """Signs people in as allauth does; finds who has signed in with less ado."""

    def get_user(self, user_id: Any) -> User | None:
        found = _PERSON.first(user_id)
        return found[0] if found is not None and self.user_can_authenticate(found[0]) else None
