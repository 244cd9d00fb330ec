"""What every request of a program has in common: its token, its limit, its language and its headers."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from typing import NamedTuple

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.contrib.sessions.backends.db import SessionStore
from django.http import HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.translation import gettext as _

from accounts import clock
from accounts.api_access import put_token
from accounts.api_problems import problem, problem_of_status
from accounts.api_tokens import note_use, token_of
from accounts.full_disk import optional_write
from accounts.middleware import in_readers_locale
from accounts.models import ApiToken
from accounts.rate_limits import all_used_today, client_key, hit, left_within, seconds_to_wait
from accounts.request_bodies import length_of_body

MINUTE = 60  # seconds
BY_MINUTE, BY_DAY = "api minute", "api"  # what is counted
READING = ("GET", "HEAD", "OPTIONS")
LARGEST = 256 * 1024  # bytes of a body; the longest note fits, and what is wrong in it is found in no time
_JSON = ("application/json", "application/problem+json")


class Limits(NamedTuple):
    """How many requests are taken: in a day (UTC), and at once, which are free again after a minute.

    A bot's tokens are counted together.
    """

    a_day: int
    a_minute: int


WITH_TOKEN, WITHOUT_TOKEN = Limits(20_000, 300), Limits(2_000, 100)


class ApiRequests:
    """Answer programs: a token in place of a session, problems in place of error pages, and an ETag."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not request.path_info.startswith(settings.API_PATH):
            return self._get_response(request)
        _forget_session(request)
        response = self._answer(request)
        patch_vary_headers(response, ("Accept-Language", "Authorization"))
        response["X-Robots-Tag"] = "noindex, nofollow"
        if request.method in READING:  # pages of other sites may read, with a token that they were given
            response["Access-Control-Allow-Origin"] = "*"
            response["Access-Control-Expose-Headers"] = "ETag, RateLimit, RateLimit-Policy, Retry-After"
        return response

    def _answer(self, request: HttpRequest) -> HttpResponse:
        if request.method == "OPTIONS":
            return _preflight()
        if length_of_body(request) > LARGEST:
            return problem_of_status(413)
        header = request.headers.get("Authorization", "")
        token = token_of(header[7:].strip()) if header[:7].lower() == "bearer " else None
        if header and token is None:
            return _not_a_token()
        if token is None:
            return self._limited(request, None)
        note_use(token)
        put_token(request, token)
        request.user = token.user
        return in_readers_locale(request, lambda request: self._limited(request, token))

    def _limited(self, request: HttpRequest, token: ApiToken | None) -> HttpResponse:
        limits = WITHOUT_TOKEN if token is None else WITH_TOKEN
        key = client_key(request) if token is None else _counted_as(token)
        wait = 0
        with optional_write("a count of a program’s requests"):
            wait = _count(limits, key)
        response = self._answered(request, token) if wait == 0 else _too_many(wait)
        _say_what_is_left(response, limits, key)
        return response

    def _answered(self, request: HttpRequest, token: ApiToken | None) -> HttpResponse:
        """Answer with JSON; HEAD is read as GET, and leaves its body to `EmptyHead`."""
        method = request.method
        request.method = "GET" if method == "HEAD" else method
        response = self._get_response(request)
        request.method = method
        if response.status_code >= 400 and not response.headers.get("Content-Type", "").startswith(_JSON):
            allowed = response.headers.get("Allow")
            response = problem_of_status(response.status_code)
            if allowed:
                response["Allow"] = allowed
        response["Cache-Control"] = "no-cache" if token is None else "no-store, private"
        if method not in READING or response.status_code != 200:
            return response
        response["ETag"] = f'"{blake2b(response.content, digest_size=12).hexdigest()}"'
        conditional = get_conditional_response(request, etag=response["ETag"], response=response)
        assert isinstance(conditional, HttpResponse)
        return conditional


def _counted_as(token: ApiToken) -> str:
    return f"bot {token.user_id}" if token.user.is_bot else f"token {token.pk}"


def _forget_session(request: HttpRequest) -> None:
    """Let neither cookie nor session say who asks: another site's page could send them along."""
    request.COOKIES = {}
    request.session = SessionStore()
    request.user = AnonymousUser()


def _preflight() -> HttpResponse:
    response = HttpResponse(status=204)
    response["Access-Control-Allow-Methods"] = "GET, HEAD"
    response["Access-Control-Allow-Headers"] = "Authorization, If-None-Match, Accept-Language"
    response["Access-Control-Max-Age"] = "86400"
    return response


def _not_a_token() -> HttpResponse:
    said = _("This token doesn’t work, or no longer works. Make one on your page of tokens.")
    response = problem(401, "wrong-token", said)
    response["WWW-Authenticate"] = 'Bearer error="invalid_token"'
    return response


def _count(limits: Limits, key: str) -> int:
    """Count a request; return the seconds to wait if it is one too many, otherwise 0."""
    wait = seconds_to_wait(BY_MINUTE, key, limits.a_minute, MINUTE)
    if wait == 0 and not hit(BY_DAY, key, limits.a_day):
        return _seconds_of_today()
    return wait


def _say_what_is_left(response: HttpResponse, limits: Limits, key: str) -> None:
    """Put both limits and what is left of them into the headers (draft-ietf-httpapi-ratelimit-headers)."""
    used = all_used_today((BY_MINUTE, BY_DAY), key)
    left, full_again = left_within(used[BY_MINUTE], limits.a_minute, MINUTE)
    left_today = max(0, limits.a_day - used[BY_DAY])
    policies = f'"minute";q={limits.a_minute};w={MINUTE}', f'"day";q={limits.a_day};w=86400'
    response["RateLimit-Policy"] = ", ".join(policies)
    told = f'"minute";r={left};t={full_again}', f'"day";r={left_today};t={_seconds_of_today()}'
    response["RateLimit"] = ", ".join(told)


def _too_many(wait: int) -> HttpResponse:
    said = _("You’ve made too many requests within a minute. Wait a moment, then try again.")
    if wait > MINUTE:
        said = _("You’ve reached today’s limit for requests. Try again tomorrow.")
    response = problem(429, "too-many", said)
    response["Retry-After"] = str(wait)
    return response


def _seconds_of_today() -> int:
    """Return how many seconds are left of the day (UTC) for which requests are counted."""
    now = clock.now().astimezone(UTC)
    tomorrow = datetime.combine(now.date() + timedelta(days=1), datetime.min.time(), UTC)
    return max(1, int((tomorrow - now).total_seconds()))
