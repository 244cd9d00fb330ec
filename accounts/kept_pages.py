"""`@kept_page`: a page that is shown again while the database answers what it did when the page was made.

All that the page asked is asked again at the door (`KeptPages`), in the same order and before anything else
is looked at: who has signed in, what he may see, and what there is to see. While every answer is the same, so
is the page, and it is not made a second time; otherwise it is made as ever, of what has been read by then. So
nobody has to say what a page depends on, and nothing has to be dropped when something changes.

For pages that depend on path and query, cookies, language, the present minute and the answers to composed
statements (accounts.composed) alone. A visit that asks or writes anything in another way, or has messages for
its reader, is not kept.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from functools import wraps
from threading import Lock
from typing import Any, Concatenate, NamedTuple, ParamSpec, cast

from django.conf import settings
from django.contrib.messages import get_messages
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import CsrfViewMiddleware, get_token

from accounts import present
from accounts.composed import Answer, Parameters, Series, ask, read_by
from accounts.sessions import last_minute

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]

MOST = 256  # pages, of some ten kilobytes each with what they were made of
TOKEN = re.compile(rb'name="csrfmiddlewaretoken" value="([^"]+)"')  # of forms: another one for each visit
_SAID = "HTTP_HOST", "SERVER_NAME", "SERVER_PORT", "QUERY_STRING", "HTTP_ACCEPT_LANGUAGE"
_pages: dict[Hashable, Page] = {}
_lock = Lock()


class Asked(NamedTuple):
    """A statement, and what the database answered."""

    statement: str
    parameters: Parameters
    answer: Answer


class Page(NamedTuple):
    """A page as it was made."""

    made_at: Hashable
    asked: tuple[Asked, ...]
    series: Series  # to ask the same again
    body: tuple[bytes, ...]  # parted where the token of its forms stands
    headers: dict[str, str]


def kept_page(view: View[P]) -> View[P]:
    """The view, whose pages need not be made a second time while they would be the same."""

    @wraps(view)
    def shown(request: HttpRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        response = view(request, *args, **kwargs)
        request.may_be_kept = not len(get_messages(request))  # type: ignore[attr-defined]
        return response

    return cast(View[P], shown)


def forget() -> None:
    """Drops every page."""
    with _lock:
        _pages.clear()


class KeptPages:
    """Shows the pages that are kept, and keeps those of which their views say that they may be.

    What comes after it has its say when a page is made: policies and headers are kept with the page.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response
        self._again = CsrfViewMiddleware(_again)

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if settings.DEBUG or request.method != "GET":
            return self._get_response(request)
        address, now, visit = _address(request), _now(), Visit()
        page = _pages.get(address)
        if page is not None and page.made_at == now and visit.finds(page):
            request.kept = page  # type: ignore[attr-defined]
            return cast(HttpResponse, self._again(request))
        with visit.noted():
            response = self._get_response(request)
        if visit.is_noted and _can_be_kept(request, response):
            _keep(address, _page(now, visit.asked, response))
        return response


def _address(request: HttpRequest) -> Hashable:
    """One page is kept for each of these: all that is told apart before a view is reached."""
    cookies = dict(request.COOKIES)
    cookies.pop(settings.CSRF_COOKIE_NAME, None)  # of it the page has nothing but the token of its forms
    said = [request.META.get(name) for name in _SAID]
    return request.path, request.scheme, *said, *cookies.items()


def _now() -> Hashable:
    """The minute, by the clock of what the site writes and by that of its sessions."""
    return present.minute(), last_minute()


class Visit:
    """What one visit asks; what has been read already is not asked once more."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.is_noted = True  # all of it, that is
        self._read: list[Asked] = []
        self._is_asking = False

    def finds(self, page: Page) -> bool:
        """Whether the database answers now what it did when this page was made."""
        answers = page.series.answers()
        self._read = [one._replace(answer=answer) for one, answer in zip(page.asked, answers, strict=True)]
        return answers == [one.answer for one in page.asked]

    @contextmanager
    def noted(self) -> Iterator[None]:
        """While this lasts, notes what is asked."""
        with read_by(self._answer), connection.execute_wrapper(self._execute):
            yield

    def _answer(self, statement: str, parameters: Parameters) -> Answer:
        """From what was read in the order of the earlier visit, as long as this one goes the same way."""
        read = self._read.pop(0) if self._read else None
        if read is None or read[:2] != (statement, parameters):
            self._read.clear()
            read = Asked(statement, parameters, self._ask(statement, parameters))
        self.asked.append(read)
        return read.answer

    def _ask(self, statement: str, parameters: Parameters) -> Answer:
        self._is_asking = True
        try:
            return ask(statement, parameters)
        finally:
            self._is_asking = False

    def _execute(self, execute: Callable[..., Any], *call: Any) -> Any:
        """Whatever the database is told; what was read before something is written is not good after it."""
        if not self._is_asking:
            self.is_noted = False
            self._read.clear()
        return execute(*call)


def _can_be_kept(request: HttpRequest, response: HttpResponse) -> bool:
    """Whether it says nothing that is meant for this visit alone, but for one token and its cookie."""
    if not getattr(request, "may_be_kept", False) or response.status_code != 200 or response.streaming:
        return False
    tokens = set(TOKEN.findall(response.content))
    cookies = {settings.CSRF_COOKIE_NAME} if tokens else set()
    return len(tokens) < 2 and cookies.issuperset(response.cookies) and not hasattr(request, "_csp_nonce")


def _page(now: Hashable, asked: list[Asked], response: HttpResponse) -> Page:
    series = Series((one.statement, one.parameters) for one in asked)
    return Page(now, tuple(asked), series, _parted(response.content), dict(response.items()))


def _parted(body: bytes) -> tuple[bytes, ...]:
    """Where the token of its forms stands."""
    found = TOKEN.search(body)
    return tuple(body.split(found[1])) if found else (body,)


def _again(request: HttpRequest) -> HttpResponse:
    """The page with the token of this visit."""
    page: Page = request.kept  # type: ignore[attr-defined]
    token = get_token(request).encode() if len(page.body) > 1 else b""
    return HttpResponse(token.join(page.body), headers=page.headers)


def _keep(address: Hashable, page: Page) -> None:
    """The oldest goes first."""
    with _lock:
        _pages.pop(address, None)
        while len(_pages) >= MOST:
            del _pages[next(iter(_pages))]
        _pages[address] = page
