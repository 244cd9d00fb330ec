"""Ratings from finished games, by the Plackett-Luce model of openskill (Weng and Lin, 2011).

- Players who stayed are rated among themselves, by places; a tie is a draw. What a bot, the clock or a
  substitute did in another seat counts neither for nor against them.
- Players who left are each rated separately, as if they had come last, after all who stayed. Their mu
  falls and their sigma is unchanged, as a game that was left shows little of their strength. No one gains
  by leaving.
- Substitutes are rated as if they had sat there from the start, among players who stayed. This counts only
  if it raises their rating, as they found the seat as someone else had left it.
- If fewer than two players stayed, nothing is rated.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from openskill.models import PlackettLuce

NEW_MU, NEW_SIGMA = 25.0, 25.0 / 3.0  # openskill's values for an unknown player
# Ratings are shown on a familiar scale: 1500 for an unknown player, and 40 for each of openskill's points.
SHOWN_NEW, SHOWN_STEP = 1500, 40
PROVISIONAL_ABOVE = 300  # shown uncertainty; some five tables bring it below
_MODEL = PlackettLuce(mu=NEW_MU, sigma=NEW_SIGMA)
_FEWEST = 2  # players who stayed


class BadGame(ValueError):
    """Contradictory data about a game."""


@dataclass(frozen=True, slots=True)
class RatedSeat:
    """A player's part in a game; a seat that changed hands appears once per player who held it.

    `place` is the seat's final place; lower is better, and ties share it.
    `stayed`: they played until the end themselves, with neither the clock nor a bot playing for them.
    `helped`: they took over a seat as a substitute.
    """

    player: int
    place: int
    stayed: bool = True
    helped: bool = False


@dataclass(frozen=True, slots=True)
class RatedGame:
    """A finished game.

    `at` is when it ended, as a number. Of games that ended together the lower `key` comes first.
    """

    key: int
    at: float
    seats: tuple[RatedSeat, ...]

    def __post_init__(self) -> None:
        players = [seat.player for seat in self.seats]
        if len(players) != len(set(players)):
            raise BadGame("A player is named twice in the game.")


@dataclass(frozen=True, slots=True)
class ComputedRating:
    """A player's estimated strength and its uncertainty."""

    mu: float = NEW_MU
    sigma: float = NEW_SIGMA
    games: int = 0

    @property
    def ordinal(self) -> float:
        """The sort key of lists: the player is almost surely at least this strong."""
        return self.mu - 3 * self.sigma

    @property
    def shown(self) -> int:
        """The number that people read."""
        return round(SHOWN_NEW + SHOWN_STEP * (self.mu - NEW_MU))

    @property
    def uncertainty(self) -> int:
        """One standard deviation, on the scale of the shown number."""
        return round(SHOWN_STEP * self.sigma)

    @property
    def text(self) -> str:
        """The shown number with its uncertainty."""
        return f"{self.shown}\u00a0±\u00a0{self.uncertainty}"

    @property
    def is_provisional(self) -> bool:
        return self.uncertainty > PROVISIONAL_ABOVE


_NEW = ComputedRating()


def rate(history: Iterable[RatedGame]) -> dict[int, ComputedRating]:
    """Return the rating of each player after these games, in the order in which they ended."""
    ratings: dict[int, ComputedRating] = {}
    for _game, changed in changes(history, ratings):
        ratings |= changed
    return ratings


def changes(
    history: Iterable[RatedGame], known: Mapping[int, ComputedRating]
) -> Iterator[tuple[RatedGame, dict[int, ComputedRating]]]:
    """Yield these games in the order in which they ended, each with the ratings that it changes.

    `known` are the ratings before them.
    """
    ratings = dict(known)
    for game in sorted(history, key=lambda game: (game.at, game.key)):
        changed = rated_by(game, ratings)
        ratings |= changed
        yield game, changed


def rated_by(game: RatedGame, ratings: Mapping[int, ComputedRating]) -> dict[int, ComputedRating]:
    """Return the ratings that a game changes, as they are after it."""
    known = {seat.player: ratings.get(seat.player, _NEW) for seat in game.seats}
    stayed = [seat for seat in game.seats if seat.stayed and not seat.helped]
    if len(stayed) < _FEWEST:
        return {}
    return _rate_by_places(stayed, known) | dict(_rate_others(game, stayed, known))


def _rate_others(
    game: RatedGame, stayed: Sequence[RatedSeat], known: Mapping[int, ComputedRating]
) -> Iterator[tuple[int, ComputedRating]]:
    """Yield the changed ratings of substitutes and of players who left."""
    for seat in game.seats:
        if seat.helped:
            after = _rate_substitute(seat, stayed, known)
            if after is not None:
                yield seat.player, after
        elif not seat.stayed:
            yield seat.player, _rate_leaver(seat.player, stayed, known)


def _rate_leaver(
    player: int, stayed: Sequence[RatedSeat], known: Mapping[int, ComputedRating]
) -> ComputedRating:
    last = RatedSeat(player, 1 + max([seat.place for seat in stayed]))
    lost = _rate_by_places([*stayed, last], known)[player]
    return ComputedRating(lost.mu, known[player].sigma, lost.games)


def _rate_substitute(
    seat: RatedSeat, stayed: Sequence[RatedSeat], known: Mapping[int, ComputedRating]
) -> ComputedRating | None:
    """Return a substitute's raised rating; None if it was not raised or they did not stay to the end."""
    if not seat.stayed:
        return None
    before, after = known[seat.player], _rate_by_places([*stayed, seat], known)[seat.player]
    return after if after.mu > before.mu and after.ordinal > before.ordinal else None


def _rate_by_places(
    seats: Sequence[RatedSeat], known: Mapping[int, ComputedRating]
) -> dict[int, ComputedRating]:
    """Return the ratings of these players after a game among them.

    Sorted first: floating-point sums depend on their order, and a rating must not depend on seat order.
    """
    order = sorted((seat.place, seat.player) for seat in seats)
    teams = [[_MODEL.rating(mu=known[player].mu, sigma=known[player].sigma)] for _place, player in order]
    rated = _MODEL.rate(teams, ranks=[float(place) for place, _player in order])
    return {
        player: ComputedRating(one.mu, one.sigma, known[player].games + 1)
        for (_place, player), [one] in zip(order, rated, strict=True)
    }
