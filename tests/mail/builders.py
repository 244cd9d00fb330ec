"""Builders of emails as another app would write them; an email's `context` says what each does."""

from datetime import UTC, datetime

from django.utils.functional import lazystr

from accounts.mail.email_content import Content, InlineImage
from accounts.mail.email_kinds import EmailKind
from accounts.mail.models import OutgoingEmail

MOMENT = datetime(2026, 7, 1, 12, 0, tzinfo=UTC)
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d4944415478da63fcffff3f0300060502fea7"
    "9a8c4e0000000049454e44ae426082"
)


def greeting(email: OutgoingEmail) -> Content | None:
    given = email.context
    if given.get("answered"):
        return None
    if given.get("broken"):
        raise LookupError("the game is gone")
    return Content(
        "greeting",
        {
            "moment": MOMENT,
            "subject": given.get("subject"),
            "words": given.get("words"),
            "link": given.get("link"),
            "picture": given.get("picture"),
        },
        thread=given.get("thread"),
        list_id=given.get("list_id"),
        list_name=given.get("list_name"),
        images=(InlineImage("map", PNG),) if given.get("picture") else (),
    )


GREETING = EmailKind(lazystr("Greeting"), greeting)
