"""Writing on a board as its players do, and the letters that come of it."""

import re
from datetime import datetime, timedelta
from typing import Any

from django.core import mail
from django.test import Client
from django.utils import timezone

from accounts.mail.delivery import deliver_due
from accounts.mail.models import OutgoingEmail
from games.models import Table


def hidden_fields(page: str) -> dict[str, str]:
    """What the board's form on a page would send along."""
    form = re.search(r'<form method="post" action="[^"]*" class="talk-form">.*?</form>', page, re.S)
    assert form, page
    fields = re.findall(r'<input type="hidden" name="(after|back)"(?: value="([^"]*)")?', form[0])
    return dict(fields)


def say(client: Client, table: Table, text: str, page: str = "", circle: str = "") -> Any:
    """Opens the page, types and sends; the answer to that."""
    path = f"/tables/{table.pk}/talk/{circle}/".replace("//", "/")
    shown = client.get(page or path)
    assert shown.status_code == 200
    return client.post(path, hidden_fields(shown.content.decode()) | {"text": text})


def talk_letters(after: timedelta = timedelta(minutes=6)) -> list[Any]:
    """The letters about messages that leave so much later."""
    return letters_at(timezone.now() + after)


def letters_at(moment: datetime) -> list[Any]:
    mail.outbox.clear()
    deliver_due(moment)
    ids = set(OutgoingEmail.objects.filter(kind="message").values_list("message_id", flat=True))
    return [letter for letter in mail.outbox if letter.extra_headers["Message-ID"] in ids]


def html_of(letter: Any) -> str:
    return str(letter.alternatives[0][0])


def answer_path(letter: Any) -> str:
    """The path of the link by which its reader answers."""
    found = re.search(r"http://testserver(/talk/\S+)", letter.body)
    assert found, letter.body
    return found[1]


def said_letters() -> list[Any]:
    """The letters about messages among those that left last."""
    ids = set(OutgoingEmail.objects.filter(kind="message").values_list("message_id", flat=True))
    return [letter for letter in mail.outbox if letter.extra_headers["Message-ID"] in ids]
