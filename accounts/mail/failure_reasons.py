"""Why an email to a person did not arrive, for their list of emails."""

import re

from django.utils.translation import gettext as _

from accounts.mail.models import OutgoingEmail

ADDRESS_FAILS = "emails to this address fail"  # stored in last_error; never shown
SERVER_ANSWER = re.compile(r"[245]\d\d\b")


def why(email: OutgoingEmail) -> str:
    """Return the reason in one sentence; empty if the email arrived, waits, or was not wanted."""
    if email.state == OutgoingEmail.State.BOUNCED:
        return _came_back(email.last_error)
    if email.state != OutgoingEmail.State.FAILED:
        return ""
    if email.last_error == ADDRESS_FAILS:
        return _("We didn’t send it, because emails to your address fail.")
    if SERVER_ANSWER.match(email.last_error):
        return _("Your mail server refused it: %(answer)s") % {"answer": email.last_error}
    return _("We couldn’t send it. The site’s operator can see why.")


def _came_back(answer: str) -> str:
    if not answer:
        return _("Your mail server sent it back.")
    return _("Your mail server sent it back: %(answer)s") % {"answer": answer}
