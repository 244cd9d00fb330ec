"""The page of one message: report it, or mute its author."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.models import User
from games.chat.access import Reader, get_channel_of
from games.chat.channel_text import channel_title
from games.chat.forms.moderation_forms import ReportForm
from games.chat.links import channel_path, message_path
from games.chat.models import Channel, Message
from games.chat.services import moderation
from games.chat.thread import Line, lines_of
from games.chat.views.people import others_at
from games.private_pages import private_page
from games.services import Refused

MOST_BEFORE = 10  # messages before the reported one that operators can read


@private_page
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def message(request: HttpRequest, table_id: int, number: int, slug: str = "") -> HttpResponse:
    """Show one message of another player, to report it or mute its author."""
    channel, reader = get_channel_of(request, table_id, slug)
    found = Message.objects.select_related("channel__table", "author").filter(
        channel=channel.pk, number=number
    )
    one = found.first()
    if one is None or reader.seat is None:
        raise Http404
    form = ReportForm(request.POST if request.method == "POST" else None)
    if request.method != "POST" or not form.is_valid():
        return _message_page(request, channel, reader, one, form)
    try:
        context = _context(channel, reader, one)
        typed = form.cleaned_data
        moderation.report(one, cast(User, request.user), typed["reason"], typed["words"], context)
    except Refused as refused:
        form.add_error(None, str(refused))
        return _message_page(request, channel, reader, one, form, 409)
    messages.success(request, _("You reported this message. We’ll email you when an operator decides."))
    return redirect(f"{channel_path(channel)}#message-{number}")


def _message_page(
    request: HttpRequest,
    channel: Channel,
    reader: Reader,
    one: Message,
    form: ReportForm,
    status: int = 0,
) -> HttpResponse:
    line = lines_of(channel, reader, [one])[0]
    whom = next(
        (other for other in others_at(reader) if _is_at(reader, other.seat, one.author_id)),
        None,
    )
    context = {
        "table": reader.table,
        "title": channel_title(channel, reader),
        "line": line,
        "whom": whom,
        "form": None if line.is_mine else form,
        "most_before": MOST_BEFORE,
        "back": f"{channel_path(channel)}#message-{one.number}",
        "page": message_path(channel, one.number),
    }
    return render(request, "chat/message.html", context, status=status or (400 if form.errors else 200))


def _is_at(reader: Reader, number: int, user_id: int | None) -> bool:
    return any(seat.number == number and seat.user_id == user_id for seat in reader.table.all_seats())


def _context(channel: Channel, reader: Reader, one: Message) -> list[dict[str, Any]]:
    """Return the message and those before it, with names as the reader knows them."""
    reader = replace(reader, is_addressed=False)
    found = Message.objects.filter(channel=channel, number__lte=one.number)
    newest = list(found.order_by("-number")[: MOST_BEFORE + 1])[::-1]
    return [_as_read(line) for line in lines_of(channel, reader, newest)]


def _as_read(line: Line) -> dict[str, Any]:
    return {
        "name": line.name,
        "user": line.message.author_id,  # never shown; used to remove the name of a person who is deleted
        "text": line.message.text,
        "says": line.system.sentence if line.system else "",
        "at": line.message.written_at.isoformat(),
    }
