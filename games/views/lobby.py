"""Where people arrive: the home page, one's own games, and the tables that look for players."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.models import User
from games.board_view import BoardView
from games.models import Game, Seat, Table

TABLES_ON_A_PAGE = 30


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """What this is, and for a signed-in person what waits for him."""
    context: dict[str, object] = {
        "open_tables": Table.objects.open_to_anyone().select_related("host")[:5],
        "board": BoardView(),
    }
    if isinstance(request.user, User):
        context["waiting"] = Seat.objects.waiting_for(request.user)[:10]
    return render(request, "games/home.html", context)


@require_safe
@login_required
def my_games(request: HttpRequest) -> HttpResponse:
    """The games that wait for me first, the longest waiting on top; then the rest."""
    user = request.user
    assert isinstance(user, User)
    mine = Game.objects.of(user).select_related("table")
    waiting = Seat.objects.waiting_for(user)
    waiting_tables = [seat.table_id for seat in waiting]
    finished = mine.filter(ended_at__isnull=False).order_by("-ended_at")
    context = {
        "waiting": waiting,
        "gathering": Table.objects.gathering()
        .of(user)
        .annotate_taken()
        .select_related("host")
        .order_by("pk"),
        "running": mine.running().exclude(table__in=waiting_tables).order_by("-moved_at"),
        "finished": Paginator(finished, TABLES_ON_A_PAGE).get_page(request.GET.get("page")),
    }
    return render(request, "games/my_games.html", context)


@require_safe
def tables(request: HttpRequest) -> HttpResponse:
    """Tables with a free seat that anyone may take."""
    waiting = Table.objects.open_to_anyone().select_related("host")
    page = Paginator(waiting, TABLES_ON_A_PAGE).get_page(request.GET.get("page"))
    return render(request, "games/tables.html", {"page": page})
