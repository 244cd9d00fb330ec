"""Match standings for pages and emails. Reads stored columns; replays no game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from games.models import Game, Seat, Table
from games.models.matches import awaited, points_after, what_follows, winners_of_match
from games.narration.cast import and_list
from games.rules import FinalBattle

SIDE_BY_SIDE = 3  # games whose points fit next to each other in an email, on a phone and in text columns


@dataclass(frozen=True)
class GameInMatch:
    """One game of a match: its address, and each seat's points in it and in total so far."""

    game: Game
    name: str
    address: str
    scored: tuple[tuple[int, int], ...]  # empty while it runs, and for a final battle, which scores nothing


@dataclass(frozen=True)
class Standings:
    """A match as one reader sees it, on the page of one of its games."""

    game: Game
    games: tuple[Game, ...]
    names: tuple[str, ...]
    seat: Seat | None  # the reader's
    watching: bool = False  # by the spectator link, which has its own addresses

    @property
    def table(self) -> Table:
        return self.game.table

    @cached_property
    def rows(self) -> list[GameInMatch]:
        """The games in order."""
        return [GameInMatch(game, game_name(game), self._address(game), _scored(game)) for game in self.games]

    @property
    def latest(self) -> list[GameInMatch]:
        """The last scored games, as many as an email shows."""
        return [row for row in self.rows if row.scored][-SIDE_BY_SIDE:]

    @property
    def points_by_player(self) -> list[tuple[str, list[int], int]]:
        """Each player's name, points in the latest games, and total."""
        return [
            (name, [row.scored[seat][0] for row in self.latest], self.latest[-1].scored[seat][1])
            for seat, name in enumerate(self.names)
            if self.latest
        ]

    @property
    def last(self) -> Game:
        """The current game, or the last one played."""
        return self.games[-1]

    @property
    def following(self) -> GameInMatch | None:
        """The game after this one, if it has begun."""
        return next((row for row in self.rows if row.game.number == self.game.number + 1), None)

    @property
    def running(self) -> GameInMatch | None:
        return None if self.last.is_over else self.rows[-1]

    @property
    def is_won_here(self) -> bool:
        """Whether this game was the last of the match."""
        return self.is_won and self.game == self.last

    @property
    def is_won(self) -> bool:
        return self._winners is not None

    @property
    def winners(self) -> str:
        """The names of the match winners; empty while it goes on, and if no one won."""
        return and_list([self.names[seat] for seat in self._winners or ()])

    @property
    def ending(self) -> str:
        """The result of the match in words; empty while it goes on."""
        if self._winners is None:
            return ""
        if not self._winners:
            return _("The match is over. No one won.")
        if len(self._winners) > 1:
            return _("The match is over. These players share the victory: %(names)s.") % {
                "names": self.winners
            }
        if self.last.final_battle is not None:
            return _("The match is over. %(name)s won it in the final battle.") % {"name": self.winners}
        points = points_after(self.last)[self._winners[0]]
        text = ngettext(
            "The match is over. %(name)s won it with %(points)d point.",
            "The match is over. %(name)s won it with %(points)d points.",
            points,
        )
        return text % {"name": self.winners, "points": points}

    @cached_property
    def _winners(self) -> tuple[int, ...] | None:
        return winners_of_match(self.table, self.games)

    @property
    def is_pausing(self) -> bool:
        """Whether the next game or final battle has yet to begin; shown on the last game's page."""
        return self.game == self.last and self.game.is_over and self.table.next_game_at is not None

    @property
    def next_number(self) -> int:
        return self.last.number + 1

    @cached_property
    def _awaited(self) -> list[int]:
        return [seat.number for seat in awaited(self.last)] if self.is_pausing else []

    @property
    def awaited(self) -> str:
        """The players who have not confirmed yet that they saw the last game."""
        return and_list([self.names[seat] for seat in self._awaited])

    @property
    def asks_me(self) -> bool:
        return self.seat is not None and self.seat.number in self._awaited

    @property
    def offers_next_step(self) -> bool:
        """Whether the match asks the reader something, or its next game has begun."""
        return self.asks_me or self.following is not None

    @cached_property
    def fighters(self) -> tuple[int, ...]:
        """The seats of a final battle that is running or comes next; empty if there is none (R28)."""
        if self.game.final_battle is not None:
            return self.game.fighters
        following = what_follows(self.last) if self.is_pausing else None
        return following.seats if isinstance(following, FinalBattle) else ()

    @property
    def fighting(self) -> str:
        return and_list([self.names[seat] for seat in self.fighters])

    @property
    def looks_on(self) -> bool:
        """Whether the reader plays in the match, but not in its final battle."""
        return bool(self.fighters) and self.seat is not None and self.seat.number not in self.fighters

    @property
    def all_fight(self) -> bool:
        return len(self.fighters) == self.game.players

    def _address(self, game: Game) -> str:
        if self.watching:
            return reverse("watch_game", args=[self.table.watch_key, game.number])
        return reverse("game", args=[game.pk])


def standings_of(
    game: Game, names: Sequence[str], seat: Seat | None = None, *, watching: bool = False
) -> Standings | None:
    """Return the standings of this game's match, or None for a single game."""
    if not game.table.is_match:
        return None
    games = tuple(Game.objects.select_related("table").filter(table=game.table_id).order_by("number"))
    return Standings(game, games, tuple(names), seat, watching)


def game_name(game: Game) -> str:
    """Return the name of one game within its match."""
    if game.final_battle is not None:
        return _("Final battle")
    return pgettext("of a match", "Game %(n)d") % {"n": game.number}


def standings_as_rows(standings: Standings) -> list[list[str]]:
    """Return the standings for an email's text: a heading, then one row per player."""
    heading = ["", *[row.name for row in standings.latest], pgettext("points", "Total")]
    return [heading, *_rows_by_player(standings)]


def _rows_by_player(standings: Standings) -> list[list[str]]:
    return [
        [name, *[f"+{points}" for points in scored], str(total)]
        for name, scored, total in standings.points_by_player
    ]


def _scored(game: Game) -> tuple[tuple[int, int], ...]:
    points = (game.result or {}).get("points")
    if not game.is_over or points is None:
        return ()
    return tuple(zip(points, points_after(game), strict=True))
