"""Middleware for what needs no view: HEAD requests, and addresses that only buttons use."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, StreamingHttpResponse
from django.shortcuts import render
from django.urls import is_valid_path
from django.utils.cache import add_never_cache_headers


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
