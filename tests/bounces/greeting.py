"""An email of one more kind, and the code in the email that came last."""

import re
from typing import Any

from accounts.mail.delivery import deliver_due
from accounts.mail.models import OutgoingEmail
from accounts.mail.outbox import queue


def greeted(to: Any = "anna@example.org", **context: Any) -> OutgoingEmail:
    """Return an email after one tick."""
    email = queue("greeting", to=to, key=f"greeting-{OutgoingEmail.objects.count()}", context=context)
    deliver_due()
    email.refresh_from_db()
    return email


def code_in(smtp_sink: Any) -> str:
    text = smtp_sink.messages[-1].get_body(("plain",)).get_content().replace("\r\n", "\n")
    found = re.search(r"^ {4}(\S+)$", text, re.M)
    assert found, text
    return found[1]
