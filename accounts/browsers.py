"""The browser that asks: whether an account was signed in to with it before, and what it is called.

A browser that is known for an account gets limits of its own, so that strangers cannot use them up (OWASP's
"device cookies"). It proves nothing else: nobody is signed in by it.
"""

from __future__ import annotations

import secrets
from datetime import timedelta

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse

from accounts.addresses import normal_address
from accounts.models import User

COOKIE = "__Host-known_browser" if settings.SESSION_COOKIE_SECURE else "known_browser"
KNOWN_FOR = timedelta(days=400)  # the longest browsers keep any cookie
_MOST_ACCOUNTS = 8  # of one browser; a cookie must stay small
_SALT = "accounts.browsers"

# What a browser's own words contain, and its family; the first that fits. Nothing else of those words is
# shown to anyone: they are whatever somebody chose to send.
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
    """The families of a browser and its system, such as ("Firefox", "Linux"); "" for what is not known."""
    return _first_found(_FAMILIES, user_agent), _first_found(_SYSTEMS, user_agent)


def known_browser(request: HttpRequest, address: str) -> str:
    """A key of this browser and the account of an address, if it has signed in to that before; else ""."""
    browser, accounts = _read(request)
    if not accounts:
        return ""
    account = User.objects.filter(email=normal_address(address)).values_list("pk", flat=True).first()
    return f"{browser}:{account}" if account in accounts else ""


def remember_browser(request: HttpRequest, response: HttpResponse, user: User) -> None:
    """Lets the browser show later that it has signed in to this account."""
    browser, accounts = _read(request)
    kept = [pk for pk in accounts if pk != user.pk][1 - _MOST_ACCOUNTS :]
    response.set_cookie(
        COOKIE,
        signing.dumps([browser or secrets.token_urlsafe(12), [*kept, user.pk]], salt=_SALT),
        max_age=KNOWN_FOR,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def _read(request: HttpRequest) -> tuple[str, list[int]]:
    try:
        browser, accounts = signing.loads(request.COOKIES.get(COOKIE, ""), salt=_SALT, max_age=KNOWN_FOR)
    except signing.BadSignature:
        return "", []
    return browser, accounts


def _first_found(names: tuple[tuple[str, str], ...], user_agent: str) -> str:
    return next((name for mark, name in names if mark in user_agent), "")
