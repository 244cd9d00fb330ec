"""What every page may say about the site itself."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from accounts.mail import suppression
from accounts.models import User

# Where people are told that emails to them fail; other pages need not ask.
_TOLD_AT = frozenset({"home", "my_games", "my_emails", "email_preferences", "profile", "table", "game"})


def site(request: HttpRequest) -> dict[str, str]:
    """The site's name and its configured address (never the request's Host)."""
    return {"site_name": settings.SITE_NAME, "site_url": settings.SITE_URL}


def failing_mail(request: HttpRequest) -> dict[str, Any]:
    """The mark on the reader's own address, if emails to it fail; asked for only where it is shown."""
    user, match = getattr(request, "user", None), request.resolver_match
    if not isinstance(user, User) or match is None or match.url_name not in _TOLD_AT:
        return {}
    return {"failing_mail": SimpleLazyObject(lambda: suppression.suppression_of(user.email))}
