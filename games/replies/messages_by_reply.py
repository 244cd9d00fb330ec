"""Write the message to the chat that lines of a reply say."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction

from accounts.characters import cut
from games.chat.access import Reader, reader_at
from games.chat.forms.message_forms import MessageForm
from games.chat.models import Channel
from games.chat.services import TooMany, begin_channel, write
from games.models import Seat
from games.narration.typed_names import matching
from games.replies.chat_lines import WrittenMessage, message_in
from games.replies.outcomes import LONGEST_QUOTE, Fact, ReplyOutcome, fact
from games.replies.text import Reply
from games.services import Refused


def write_replied_message(seat: Seat, reply: Reply, lines: Sequence[str]) -> Fact:
    """Write the message of these lines, unless it holds words of an email of ours."""
    message = message_in(lines)
    assert message is not None
    return _write(seat, message) if reply.words.may_be_sent(lines) else fact(ReplyOutcome.QUOTED)


def write_in_channel(seat: Seat, reply: Reply, channel: Channel) -> Fact:
    """Write a reply to an email about this channel there, or to the players that its first line names."""
    if not reply.message:
        return fact(ReplyOutcome.UNREAD)
    if not reply.words.may_be_sent(reply.message):
        return fact(ReplyOutcome.QUOTED)
    message = message_in(reply.message) or WrittenMessage("\n".join(reply.message))
    return _write(seat, message, channel)


def _write(seat: Seat, message: WrittenMessage, channel: Channel | None = None) -> Fact:
    """Write a message to this channel, by default the public one, or to the players that it names.

    A channel begun for it is removed if nothing could be written.
    """
    reader = reader_at(seat.table, seat.user)
    form = MessageForm({"text": message.text})
    if not form.is_valid():
        return fact(ReplyOutcome.NO_TEXT)
    chosen = [matching(name, [name for _number, name in reader.others]) for name in message.names]
    for name, found in zip(message.names, chosen, strict=True):
        if len(found) != 1:
            return fact(ReplyOutcome.NOBODY, name=cut(name, LONGEST_QUOTE))
    try:
        with transaction.atomic():
            if chosen:
                channel = _channel_with(seat, reader, [found[0] for found in chosen])
            written = write(seat, form.cleaned_data["text"], channel=channel)
    except TooMany:
        return fact(ReplyOutcome.TOO_MANY)
    except Refused:
        return fact(ReplyOutcome.SILENT, is_private=bool(message.names))
    return fact(ReplyOutcome.SAID, message=written.pk)


def _channel_with(seat: Seat, reader: Reader, names: list[str]) -> Channel:
    """Return the private channel with these players."""
    numbers = {number for number, name in reader.others if name in names}
    return begin_channel(seat, reader.seats_chosen(numbers))
