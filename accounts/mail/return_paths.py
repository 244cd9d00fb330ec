"""What names an email wherever it goes, signed: its envelope sender (RFC 5321, 4.4), and a header.

A bounce comes back to the envelope's sender. Mail services put their own in its place, and reports of spam
may leave it out, so the header says the same.
"""

from django.conf import settings
from django.core.mail import EmailMessage

from accounts.mail.own_addresses import NotOurs, numbers_in, numbers_of, tag_of, tagged

BOUNCES = "bounces"  # what their addresses and headers are signed for
HEADER = "X-Condottiere-Email"
# What each mail service hands back with its events, as {"email": tag}.
HEADERS_OF_SERVICES = {
    "brevo": ("X-Mailin-custom", '{"email": "%s"}'),
    "mailgun": ("X-Mailgun-Variables", '{"email": "%s"}'),
    "postmark": ("X-PM-Metadata-email", "%s"),
    "ses": ("X-Metadata", '{"email": "%s"}'),
}


def with_return_path(message: EmailMessage, email: int) -> EmailMessage:
    """Name the email in its headers and in its return path, as far as something comes back that says so."""
    tag = tag_of(BOUNCES, email)
    if settings.BOUNCE_ADDRESS:
        message.extra_headers.setdefault("From", message.from_email)
        message.extra_headers[HEADER] = tag
        message.from_email = return_path(email)
    if settings.EMAIL_WEBHOOK_SERVICE:
        name, value = HEADERS_OF_SERVICES[settings.EMAIL_WEBHOOK_SERVICE]
        message.extra_headers[name] = value % tag
    return message


def return_path(email: int) -> str:
    """Return the email's return path, such as bounces+<email>-<signature>@example.org."""
    return tagged(settings.BOUNCE_ADDRESS, BOUNCES, email)


def email_named(*names: object) -> int | None:
    """Return the email that the first of these tags or return paths names; None if none is this site's."""
    for name in names:
        try:
            if isinstance(name, str):
                return _number_in(name.strip())
        except (NotOurs, ValueError):
            continue
    return None


def _number_in(name: str) -> int:
    if "@" in name:
        [number] = numbers_in(name, settings.BOUNCE_ADDRESS, BOUNCES, 1)
    else:
        [number] = numbers_of(name.lower(), BOUNCES)
    return number
