"""The page of a channel, and when its emails come."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.middleware import in_recipients_locale
from accounts.rate_limits import client_key, hit
from games.access import private_page, reader_of
from games.chat.access import (
    Reader,
    get_channel_of,
    get_link_channel,
    get_seated_reader,
    get_spectator,
)
from games.chat.forms import ChannelEmailsForm, ChannelForm, MessageForm
from games.chat.links import channel_path
from games.chat.models import Channel
from games.chat.read_markers import chosen_emails, mark_read
from games.chat.services import agree_to_open, begin_channel, choose_emails, keep_closed, write
from games.chat.thread import channel_title, channels_of, chat_version, new_form, thread_of
from games.forms.typed_text import read_number
from games.links import BadLink
from games.models import Table
from games.models.matches import last_game
from games.narration.roster import roster_at
from games.services import Refused

MOST_DRAFTS_A_DAY = 60  # per connection, because each draft may create a session

_DRAFT = "draft"

Shown = Callable[[MessageForm, int], HttpResponse]


@private_page
@require_http_methods(["GET", "HEAD", "POST"])
def channel(request: HttpRequest, table_id: int, slug: str = "") -> HttpResponse:
    """Show a channel's messages page by page, with a form for people who may write there."""
    if request.method == "POST" and reader_of(request) is None:
        return _signed_out(request, table_id, slug)
    try:
        channel, reader = get_channel_of(request, table_id, slug)
    except Http404:
        if reader_of(request) is None:
            return redirect_to_login(request.get_full_path())
        raise
    if request.method != "POST":
        return _show_chat(request, channel, reader, _form_with_draft(request, channel, reader))
    if reader.seat is None:
        raise Http404
    return _written(
        request,
        channel,
        reader,
        lambda form: _way_back(channel, form.cleaned_data["back"]),
        lambda form, status: _show_chat(request, channel, reader, form, status),
    )


@private_page
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def channel_with(request: HttpRequest, table_id: int) -> HttpResponse:
    """Choose people and write the first message, which creates the channel."""
    reader = get_seated_reader(request, table_id)
    if request.method != "POST":
        return _show_chat_with(request, reader, ChannelForm(others=reader.others))
    form = ChannelForm(request.POST, others=reader.others)
    if not form.is_valid():
        return _show_chat_with(request, reader, form, 400)
    try:
        channel = _begin(reader, form)
    except Refused as refused:
        form.add_error(None, str(refused))
        return _show_chat_with(request, reader, form, refused.status)
    messages.success(request, _("Your message is sent."))
    return redirect(channel_path(channel))


def _show_chat_with(
    request: HttpRequest, reader: Reader, form: ChannelForm, status: int = 200
) -> HttpResponse:
    """Show the page.

    The form is left out if the reader can't begin a channel and has typed nothing that could be lost.
    """
    silent = reader.why_no_channel
    context = {
        "table": reader.table,
        "form": form if form.is_bound or not silent else None,
        "silent": "" if form.errors else silent,
        "channels": channels_of(reader, beginning=True),
        "game": last_game(reader.table),
    }
    return render(request, "chat/chat_with.html", context, status=status)


@private_page
@require_POST
def channel_open(request: HttpRequest, table_id: int, slug: str) -> HttpResponse:
    """Agree to open a private channel to the table after the end, or take it back."""
    if reader_of(request) is None:
        return redirect_to_login(reverse("channel", args=[table_id, slug]))
    channel, reader = get_channel_of(request, table_id, slug)
    if reader.seat is None or not (channel.is_private and reader.is_in(channel)):
        raise Http404
    try:
        messages.success(request, _opened(channel, reader, request.POST.get("action", "")))
    except Refused as refused:
        messages.error(request, str(refused))
    return redirect(channel_path(channel))


def _opened(channel: Channel, reader: Reader, action: str) -> str:
    """Do what the button says, and return a sentence about the result."""
    assert reader.seat is not None
    if action == "keep":
        keep_closed(channel, reader.seat)
        return _("You no longer agree to make this channel public. It stays private.")
    if agree_to_open(channel, reader.seat):
        return _("Everyone in this channel agreed, so it is public now.")
    return _("You agreed to make this channel public. It becomes public when everyone in it agrees.")


