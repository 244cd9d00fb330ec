"""Builds the letter that tells of messages. None: the reason to write is gone."""

from __future__ import annotations

from django.db import transaction
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.addresses import absolute_url
from accounts.models import User
from accounts.names import first_in_sentence
from accounts.post.content import Content
from accounts.post.models import Letter
from games.models import Table
from games.press.access import is_closed, seat_at
from games.press.board import Line, lines_of
from games.press.commands import LETTER_KIND, letter_key
from games.press.links import talk_url
from games.press.models import Message

MOST_IN_A_LETTER = 30


def message(letter: Letter) -> Content | None:
    """To somebody at the table: what the others wrote since the last letter, and a link to answer."""
    reader = letter.to_user
    if reader is None or not reader.talk_letters:
        return None
    table, untold = _untold(letter, reader)
    seat = seat_at(table, reader) if table else None
    if table is None or seat is None or is_closed(table) or not untold:
        return None
    lines = lines_of(table, reader, untold[-MOST_IN_A_LETTER:])
    context = {
        "table": table,
        "lines": lines,
        "texts": [(line, _indented(line.message.text)) for line in lines],
        "left_out": max(0, len(untold) - MOST_IN_A_LETTER),
        "subject": _subject(table, lines),
        "link": talk_url(seat),
        "page": absolute_url(reverse("talk", args=[table.pk])),
    }
    name = _("the talk at %(table)s") % {"table": table.name}
    return Content("message", context, f"talk-{table.pk}", f"talk-{table.pk}", name)


def _untold(letter: Letter, reader: User) -> tuple[Table | None, list[Message]]:
    """The others' messages from the one the letter was queued for up to the next letter's.

    Under the lock under which messages are written: whoever took this letter to be waiting has written down
    what it shall tell, and whoever comes later queues another.
    """
    with transaction.atomic():
        table = Table.objects.select_for_update().filter(pk=letter.about["table"]).first()
        if table is None:
            return None, []
        found = Message.objects.on_board(table).filter(pk__gte=letter.about["since"])
        following = (
            Letter.objects.filter(kind=LETTER_KIND, to_user=reader, pk__gt=letter.pk)
            .filter(key__startswith=letter_key(table, reader))
            .order_by("pk")
            .first()
        )
        if following is not None:
            found = found.filter(pk__lt=following.about["since"])
        return table, [written for written in found if written.author_id != reader.pk]


def _subject(table: Table, lines: tuple[Line, ...]) -> str:
    writers = list(dict.fromkeys(line.name for line in lines))
    words = {"names": ", ".join(writers), "table": table.name}
    if len(writers) > 1:
        return _("New messages from %(names)s: %(table)s") % words
    words["names"] = first_in_sentence(words["names"])
    return _("%(names)s wrote to the table: %(table)s") % words


def _indented(text: str) -> str:
    """Set off from the letter's own words, so that a message cannot pass for them."""
    return "\n".join(f"    {line}".rstrip() for line in text.split("\n"))
