"""Emails and notifications about messages."""

from __future__ import annotations

from collections.abc import Sequence

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.mail.collecting import CHAT, DAILY
from accounts.mail.email_content import Content, own_page
from accounts.mail.email_kinds import email_kind
from accounts.mail.list_names import names_list
from accounts.mail.models import OutgoingEmail
from accounts.mail.subjects import fit_subject
from accounts.push.models import Push, QueuedNotice
from accounts.push.queueing import Notice, push_kind
from games.chat.emails.channel_news import (
    ROOM,
    ChannelNews,
    chats_of,
    days_chats,
    news_of,
    subject_of,
    subject_of_all,
    unsent_messages,
)
from games.chat.links import channel_path, chat_thread
from games.chat.models import ChannelReadMarker
from games.models import Table


@email_kind("message", name=gettext_lazy("Chat of a game"))
def message(email: OutgoingEmail) -> Content | None:
    """Build the email about new messages in one channel, which is answered by its link or by a reply."""
    chats = chats_of(email)
    if not chats:
        return None
    chat = chats[0]
    return Content(
        CHAT,
        {"table": chat.table, "chat": chat, "subject": subject_of(chat)},
        chat_thread(chat.channel),
        chat.list_id,
        _name_of_list(chat.table.pk),
        reply_to=chat.reply_to,
        remembered=True,
        common_words=(chat.table.name, *chat.names, *chat.own_words),
    )


@push_kind(Push.Kind.MESSAGE)
def message_notification(push: QueuedNotice) -> Notice | None:
    """Build the notification about one message, unless it was read or may no longer be."""
    person, pk, number = push.reader, push.context["channel"], push.context["number"]
    found = next(unsent_messages({str(pk): [number]}, person), None)
    if (
        found is None
        or ChannelReadMarker.objects.filter(channel=pk, user=person, last_read__gte=number).exists()
    ):
        return None
    channel, reader, unsent = found
    subject = fit_subject(subject_of(news_of(channel, reader, unsent, ROOM)))
    table = channel.table
    return Notice(
        subject,
        channel_path(channel),
        f"chat-{channel.pk}",
        table=str(table.name),
        page=reverse("table", args=[table.pk]),  # the same for private channels
        source=table.source_path,
    )


@names_list("chat")
def _name_of_list(number: int) -> str:
    name = Table.objects.filter(pk=number).values_list("name", flat=True).first() or ""
    # Translators: a kind of emails; table is a game's name
    return _("All chat: %(table)s") % {"table": name}


@email_kind("daily", name=gettext_lazy("The day’s chat"))
def daily(email: OutgoingEmail) -> Content | None:
    """Build the daily email about new messages, for readers who chose one a day.

    It covers every channel that has this choice.
    """
    return daily_content(email, days_chats(email))


@names_list(DAILY)
def _name_of_daily(_number: int = 0) -> str:
    return _("The day’s chat")


def daily_content(email: OutgoingEmail, chats: Sequence[ChannelNews]) -> Content | None:
    """Build the daily email for a day when no game needs the reader, or they want no such news."""
    if not chats:
        return None
    context = {
        "chats": chats,
        "subject": subject_of_all(chats),
        "preferences": own_page(email, "email_preferences"),
    }
    return Content(DAILY, context, f"{DAILY}-{email.to_user_id}", DAILY, _name_of_daily())
