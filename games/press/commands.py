"""Writing on a table's board, and queueing the letters that tell of it. Every door goes through here.

A letter to a reader tells of all messages from the one it was queued for, up to the next letter's.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _

from accounts import present
from accounts.limits import spend
from accounts.models import User
from accounts.post.models import Letter
from accounts.post.outbox import queue
from games.commands import Refused
from games.models import Seat, Table
from games.press.access import is_closed
from games.press.models import Message
from games.press.rendering import rendered

MOST_A_DAY = 100
LETTER_KIND = "message"
# A letter this near its moment takes no more messages: the clocks of two machines differ a little.
_TOO_LATE = timedelta(seconds=2)


class TooMany(Refused):
    """The person has written enough for today."""


@transaction.atomic
def write(seat: Seat, text: str, after: int | None = None) -> Message:
    """Put a cleaned text on the board; the others are told by letter after settings.TALK_HOLD.

    `after` is the writer's last message when he was shown the form: the same text again from the same form
    is a second click and gives the first message. Raises Refused where the board is closed, and TooMany.
    """
    table = _locked(seat)
    author = seat.person
    if after is not None:
        twice = Message.objects.filter(table=table, author=author, pk__gt=after, text=text).first()
        if twice is not None:
            return twice
    if not spend("message", str(author.pk), MOST_A_DAY):
        raise TooMany(
            _("You have written %(most)d messages today; that is all for a day.") % {"most": MOST_A_DAY}
        )
    message = Message.objects.create(table=table, author=author, text=text, html=rendered(text))
    _tell_others(table, message)
    return message


def _locked(seat: Seat) -> Table:
    """The table's row, held until the transaction ends: letters.py reads under the same lock."""
    table = Table.objects.select_for_update().get(pk=seat.table_id)
    if is_closed(table):
        raise Refused(_("This table is closed: nobody can write here any more."))
    if not table.seats.filter(pk=seat.pk, user=seat.user_id).exists():
        raise Refused(_("You have no seat at this table any more."))
    return table


def _tell_others(table: Table, message: Message) -> None:
    """A letter to everybody else who wants one and has none waiting that will tell of this message too."""
    waiting = _readers_with_a_letter_waiting(table, present.now())
    for seat in table.seats.people().exclude(user=message.author_id):
        if seat.user_id not in waiting and _wants_letters(seat.person):
            queue(
                LETTER_KIND,
                to=seat.person,
                key=f"{letter_key(table, seat.person)}{message.pk}",
                about={"table": table.pk, "since": message.pk},
                hold=settings.TALK_HOLD,
            )


def letter_key(table: Table, reader: User) -> str:
    """How the keys of all letters to this reader about this table begin."""
    return f"{LETTER_KIND}:{table.pk}:{reader.pk}:"


def _readers_with_a_letter_waiting(table: Table, now: datetime) -> set[int | None]:
    waiting = Letter.objects.filter(
        kind=LETTER_KIND,
        state=Letter.State.QUEUED,
        not_before__gt=now + _TOO_LATE,
        key__startswith=f"{LETTER_KIND}:{table.pk}:",
    )
    return set(waiting.values_list("to_user_id", flat=True))


def _wants_letters(reader: User) -> bool:
    return reader.is_active and reader.talk_letters
