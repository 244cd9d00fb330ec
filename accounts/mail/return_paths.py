"""The signed envelope sender of each email (RFC 5321, 4.4), so that a bounce identifies its email."""

from django.conf import settings
from django.core.mail import EmailMessage

from accounts.mail.own_addresses import tagged

BOUNCES = "bounces"  # what their addresses are signed for


def with_return_path(message: EmailMessage, email: int) -> EmailMessage:
    """Set the message's own return path if BOUNCE_ADDRESS is configured."""
    if settings.BOUNCE_ADDRESS:
        message.extra_headers.setdefault("From", message.from_email)
        message.from_email = return_path(email)
    return message


def return_path(email: int) -> str:
    """Return the email's return path, such as bounces+<email>-<signature>@example.org."""
    return tagged(settings.BOUNCE_ADDRESS, BOUNCES, email)
