"""Browsers that signed in before: what a browser's cookie proves, and the names of browsers and systems."""

from __future__ import annotations

import secrets
from datetime import timedelta

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse

from accounts.addresses import normal_address
from accounts.models import User

COOKIE = "__Host-known_browser" if settings.SESSION_COOKIE_SECURE else "known_browser"
KNOWN_FOR = timedelta(days=400)  # the longest that browsers keep any cookie
_MOST_ACCOUNTS = 8  # per browser; a cookie must stay small
_BROWSER_SALT = "accounts.sign_in_codes"

# Marks in a user agent and the family they stand for; the first match counts. Nothing else of the user agent
# is shown to anyone, because the sender can put any text there.
_FAMILIES = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("CriOS/", "Chrome"),
    ("Safari/", "Safari"),
)
_SYSTEMS = (
    ("iPhone", "iOS"),
    ("iPad", "iOS"),
    ("Android", "Android"),
    ("CrOS", "ChromeOS"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
)


def names_of(user_agent: str) -> tuple[str, str]:
    """Return the browser and system family, such as ("Firefox", "Linux"); "" if unknown."""
    return _first_found(_FAMILIES, user_agent), _first_found(_SYSTEMS, user_agent)


def known_browser(request: HttpRequest, address: str) -> str:
    """Return a key for this browser and the address's account if it signed in there before, else ""."""
    browser, accounts = _read_cookie(request)
    if not accounts:
        return ""
    account = User.objects.filter(email=normal_address(address)).values_list("pk", flat=True).first()
    return f"{browser}:{account}" if account in accounts else ""


def remember_browser(request: HttpRequest, response: HttpResponse, user: User) -> None:
    """Set a cookie by which the browser can prove later that it signed in to this account."""
    browser, accounts = _read_cookie(request)
    kept = [pk for pk in accounts if pk != user.pk][1 - _MOST_ACCOUNTS :]
    response.set_cookie(
        COOKIE,
        signing.dumps([browser or secrets.token_urlsafe(12), [*kept, user.pk]], salt=_BROWSER_SALT),
        max_age=KNOWN_FOR,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def _read_cookie(request: HttpRequest) -> tuple[str, list[int]]:
    try:
        browser, accounts = signing.loads(
            request.COOKIES.get(COOKIE, ""), salt=_BROWSER_SALT, max_age=KNOWN_FOR
        )
    except signing.BadSignature:
        return "", []
    return browser, accounts


def _first_found(names: tuple[tuple[str, str], ...], user_agent: str) -> str:
    return next((name for mark, name in names if mark in user_agent), "")
