"""Begin a private channel, and open it to the table after the end."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from games.access import reader_of
from games.chat.access import Reader, get_channel_of, get_seated_reader
from games.chat.channel_list import channels_of
from games.chat.forms.message_forms import ChannelForm
from games.chat.links import channel_path
from games.chat.models import Channel
from games.chat.services import agree_to_open, begin_and_write, keep_closed
from games.models.matches import last_game
from games.private_pages import private_page
from games.services import Refused


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
    assert reader.seat is not None
    chosen = reader.seats_chosen(form.cleaned_data["seats"])
    try:
        channel = begin_and_write(reader.seat, chosen, form.cleaned_data["text"])
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
        messages.success(request, _change_opening(channel, reader, request.POST.get("action", "")))
    except Refused as refused:
        messages.error(request, str(refused))
    return redirect(channel_path(channel))


def _change_opening(channel: Channel, reader: Reader, action: str) -> str:
    """Do what the button says, and return a sentence about the result."""
    assert reader.seat is not None
    if action == "keep":
        keep_closed(channel, reader.seat)
        return _("You no longer agree to make this channel public. It stays private.")
    if agree_to_open(channel, reader.seat):
        return _("Everyone in this channel agreed, so it is public now.")
    return _("You agreed to make this channel public. It becomes public when everyone in it agrees.")
