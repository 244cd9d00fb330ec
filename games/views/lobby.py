"""Where people arrive: the home page, one's own games, and the tables that look for players."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.core.paginator import Page, Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from accounts.kept_pages import kept_page
from accounts.models import User
from games.forms import PracticeForm
from games.overview import (
    Holdings,
    Span,
    away_from,
    holdings_of,
    listed_games,
    lobby_holds,
    offered_seats,
    open_tables,
    questions_to,
    tables_of,
    waiting_for,
)
from games.specimen import SPECIMEN

TABLES_ON_A_PAGE = 30
WAITING_AT_HOME = 10
TABLES_AT_HOME = Span(0, 5)


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """What this is, a game against bots to try it, and for a signed-in person what waits for him."""
    return show_home(request, PracticeForm())


def show_home(request: HttpRequest, practice_form: PracticeForm, status: int = 200) -> HttpResponse:
    """The home page with this form for a game against bots."""
    reader = request.user if isinstance(request.user, User) else None
    context: dict[str, object] = {
        "practice_form": practice_form,
        "specimen": SPECIMEN,
        "open_tables": open_tables(TABLES_AT_HOME, reader),
    }
    if reader:
        has = holdings_of(reader)
        context |= _mail_of(has) | {"waiting": waiting_for(reader, has, WAITING_AT_HOME)}
    return render(request, "games/home.html", context, status=status)


def _mail_of(has: Holdings) -> dict[str, None]:
    """Where letters to the reader arrive, no mark has to be looked for."""
    return {} if has.failing else {"failing_mail": None}


@require_safe
@login_required
@kept_page
def my_games(request: HttpRequest) -> HttpResponse:
    """What waits for me first, the longest waiting on top; then the rest."""
    user = request.user
    assert isinstance(user, User)
    has = holdings_of(user)
    running = _page(has.running, request.GET.get("running"))
    finished = _page(has.finished, request.GET.get("page"))
    gathering = _page(has.gathering, request.GET.get("gathering"))
    has_games = has.running or has.finished
    rows = listed_games(user, _span(running), _span(finished)) if has_games else ((), ())
    context = _mail_of(has) | {
        "waiting": waiting_for(user, has),
        "away": away_from(user) if has.away else (),
        "running": running,
        "running_rows": rows[0],
        "gathering": gathering,
        "gathering_rows": tables_of(user, _span(gathering)) if has.gathering else (),
        "finished": finished,
        "finished_rows": rows[1],
    }
    return render(request, "games/my_games.html", context)


def _page(count: int, number: str | None) -> Page[int]:
    """One page of a list of so many rows."""
    return Paginator(range(count), TABLES_ON_A_PAGE).get_page(number)


def _span(page: Page[int]) -> Span:
    """Which rows are on it."""
    return Span((page.number - 1) * TABLES_ON_A_PAGE, TABLES_ON_A_PAGE)


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
@kept_page
def tables(request: HttpRequest) -> HttpResponse:
    """Tables with a free seat that anyone may take, and seats in running games whose players stay away."""
    reader = request.user if isinstance(request.user, User) else None
    holds = lobby_holds(reader)
    page = _page(holds.tables, request.GET.get("page"))
    context = {
        "page": page,
        "rows": open_tables(_span(page), reader),
        "absent": offered_seats(reader)[:TABLES_ON_A_PAGE] if holds.has_offers else (),
    }
    return render(request, "games/tables.html", context)
