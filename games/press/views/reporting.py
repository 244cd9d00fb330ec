"""One message, to be looked at once, reported, or not to be read any more."""

from __future__ import annotations

from typing import Any, cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.models import User
from games.commands import Refused
from games.press.access import Reader, get_circle_of
from games.press.board import Line, circle_title, lines_of
from games.press.commands import manners
from games.press.forms.manners import ReportForm
from games.press.links import circle_path, message_path
from games.press.models import Circle, Message
from games.press.views.people import others_at
from games.private import private_page

MOST_BEFORE = 10  # messages that an operator reads before the one that was reported
MOST_DECIDED = 50


@private_page
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def message(request: HttpRequest, table_id: int, number: int, slug: str = "") -> HttpResponse:
    """One message of another: reporting it, and not reading its writer any more."""
    circle, reader = get_circle_of(request, table_id, slug)
    found = Message.objects.select_related("circle__table", "author").filter(circle=circle.pk, number=number)
    one = found.first()
    if one is None or reader.seat is None:
        raise Http404
    form = ReportForm(request.POST if request.method == "POST" else None)
    if request.method != "POST" or not form.is_valid():
        return _message_page(request, circle, reader, one, form)
    try:
        manners.report(one, cast(User, request.user), form.reason, _context(circle, reader, one))
    except Refused as refused:
        form.add_error(None, str(refused))
        return _message_page(request, circle, reader, one, form, 409)
    messages.success(
        request, _("You have reported this message. You will be told by letter what comes of it.")
    )
    return redirect(f"{circle_path(circle)}#message-{number}")


def _message_page(
    request: HttpRequest,
    circle: Circle,
    reader: Reader,
    one: Message,
    form: ReportForm,
    status: int = 0,
) -> HttpResponse:
    line = lines_of(circle, reader, [one])[0]
    whom = next(
        (other for other in others_at(reader) if _is_at(reader, other.seat, one.author_id)),
        None,
    )
    context = {
        "table": reader.table,
        "title": circle_title(circle, reader),
        "line": line,
        "whom": whom,
        "form": None if line.is_mine else form,
        "most_before": MOST_BEFORE,
        "back": f"{circle_path(circle)}#message-{one.number}",
        "page": message_path(circle, one.number),
    }
    return render(request, "press/message.html", context, status=status or (400 if form.errors else 200))


def _is_at(reader: Reader, number: int, user_id: int | None) -> bool:
    return any(seat.number == number and seat.user_id == user_id for seat in reader.table.all_seats())


def _context(circle: Circle, reader: Reader, one: Message) -> list[dict[str, Any]]:
    """The message and those before it, with names as their reader knows them."""
    found = Message.objects.filter(circle=circle, number__lte=one.number)
    newest = list(found.order_by("-number")[: MOST_BEFORE + 1])[::-1]
    return [_as_read(line) for line in lines_of(circle, reader, newest)]


def _as_read(line: Line) -> dict[str, Any]:
    return {
        "name": line.name,
        "user": line.message.author_id,  # never shown: by it a name is taken out when its person is deleted
        "text": line.message.text,
        "says": line.said.sentence if line.said else "",
        "at": line.message.written_at.isoformat(),
    }
