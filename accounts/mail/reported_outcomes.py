"""Record what others report about an email that was sent: it bounced, or its reader wants no more.

Reports come late, twice and in any order; each is recorded once.
"""

from django.db import transaction

from accounts import clock
from accounts.mail import delivery_status, suppression
from accounts.mail.models import OutgoingEmail
from accounts.mail.suppression import Cause


def record_bounce(number: int, words: str, *, of_address: bool) -> bool:
    """Record that an email bounced; return False if it is gone, was never sent, or has already bounced."""
    with transaction.atomic():
        email = OutgoingEmail.objects.filter(pk=number).first()
        if email is None:
            return False
        blamed = of_address or suppression.keeps_failing(email)
        return delivery_status.mark_bounced(email, clock.now(), words, address_fails=blamed)


def record_unwanted(number: int, cause: Cause) -> bool:
    """Record that an email's reader wants no more; return False if it is gone, unsent, or this is known."""
    with transaction.atomic():
        email = OutgoingEmail.objects.filter(pk=number).first()
        return email is not None and delivery_status.mark_unwanted(email, clock.now(), cause)
