"""The ledger of a table, proposing a bargain, and answering one. Reading changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from games.access import get_watched_table
from games.commands import Refused
from games.models import Game, Seat, Table
from games.pledges import Count, counted
from games.press.access import Reader, get_circle_of, is_over, person, reader_at
from games.press.board import circle_title, readers_told
from games.press.commands import TooMany
from games.press.commands.bargaining import (
    agree_to_publish,
    answer,
    has_rounds,
    judged_kinds,
    newest_bargain,
    people_of,
    propose,
    running_game,
    say,
    withdraw,
)
from games.press.courses import course_of
from games.press.forms.bargains import BargainForm
from games.press.ledger import TABLE, find_bargain, has_ledger, ledger_of, names_of
from games.press.links import circle_path
from games.press.models import Bargain, Circle
from games.press.told.bargains import ledger_path
from games.private import private_page
from games.reading import read_company


@private_page
@require_safe
def ledger(request: HttpRequest, table_id: int) -> HttpResponse:
    """The bargains at a table that its visitor may read."""
    table = get_object_or_404(Table, pk=table_id)
    read_company(table)
    reader = reader_at(table, person(request))
    if not has_ledger(reader):
        if person(request) is None:
            return redirect_to_login(request.get_full_path())
        raise Http404
    return _show_ledger(request, reader)


@private_page
@require_safe
def watch_ledger(request: HttpRequest, key: str) -> HttpResponse:
    """The same by the table's watching link."""
    table = get_watched_table(key)
    read_company(table)
    reader = Reader(table, is_let_in=True)
    if not has_ledger(reader):
        raise Http404
    return _show_ledger(request, reader)


def _show_ledger(request: HttpRequest, reader: Reader, problem: str = "", status: int = 200) -> HttpResponse:
    table = reader.table
    context = {
        "table": table,
        "mine": reader.seat,
        "watching": reader.is_let_in,
        "may_sign_in": person(request) is None,
        "is_over": is_over(table),
        "sections": ledger_of(reader),
        "game": Game.objects.filter(table=table).order_by("pk").last(),
        "problem": problem,
    }
    return render(request, "press/ledger.html", context, status=status)


@private_page
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def propose_bargain(request: HttpRequest, table_id: int, slug: str) -> HttpResponse:
    """The form for a bargain among people of one circle."""
    circle, reader = get_circle_of(request, table_id, "" if slug == TABLE else slug)
    if reader.seat is None or not reader.is_in(circle):
        raise Http404
    try:
        game = running_game(reader.table)
    except Refused as refused:
        return _show_silent(request, circle, reader, str(refused))
    silent = reader.why_silent(circle) or _why_alone(circle, reader)
    if silent:
        return _show_silent(request, circle, reader, silent)
    form = _form(request, circle, reader, game)
    if request.method != "POST":
        return _show_form(request, circle, reader, game, form)
    return _proposed(request, circle, reader, game, form)


def _proposed(
    request: HttpRequest, circle: Circle, reader: Reader, game: Game, form: BargainForm
) -> HttpResponse:
    """Proposes it and goes on, or shows the form again with what was typed and why it was refused."""
    if not form.is_valid():
        return _show_form(request, circle, reader, game, form, 400)
    try:
        bargain = propose(cast(Seat, reader.seat), circle, form.proposed, form.cleaned_data["after"])
    except Refused as refused:
        form.add_error(None, str(refused))
        status = 429 if isinstance(refused, TooMany) else 409
        return _show_form(request, circle, reader, game, form, status)
    messages.success(request, _("It is proposed. The others are told, and can accept or decline it."))
    return redirect(ledger_path(bargain, reader))


def _why_alone(circle: Circle, reader: Reader) -> str:
    if len(people_of(circle, reader.table)) > 1:
        return ""
    return _("Nobody else reads here to whom you could propose something: bots promise nothing.")


def _form(request: HttpRequest, circle: Circle, reader: Reader, game: Game) -> BargainForm:
    mine = cast(Seat, reader.seat).number
    others = [seat.number for seat in people_of(circle, reader.table) if seat.number != mine]
    ((number, name),) = names_of(reader, [mine])
    return BargainForm(
        request.POST if request.method == "POST" else None,
        me=(number, _("%(name)s (you)") % {"name": name}),
        others=names_of(reader, others),
        kinds=judged_kinds(game),
        has_rounds=has_rounds(game),
        initial={"after": newest_bargain(circle)},
    )


def _show_form(
    request: HttpRequest, circle: Circle, reader: Reader, game: Game, form: BargainForm, status: int = 200
) -> HttpResponse:
    context = {
        "table": reader.table,
        "form": form,
        "circle": circle_title(circle, reader),
        "readers": readers_told(circle, reader),
        "back": circle_path(circle),
        "where": _where(counted(course_of(game)), game),
    }
    return render(request, "press/bargain.html", context, status=status)


def _where(count: Count, game: Game) -> str:
    """How far the game is, for who promises something until a round or a battle."""
    words = {"battle": count.battles + 1, "round": count.rounds + 1}
    if has_rounds(game):
        return _("This is round %(round)d. The battle fought now, or next, is number %(battle)d.") % words
    return _("The battle fought now, or next, is number %(battle)d.") % words


def _show_silent(request: HttpRequest, circle: Circle, reader: Reader, silent: str) -> HttpResponse:
    context = {"table": reader.table, "silent": silent, "back": circle_path(circle)}
    context["circle"] = circle_title(circle, reader)
    return render(request, "press/bargain.html", context, status=409 if request.method == "POST" else 200)


Deed = Callable[[Seat, int], Bargain]
_DEEDS: dict[str, tuple[Deed, object]] = {
    "accept": (lambda seat, pk: answer(seat, pk, accepts=True), gettext_lazy("You have accepted it.")),
    "decline": (lambda seat, pk: answer(seat, pk, accepts=False), gettext_lazy("You have declined it.")),
    "withdraw": (withdraw, gettext_lazy("You have withdrawn it.")),
    "kept": (lambda seat, pk: say(seat, pk, "kept"), gettext_lazy("You have said that it was kept.")),
    "broken": (lambda seat, pk: say(seat, pk, "broken"), gettext_lazy("You have said that it was broken.")),
    "publish": (agree_to_publish, gettext_lazy("You have agreed that everybody who may watch reads it.")),
}


@private_page
@require_POST
@login_required
def bargain(request: HttpRequest, table_id: int, slug: str, number: int) -> HttpResponse:
    """One thing done about a bargain by a button of the ledger; back there afterwards."""
    reader = reader_at(get_object_or_404(Table, pk=table_id), person(request))
    found = find_bargain(reader, slug, number)
    if reader.seat is None or found is None:
        raise Http404
    deed, done = _DEEDS.get(request.POST.get("action", ""), (None, ""))
    if deed is None:
        return _show_ledger(request, reader, _("Choose one of the buttons."), 400)
    try:
        deed(reader.seat, found.pk)
    except Refused as refused:
        status = 429 if isinstance(refused, TooMany) else 409
        return _show_ledger(request, reader, str(refused), status)
    messages.success(request, str(done))
    return redirect(ledger_path(found, reader))
