"""A game as one reader looks at it: the names they may know, and the addresses of its pages."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.urls import reverse

from games.access import GameAccess
from games.models import Analysis, Game


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
    def analysis_url(self) -> str:
        return self._url("_analysis")

    @property
    def has_analysis_page(self) -> bool:
        """Whether there is an analysis to read, or Strategist could make one."""
        return settings.STRATEGIST or Analysis.objects.filter(game=self.game, ended_at__isnull=False).exists()

    @property
    def may_ask_analysis(self) -> bool:
        """Whether the reader may ask for an analysis: as a player, not as a spectator."""
        return not self.prefix.startswith("watch")

    @property
    def record_url(self) -> str:
        return self._url("_record")

    @property
    def proof_url(self) -> str:
        return self._url("_proof")

    def position_url(self, ply: int) -> str:
        return self._url("_history", ply)

    def play_on_url(self, ply: int) -> str:
        return self._url("_play_on", ply)

    def public_position_url(self, ply: int) -> str:
        """Return the address of a position; empty where it is a key to what others may not see."""
        is_watched = self.prefix.startswith("watch") and self.game.anyone_watches
        return self.position_url(ply) if self.prefix == "game" or is_watched else ""

    def _url(self, page: str, *more: int) -> str:
        which = [] if self.number is None else [self.number]
        return reverse(self.prefix + page, args=[self.key, *which, *more])


def reading_through(access: GameAccess) -> Reading:
    """Return a signed-in player's reading of their game."""
    return Reading(access.game, access.names, *access.address, seat=access.seat.number)


def reading_of_watched(game: Game, names: tuple[str, ...]) -> Reading:
    """Return a spectator's reading.

    Each game of a match has its own addresses, which still work when the next game begins.
    """
    key = game.table.watch_key
    if game.table.is_match:
        return Reading(game, names, "watch_game", key, game.number)
    return Reading(game, names, "watch", key)
