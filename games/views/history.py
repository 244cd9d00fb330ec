"""A game for looking back and checking: its positions, record and proof of fair shuffles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from accounts.rate_limits import client_key, hit
from games.access import GameAccess, get_game_access, get_watched_table, private_page
from games.fairness import FairnessProof
from games.forms.shuffle_words import WordsAgainForm
from games.forms.typed_text import read_number
from games.map.board import BoardView
from games.models import Game, Table
from games.models.games_for_pages import games_to_show
from games.models.replay import replayed
from games.narration.battle_stories import outcome_in_brief, story
from games.narration.battles import Battle, battles_in
from games.narration.dealing_sentences import merge_deals
from games.narration.endings import ending_text
from games.narration.entries import entry_sentences
from games.narration.seat_names import shown_names
from games.presenters.game_view import GameView, board_of
from games.rules import Event, Replay, observe, redact
from games.selectors.records import record_of, record_text

RECORDS_A_DAY = 200


# The parts of a game's page that are rendered only on request, with `?open=`.
OPENED = frozenset({"log", "map", "terms"})


def opened_by(request: HttpRequest) -> str:
    """Return the part the reader asked for. Nothing else from the address is repeated on a page (BREACH)."""
    asked = request.GET.get("open", "")
    return asked if asked in OPENED else ""


@dataclass(frozen=True)
class Reading:
    """A game as one reader sees it: the names they may know and the addresses they use."""

    game: Game
    names: tuple[str, ...]
    prefix: str  # of the URL names: "game" for players, "chronicle" by link, "watch", "practice"
    key: int | str  # the first URL argument
    number: int | None = None  # the second URL argument, where the key is that of a whole match
    seat: int | None = None  # the reader's own

    @property
    def page_url(self) -> str:
        return self._url("")

    @property
    def history_url(self) -> str:
        """Return the address where stepping through the game begins."""
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


def reading_through(access: GameAccess) -> Reading:
    """Return a signed-in player's reading of their game."""
    return Reading(access.game, access.names, *access.address, seat=access.seat.number)


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
    return reading_of_watched(game, shown_names(table.seats.select_related("user"), None))


def watched_game(table: Table, number: int | None) -> Game | None:
    """Return the table's game with that number, or its last one."""
    games = games_to_show().filter(table=table)
    return games.order_by("number").last() if number is None else games.filter(number=number).first()


def reading_of_watched(game: Game, names: tuple[str, ...]) -> Reading:
    """Return a spectator's reading.

    Each game of a match has its own addresses, which still work when the next game begins.
    """
    key = game.table.watch_key
    if game.table.is_match:
        return Reading(game, names, "watch_game", key, game.number)
    return Reading(game, names, "watch", key)


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


