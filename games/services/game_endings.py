"""Ends of a game by decision of the table, not by the rules (R49), and what follows any end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.conf import settings

from accounts.mail.outbox import queue_each
from games.models import Game, Seat, Table
from games.models.locking import seats_of
from games.models.matches import what_follows
from games.models.replay import replayed
from games.rules import EndReason, MatchWon, observe
from games.services.decisions import put_decisions
from games.services.table_news import tell_over
from games.signals import table_finished


def end_by_table(game: Game, ended: str, winners: tuple[int, ...], now: datetime) -> None:
    """End a running game by decision of the table, not by the rules (R49).

    `winners` win by most regions; if it is empty, no one wins. Call this under the game's lock. In a match,
    each region scores 1 point if anyone wins, otherwise none.
    """
    game.ended, game.ended_at = ended, now
    game.result = result_by_table(game, winners)
    game.save(update_fields=["ended", "ended_at", "result"])
    game.proposals.filter(closed_at=None).update(closed_at=now)
    game.standing_orders.all().delete()
    seats = seats_of(game)
    put_decisions(game, seats, (), now)
    finish_table(game, seats, now)


def result_by_table(game: Game, winners: tuple[int, ...]) -> dict[str, Any]:
    """Return the result of a game that the table ends now with these winners."""
    result: dict[str, Any] = {"winners": list(winners), "reason": EndReason.MOST_REGIONS if winners else None}
    if game.table.options.plays_for_points and game.final_battle is None:
        result["points"] = list(regions_held(game)) if winners else [0] * game.players
    return result


def regions_held(game: Game) -> tuple[int, ...]:
    """Return how many regions each seat holds now."""
    held = Counter(dict(observe(replayed(game).state, None).control).values())
    return tuple(held[seat] for seat in range(game.players))


def holding_most_regions(game: Game) -> tuple[int, ...]:
    """Return the seats that hold most regions; in a match's final battle, those that held most before it."""
    held = game.final_battle or regions_held(game)
    most = max(count for count in held if count is not None)
    return tuple(seat for seat, count in enumerate(held) if count == most)


def finish_table(game: Game, seats: Iterable[Seat], now: datetime) -> None:
    """Finish the table after its only game or its match's last; otherwise begin the pause between games."""
    if game.table.is_match and not isinstance(what_follows(game), MatchWon):
        Table.objects.filter(pk=game.table_id).update(next_game_at=now + settings.MATCH_PAUSE)
    else:
        Table.objects.filter(pk=game.table_id).update(state=Table.State.FINISHED)
        table_finished.send(Game, game=game, now=now)
        tell_over(game.table_id)
    people = {f"game_over:{game.pk}:{seat.number}": seat.user for seat in seats if seat.user is not None}
    queue_each("game_over", people, {"game": game.pk})
