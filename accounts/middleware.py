"""Middleware that answers each request in the reader's language and time zone."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import timezone, translation

from accounts.models import User, known_language


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
        return answer(request)
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


def _recipients_locale(
    reader: User, request: HttpRequest, answer: Callable[[], HttpResponse]
) -> HttpResponse:
    with translation.override(known_language(reader.language)), timezone.override(reader.zone):
        request.LANGUAGE_CODE = translation.get_language() or settings.LANGUAGE_CODE
        response = answer()
        response.headers.setdefault("Content-Language", request.LANGUAGE_CODE)
        return response
