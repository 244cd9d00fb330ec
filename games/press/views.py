"""The board's own page, the same for watchers, and for who comes by a letter's link."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from games.access import get_watched_table
from games.commands import Refused
from games.company import company_at
from games.links import BadLink
from games.models import Game, Seat, Table
from games.press.access import get_board_of, get_link_seat, is_closed, person
from games.press.board import board_of, new_form
from games.press.commands import TooMany, write
from games.press.drafts import keep_draft, take_draft
from games.press.forms import MessageForm
from games.press.models import Message
from games.viewing.reading_marks import read_board
from games.views.private import private_page

Shown = Callable[[MessageForm, int], HttpResponse]


@private_page
@require_http_methods(["GET", "HEAD", "POST"])
def talk(request: HttpRequest, table_id: int) -> HttpResponse:
    """All that was written at a table, a page at a time, and the form for those who sit there."""
    if request.method == "POST" and person(request) is None:
        return _signed_out(request, table_id)
    try:
        table, seat = get_board_of(request, table_id)
    except Http404:
        if person(request) is None:
            return redirect_to_login(request.get_full_path())
        raise
    if request.method != "POST":
        return _show_talk(request, table, seat, _form_with_draft(request, table, seat))
    if seat is None:
        raise Http404
    return _written(
        request,
        seat,
        lambda form: _way_back(table, form.cleaned_data["back"]),
        lambda form, status: _show_talk(request, table, seat, form, status),
    )


@private_page
@require_safe
def watch_talk(request: HttpRequest, key: str) -> HttpResponse:
    """All that was written at a table, a page at a time, by its watching link; nobody writes here."""
    table = get_watched_table(key)
    board = board_of(table, None, None, before=_before(request), page=request.path)
    return render(request, "press/talk.html", {"table": table, "board": board, "watching": True})


@private_page
@require_http_methods(["GET", "HEAD", "POST"])
def talk_answer(request: HttpRequest, token: str) -> HttpResponse:
    """One table's board by a letter's link, which reads and writes as one person; it shows nothing else."""
    try:
        seat = get_link_seat(token)
    except BadLink:
        return render(request, "games/bad_seat_link.html", status=404)
    if request.method != "POST":
        return _show_talk(request, seat.table, seat, by_link=True)
    return _written(
        request,
        seat,
        lambda form: request.path,
        lambda form, status: _show_talk(request, seat.table, seat, form, status, by_link=True),
    )


def _written(
    request: HttpRequest, seat: Seat, next_page: Callable[[MessageForm], str], show_again: Shown
) -> HttpResponse:
    """Writes the message and goes on, or shows the form again with what was typed and why it was refused."""
    form = MessageForm(request.POST)
    if not form.is_valid():
        return show_again(form, 400)
    try:
        write(seat, form.cleaned_data["text"], form.cleaned_data["after"])
    except Refused as refused:
        form.add_error("text", str(refused))
        return show_again(form, 429 if isinstance(refused, TooMany) else 409)
    messages.success(request, _("Your message is sent to the table."))
    return redirect(next_page(form))


def _signed_out(request: HttpRequest, table_id: int) -> HttpResponse:
    """To signing in; what was typed is kept or given back. Does not tell whether there is such a table."""
    form = MessageForm(request.POST)
    status = 400
    if form.is_valid():
        if keep_draft(request, table_id, form.cleaned_data["text"]):
            return redirect_to_login(request.get_full_path())
        form.add_error("text", _("It cannot be kept while you sign in: copy it, and send it afterwards."))
        status = 429
    return render(request, "press/signed_out.html", {"form": form}, status=status)


def _form_with_draft(request: HttpRequest, table: Table, seat: Seat | None) -> MessageForm | None:
    """The form with what its reader typed while he was signed out, if he did; shown to him once."""
    if request.method != "GET" or seat is None or is_closed(table):
        return None
    draft = take_draft(request, table)
    if not draft:
        return None
    messages.info(request, _("You were signed out, so this was not sent. Look it over and send it now."))
    return new_form(seat, text=draft)


def _show_talk(
    request: HttpRequest,
    table: Table,
    seat: Seat | None,
    form: MessageForm | None = None,
    status: int = 200,
    *,
    by_link: bool = False,
) -> HttpResponse:
    """The board's page; a letter's link shows it to the seat's person, whoever is signed in."""
    reader = seat.user if seat and by_link else person(request)
    newest = Message.objects.filter(table=table).order_by("-pk").values_list("pk", flat=True).first() or 0
    reads = request.method == "GET" and seat is not None and not by_link and not _before(request)
    read_before = read_board(table, reader, newest) if reads else None
    context = {
        "table": table,
        "board": board_of(
            table, reader, seat, form, _before(request), page=request.path, read_before=read_before
        ),
        "game": Game.objects.filter(table=table).order_by("pk").last(),
        "mine": seat,
        "by_link": by_link,
        "my_name": company_at(table, reader).name_of(reader) if by_link and reader else "",
        "is_signed_in": person(request) == reader,
    }
    return render(request, "press/talk.html", context, status=status)


def _way_back(table: Table, back: str) -> str:
    """To where the form stood."""
    if back == "table":
        return reverse("table", args=[table.pk]) + "#talk"
    game = Game.objects.filter(table=table).order_by("pk").last() if back == "game" else None
    return reverse("game", args=[game.pk]) + "#talk" if game else reverse("talk", args=[table.pk])


def _before(request: HttpRequest) -> int:
    """The message before which the page ends, by its number in the address; 0 for anything else."""
    text = request.GET.get("before", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else 0
