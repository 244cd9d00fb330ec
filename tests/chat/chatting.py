"""Write in a channel as its players do, and read the emails about it."""

import re
from datetime import datetime, timedelta
from typing import Any

from django.core import mail
from django.test import Client
from django.utils import timezone

from accounts.mail.delivery import deliver_due
from accounts.mail.models import OutgoingEmail
from games.models import Table


def main_of(page: str) -> str:
    """Return what stands between a page's header and its footer, which may hold the choice of a language."""
    return page.partition("<main")[2].partition("</main>")[0]


def hidden_fields(page: str) -> dict[str, str]:
    """Return the hidden fields that a page's form would send."""
    form = re.search(r'<form method="post" action="[^"]*" class="chat-form">.*?</form>', page, re.S)
    assert form, page
    fields = re.findall(r'<input type="hidden" name="(after|back)"(?: value="([^"]*)")?', form[0])
    return dict(fields)


def say(client: Client, table: Table, text: str, page: str = "", channel: str = "") -> Any:
    """Open the page, type a message and send it; return the answer."""
    path = f"/tables/{table.pk}/chat/{channel}/".replace("//", "/")
    shown = client.get(page or path)
    assert shown.status_code == 200
    return client.post(path, hidden_fields(shown.content.decode()) | {"text": text})


def chat_emails(after: timedelta = timedelta(minutes=6)) -> list[Any]:
    """Return the emails about messages that leave after this time."""
    return emails_at(timezone.now() + after)


def emails_at(moment: datetime) -> list[Any]:
    mail.outbox.clear()
    deliver_due(moment)
    ids = set(OutgoingEmail.objects.filter(kind="message").values_list("message_id", flat=True))
    return [email for email in mail.outbox if email.extra_headers["Message-ID"] in ids]


def html_of(email: Any) -> str:
    return str(email.alternatives[0][0])


def answer_path(email: Any) -> str:
    """Return the path of the link with which its reader answers."""
    found = re.search(r"http://testserver(/chat/\S+)", email.body)
    assert found, email.body
    return found[1]


def said_emails() -> list[Any]:
    """Return the emails about messages among those sent last."""
    ids = set(OutgoingEmail.objects.filter(kind="message").values_list("message_id", flat=True))
    return [email for email in mail.outbox if email.extra_headers["Message-ID"] in ids]
