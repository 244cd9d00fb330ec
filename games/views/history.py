"""A finished game: any position of it, its whole record, and the proof of its shuffles."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from games.access import Door, get_door
from games.names import shown_names
from games.narration import narrate
from games.pages import GameView, board_of
from games.recording import record_of, record_text
from games.replaying import replayed
from games.rules import Replay, observe, verify
from games.views.private import private_page


@private_page
@require_safe
@login_required
def position(request: HttpRequest, game_id: int, ply: int) -> HttpResponse:
    """The position after `ply` log entries, with every hand open. Raises Http404 while the game runs."""
    door = _finished(request, game_id)
    replay = replayed(door.game)
    if ply > len(replay.plies):
        raise Http404
    names = _names(door)
    until = Replay(replay.states[: ply + 1], replay.plies[:ply], replay.states[ply], None)
    view = GameView(door.game, until, names, None)
    context = {
        "view": view,
        "game": door.game,
        "table": door.seat.table,
        "board": board_of(view),
        "ply": ply,
        "last": len(replay.plies),
        "happened": narrate(replay.plies[ply - 1].events, names) if ply else [],
        "hands": [(seat, names[seat], observe(until.state, seat).hand) for seat in range(door.game.players)],
        **_neighbours(replay, ply),
    }
    return render(request, "games/history.html", context)


def _neighbours(replay: Replay, ply: int) -> dict[str, int | None]:
    """Where the history's links lead from this ply; None where there is nothing further."""
    starts = [number + 1 for number, entry in enumerate(replay.plies) if entry.move.kind == "place"]
    return {
        "previous_ply": ply - 1 if ply else None,
        "next_ply": ply + 1 if ply < len(replay.plies) else None,
        "previous_battle": next((start for start in reversed(starts) if start < ply), None),
        "next_battle": next((start for start in starts if start > ply), None),
    }


@private_page
@require_safe
@login_required
def record(request: HttpRequest, game_id: int) -> HttpResponse:
    """The finished game's record as a file."""
    door = _finished(request, game_id)
    text = record_text(record_of(door.game, _names(door)))
    response = HttpResponse(text, content_type="application/json; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="condottiere-game-{door.game.pk}.json"'
    return response


@private_page
@require_safe
@login_required
def proof(request: HttpRequest, game_id: int) -> HttpResponse:
    """Commitment and nonces; once the game is over also the secret, and the outcome of checking it all."""
    door = get_door(request, game_id)
    checked = verify(record_of(door.game, _names(door))) if door.game.is_over else None
    names = _names(door)
    context = {
        "game": door.game,
        "table": door.seat.table,
        "nonces": list(zip(names, door.game.nonces, strict=True)),
        "secret": bytes(door.game.table.secret).hex() if door.game.is_over else "",
        "checked": checked,
    }
    return render(request, "games/proof.html", context)


def _finished(request: HttpRequest, game_id: int) -> Door:
    door = get_door(request, game_id)
    if not door.game.is_over:
        raise Http404
    return door


def _names(door: Door) -> tuple[str, ...]:
    return shown_names(door.seat.table.seats.select_related("user"), door.seat.user)
