"""Context processors that describe the site itself."""

from collections.abc import Set
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from accounts.mail import circuit_breaker, suppression
from accounts.models import User
from accounts.own_name import site_name
from condottiere_site import __version__
from condottiere_site.health.readiness import current_signs
from condottiere_site.health.signs import TITLES, SignName, Words, failed_names
from games import waiting_count

# Pages that warn people about failing emails; others need no query.
_TOLD_AT = frozenset({"home", "my_games", "my_emails", "email_preferences", "profile", "table", "game"})
_OPERATORS_TOLD_AT = _TOLD_AT | {"operator_emails", "operator_reports"}
_STATE_OF_THE_SITE = "operator"  # says it all in full


def site(request: HttpRequest) -> dict[str, str]:
    """Return the site's name for this reader, its version and its configured URL (not the request's Host)."""
    return {"site_name": site_name(), "site_version": __version__, "site_url": settings.SITE_URL}


def games_waiting(request: HttpRequest) -> dict[str, Any]:
    """Return how many games wait for the reader, for the menu; queried unless the page knows it already."""
    user = getattr(request, "user", None)
    if not isinstance(user, User):
        return {}
    return {"games_waiting": SimpleLazyObject(lambda: waiting_count.games_waiting(request, user))}


def failing_mail(request: HttpRequest) -> dict[str, Any]:
    """Return the suppression of the reader's own address, if any; queried only where it is shown.

    Operators also read of a mail server that accepts nothing.
    """
    user, match = getattr(request, "user", None), request.resolver_match
    if not isinstance(user, User) or match is None:
        return {}
    told = dict[str, Any]()
    if match.url_name in _TOLD_AT:
        told["failing_mail"] = SimpleLazyObject(lambda: suppression.suppression_of(user.email))
    if user.is_staff and match.url_name in _OPERATORS_TOLD_AT:
        told["mail_outage"] = SimpleLazyObject(circuit_breaker.outage)
    return told


def failing_site(request: HttpRequest) -> dict[str, Any]:
    """Return what fails on the site, for operators, on every page but the one that says more of it.

    Where the mail server's own words are shown, it isn't named again.
    """
    user, match = getattr(request, "user", None), request.resolver_match
    if (
        not isinstance(user, User)
        or not user.is_staff
        or match is None
        or match.url_name == _STATE_OF_THE_SITE
    ):
        return {}
    said = {SignName.MAIL_SERVER} if match.url_name in _OPERATORS_TOLD_AT else frozenset[SignName]()
    return {"failing_site": SimpleLazyObject(lambda: _titles_of_failed(said))}


def _titles_of_failed(said: Set[SignName]) -> list[Words]:
    return [TITLES[name] for name in failed_names(current_signs()) if name not in said]
