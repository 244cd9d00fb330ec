"""Games that anyone may watch."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import QuerySet
from django.urls import reverse

from games.models import Game
from games.narration.cast import and_list
from games.narration.endings import ending_text
from games.narration.seat_names import shown_names

LAST_FINISHED = 5


@dataclass
class WatchRow:
    """A game anyone may watch: its players' names and, once it is over, who won it or how it ended."""

    game: Game
    names: str
    winners: str
    ending: str  # if it ended without a winner

    @property
    def replay_url(self) -> str:
        """The address where stepping through a finished game begins."""
        table = self.game.table
        if table.is_match:
            return reverse("watch_game_history", args=[table.watch_key, self.game.number, 0])
        return reverse("watch_history", args=[table.watch_key, 0])


def games_anyone_watches() -> QuerySet[Game]:
    """Return the games anyone may watch, the running ones first."""
    return Game.objects.to_watch().select_related("table").prefetch_related("table__seats__user")


def showpiece() -> WatchRow | None:
    """Return the newest game that anyone may replay and that was won by the rules.

    Returns None if none of the last few is one: the whole list is never searched.
    """
    newest = games_anyone_watches().filter(ended_at__isnull=False)[:LAST_FINISHED]
    return next(iter(watch_rows(game for game in newest if game.result and not game.ended)), None)


def watch_rows(games: Iterable[Game]) -> list[WatchRow]:
    """Return these games as rows of a list."""
    rows = []
    for game in games:
        names = shown_names(game.table.seats.all(), None)
        winners = [names[seat] for seat in game.result["winners"]] if game.result else []
        ending = "" if winners else ending_text(game, names)
        rows.append(WatchRow(game, and_list(names), and_list(winners), ending))
    return rows
