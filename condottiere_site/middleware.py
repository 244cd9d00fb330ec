"""Middleware for what needs no view: HEAD requests, sessions, and addresses that only buttons use."""

import logging
from collections.abc import Callable

from django.conf import settings
from django.contrib.sessions.exceptions import SessionInterrupted
from django.contrib.sessions.middleware import SessionMiddleware
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, StreamingHttpResponse
from django.shortcuts import render
from django.urls import is_valid_path
from django.utils.cache import add_never_cache_headers

from accounts.full_disk import first_cause

logger = logging.getLogger(__name__)


class EmptyHead:
    """Remove the body of HEAD responses, because a web server may send it and corrupt a kept connection."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse | StreamingHttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse | StreamingHttpResponse:
        response = self._get_response(request)
        if request.method != "HEAD":
            return response
        if isinstance(response, StreamingHttpResponse):
            response.streaming_content = []
        else:
            response.content = b""
        return response


class Sessions(SessionMiddleware):
    """Keep sessions, and answer without a change to one that cannot be stored.

    By then the view has done what was asked: saying that nothing was stored would be wrong. Only someone who
    signs in needs the session itself.
    """

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        """Save the session if it was changed."""
        key = request.session.session_key
        is_signing_in = key is not None and key != request.COOKIES.get(settings.SESSION_COOKIE_NAME)
        try:
            return super().process_response(request, response)
        except (DatabaseError, SessionInterrupted) as error:
            cause = first_cause(error)
            if cause is None:
                raise
        if is_signing_in:
            raise cause  # Django would answer an interrupted session with a bad request
        logger.warning("a session is left as it was, because nothing can be stored")
        return response


class PageForButtons:
    """Answer a GET of a button's address with a page that leads to the page with the button.

    Otherwise it is empty. People come there if they press a button after they have been signed out: the
    sign-in page returns to the button's address.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self._get_response(request)
        if request.method != "GET" or not isinstance(response, HttpResponseNotAllowed) or response.content:
            return response
        page = render(request, "405.html", {"above": _page_above(request.path_info)}, status=405)
        page["Allow"] = response["Allow"]
        add_never_cache_headers(page)
        return page


def _page_above(path: str) -> str:
    """Return the nearest address above this one that has a view."""
    above = path.rstrip("/").rpartition("/")[0] + "/"
    return above if above == "/" or is_valid_path(above) else _page_above(above)
