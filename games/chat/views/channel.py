"""The page of a channel: for players, by an email's link and for spectators."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from accounts.full_disk import optional_write
from accounts.middleware import in_recipients_locale
from games.access import reader_of
from games.chat.access import Reader, get_channel_of, get_link_channel, get_spectator
from games.chat.channel_list import channels_of
from games.chat.forms.message_forms import MessageForm
from games.chat.links import channel_path
from games.chat.models import Channel
from games.chat.read_markers import has_news, mark_read
from games.chat.services import write
from games.chat.thread import chat_version, thread_of
from games.chat.views.drafts import form_with_draft, sign_in_first
from games.forms.typed_text import read_number
from games.links import BadLink
from games.models.matches import last_game
from games.narration.roster import roster_at
from games.private_pages import private_page
from games.services import Refused

Shown = Callable[[MessageForm, int], HttpResponse]


@private_page
@require_http_methods(["GET", "HEAD", "POST"])
def channel(request: HttpRequest, table_id: int, slug: str = "") -> HttpResponse:
    """Show a channel's messages page by page, with a form for people who may write there."""
    if request.method == "POST" and reader_of(request) is None:
        return sign_in_first(request, table_id, slug)
    try:
        channel, reader = get_channel_of(request, table_id, slug)
    except Http404:
        if reader_of(request) is None:
            return redirect_to_login(request.get_full_path())
        raise
    if request.method != "POST":
        return _show_chat(request, channel, reader, form_with_draft(request, channel, reader))
    if not reader.is_writer(channel):
        raise Http404
    return _take_message(
        request,
        channel,
        reader,
        lambda form: _way_back(channel, form.cleaned_data["back"]),
        lambda form, status: _show_chat(request, channel, reader, form, status),
    )


@private_page
@require_safe
def watch_chat(request: HttpRequest, key: str, slug: str = "") -> HttpResponse:
    """Show a public channel to a visitor with the spectator link, who can't write here."""
    reader = get_spectator(key)
    channel = reader.channel(slug)
    if channel is None:
        raise Http404
    context = {
        "table": reader.table,
        "thread": thread_of(channel, reader, before=_before(request)),
        "channels": channels_of(reader, channel),
        "watching": True,
    }
    return render(request, "chat/chat.html", context)


@private_page
@require_http_methods(["GET", "HEAD", "POST"])
def chat_answer(request: HttpRequest, token: str) -> HttpResponse:
    """Show one channel by an email's link, to read and write as one person; nothing else."""
    try:
        channel, reader = get_link_channel(token)
    except BadLink:
        return render(request, "games/bad_seat_link.html", status=404)
    return in_recipients_locale(reader.user, request, lambda: _show_or_write(request, channel, reader))


def _show_or_write(request: HttpRequest, channel: Channel, reader: Reader) -> HttpResponse:
    """Show the channel to its reader by link, or take their message."""
    if request.method != "POST":
        return _show_chat(request, channel, reader, by_link=True)
    return _take_message(
        request,
        channel,
        reader,
        lambda form: request.path,
        lambda form, status: _show_chat(request, channel, reader, form, status, by_link=True),
    )


def _take_message(
    request: HttpRequest,
    channel: Channel,
    reader: Reader,
    next_page: Callable[[MessageForm], str],
    show_again: Shown,
) -> HttpResponse:
    """Write the message and redirect, or show the form again with the text and the reason for refusal."""
    form = MessageForm(request.POST, is_private=channel.is_private)
    if not form.is_valid() or reader.seat is None:
        return show_again(form, 400)
    try:
        write(reader.seat, form.cleaned_data["text"], form.cleaned_data["after"], channel)
    except Refused as refused:
        form.add_error("text", str(refused))
        return show_again(form, refused.status)
    messages.success(request, _("Your message is sent."))
    return redirect(next_page(form))


def _show_chat(
    request: HttpRequest,
    channel: Channel,
    reader: Reader,
    form: MessageForm | None = None,
    status: int = 200,
    *,
    by_link: bool = False,
) -> HttpResponse:
    """Show the channel's page.

    An email's link shows it to the seat's person, whatever user is signed in.
    """
    channels = channels_of(reader, channel) if not by_link else None
    version = chat_version(channel, reader, channels) if channels and not _before(request) else ""
    if version and request.GET.get("have") == version:
        return HttpResponse(status=204)
    reads = request.method == "GET" and reader.seat is not None and not by_link and not _before(request)
    read_before = (channel.last_read or 0) if reads else None
    thread = thread_of(channel, reader, form, _before(request), page=request.path, read_before=read_before)
    if reads and reader.user is not None and has_news(channel, thread.newest):
        with optional_write("a read marker"):
            mark_read(channel, reader.user, thread.newest, is_first=channel.last_read is None)
    context = {
        "table": reader.table,
        "thread": thread,
        "channels": channels,
        "version": version,
        "poll_seconds": settings.CHAT_POLL_SECONDS,
        "game": last_game(reader.table),
        "mine": reader.seat,
        "by_link": by_link,
        "my_name": roster_at(reader.table, reader.user).name_of(reader.user)
        if by_link and reader.user
        else "",
        "is_signed_in": reader_of(request) == reader.user,
    }
    return render(request, "chat/chat.html", context, status=status)


def _way_back(channel: Channel, back: str) -> str:
    """Return the address of the page that had the form."""
    if back == "table":
        return reverse("table", args=[channel.table_id]) + "#chat"
    game = last_game(channel.table) if back == "game" else None
    return reverse("game", args=[game.pk]) + "#chat" if game else channel_path(channel)


def _before(request: HttpRequest) -> int:
    """Return the number of the message before which the page ends; 0 if the address is invalid."""
    return read_number(request.GET.get("before", "")) or 0
