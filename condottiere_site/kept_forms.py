"""What was typed into a form that could not be taken: shown again, to be sent again by a button.

A form fails its check if its reader signed in or out in another tab, and one sent without a session leads
to the sign-in page. Neither may lose a message. What came from another site's page is never shown: it would
need only one press to be sent in the reader's name. Nothing here acts or is stored.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import REASON_NO_CSRF_COOKIE
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import add_never_cache_headers
from django.views.csrf import csrf_failure

TOKEN = "csrfmiddlewaretoken"  # noqa: S105 - the name of a field
SECRETS = ("password", "code", "token", "secret", "credential", "recovery")  # in names of fields
SIGNING_IN = ("/accounts/", "/operator/sign-in/", "/operator/admin/")  # what is typed there is secret
MOST_FIELDS = 300
MOST_CHARACTERS = 300_000
MOVES = ("move", "fight_on", "what", "result")  # what buttons and choices send
_NO_TEXT = re.compile(r"[\w.:@+=/-]*", re.ASCII)  # numbers, dates, addresses, keys


@dataclass(frozen=True)
class Kept:
    """One value of a form; text is shown, and can be changed before it's sent again."""

    name: str
    value: str

    @property
    def is_text(self) -> bool:
        return self.name not in MOVES and not _NO_TEXT.fullmatch(self.value)

    @property
    def rows(self) -> int:
        return min(20, max(2, self.value.count("\n") + len(self.value) // 70 + 1))


def failed_check(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Answer a form that failed the CSRF check, with what was typed if it came from this site's own page."""
    kept = kept_values(request)
    if not kept:
        return csrf_failure(request, reason=reason, template_name="403_csrf.html")
    return _render_page(request, kept, has_no_cookie=reason == REASON_NO_CSRF_COOKIE)


class KeepTypedText:
    """Show typed text again instead of leading to the sign-in page, which would lose it.

    Views that keep it themselves, as a chat does, change the session.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self._get_response(request)
        if not _leads_to_signing_in(request, response):
            return response
        kept = kept_values(request)
        return _render_page(request, kept) if any(value.is_text for value in kept) else response


def _leads_to_signing_in(request: HttpRequest, response: HttpResponse) -> bool:
    return (
        request.method == "POST"
        and response.status_code == 302
        and not request.user.is_authenticated
        and not request.session.modified
        and response["Location"].partition("?")[0] == reverse("account_login")
    )


def _render_page(request: HttpRequest, kept: list[Kept], *, has_no_cookie: bool = False) -> HttpResponse:
    had_files = any(file.size for _name, files in request.FILES.lists() for file in files)
    context = {"kept": kept, "had_files": had_files, "has_no_cookie": has_no_cookie}
    page = render(request, "form_again.html", context, status=403)
    add_never_cache_headers(page)
    return page


def kept_values(request: HttpRequest) -> list[Kept]:
    """Return the values of the form but secrets; nothing if it may come from elsewhere, or is too large."""
    if not _is_from_own_page(request) or request.path_info.startswith(SIGNING_IN):
        return []
    fields = [(name, values) for name, values in request.POST.lists() if name != TOKEN]
    if any(secret in name.lower() for name, _values in fields for secret in SECRETS):
        return []
    kept = [Kept(name, value) for name, values in fields for value in values]
    length = sum(len(each.name) + len(each.value) for each in kept)
    return kept if len(kept) <= MOST_FIELDS and length <= MOST_CHARACTERS else []


def _is_from_own_page(request: HttpRequest) -> bool:
    """Return whether the browser says that a page of this very site sent the form."""
    own = {settings.SITE_URL, f"{request.scheme}://{request.get_host()}"}
    return (
        request.headers.get("Origin") in own
        and request.headers.get("Sec-Fetch-Site", "same-origin") == "same-origin"
    )
