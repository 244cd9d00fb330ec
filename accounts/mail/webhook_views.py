"""The address to which a mail service posts events. It needs no session, and answers for the service alone.

A service sends an event again unless the answer is 200, so everything that is understood gets one.
"""

import logging

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt

from accounts.mail.webhooks import (
    LARGEST,
    NotAnEvent,
    NotFromService,
    Service,
    events_in,
    service,
    take_event,
)
from accounts.request_bodies import length_of_body

logger = logging.getLogger(__name__)

# Amazon SNS sends its password only after it was asked for one.
_PASSWORD_WANTED = {"WWW-Authenticate": 'Basic realm="events"'}


@csrf_exempt
@never_cache
def take_events(request: HttpRequest) -> HttpResponse:
    """Record what a mail service says of emails. Without EMAIL_WEBHOOK, there is no such address."""
    sender = service()
    if sender is None:
        raise Http404
    if request.method != "POST":
        return HttpResponse(status=405, headers={"Allow": "POST"})
    if length_of_body(request) > LARGEST:
        return HttpResponse(status=413)
    return _answer(request, sender)


def _answer(request: HttpRequest, sender: Service) -> HttpResponse:
    try:
        events = events_in(request, sender)
    except NotFromService:
        if not sender.by_password or "Authorization" in request.headers:
            logger.warning("an event was refused: it does not prove that it is the mail service's")
        status, headers = (401, _PASSWORD_WANTED) if sender.by_password else (403, {})
        return HttpResponse(status=status, headers=headers)
    except NotAnEvent as error:
        logger.warning("an event of the mail service can't be read: %s", error)
        return HttpResponse(status=400)
    for event in events:
        take_event(event)
    return HttpResponse()
