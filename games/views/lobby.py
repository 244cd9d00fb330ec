"""The home page, My games, and open tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.models import User
from accounts.paging import page_of
from games.access import person_of, reader_of
from games.chat.read_markers import unread_at
from games.forms.bots import PracticeForm
from games.models import Seat
from games.rulebook.example_battles import IN_WINTER
from games.rulebook.reference import Reference
from games.rules import Options
from games.selectors.games_to_watch import games_anyone_watches, showpiece, watch_rows
from games.selectors.lobby_people import people_at
from games.selectors.open_tables import offered_seats, open_tables, tables_of
from games.selectors.own_games import GameRow, finished_games, game_rows, running_games
from games.selectors.waiting import WaitingRow, away_from, games_in, waiting_for
from games.services.table_alerts import ask_for_alerts, gets_alerts, stop_alerts
from games.waiting_count import note_games_waiting

TABLES_ON_A_PAGE = 30
MOST_TABLES = 600
WAITING_AT_HOME = 10
TABLES_AT_HOME = 5
GAMES_IN_LOBBY = 5


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Show what the site is, a practice game, and what waits for a signed-in person."""
    return show_home(request, PracticeForm())


def show_home(request: HttpRequest, practice_form: PracticeForm, status: int = 200) -> HttpResponse:
    """Render the home page with this form for a game against bots."""
    reader = reader_of(request)
    context: dict[str, object] = {
        "practice_form": practice_form,
        "specimen": IN_WINTER,
        "goals": Reference(Options()).goals,
        "open_tables": open_tables(reader)[:TABLES_AT_HOME],
    }
    if reader:
        found = waiting_for(reader)
        _note_games(request, found)
        context["waiting"] = waiting = found[:WAITING_AT_HOME]
        _join_games(waiting, game_rows(games_in(waiting), reader))
        _count_unread(reader, waiting=waiting)
    return render(request, "games/home.html", context, status=status)


@require_safe
@login_required
def my_games(request: HttpRequest) -> HttpResponse:
    """Show the games that wait for the reader, longest waiting first, then the rest."""
    user = person_of(request)
    waiting = waiting_for(user)
    _note_games(request, waiting)
    running = page_of(running_games(user), request.GET.get("running"), TABLES_ON_A_PAGE)
    finished = page_of(finished_games(user), request.GET.get("page"), TABLES_ON_A_PAGE)
    rows = game_rows([*games_in(waiting), *running, *finished], user)
    _join_games(waiting, rows)
    running_rows, finished_rows = ([rows[game.pk] for game in games] for games in (running, finished))
    _count_unread(user, waiting=waiting, games=[*running_rows, *finished_rows])
    context = {
        "waiting": waiting,
        "away": away_from(user),
        "running": running,
        "running_rows": running_rows,
        "gathering": page_of(tables_of(user), request.GET.get("gathering"), TABLES_ON_A_PAGE),
        "finished": finished,
        "finished_rows": finished_rows,
    }
    return render(request, "games/my_games.html", context)


def _note_games(request: HttpRequest, waiting: Iterable[WaitingRow]) -> None:
    """Note for the menu how many of these are games with a decision of the reader."""
    note_games_waiting(request, sum(row.table is not None for row in waiting))


def _join_games(waiting: Iterable[WaitingRow], games: Mapping[int, GameRow]) -> None:
    for waits in waiting:
        waits.game = games.get(waits.pk) if waits.page == "game" else None


def _count_unread(user: User, *, waiting: Iterable[WaitingRow], games: Iterable[GameRow] = ()) -> None:
    """Count the messages in these tables since this person last read them."""
    tables = {row.table for row in waiting if row.table is not None} | {row.game.table_id for row in games}
    unread = unread_at(tables, user)
    for waits in waiting:
        waits.unread = unread[waits.table] if waits.table is not None else 0
    for row in games:
        row.unread = unread[row.game.table_id]


@require_safe
@login_required
def next_game(request: HttpRequest) -> HttpResponse:
    """Redirect to the game that has waited longest for the reader, or to My games."""
    longest = Seat.objects.waiting_for(person_of(request)).first()
    if longest is None:
        return redirect("my_games")
    return redirect("game", longest.game_pk)  # type: ignore[attr-defined]  # of waiting_for


@require_safe
def tables(request: HttpRequest) -> HttpResponse:
    """Show tables with an open seat, and seats of away players in running games."""
    reader = reader_of(request)
    page = page_of(open_tables(reader)[:MOST_TABLES], request.GET.get("page"), TABLES_ON_A_PAGE)
    people = people_at(page, reader)
    context: dict[str, object] = {
        "page": page,
        "rows": [(table, people.get(table.pk, [])) for table in page],
        "absent": offered_seats(reader)[:TABLES_ON_A_PAGE],
        "practice_form": PracticeForm(),
        "watched": watch_rows(games_anyone_watches().filter(ended_at=None)[:GAMES_IN_LOBBY]),
        "showpiece": showpiece(),
        "gets_alerts": reader is not None and gets_alerts(reader),
    }
    return render(request, "games/tables.html", context)


@require_POST
def email_me(request: HttpRequest) -> HttpResponse:
    """Email the reader when someone opens a table, or with `stop` no more."""
    reader = reader_of(request)
    if reader is None:
        return redirect_to_login(reverse("tables"))
    if "stop" in request.POST:
        stop_alerts(reader)
        messages.success(request, _("We’ll no longer email you when someone opens a table."))
    else:
        ask_for_alerts(reader)
        messages.success(request, _("We’ll email you when someone opens a table."))
    return redirect("tables")
