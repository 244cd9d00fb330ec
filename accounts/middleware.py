"""Middleware that answers each request in the reader's language and time zone."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import timezone, translation
from django.utils.http import escape_leading_slashes

from accounts.models import LANGUAGE_IN_LINK, User, known_language


class ReaderMiddleware:
    """Activate the signed-in reader's language and time zone for a request; strangers get the site's."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer the request; reset the time zone of this thread afterwards, even after an error."""
        if request.path_info.startswith(settings.PATHS_WITHOUT_READER):
            return self.get_response(request)
        return in_readers_locale(request, self.get_response)


def in_readers_locale(request: HttpRequest, answer: Callable[[HttpRequest], HttpResponse]) -> HttpResponse:
    """Answer in the language and time zone of the signed-in reader; strangers get the site's."""
    reader = request.user
    if not isinstance(reader, User):
        return _language_chosen(request) or answer(request)
    return _recipients_locale(reader, request, lambda: answer(request))


def in_recipients_locale(
    owner: User | None, request: HttpRequest, answer: Callable[[], HttpResponse]
) -> HttpResponse:
    """Answer in the language and time zone of the email's recipient.

    Signed-in readers keep their own.
    """
    if owner is None or isinstance(request.user, User):
        return answer()
    return _recipients_locale(owner, request, answer)


def _language_chosen(request: HttpRequest) -> HttpResponse | None:
    """Remember the language in a guest's link from an email, as the switch in the footer does.

    Return the way to the same page without it, so that the switch can still change it; None without one.
    """
    query = request.GET.copy()
    code = str(query.pop(LANGUAGE_IN_LINK, [""])[-1])
    if request.method not in ("GET", "HEAD") or code not in dict(settings.LANGUAGES):
        return None
    page = escape_leading_slashes(request.path)  # else //example.org would lead to another site
    response = HttpResponseRedirect(f"{page}?{query.urlencode()}" if query else page)
    response.set_cookie(
        settings.LANGUAGE_COOKIE_NAME,
        code,
        max_age=settings.LANGUAGE_COOKIE_AGE,
        path=settings.LANGUAGE_COOKIE_PATH,
        domain=settings.LANGUAGE_COOKIE_DOMAIN,
        secure=settings.LANGUAGE_COOKIE_SECURE,
        httponly=settings.LANGUAGE_COOKIE_HTTPONLY,
        samesite=settings.LANGUAGE_COOKIE_SAMESITE,
    )
    return response


def _recipients_locale(
    reader: User, request: HttpRequest, answer: Callable[[], HttpResponse]
) -> HttpResponse:
    with translation.override(known_language(reader.language)), timezone.override(reader.zone):
        request.LANGUAGE_CODE = translation.get_language() or settings.LANGUAGE_CODE
        response = answer()
        response.headers.setdefault("Content-Language", request.LANGUAGE_CODE)
        return response
