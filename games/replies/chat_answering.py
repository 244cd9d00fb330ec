"""Write what a reply to an email about the chat says into that channel, and send a receipt.

Everything happens in one transaction, once for each message. The signed address says whose reply it is and
where it goes; the sender is never read.
"""

from __future__ import annotations

import logging
from datetime import timedelta
from email.message import Message as Mail

from django.db import transaction
from django.utils import translation

from accounts import clock
from accounts.characters import cut
from accounts.mail.models import OutgoingEmail
from accounts.mail.outbox import queue
from accounts.mail.receiving import inbox, reading
from accounts.mail.sent_words import finder
from accounts.models import known_language
from games.access import seats_by_link
from games.chat.links import CHAT_LINK_AGE, CHAT_REPLIES, chat_thread, slug_in_address
from games.chat.models import Channel
from games.chat.services.channels import locked_table
from games.links import digests_to, list_of
from games.models import Seat
from games.replies.chat_lines import message_in
from games.replies.messages_by_reply import write_in_channel
from games.replies.moves_by_reply import is_asked_for
from games.replies.outcomes import CHAT_RECEIPT, LONGEST_QUOTE, Fact, ReplyOutcome, fact
from games.replies.text import Reply, read_reply

logger = logging.getLogger(__name__)

WHILE = timedelta(days=1)
MOST_REFUSED = 10  # receipts in that time, of replies to one channel that sent nothing


@inbox(CHAT_REPLIES, setting="REPLY_ADDRESS", count=3, max_age=CHAT_LINK_AGE)
def take_chat_reply(numbers: list[int], mail: Mail) -> None:
    """Write a reply into the channel in its address, if its person still has the seat. Safe to repeat."""
    of_seat, person, slug = numbers
    seat = seats_by_link().filter(pk=of_seat, user_id=person).first()
    channel = seat.table.channels.filter(slug=slug_in_address(slug)).first() if seat else None
    with reading():
        reply = read_reply(mail, finder(seat.person, _threads(seat, channel))) if seat and channel else None
    if reply is None or seat is None or channel is None:
        logger.info(
            "a reply to the chat of seat %s was left aside", of_seat, extra={"automatic": reply is None}
        )
        return
    with translation.override(known_language(seat.person.language)):
        _write_once(channel, seat, reply)


def _threads(seat: Seat, channel: Channel) -> list[str]:
    """Return the threads whose emails must not get into the chat: the channel's own, and those with hands."""
    games = [list_of(game) for game in seat.table.games.all()]
    return [chat_thread(channel), *games, digests_to(seat.user_id)]


@transaction.atomic
def _write_once(channel: Channel, seat: Seat, reply: Reply) -> None:
    """Write the reply, unless that has been done, and queue its receipt."""
    locked_table(seat.table_id)  # replies to one table's chat are taken one at a time
    about = f"chat-reply:{channel.pk}:{seat.pk}:{seat.user_id}:"
    if OutgoingEmail.objects.filter(
        key__in=[about + reply.digest, f"{about}refused:{reply.digest}"]
    ).exists():
        return
    told = _write(channel, seat, reply)
    if told["outcome"] != ReplyOutcome.SAID:
        about += "refused:"
        lately = OutgoingEmail.objects.filter(key__startswith=about, created_at__gt=clock.now() - WHILE)
        if lately.count() >= MOST_REFUSED:
            return
    context = {"channel": channel.pk, "seat": seat.pk, "answers": reply.message_id, "fact": told}
    queue(CHAT_RECEIPT, to=seat.person, key=about + reply.digest, context=context)


def _write(channel: Channel, seat: Seat, reply: Reply) -> Fact:
    if reply.is_too_long:
        return fact(ReplyOutcome.TOO_LONG)
    lines = reply.message
    if len(lines) == 1 and not message_in(lines) and is_asked_for(seat, lines[0]):
        return fact(ReplyOutcome.MOVE, text=cut(lines[0], LONGEST_QUOTE))
    return write_in_channel(seat, reply, channel)
