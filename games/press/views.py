"""The page of a circle, the same for watchers and for who comes by a letter's link, and beginning one."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from games.access import get_watched_table
from games.commands import Refused
from games.company import company_at
from games.links import BadLink
from games.models import Game, Table
from games.press.access import Reader, get_circle_of, get_link_circle, person, reader_at
from games.press.board import board_of, circle_rows, new_form
from games.press.commands import TooMany, begin_circle, write
from games.press.drafts import keep_draft, take_draft
from games.press.following import mark_read
from games.press.forms import CircleForm, MessageForm
from games.press.links import circle_path
from games.press.models import Circle
from games.private import private_page

Shown = Callable[[MessageForm, int], HttpResponse]


@private_page
@require_http_methods(["GET", "HEAD", "POST"])
def talk(request: HttpRequest, table_id: int, slug: str = "") -> HttpResponse:
    """All that was said in a circle, a page at a time, and the form for those who may write there."""
    if request.method == "POST" and person(request) is None:
        return _signed_out(request, table_id, slug)
    try:
        circle, reader = get_circle_of(request, table_id, slug)
    except Http404:
        if person(request) is None:
            return redirect_to_login(request.get_full_path())
        raise
    if request.method != "POST":
        return _show_talk(request, circle, reader, _form_with_draft(request, circle, reader))
    if reader.seat is None:
        raise Http404
    return _written(
        request,
        circle,
        reader,
        lambda form: _way_back(circle, form.cleaned_data["back"]),
        lambda form, status: _show_talk(request, circle, reader, form, status),
    )


@private_page
@require_http_methods(["GET", "HEAD", "POST"])
def talk_with(request: HttpRequest, table_id: int) -> HttpResponse:
    """Whom to talk with, and the first words; the circle begins with them."""
    if person(request) is None:
        return redirect_to_login(request.get_full_path())
    table = get_object_or_404(Table, pk=table_id)
    reader = reader_at(table, person(request))
    if reader.seat is None or not reader.circles:
        raise Http404
    form = CircleForm(request.POST or None, others=_others(reader))
    status = 400 if request.method == "POST" else 200
    if request.method == "POST" and form.is_valid():
        try:
            circle = _begin(reader, form)
        except Refused as refused:
            form.add_error(None, str(refused))
            status = 409
        else:
            messages.success(request, _("Your message is sent."))
            return redirect(circle_path(circle))
    context = {"table": table, "form": form, "circles": circle_rows(reader)}
    return render(request, "press/talk_with.html", context, status=status)


@transaction.atomic
def _begin(reader: Reader, form: CircleForm) -> Circle:
    assert reader.seat is not None
    chosen = [seat for seat in reader.table.all_seats() if str(seat.number) in form.cleaned_data["seats"]]
    circle = begin_circle(reader.seat, chosen)
    write(reader.seat, form.cleaned_data["text"], circle=circle)
    return circle


def _others(reader: Reader) -> list[tuple[str, str]]:
    """The other people at the table, as choices."""
    named = company_at(reader.table, reader.user).named
    return [(str(seat.number), name) for seat, name in named if seat.user_id and seat != reader.seat]


@private_page
@require_safe
def watch_talk(request: HttpRequest, key: str) -> HttpResponse:
    """All that was written where the whole table talks, by its watching link; nobody writes here."""
    reader = Reader(get_watched_table(key), is_let_in=True)
    circle = reader.main_circle
    if circle is None:
        raise Http404
    board = board_of(circle, reader, before=_before(request), page=request.path)
    return render(request, "press/talk.html", {"table": reader.table, "board": board, "watching": True})


@private_page
@require_http_methods(["GET", "HEAD", "POST"])
def talk_answer(request: HttpRequest, token: str) -> HttpResponse:
    """One circle by a letter's link, which reads and writes as one person; it shows nothing else."""
    try:
        circle, reader = get_link_circle(token)
    except BadLink:
        return render(request, "games/bad_seat_link.html", status=404)
    if request.method != "POST":
        return _show_talk(request, circle, reader, by_link=True)
    return _written(
        request,
        circle,
        reader,
        lambda form: request.path,
        lambda form, status: _show_talk(request, circle, reader, form, status, by_link=True),
    )


def _written(
    request: HttpRequest,
    circle: Circle,
    reader: Reader,
    next_page: Callable[[MessageForm], str],
    show_again: Shown,
) -> HttpResponse:
    """Writes the message and goes on, or shows the form again with what was typed and why it was refused."""
    form = MessageForm(request.POST)
    if not form.is_valid() or reader.seat is None:
        return show_again(form, 400)
    try:
        write(reader.seat, form.cleaned_data["text"], form.cleaned_data["after"], circle)
    except Refused as refused:
        form.add_error("text", str(refused))
        return show_again(form, 429 if isinstance(refused, TooMany) else 409)
    messages.success(request, _("Your message is sent."))
    return redirect(next_page(form))


def _signed_out(request: HttpRequest, table_id: int, slug: str) -> HttpResponse:
    """To signing in; what was typed is kept or given back. Does not tell whether there is such a circle."""
    form = MessageForm(request.POST)
    status = 400
    if form.is_valid():
        if keep_draft(request, table_id, slug, form.cleaned_data["text"]):
            return redirect_to_login(request.get_full_path())
        form.add_error("text", _("It cannot be kept while you sign in: copy it, and send it afterwards."))
        status = 429
    return render(request, "press/signed_out.html", {"form": form}, status=status)


def _form_with_draft(request: HttpRequest, circle: Circle, reader: Reader) -> MessageForm | None:
    """The form with what its reader typed while he was signed out, if he did; shown to him once."""
    if request.method != "GET" or reader.seat is None or reader.why_silent(circle):
        return None
    draft = take_draft(request, circle)
    if not draft:
        return None
    messages.info(request, _("You were signed out, so this was not sent. Look it over and send it now."))
    return new_form(circle, text=draft)


def _show_talk(
    request: HttpRequest,
    circle: Circle,
    reader: Reader,
    form: MessageForm | None = None,
    status: int = 200,
    *,
    by_link: bool = False,
) -> HttpResponse:
    """The circle's page; a letter's link shows it to the seat's person, whoever is signed in."""
    reads = request.method == "GET" and reader.seat is not None and not by_link and not _before(request)
    read_before = (circle.read_to or 0) if reads else None
    board = board_of(circle, reader, form, _before(request), page=request.path, read_before=read_before)
    if reads and reader.user is not None:
        mark_read(circle, reader.user, board.newest)
    context = {
        "table": reader.table,
        "board": board,
        "circles": () if by_link or reader.seat is None else circle_rows(reader, circle),
        "game": Game.objects.filter(table=reader.table).order_by("pk").last(),
        "mine": reader.seat,
        "by_link": by_link,
        "my_name": company_at(reader.table, reader.user).name_of(reader.user)
        if by_link and reader.user
        else "",
        "is_signed_in": person(request) == reader.user,
    }
    return render(request, "press/talk.html", context, status=status)


def _way_back(circle: Circle, back: str) -> str:
    """To where the form stood."""
    if back == "table":
        return reverse("table", args=[circle.table_id]) + "#talk"
    game = Game.objects.filter(table=circle.table_id).order_by("pk").last() if back == "game" else None
    return reverse("game", args=[game.pk]) + "#talk" if game else circle_path(circle)


def _before(request: HttpRequest) -> int:
    """The message before which the page ends, by its number in the address; 0 for anything else."""
    text = request.GET.get("before", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
