"""Where people arrive: the home page, one's own games, and the tables that look for players."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from accounts.models import User
from games.forms import PracticeForm
from games.models import Table
from games.overview import (
    away_from,
    finished_games,
    gathering_tables,
    holdings_of,
    offered_seats,
    questions_to,
    read_company,
    rows,
    running_games,
    waiting_for,
)
from games.specimen import battle_board, battle_lines

TABLES_ON_A_PAGE = 30
WAITING_AT_HOME = 10


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """What this is, a game against bots to try it, and for a signed-in person what waits for him."""
    return show_home(request, PracticeForm())


def show_home(request: HttpRequest, practice_form: PracticeForm, status: int = 200) -> HttpResponse:
    """The home page with this form for a game against bots."""
    context: dict[str, object] = {
        "practice_form": practice_form,
        "open_tables": Table.objects.open_to_anyone().select_related("host")[:5],
    }
    if isinstance(request.user, User):
        context["waiting"] = waiting_for(request.user)[:WAITING_AT_HOME]
    else:
        context |= {"board": battle_board(), "specimen": battle_lines()}
    return render(request, "games/home.html", context, status=status)


@require_safe
@login_required
def my_games(request: HttpRequest) -> HttpResponse:
    """What waits for me first, the longest waiting on top; then the rest."""
    user = request.user
    assert isinstance(user, User)
    has = holdings_of(user)
    running = _page(running_games(user), has.running, request.GET.get("running"))
    finished = _page(finished_games(user), has.finished, request.GET.get("page"))
    gathering = _page(gathering_tables(user), has.gathering, request.GET.get("gathering"))
    read_company(running, finished)
    context = {
        **({} if has.failing else {"failing_mail": None}),
        "waiting": waiting_for(user, has),
        "away": away_from(user) if has.away else (),
        "running": running,
        "running_rows": rows(running, user),
        "gathering": gathering,
        "finished": finished,
        "finished_rows": rows(finished, user),
    }
    return render(request, "games/my_games.html", context)


def _page(rows: QuerySet[Any], count: int, number: str | None) -> Page[Any]:
    """One page of the rows, of which there are so many; its own are read, once."""
    paginator = Paginator(rows if count else rows.none(), TABLES_ON_A_PAGE)
    paginator.__dict__["count"] = count  # as it would count itself
    page = paginator.get_page(number)
    page.object_list = list(page.object_list)
    return page


@require_safe
@login_required
def next_game(request: HttpRequest) -> HttpResponse:
    """On to the game that waits longest for me, or to my games when none does."""
    assert isinstance(request.user, User)
    longest = questions_to(request.user).first()
    if longest is None:
        return redirect("my_games")
    return redirect("game", longest.game_pk)  # type: ignore[attr-defined]  # of waiting_for


@require_safe
def tables(request: HttpRequest) -> HttpResponse:
    """Tables with a free seat that anyone may take, and seats in running games whose players stay away."""
    waiting = Table.objects.open_to_anyone().select_related("host")
    page = Paginator(waiting, TABLES_ON_A_PAGE).get_page(request.GET.get("page"))
    absent = offered_seats()[:TABLES_ON_A_PAGE]
    return render(request, "games/tables.html", {"page": page, "absent": absent})