@transaction.atomic
def _begin(reader: Reader, form: ChannelForm) -> Channel:
    assert reader.seat is not None
    channel = begin_channel(reader.seat, reader.seats_chosen(form.cleaned_data["seats"]))
    write(reader.seat, form.cleaned_data["text"], channel=channel)
    return channel


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
    return in_recipients_locale(reader.user, request, lambda: _answered(request, channel, reader))


def _answered(request: HttpRequest, channel: Channel, reader: Reader) -> HttpResponse:
    """Show the channel to its reader by link, or take their message."""
    if request.method != "POST":
        return _show_chat(request, channel, reader, by_link=True)
    return _written(
        request,
        channel,
        reader,
        lambda form: request.path,
        lambda form, status: _show_chat(request, channel, reader, form, status, by_link=True),
    )


def _written(
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


def _signed_out(request: HttpRequest, table_id: int, slug: str) -> HttpResponse:
    """Redirect to signing in, keeping or giving back the text.

    The answer doesn't reveal whether the channel exists.
    """
    form = MessageForm(request.POST)
    status = 400
    if form.is_valid():
        if _keep_draft(request, table_id, slug, form.cleaned_data["text"]):
            return redirect_to_login(request.get_full_path())
        form.add_error(
            "text", _("We can't keep this message while you sign in. Copy it and send it afterwards.")
        )
        status = 429
    return render(request, "chat/signed_out.html", {"form": form}, status=status)


def _form_with_draft(request: HttpRequest, channel: Channel, reader: Reader) -> MessageForm | None:
    """Return the form with the text typed while signed out, if any. It is shown only once."""
    draft = _draft_for(request, channel) if request.method == "GET" and reader.is_in(channel) else ""
    if not draft:
        return None
    if reader.why_silent(channel):  # keep the draft until it can be sent
        messages.info(
            request,
            _("You were signed out, so your message was not sent. We'll keep it until you can send it."),
        )
    else:
        request.session.pop(_DRAFT)
        messages.info(
            request, _("You were signed out, so your message was not sent. Check it and send it now.")
        )
    return new_form(channel, text=draft)


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
    if reads and reader.user is not None:
        mark_read(channel, reader.user, thread.newest)
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


# Drafts of signed-out users, kept in the session until they sign in. The site never sends them.


def _keep_draft(request: HttpRequest, table_id: int, slug: str, text: str) -> bool:
    """Keep a cleaned text for a channel, replacing an earlier one; return False after too many today.

    The session is written even if there is no such table, so that its cookie reveals nothing.
    """
    if not hit("draft", client_key(request), MOST_DRAFTS_A_DAY):
        return False
    is_known = Table.objects.filter(pk=table_id).exists()
    request.session[_DRAFT] = {"table": table_id, "channel": slug, "text": text if is_known else ""}
    return True


def _draft_for(request: HttpRequest, channel: Channel) -> str:
    """Return the draft kept for this channel; empty if there is none."""
    draft = request.session.get(_DRAFT)
    if draft is None or (draft["table"], draft["channel"]) != (channel.table_id, channel.slug):
        return ""
    return str(draft["text"])


# Email settings of one channel


@private_page
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def channel_emails(request: HttpRequest, table_id: int, slug: str = "") -> HttpResponse:
    """Show and change when emails of a channel come, only for players who read it."""
    channel, reader = get_channel_of(request, table_id, slug)
    if reader.seat is None or reader.user is None or not reader.is_in(channel):
        raise Http404
    form = ChannelEmailsForm(request.POST or None, initial={"emails": chosen_emails(channel, reader.user)})
    if request.method == "POST" and form.is_valid():
        choose_emails(channel, reader.user, form.cleaned_data["emails"])
        messages.success(request, _("Your choice was saved."))
        return redirect(channel_path(channel))
    context = {
        "table": reader.table,
        "title": channel_title(channel, reader),
        "page": channel_path(channel),
        "form": form,
        "usual": reader.user.get_chat_emails_display(),
    }
    return render(request, "chat/channel_emails.html", context, status=422 if form.errors else 200)
