"""Each request in its reader's own language and time zone, and nobody else's afterwards."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import timezone, translation

from accounts.models import User, known_language


class ReaderMiddleware:
    """Activates the signed-in reader's language and time zone for a request; strangers get the site's."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answers the request; whatever happens in it, the zone does not stay with this thread."""
        reader = request.user
        if not isinstance(reader, User):
            return self.get_response(request)
        return _recipients_locale(reader, request, lambda: self.get_response(request))


def in_recipients_locale(
    owner: User | None, request: HttpRequest, answer: Callable[[], HttpResponse]
) -> HttpResponse:
    """What an email's link shows: told as its email was, in the language and the zone of whom it was sent
    to, but for somebody who is signed in and so has his own."""
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
