"""A game for those who look back or check: any position of a finished one, its record, its shuffles' proof.

Players come by the game's own addresses, watchers and guests by those of a key; what they see is the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from accounts.limits import client_key, spend
from games.access import Door, get_door, get_watched_table
from games.forms import WordsAgainForm
from games.models import Game, Table
from games.names import shown_names
from games.private import private_page
from games.proving import Proof
from games.reading import games_to_show
from games.recording import record_of, record_text
from games.replaying import replayed
from games.views.moment import Moment

RECORDS_A_DAY = 200


# The parts of a game's page that are made when their reader asks for them, by `?open=`.
OPENED = frozenset({"log", "map", "cards", "terms"})


def opened_by(request: HttpRequest) -> str:
    """The part that the reader has asked for; nothing else of an address is repeated on a page (BREACH)."""
    asked = request.GET.get("open", "")
    return asked if asked in OPENED else ""


@dataclass(frozen=True)
class Reading:
    """A game as one reader finds it: the names he is told, and the addresses at which he reads."""

    game: Game
    names: tuple[str, ...]
    prefix: str  # of the addresses' names: "game" for players, "chronicle" by link, "watch", "practice"
    key: int | str  # what stands in the addresses
    number: int | None = None  # which stands there too, where the key is that of a whole match

    @property
    def page_url(self) -> str:
        return self._url("")

    @property
    def history_url(self) -> str:
        """Where stepping through the game begins."""
        return self.position_url(0)

    @property
    def chronicle_url(self) -> str:
        return self.page_url if self.prefix == "chronicle" else self._url("_chronicle")

    @property
    def record_url(self) -> str:
        return self._url("_record")

    @property
    def proof_url(self) -> str:
        return self._url("_proof")

    def position_url(self, ply: int) -> str:
        return self._url("_history", ply)

    def _url(self, page: str, *more: int) -> str:
        which = [] if self.number is None else [self.number]
        return reverse(self.prefix + page, args=[self.key, *which, *more])


def reading_through(door: Door) -> Reading:
    """A signed-in player's reading of their game."""
    return Reading(door.game, door.names, *door.address)


def player_reading(request: HttpRequest, game_id: int) -> Reading:
    """The signed-in player's reading of his game. Raises Http404 for everybody else."""
    return reading_through(get_door(request, game_id))


def watcher_reading(key: str, number: int | None = None) -> Reading:
    """The reading of whoever has the watching link: of the table's game of that number, or of its last.

    Raises Http404, also before the game begins.
    """
    table = get_watched_table(key)
    game = watched_game(table, number)
    if game is None:
        raise Http404
    return reading_of_watched(game, shown_names(table.seats.select_related("user"), None))


def watched_game(table: Table, number: int | None) -> Game | None:
    """The table's game of that number, or its last."""
    games = games_to_show().filter(table=table)
    return games.order_by("number").last() if number is None else games.filter(number=number).first()


def reading_of_watched(game: Game, names: tuple[str, ...]) -> Reading:
    """A watcher's reading; each game of a match has addresses of its own, that last when another begins."""
    key = game.table.watch_key
    if game.table.is_match:
        return Reading(game, names, "watch_game", key, game.number)
    return Reading(game, names, "watch", key)


@private_page
@require_safe
@login_required
def position(request: HttpRequest, game_id: int, ply: int) -> HttpResponse:
    """The position after `ply` log entries, with every hand open. Raises Http404 while the game runs."""
    return show_position(request, player_reading(request, game_id), ply)


@private_page
@require_safe
@login_required
def record(request: HttpRequest, game_id: int) -> HttpResponse:
    """The finished game's record as a file."""
    return send_record(request, player_reading(request, game_id))


@private_page
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def proof(request: HttpRequest, game_id: int) -> HttpResponse:
    """Commitment and nonces; once the game is over also the secret, and the outcome of checking it all."""
    return show_proof(request, player_reading(request, game_id))


@private_page
@require_safe
def watched_position(request: HttpRequest, key: str, ply: int, number: int | None = None) -> HttpResponse:
    """The same for watchers, once the game is over."""
    return show_position(request, watcher_reading(key, number), ply)


@private_page
@require_safe
def watched_record(request: HttpRequest, key: str, number: int | None = None) -> HttpResponse:
    """The same for watchers, once the game is over."""
    return send_record(request, watcher_reading(key, number))


@private_page
@require_safe
def watched_proof(request: HttpRequest, key: str, number: int | None = None) -> HttpResponse:
    """The same for watchers."""
    return show_proof(request, watcher_reading(key, number))


def show_position(request: HttpRequest, reading: Reading, ply: int) -> HttpResponse:
    """The page of one position, every hand open or as one seat saw it. Raises Http404 while the game runs."""
    _require_end(reading)
    replay = replayed(reading.game)
    if ply > len(replay.plies):
        raise Http404
    page = Moment(reading, replay, ply, _viewpoint(request, reading.game))
    if "entry" in request.GET:
        return redirect(page.url(_entry_of(request.GET["entry"], ply, len(replay.plies))))
    context = {"page": page, "view": page.view, "reading": reading, "table": reading.game.table}
    return render(request, "games/history.html", context | {"board": page.board})


def _viewpoint(request: HttpRequest, game: Game) -> int | None:
    """The seat through whose eyes the reader looks; None for every hand. Raises Http404 for no seat of the
    game."""
    named = request.GET.get("as", "")
    if not named:
        return None
    seats = {str(seat + 1): seat for seat in range(game.players)}
    if named not in seats:
        raise Http404
    return seats[named]


def _entry_of(typed: str, now: int, last: int) -> int:
    """The entry that was typed, or the last where there are fewer; the present one where it is no number."""
    is_number = typed.isascii() and typed.isdigit() and len(typed) < 10
    return min(int(typed), last) if is_number else now


def send_record(request: HttpRequest, reading: Reading) -> HttpResponse:
    """The record as a file. Raises Http404 while the game runs."""
    _require_end(reading)
    return send_records(
        request,
        lambda: record_text(record_of(reading.game, reading.names)),
        f"condottiere-game-{reading.game.pk}.json",
    )


def send_records(request: HttpRequest, text: Callable[[], str], filename: str) -> HttpResponse:
    """Records as a file, so many a day for each person or, without account, each connection.

    The count is all that is written, and it concerns no game.
    """
    reader = str(request.user.pk) if request.user.is_authenticated else client_key(request)
    if not spend("record", reader, RECORDS_A_DAY):
        said = _("%(most)d records were downloaded by you or from your connection today. Try again tomorrow.")
        return render(request, "429.html", {"sentence": said % {"most": RECORDS_A_DAY}}, status=429)
    response = HttpResponse(text(), content_type="application/json; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{filename}"'
    return response


def show_proof(request: HttpRequest, reading: Reading) -> HttpResponse:
    """The page of commitment and nonces; the secret and the checks only once the game is over.

    A player may type his words, to see whether they make his nonce; they are kept nowhere.
    """
    form = WordsAgainForm(request.POST) if request.method == "POST" else WordsAgainForm()
    words = form.cleaned_data["words"] if form.is_valid() else ""
    context = {
        "reading": reading,
        "proof": Proof(reading.game, reading.names, reading.position_url, words),
        "words_form": form if reading.prefix == "game" else None,
    }
    return render(request, "games/proof.html", context, status=400 if form.errors else 200)


def _require_end(reading: Reading) -> None:
    """A running game's log holds what its players may not know."""
    if not reading.game.is_over:
        raise Http404
