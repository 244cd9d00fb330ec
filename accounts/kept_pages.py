"""`@kept_page`: a page that is shown again while the database answers what it did when the page was made.

All that a page asked is asked again, in the same order. While every answer is the same, so is the page, and
it is not made a second time; otherwise it is made as ever, of the answers that have been read by then. So
nobody has to say what a page depends on, and nothing has to be dropped when something changes.

For pages that depend on path and query, reader, language, time zone, the present minute and the answers to
composed statements (accounts.composed) alone. A visit that asks or writes anything in another way, or has
messages for its reader, is not kept.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import wraps
from operator import attrgetter
from threading import Lock
from typing import Any, Concatenate, NamedTuple, ParamSpec, cast

from django.conf import settings
from django.contrib.auth.middleware import get_user
from django.contrib.messages import get_messages
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.utils.timezone import get_current_timezone_name
from django.utils.translation import get_language

from accounts import present
from accounts.composed import Answer, Parameters, Series, ask, read_by
from accounts.models import User

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]

MOST = 256  # pages, of some ten kilobytes each with what they were made of
TOKEN = re.compile(rb'name="csrfmiddlewaretoken" value="([^"]+)"')  # of forms: another one for each visit
_pages: dict[Hashable, Page] = {}
_lock = Lock()
_row_of = attrgetter(*(field.attname for field in User._meta.concrete_fields))


class Asked(NamedTuple):
    """A statement, and what the database answered."""

    statement: str
    parameters: Parameters
    answer: Answer


class Made(NamedTuple):
    """What a page was made of besides what it asked."""

    at: datetime  # the minute
    reader: tuple[object, ...]  # his whole row; empty for a stranger


class Page(NamedTuple):
    """A page as it was made."""

    made: Made
    asked: tuple[Asked, ...]
    series: Series  # to ask the same again
    body: tuple[bytes, ...]  # parted where the token of its forms stands
    headers: dict[str, str]


def kept_page(view: View[P]) -> View[P]:
    """The view, which makes no page a second time that would be the same."""

    @wraps(view)
    def shown(request: HttpRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        if settings.DEBUG or request.method != "GET" or len(get_messages(request)):
            return view(request, *args, **kwargs)
        return _shown(request, lambda: view(request, *args, **kwargs))

    return cast(View[P], shown)


def forget() -> None:
    """Drops every page."""
    with _lock:
        _pages.clear()


def _shown(request: HttpRequest, make: Callable[[], HttpResponse]) -> HttpResponse:
    address, made = _address(request), _made(request)
    page = _pages.get(address)
    visit = Visit()
    if page is not None and page.made == made and visit.finds(page):
        return _again(request, page)
    with visit.noted():
        response = make()
    if visit.is_noted and _can_be_kept(request, response):
        _keep(address, _page(made, visit.asked, response))
    return response


def _address(request: HttpRequest) -> Hashable:
    """One page is kept for each of these."""
    here = request.path, request.META["QUERY_STRING"]
    return *here, request.user.pk, get_language(), get_current_timezone_name()


def _made(request: HttpRequest) -> Made:
    reader = get_user(request)  # himself: what stands in for him in a request is slow to look through
    return Made(present.minute(), _row_of(reader) if isinstance(reader, User) else ())


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
    """Whether it says nothing that is meant for this visit alone, but for one token."""
    is_plain = response.status_code == 200 and not response.cookies and not response.streaming
    is_for_once = hasattr(request, "_csp_nonce") or len(get_messages(request))
    return is_plain and not is_for_once and len(set(TOKEN.findall(response.content))) < 2


def _page(made: Made, asked: list[Asked], response: HttpResponse) -> Page:
    series = Series((one.statement, one.parameters) for one in asked)
    return Page(made, tuple(asked), series, _parted(response.content), dict(response.items()))


def _parted(body: bytes) -> tuple[bytes, ...]:
    """Where the token of its forms stands."""
    found = TOKEN.search(body)
    return tuple(body.split(found[1])) if found else (body,)


def _again(request: HttpRequest, page: Page) -> HttpResponse:
    """The page with the token of this visit."""
    token = get_token(request).encode() if len(page.body) > 1 else b""
    return HttpResponse(token.join(page.body), headers=page.headers)


def _keep(address: Hashable, page: Page) -> None:
    """The oldest goes first."""
    with _lock:
        _pages.pop(address, None)
        while len(_pages) >= MOST:
            del _pages[next(iter(_pages))]
        _pages[address] = page
