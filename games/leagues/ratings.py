"""Ratings from finished games, by the Plackett-Luce model of openskill (Weng and Lin, 2011).

Pure: reads neither the database nor the clock. Each edition is rated separately.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from openskill.models import PlackettLuce

__all__ = [
    "NEW_MU",
    "NEW_SIGMA",
    "SETTLED_AFTER",
    "BadGame",
    "Change",
    "Part",
    "Rated",
    "RatedGame",
    "RatedSeat",
    "Rating",
    "Ratings",
    "changes_by",
    "rate",
]


# Rated games, ratings, and what a game did to them, as values.
#
# Players are plain numbers. Nothing here knows who they are, how a game was played, or what time it is.


NEW_MU, NEW_SIGMA = 25.0, 25.0 / 3.0  # openskill's values for an unknown player
SETTLED_AFTER = 5  # games; before that a rating says more about its first opponents than about the player


class BadGame(ValueError):
    """Contradictory data about a game."""


@dataclass(frozen=True, slots=True)
class RatedSeat:
    """A player's part in a game; a seat that changed hands appears once per holder. None is a bot.

    `place` is the seat's final place; lower is better, and ties share it.
    `stayed`: they played until the end themselves, with neither the clock nor a bot playing for them.
    `helped`: they took over a seat as a substitute.
    """

    player: int | None
    place: int
    stayed: bool = True
    helped: bool = False


@dataclass(frozen=True, slots=True)
class RatedGame:
    """A finished game.

    `at` is when it ended, as a number. Of games that ended together the lower `key` comes first.
    """

    key: int
    edition: str
    at: float
    seats: tuple[RatedSeat, ...]

    def __post_init__(self) -> None:
        players = [seat.player for seat in self.seats if seat.player is not None]
        if len(players) != len(set(players)):
            raise BadGame("Somebody is named twice in a game.")


@dataclass(frozen=True, slots=True)
class Rating:
    """A player's estimated strength and its uncertainty."""

    mu: float = NEW_MU
    sigma: float = NEW_SIGMA
    games: int = 0

    @property
    def ordinal(self) -> float:
        """The sort key of lists: the player is almost surely at least this strong. 0 for new players."""
        return self.mu - 3 * self.sigma

    @property
    def is_provisional(self) -> bool:
        return self.games < SETTLED_AFTER


class Part(StrEnum):
    """The rule by which a game changed a rating (see the comment above `_MODEL`)."""

    PLAYED = "played"
    LEFT = "left"
    HELPED = "helped"


@dataclass(frozen=True, slots=True)
class Change:
    """The effect of a game on a player's rating in its edition."""

    game: int
    edition: str
    player: int
    part: Part
    before: Rating
    after: Rating


# Ratings by the Plackett-Luce model of openskill (Weng and Lin, 2011), each edition separately.
#
# - Players who stayed are rated among themselves, by places; a tie is a draw. What a bot, the clock or a
# substitute did in another seat counts neither for nor against them.
# - Players who left are each rated separately, as if they had come last, after all who stayed. Their mu
# falls and their sigma is unchanged, as a game that was left shows little of their strength. Nobody gains
# by leaving.
# - Substitutes are rated as if they had sat there from the start, among players who stayed. This counts only
# if it raises their rating, as they found the seat as someone else had left it.
# - If fewer than two players stayed, nothing is rated.


_MODEL = PlackettLuce(mu=NEW_MU, sigma=NEW_SIGMA)
_FEWEST = 2  # players who stayed
_NEW = Rating()

Ratings = Mapping[tuple[int, str], Rating]


@dataclass(frozen=True, slots=True)
class Rated:
    """The ratings of all players, by player and edition, and every change that led there, in order."""

    ratings: Ratings = field(default_factory=dict)
    trail: tuple[Change, ...] = ()


def rate(history: Iterable[RatedGame], before: Ratings | None = None) -> Rated:
    """Return the ratings after these games, in the order in which they ended.

    Continuing from the ratings `before` gives the same result as rating everything again.
    That holds as long as no new game ended before one already counted.
    """
    ratings = dict(before or {})
    trail: list[Change] = []
    for game in sorted(history, key=lambda game: (game.at, game.key)):
        changes = changes_by(game, ratings)
        ratings |= {(change.player, change.edition): change.after for change in changes}
        trail += changes
    return Rated(ratings, tuple(trail))


def changes_by(game: RatedGame, ratings: Ratings) -> tuple[Change, ...]:
    """Return what a game changes in these ratings, in the order of its seats."""
    known = {
        seat.player: ratings.get((seat.player, game.edition), _NEW)
        for seat in game.seats
        if seat.player is not None
    }
    stayed = [seat for seat in game.seats if seat.player is not None and seat.stayed and not seat.helped]
    if len(stayed) < _FEWEST:
        return ()
    among = _by_places(stayed, known)
    return tuple(
        [
            Change(game.key, game.edition, player, part, known[player], after)
            for player, part, after in _parts(game, stayed, known, among)
        ]
    )


def _parts(
    game: RatedGame, stayed: Sequence[RatedSeat], known: Mapping[int, Rating], among: Mapping[int, Rating]
) -> Iterator[tuple[int, Part, Rating]]:
    for seat in game.seats:
        if seat.player is None:
            continue
        if seat.helped:
            after = _after_helping(seat, seat.player, stayed, known)
            if after is not None:
                yield seat.player, Part.HELPED, after
        elif seat.stayed:
            yield seat.player, Part.PLAYED, among[seat.player]
        else:
            yield seat.player, Part.LEFT, _after_leaving(seat.player, stayed, known)


def _after_leaving(player: int, stayed: Sequence[RatedSeat], known: Mapping[int, Rating]) -> Rating:
    last = RatedSeat(player, 1 + max([seat.place for seat in stayed]))
    lost = _by_places([*stayed, last], known)[player]
    return Rating(lost.mu, known[player].sigma, lost.games)


def _after_helping(
    seat: RatedSeat, player: int, stayed: Sequence[RatedSeat], known: Mapping[int, Rating]
) -> Rating | None:
    """Return a substitute's raised rating; None if it was not raised or they did not stay to the end."""
    if not seat.stayed:
        return None
    before, after = known[player], _by_places([*stayed, seat], known)[player]
    return after if after.mu > before.mu and after.ordinal > before.ordinal else None


def _by_places(seats: Sequence[RatedSeat], known: Mapping[int, Rating]) -> dict[int, Rating]:
    """Return the ratings of these players after a game among them.

    Sorted first: floating-point sums depend on their order, and a rating must not depend on seat order.
    """
    order = sorted((seat.place, seat.player) for seat in seats if seat.player is not None)
    teams = [[_MODEL.rating(mu=known[player].mu, sigma=known[player].sigma)] for _place, player in order]
    rated = _MODEL.rate(teams, ranks=[float(place) for place, _player in order])
    return {
        player: Rating(one.mu, one.sigma, known[player].games + 1)
        for (_place, player), [one] in zip(order, rated, strict=True)
    }
