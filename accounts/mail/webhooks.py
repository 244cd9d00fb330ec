"""Events that a mail service posts: whether they are the service's, and which of our emails they are about.

django-anymail knows each service's signatures and formats. Emails leave by SMTP, so a service knows an email
by a header that it hands back with each event (`return_paths.py`). An event without one of our signed names
is about another sender's email.
"""

import json
import logging
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from anymail.exceptions import AnymailWebhookValidationFailure
from anymail.signals import AnymailTrackingEvent
from anymail.webhooks.amazon_ses import AmazonSESBaseWebhookView, AmazonSESTrackingWebhookView
from anymail.webhooks.brevo import BrevoTrackingWebhookView
from anymail.webhooks.mailgun import MailgunTrackingWebhookView
from anymail.webhooks.postmark import PostmarkTrackingWebhookView
from django.conf import settings
from django.http import HttpRequest

from accounts.mail.reported_outcomes import record_bounce, record_unwanted
from accounts.mail.return_paths import email_named
from accounts.mail.service_events import Bounce, meaning_of, names_in
from accounts.mail.suppression import Cause

logger = logging.getLogger(__name__)

USER = "condottiere"  # the name before the secret in the address, for services that send a password
LARGEST = 1024 * 1024  # bytes; Amazon SNS sends 256 KiB at most, and others a bounced message's beginning
_HOST_OF_AMAZON = re.compile(r"sns\.[a-z0-9-]{1,30}\.amazonaws\.com(?:\.cn)?")


class NotFromService(Exception):
    """The request does not prove that it comes from the service."""


class NotAnEvent(ValueError):
    """The request can't be read."""


class AmazonEvents(AmazonSESTrackingWebhookView):
    """Amazon SES's events by Amazon SNS, without the boto3 that django-anymail would confirm topics with."""

    def __init__(self, **kwargs: Any) -> None:
        super(AmazonSESBaseWebhookView, self).__init__(**kwargs)

    def auto_confirm_sns_subscription(self, sns_message: dict[str, Any]) -> None:
        """Log the address that confirms a topic, for the operator to open: no request calls another site."""
        address = str(sns_message.get("SubscribeURL"))
        parts = urlsplit(address)
        if parts.scheme == "https" and _HOST_OF_AMAZON.fullmatch(parts.netloc):
            logger.warning("Amazon SNS asks whether it may post events. To confirm, open %s", address)


class BrevoEvents(BrevoTrackingWebhookView):
    """Brevo's events; what other senders of the same account put into the header may be anything."""

    def esp_to_anymail_event(self, esp_event: dict[str, Any]) -> AnymailTrackingEvent:
        """Return the event, without a header that django-anymail can't read."""
        try:
            json.loads(esp_event.get("X-Mailin-custom", ""))
        except (TypeError, ValueError):
            esp_event = {name: value for name, value in esp_event.items() if name != "X-Mailin-custom"}
        return super().esp_to_anymail_event(esp_event)


@dataclass(frozen=True)
class Service:
    """A mail service: how django-anymail reads its events, made with the secret of EMAIL_WEBHOOK."""

    reader: Callable[[str], Any]
    by_password: bool = True  # or else each event is signed


def _with_password(view: Callable[..., Any]) -> Service:
    return Service(lambda secret: view(webhook_secret=f"{USER}:{secret}"))


SERVICES = {
    "brevo": _with_password(BrevoEvents),
    "mailgun": Service(
        lambda key: MailgunTrackingWebhookView(webhook_signing_key=key, api_key="", webhook_secret=""),
        by_password=False,
    ),
    "postmark": _with_password(PostmarkTrackingWebhookView),
    "ses": _with_password(AmazonEvents),
}


def service() -> Service | None:
    """Return the service that posts events to this site, or None."""
    return SERVICES.get(settings.EMAIL_WEBHOOK_SERVICE)


def events_in(request: HttpRequest, sender: Service) -> list[AnymailTrackingEvent]:
    """Return the events in a request. Raises NotFromService and NotAnEvent."""
    reader = sender.reader(settings.EMAIL_WEBHOOK_SECRET)
    try:
        reader.run_validators(request)
        return list(reader.parse_events(request))
    except AnymailWebhookValidationFailure as error:
        raise NotFromService from error
    except Exception as error:  # noqa: BLE001 - what an event does to its reader is the event's fault
        # The errors of django-anymail repeat the event.
        raise NotAnEvent(type(error).__name__) from None


def take_event(event: AnymailTrackingEvent) -> bool:
    """Record what an event says of one of our emails; return False if it says nothing new."""
    meaning, number = meaning_of(event), email_named(*names_in(event))
    if meaning is None or number is None:
        return False
    known = _record(number, meaning)
    logger.info(
        "the mail service says of email %s: %s%s", number, event.event_type, "" if known else " (ignored)"
    )
    return known


def _record(number: int, meaning: Bounce | Cause) -> bool:
    if isinstance(meaning, Bounce):
        return record_bounce(number, meaning.words, of_address=meaning.of_address)
    return record_unwanted(number, meaning)
