"""Signing out ends notifications in that browser, which someone else may use next.

A session remembers the browser that was added in it.
"""

from collections.abc import Iterable
from importlib import import_module
from typing import Any

from allauth.usersessions.adapter import DefaultUserSessionsAdapter
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.auth.signals import user_logged_out
from django.contrib.sessions.backends.base import SessionBase
from django.dispatch import receiver
from django.http import HttpRequest

from accounts.push.models import PushSubscription

_ADDED = "push_subscription"


def remember(session: SessionBase, browser: PushSubscription) -> None:
    """Note in the session which browser it is in."""
    session[_ADDED] = browser.pk


@receiver(user_logged_out)
def forget_browser(request: HttpRequest, **_more: Any) -> None:
    """Send no more to the browser where someone signs out."""
    _forget_browser_of(request.session)


class SessionsAdapter(DefaultUserSessionsAdapter):
    """Signing out everywhere else ends notifications in the other browsers, too."""

    def end_sessions(self, sessions: Iterable[UserSession]) -> None:
        """End these sessions."""
        ended, engine = list(sessions), import_module(settings.SESSION_ENGINE)
        for session in ended:
            _forget_browser_of(engine.SessionStore(session.session_key))
        super().end_sessions(ended)


def _forget_browser_of(session: SessionBase) -> None:
    PushSubscription.objects.filter(pk=session.get(_ADDED, 0)).delete()
