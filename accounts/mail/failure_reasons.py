"""Why an email to a person did not arrive, for their list of emails."""

import re

from django.utils.translation import gettext as _

from accounts.mail.models import OutgoingEmail, SuppressedAddress

Cause = SuppressedAddress.Cause

# Stored in last_error; never shown to readers.
ADDRESS_FAILS = "emails to this address fail"
MARKED_AS_SPAM = "its reader marked an email as spam"
UNSUBSCRIBED = "its reader unsubscribed at the mail service"
NOT_WANTED = (UNSUBSCRIBED, MARKED_AS_SPAM)
ERROR_OF = {
    Cause.FAILURE: ADDRESS_FAILS,
    Cause.UNSUBSCRIBED: UNSUBSCRIBED,
    Cause.COMPLAINT: MARKED_AS_SPAM,
}
SERVER_ANSWER = re.compile(r"[245]\d\d\b")


def why(email: OutgoingEmail) -> str:
    """Return the reason in one sentence; empty if the email arrived, waits, or was not wanted."""
    if email.state == OutgoingEmail.State.BOUNCED:
        return "" if email.last_error in NOT_WANTED else _came_back(email.last_error)
    if email.state != OutgoingEmail.State.FAILED:
        return ""
    if email.last_error == ADDRESS_FAILS:
        return _("We didn’t send it, because emails to your address fail.")
    if email.last_error == MARKED_AS_SPAM:
        return _("We didn’t send it, because you marked an email as spam.")
    if email.last_error == UNSUBSCRIBED:
        return _("We didn’t send it, because you unsubscribed from all emails.")
    if SERVER_ANSWER.match(email.last_error):
        return _("Your mail server refused it: %(answer)s") % {"answer": email.last_error}
    return _("We couldn’t send it. The site’s operator can see why.")


def _came_back(answer: str) -> str:
    if not answer:
        return _("Your mail server sent it back.")
    return _("Your mail server sent it back: %(answer)s") % {"answer": answer}
