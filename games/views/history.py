"""A game for looking back and checking: its positions, record and proof of fair shuffles."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from accounts.full_disk import optional_write
from accounts.rate_limits import client_key, hit
from games.access import get_game_access, get_watched_table
from games.fairness.proof import FairnessProof
from games.forms.play_on import PlayOnForm
from games.forms.shuffle_words import WordsAgainForm
from games.forms.typed_text import read_number
from games.models import Game, Table
from games.models.games_for_pages import games_to_show, read_roster
from games.models.replay import replayed
from games.narration.seat_names import shown_names
from games.presenters.game_page import OPENED
from games.presenters.reading import Reading, reading_of_watched, reading_through
from games.presenters.replayed_position import ReplayedPosition
from games.private_pages import private_page
from games.selectors.records import record_of, record_text

RECORDS_A_DAY = 200


def opened_by(request: HttpRequest) -> str:
    """Return the part the reader asked for. Nothing else from the address is repeated on a page (BREACH)."""
    asked = request.GET.get("open", "")
    return asked if asked in OPENED else ""


def player_reading(request: HttpRequest, game_id: int) -> Reading:
    """Return the signed-in player's reading of their game. Raises Http404 for everyone else."""
    return reading_through(get_game_access(request, game_id))


def spectator_reading(key: str, number: int | None = None) -> Reading:
    """Return the reading for the watching link: the table's game with that number, or its last one.

    Raises Http404, also before the game begins.
    """
    table = get_watched_table(key)
    game = watched_game(table, number)
    if game is None:
        raise Http404
    read_roster(table)
    return reading_of_watched(game, shown_names(table.all_seats(), None))


def watched_game(table: Table, number: int | None) -> Game | None:
    """Return the table's game with that number, or its last one."""
    games = games_to_show().filter(table=table)
    game = games.order_by("number").last() if number is None else games.filter(number=number).first()
    if game is not None:
        game.table = table
    return game


@private_page
@require_safe
@login_required
def position(request: HttpRequest, game_id: int, ply: int) -> HttpResponse:
    """Show the position after `ply` log entries with all hands open. Raises Http404 while the game runs."""
    return show_position(request, player_reading(request, game_id), ply)


@private_page
@require_safe
@login_required
def record(request: HttpRequest, game_id: int) -> HttpResponse:
    """Send the finished game's record as a file."""
    return send_record(request, player_reading(request, game_id))


@private_page
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def proof(request: HttpRequest, game_id: int) -> HttpResponse:
    """Show the commitment and nonces; after the game also the secret and the result of all checks."""
    return show_proof(request, player_reading(request, game_id))


@private_page
@require_safe
def watched_position(request: HttpRequest, key: str, ply: int, number: int | None = None) -> HttpResponse:
    """Show a position to spectators, once the game is over."""
    return show_position(request, spectator_reading(key, number), ply)


@private_page
@require_safe
def watched_record(request: HttpRequest, key: str, number: int | None = None) -> HttpResponse:
    """Send the record to spectators, once the game is over."""
    return send_record(request, spectator_reading(key, number))


@private_page
@require_safe
def watched_proof(request: HttpRequest, key: str, number: int | None = None) -> HttpResponse:
    """Show the proof to spectators."""
    return show_proof(request, spectator_reading(key, number))


def show_position(
    request: HttpRequest, reading: Reading, ply: int, refused: PlayOnForm | None = None, status: int = 200
) -> HttpResponse:
    """Render one position, with all hands open or as one seat saw it. Raises Http404 while the game runs.

    `refused` is the form to play on from here, if it was sent and something is wrong with it.
    """
    page = position_at(request, reading, ply)
    if "entry" in request.GET:
        return redirect(page.url(_entry_of(request.GET["entry"], ply, page.last)))
    context = {"page": page, "reading": reading, "table": reading.game.table}
    if page.can_be_played_on:
        context["play_on"] = refused or PlayOnForm(reading, seat=page.seat)
        context["play_on_url"] = reading.play_on_url(ply)
    return render(request, "games/history.html", context, status=status)


def position_at(request: HttpRequest, reading: Reading, ply: int) -> ReplayedPosition:
    """Return the position after `ply` entries. Raises Http404 while the game runs or without this entry."""
    require_end(reading)
    replay = replayed(reading.game)
    if ply > len(replay.plies):
        raise Http404
    return ReplayedPosition(reading, replay, ply, _viewpoint(request, reading.game))


def _viewpoint(request: HttpRequest, game: Game) -> int | None:
    """Return the seat whose view the reader chose, or None for all hands.

    Raises Http404 for a seat that is not in the game.
    """
    named = request.GET.get("as", "")
    if not named:
        return None
    seats = {str(seat + 1): seat for seat in range(game.players)}
    if named not in seats:
        raise Http404
    return seats[named]


def _entry_of(typed: str, now: int, last: int) -> int:
    """Return the entry number that was typed, at most the last; the current one if it is not a number."""
    number = read_number(typed)
    return now if number is None else min(number, last)


def send_record(request: HttpRequest, reading: Reading) -> HttpResponse:
    """Send the record as a file, limited per day for each person or, without an account, each connection.

    Only the count is written, and it is not part of any game. Raises Http404 while the game runs.
    """
    require_end(reading)
    if not count_download(request):
        said = _("You have reached the limit of downloads for today (%(most)d). Try again tomorrow.")
        return render(request, "429.html", {"sentence": said % {"most": RECORDS_A_DAY}}, status=429)
    text = record_text(record_of(reading.game, reading.names))
    response = HttpResponse(text, content_type="application/json; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="condottiere-game-{reading.game.pk}.json"'
    return response


def count_download(request: HttpRequest) -> bool:
    """Count a record that is read; return False once the person or the connection has reached the limit."""
    reader = str(request.user.pk) if request.user.is_authenticated else client_key(request)
    is_allowed = True
    with optional_write("a count of downloads"):
        is_allowed = hit("record", reader, RECORDS_A_DAY)
    return is_allowed  # noqa: RET504 - True where no count can be written


def show_proof(request: HttpRequest, reading: Reading) -> HttpResponse:
    """Render the commitment and nonces; the secret and the checks only once the game is over.

    Players may type their words to see whether they make their nonce. The words are not stored.
    """
    form = WordsAgainForm(request.POST) if request.method == "POST" else WordsAgainForm()
    words = form.cleaned_data["words"] if form.is_valid() else ""
    context = {
        "reading": reading,
        "proof": FairnessProof(reading.game, reading.names, reading.position_url, words),
        "words_form": form if reading.prefix == "game" else None,
    }
    return render(request, "games/proof.html", context, status=400 if form.errors else 200)


def require_end(reading: Reading) -> None:
    """Raise Http404 while the game runs: its log holds what the players may not know."""
    if not reading.game.is_over:
        raise Http404
