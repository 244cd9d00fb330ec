"""Builds the letter that tells of messages. None: the reason to write is gone."""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.addresses import absolute_url
from accounts.models import User
from accounts.names import first_in_sentence
from accounts.post.content import Content
from accounts.post.models import Letter
from games.models import Table
from games.press.access import is_closed, reader_at
from games.press.board import Line, circle_title, lines_of, readers_told
from games.press.commands.notices import LETTER_KIND, letter_key
from games.press.following import wanted_letters
from games.press.links import circle_path, talk_url
from games.press.models import Circle, Message

MOST_IN_A_LETTER = 30


def message(letter: Letter) -> Content | None:
    """To somebody at the table: what the others wrote since the last letter, and a link to answer."""
    person = letter.to_user
    circle = _circle(letter)
    if person is None or circle is None or wanted_letters(circle, person) == User.TalkLetters.NEVER:
        return None
    untold = _untold(letter, circle, person)
    table, reader = circle.table, reader_at(circle.table, person)
    if reader.seat is None or circle not in reader.circles or is_closed(table) or not untold:
        return None
    lines = lines_of(circle, reader, untold[-MOST_IN_A_LETTER:])
    context = {
        "table": table,
        "circle": circle_title(circle, reader),
        "readers": readers_told(circle, reader),
        "lines": lines,
        "texts": [(line, _indented(line.message.text)) for line in lines],
        "left_out": max(0, len(untold) - MOST_IN_A_LETTER),
        "subject": _subject(circle, lines),
        "link": talk_url(reader.seat, circle),
        "page": absolute_url(circle_path(circle)),
    }
    thread = f"talk-{table.pk}-{circle.slug}".rstrip("-")
    name = _("the talk at %(table)s") % {"table": table.name}
    return Content("message", context, thread, f"talk-{table.pk}", name)


def _circle(letter: Letter) -> Circle | None:
    """The circle it tells of; a letter queued before there were circles told of a table."""
    circles = Circle.objects.select_related("table").prefetch_related("members")
    if "circle" in letter.about:
        return circles.filter(pk=letter.about["circle"]).first()
    return circles.filter(table=letter.about["table"], kind=Circle.Kind.TABLE).first()


def _untold(letter: Letter, circle: Circle, reader: User) -> list[Message]:
    """The others' messages from the one the letter was queued for up to the next letter's.

    Under the lock under which messages are written: whoever took this letter to be waiting has written down
    what it shall tell, and whoever comes later queues another.
    """
    with transaction.atomic():
        Table.objects.select_for_update().get(pk=circle.table_id)
        since = letter.about["since"] if "circle" in letter.about else 1
        found = Message.objects.filter(circle=circle, number__gte=since)
        following = (
            Letter.objects.filter(kind=LETTER_KIND, to_user=reader, pk__gt=letter.pk)
            .filter(key__startswith=letter_key(circle, reader))
            .order_by("pk")
            .first()
        )
        if following is not None:
            found = found.filter(number__lt=following.about["since"])
        return [written for written in found.order_by("number") if written.author_id != reader.pk]


def _subject(circle: Circle, lines: tuple[Line, ...]) -> str:
    writers = list(dict.fromkeys(line.name for line in lines))
    words = {"names": ", ".join(writers), "table": circle.table.name}
    if circle.is_private:
        return _("%(names)s wrote to you, among few: %(table)s") % words
    if len(writers) > 1:
        return _("New messages from %(names)s: %(table)s") % words
    words["names"] = first_in_sentence(words["names"])
    return _("%(names)s wrote to the table: %(table)s") % words


def _indented(text: str) -> str:
    """Set off from the letter's own words, so that a message cannot pass for them."""
    return "\n".join(f"    {line}".rstrip() for line in text.split("\n"))
