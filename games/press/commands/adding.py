"""The one place that puts a message into a circle, whoever vouches for it."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from games.commands import Refused
from games.models import Seat, Table
from games.press.access import why_silent
from games.press.commands.notices import tell_others
from games.press.following import mark_read
from games.press.models import Circle, Following, Message, Mute
from games.press.silences import silence_of, why_silenced


def locked_table(table_id: int) -> Table:
    """The table's row, held until the transaction ends: whatever is said at a table is said one by one.

    Who needs the game's row too locks it before.
    """
    return Table.objects.select_for_update().get(pk=table_id)


def require_voice(circle: Circle, seat: Seat, table: Table, *, in_words: bool = True) -> None:
    """Raises Refused, with the reason, if this seat's person may not say anything here now.

    Who is silenced has no words, but shows cards and answers bargains like anybody else.
    """
    if not table.seats.filter(pk=seat.pk, user=seat.user_id).exists():
        raise Refused(_("You have no seat at this table any more."))
    silence = silence_of(seat.user, table) if in_words else None
    silent = why_silent(circle, table) or why_silenced(silence)
    if silent:
        raise Refused(silent)


def add(circle: Circle, *, has_read: bool = True, **said: Any) -> Message:
    """Puts a message into its circle and tells its readers by letter; under the lock of the table.

    `has_read` says that its author was shown what stood before; not where the table speaks for him later.
    """
    circle = stored(circle)
    Circle.objects.filter(pk=circle.pk).update(newest=circle.newest + 1)
    message = Message.objects.create(circle=circle, number=circle.newest + 1, **said)
    circle.newest = message.number
    author = said.get("author")
    if author is not None and has_read:
        mark_read(circle, author, message.number)
    _read_by_the_deaf(message)
    tell_others(message)
    return message


def _read_by_the_deaf(message: Message) -> None:
    """Who had read all before it and does not want to read its author has nothing new."""
    if message.author_id is None or message.kind != Message.Kind.WORDS:
        return
    mutes = Mute.objects.filter(table=message.circle.table_id, whom=message.author_id)
    if message.circle.is_private:
        mutes = mutes.filter(by__in=message.circle.members.values("user"))
    for mute in mutes.select_related("by"):
        followed = Following.objects.filter(circle=message.circle, user=mute.by).first()
        if (followed.read_to if followed else 0) == message.number - 1:
            mark_read(message.circle, mute.by, message.number)


def stored(circle: Circle) -> Circle:
    """The circle's row; that of the whole table is made when somebody says something in it."""
    if circle._state.adding:
        circle, _made = Circle.objects.get_or_create(
            table=circle.table, slug=circle.slug, defaults={"kind": circle.kind}
        )
    else:
        circle = Circle.objects.select_related("table").get(pk=circle.pk)
    return circle
