"""Receipts of replies to emails about the chat: whether the message was sent, or why not."""

from __future__ import annotations

from dataclasses import replace

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.mail.email_content import Content
from accounts.mail.email_kinds import email_kind
from accounts.mail.models import OutgoingEmail
from accounts.mail.subjects import name_in_subject
from games.access import seats_by_link
from games.chat.access import Reader, reader_at
from games.chat.channel_text import channel_title
from games.chat.emails.channel_news import EmailLine
from games.chat.links import chat_thread, chat_url
from games.chat.models import Channel, Message
from games.chat.thread import lines_of
from games.emails.answered_replies import about_message
from games.replies.commands import Command, first_word
from games.replies.outcomes import CHAT_RECEIPT, Fact, ReplyOutcome


@email_kind(CHAT_RECEIPT, name=gettext_lazy("An answer to your reply"))
def chat_receipt(email: OutgoingEmail) -> Content | None:
    """Build the receipt: the message as it was sent, or why nothing was; None once its reader has left."""
    told: Fact = email.context["fact"]
    seat = seats_by_link().filter(pk=email.context["seat"], user=email.to_user).first()
    if seat is None:
        return None
    reader = replace(reader_at(seat.table, seat.user), by_link=True)
    sent = told["message"] if told["outcome"] == ReplyOutcome.SAID else None
    message = Message.objects.filter(pk=sent).first() if sent else None
    number = message.channel_id if message else email.context["channel"]
    channel = next((one for one in reader.channels if one.pk == number), None)
    if channel is None:
        return None
    context = {
        "table": seat.table,
        "title": channel_title(channel, reader),
        "told": _told(told, reader, channel),
        "item": EmailLine(lines_of(channel, reader, [message])[0]) if message else None,
        "link": chat_url(seat, channel),
        # Translators: the subject of an email that answers a reply; table is the name of a game
        "subject": _("Re: Chat: %(table)s") % {"table": name_in_subject(seat.table.name)},
    }
    return Content(CHAT_RECEIPT, context, chat_thread(channel), answers=email.context["answers"])


def _told(told: Fact, reader: Reader, channel: Channel) -> str:
    match ReplyOutcome(told["outcome"]):
        case ReplyOutcome.UNREAD:
            return _(
                "We found no words of yours above or below the quoted email. Nothing was sent. Write above "
                "it, and send your reply again."
            )
        case ReplyOutcome.QUOTED:
            return _(
                "Your message contains text or a link from one of our emails. Nothing was sent. Write it "
                "again above the quoted email, without that text."
            )
        case ReplyOutcome.MOVE:
            # Translators: text is a move that the reader typed; say is the first word of a reply by email
            text = _(
                "It’s your turn, and “%(text)s” could be your move, so nothing was sent or played. To play "
                "it, reply to the email about your turn. To write it in the chat, begin with “%(say)s:”."
            )
            return text % {"text": told["text"], "say": first_word(Command.SAY)}
        case ReplyOutcome.SILENT:
            why = reader.why_no_channel if told["is_private"] else reader.why_silent(channel)
            return why or _("Your message was not sent. Write it in the chat.")
    return about_message(told)
