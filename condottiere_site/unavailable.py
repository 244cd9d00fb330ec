"""What visitors read when a request failed: nothing can be stored, the database is away, or it is our fault.

The first two are no faults of the code, so the log gets a line without a traceback. Their page asks the
database nothing.
"""

import sys

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.template.loader import render_to_string
from django.utils.cache import add_never_cache_headers
from django.utils.log import log_response
from django.utils.translation import gettext as _
from django.views.defaults import server_error as broken_page

from accounts.full_disk import was_full
from condottiere_site.kept_forms import kept_values

INSUFFICIENT_STORAGE, UNAVAILABLE = 507, 503
RETRY_AFTER = "30"  # seconds
# PostgreSQL's classes of errors: connection, insufficient resources, operator intervention
_SERVER_AWAY = ("08", "53", "57")
_SQLITE_BUSY = (5, 6)


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer a request that failed, by what made it fail."""
    error = sys.exc_info()[1]
    if was_full(error):
        return _answer(request, error, INSUFFICIENT_STORAGE)
    if is_database_away(error):
        return _answer(request, error, UNAVAILABLE)
    return broken_page(request)


def is_database_away(error: BaseException | None) -> bool:
    """Return whether the database could not be reached, or was too busy. What it stored is not known."""
    if isinstance(error, InterfaceError):
        return True
    if not isinstance(error, OperationalError):
        return False
    cause = error.__cause__
    if (code := getattr(cause, "sqlite_errorcode", None)) is not None:
        return code & 0xFF in _SQLITE_BUSY
    state = getattr(cause, "sqlstate", None)  # none if the connection itself was lost
    return state is None or state.startswith(_SERVER_AWAY)


def _answer(request: HttpRequest, error: BaseException | None, status: int) -> HttpResponse:
    is_form = request.method not in ("GET", "HEAD")
    kept = kept_values(request) if is_form else []
    context = {
        "heading": _heading(is_form, status),
        "is_full": status == INSUFFICIENT_STORAGE,
        "is_form": is_form,
        "kept": kept,
        "csrf_token": get_token(request) if kept else "",
    }
    page = HttpResponse(render_to_string("unavailable.html", context), status=status)
    page["Retry-After"] = RETRY_AFTER
    add_never_cache_headers(page)
    log_response("%s: %s", request.path, str(error).strip(), response=page, request=request)
    return page


def _heading(is_form: bool, status: int) -> str:
    if status == UNAVAILABLE:
        return _("The site can’t reach its database")
    return _("Nothing was stored") if is_form else _("This page can’t be shown now")