def show_position(request: HttpRequest, reading: Reading, ply: int) -> HttpResponse:
    """Render one position, with all hands open or as one seat saw it. Raises Http404 while the game runs."""
    _require_end(reading)
    replay = replayed(reading.game)
    if ply > len(replay.plies):
        raise Http404
    page = ReplayedPosition(reading, replay, ply, _viewpoint(request, reading.game))
    if "entry" in request.GET:
        return redirect(page.url(_entry_of(request.GET["entry"], ply, len(replay.plies))))
    context = {"page": page, "view": page.view, "reading": reading, "table": reading.game.table}
    return render(request, "games/history.html", context | {"board": page.board})


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
    _require_end(reading)
    reader = str(request.user.pk) if request.user.is_authenticated else client_key(request)
    if not hit("record", reader, RECORDS_A_DAY):
        said = _("You have reached the limit of downloads for today (%(most)d). Try again tomorrow.")
        return render(request, "429.html", {"sentence": said % {"most": RECORDS_A_DAY}}, status=429)
    text = record_text(record_of(reading.game, reading.names))
    response = HttpResponse(text, content_type="application/json; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="condottiere-game-{reading.game.pk}.json"'
    return response


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


def _require_end(reading: Reading) -> None:
    """Raise Http404 while the game runs: its log holds what the players may not know."""
    if not reading.game.is_over:
        raise Http404


# One position of a finished game


@dataclass(frozen=True)
class ReplayedPosition:
    """One position of a finished game as a page shows it: to everyone, or as one seat knew it then."""

    reading: Reading
    replay: Replay
    ply: int
    seat: int | None

    @property
    def last(self) -> int:
        return len(self.replay.plies)

    @cached_property
    def view(self) -> GameView:
        ply = self.ply
        until = Replay(self.replay.states[: ply + 1], self.replay.plies[:ply], self.replay.states[ply], None)
        game, names, reader = self.reading.game, self.reading.names, self.reading.seat
        return GameView(game, until, names, self.seat, as_then=self.seat is not None, reader=reader)

    @property
    def board(self) -> BoardView:
        return board_of(self.view)

    @property
    def seen_by(self) -> str:
        """The name of the seat whose view this is; empty for none."""
        return "" if self.seat is None else self.reading.names[self.seat]

    @property
    def viewer_number(self) -> int | None:
        """That seat's number in addresses, counted from 1."""
        return None if self.seat is None else self.seat + 1

    @property
    def hands(self) -> list[tuple[int, str, Sequence[str]]]:
        """The hands to show: all of them, or only the seat's own."""
        seats = range(self.reading.game.players) if self.seat is None else [self.seat]
        state = self.replay.states[self.ply]
        return [(seat, self.reading.names[seat], observe(state, seat).hand or ()) for seat in seats]

    @cached_property
    def happened(self) -> list[str]:
        """The entry that led here, as text, with the table's own events before it and at the end (R49)."""
        ply, view = self.ply, self.view
        table_events = view.table_events
        sentences = [*table_events.get(ply - 1, []), *self._entry_sentences(ply - 1)] if ply else []
        if ply == self.last:
            sentences += [*table_events.get(ply, []), *filter(None, [ending_text(view.game, view.cast)])]
        return sentences

    def _entry_sentences(self, ply: int) -> list[str]:
        by_clock, names = ply in self.view.clocked, self.view.names_at(ply)
        events = merge_deals(self._seen(ply))
        return [sentence for event in events for sentence in entry_sentences(event, names, by_clock=by_clock)]

    def _seen(self, ply: int) -> Sequence[Event]:
        """Return what can be known of an entry: everything, or what the seat saw."""
        events = self.replay.plies[ply].events
        return events if self.seat is None else redact(events, self.seat)

    @cached_property
    def battle(self) -> Battle | None:
        """The battle in progress or the last one fought, up to this position."""
        until = battles_in([self._seen(ply) for ply in range(self.ply)])
        return until[-1] if until else None

    @property
    def story(self) -> list[str]:
        return story(self.battle, self.view.names_at, self.view.clocked) if self.battle else []

    @property
    def battles(self) -> list[dict[str, object]]:
        """All battles of the game, each with its first position and its winner."""
        here = self.battle.number if self.battle else 0
        return [
            {
                "title": battle.place,
                "winner": outcome_in_brief(battle, self.view.names_at),
                "seat": battle.winner,
                "url": self.url(battle.first + 1),
                "is_here": battle.number == here,
            }
            for battle in battles_in([entry.events for entry in self.replay.plies])
        ]

    @property
    def steps(self) -> dict[str, str]:
        """The targets of the history's links from this position; without those that lead nowhere."""
        ply, last = self.ply, self.last
        starts = [number + 1 for number, entry in enumerate(self.replay.plies) if entry.move.kind == "place"]
        leads = {
            "first": 0 if ply else None,
            "previous_battle": next((start for start in reversed(starts) if start < ply), None),
            "previous": ply - 1 if ply else None,
            "next": ply + 1 if ply < last else None,
            "next_battle": next((start for start in starts if start > ply), None),
            "last": last if ply < last else None,
        }
        return {name: self.url(at) for name, at in leads.items() if at is not None}

    @property
    def viewpoints(self) -> list[dict[str, object]]:
        """The ways to view this position, with their addresses."""
        ways: list[tuple[int | None, str]] = [(None, _("All hands")), *enumerate(self.reading.names)]
        return [
            {"seat": seat, "name": name, "url": self._address(self.ply, seat), "is_here": seat == self.seat}
            for seat, name in ways
        ]

    def url(self, ply: int) -> str:
        """Return the address of a position, seen from the same viewpoint."""
        return self._address(ply, self.seat)

    def _address(self, ply: int, seat: int | None) -> str:
        query = "" if seat is None else "?" + urlencode({"as": seat + 1})
        return self.reading.position_url(ply) + query
