"""Ratings from finished games, by the Plackett-Luce model of openskill (Weng and Lin, 2011).

Pure: no row is read and no clock is asked. Each edition is rated by itself.
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


# Games that are rated, ratings, and what a game did to them, as values.
#
# Players are plain numbers. Nothing here knows who they are, how a game was played, or what time it is.


NEW_MU, NEW_SIGMA = 25.0, 25.0 / 3.0  # what openskill thinks of somebody of whom nothing is known
SETTLED_AFTER = 5  # games; before that a rating tells more of its first opponents than of its player


class BadGame(ValueError):
    """What is said about a game contradicts itself."""


@dataclass(frozen=True, slots=True)
class RatedSeat:
    """Somebody's part in a game; a seat that changed hands is named once for each who held it. None is a bot.

    `place` is the seat's at the end, lower is better, who ties shares it. `stayed`: he played himself until
    the end, neither clock nor bot for him. `helped`: he took a seat over from another.
    """

    player: int | None
    place: int
    stayed: bool = True
    helped: bool = False


@dataclass(frozen=True, slots=True)
class RatedGame:
    """A finished game. `at` is when it ended, as a number; of games that ended together the lower `key` comes
    first."""

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
    """How strong somebody is thought to be, and how surely."""

    mu: float = NEW_MU
    sigma: float = NEW_SIGMA
    games: int = 0

    @property
    def ordinal(self) -> float:
        """What lists are sorted by: he is at least so strong, almost surely. 0 for who is new."""
        return self.mu - 3 * self.sigma

    @property
    def is_provisional(self) -> bool:
        return self.games < SETTLED_AFTER


class Part(StrEnum):
    """By which of the rules a game changed a rating (see rating.py)."""

    PLAYED = "played"
    LEFT = "left"
    HELPED = "helped"


@dataclass(frozen=True, slots=True)
class Change:
    """What a game did to somebody's rating in its edition."""

    game: int
    edition: str
    player: int
    part: Part
    before: Rating
    after: Rating


# Ratings from games, by the Plackett-Luce model of openskill (Weng and Lin, 2011), each edition by itself.
#
# - Who stayed is rated among those who stayed, by places; who ties has drawn. What a bot, the clock or a
# substitute did in another seat counts neither for him nor against him.
# - Who left is rated as if he had come last, after all who stayed, each leaver by himself: his mu falls, and
# his sigma stays as it was, for a game that was left shows little of his strength. Nobody gains by it.
# - Who helped is rated as if he had sat there from the start, among those who stayed, but only if that raises
# his rating: he found the seat as another had left it.
# - Where fewer than two stayed nothing is rated.


_MODEL = PlackettLuce(mu=NEW_MU, sigma=NEW_SIGMA)
_FEWEST = 2  # players who stayed
_NEW = Rating()

Ratings = Mapping[tuple[int, str], Rating]


@dataclass(frozen=True, slots=True)
class Rated:
    """The ratings of all who played, by player and edition, and every change that led there, in order."""

    ratings: Ratings = field(default_factory=dict)
    trail: tuple[Change, ...] = ()


def rate(history: Iterable[RatedGame], before: Ratings | None = None) -> Rated:
    """The ratings after these games, in the order in which they ended.

    Going on from the ratings `before` them is the same as rating everything anew, as long as no game of the
    history ended before one that they have counted.
    """
    ratings = dict(before or {})
    trail: list[Change] = []
    for game in sorted(history, key=lambda game: (game.at, game.key)):
        changes = changes_by(game, ratings)
        ratings |= {(change.player, change.edition): change.after for change in changes}
        trail += changes
    return Rated(ratings, tuple(trail))


def changes_by(game: RatedGame, ratings: Ratings) -> tuple[Change, ...]:
    """What a game changes in these ratings, in the order of its seats."""
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
    """The rating that was raised; None where it was not, or where he did not play to the end either."""
    if not seat.stayed:
        return None
    before, after = known[player], _by_places([*stayed, seat], known)[player]
    return after if after.mu > before.mu and after.ordinal > before.ordinal else None


def _by_places(seats: Sequence[RatedSeat], known: Mapping[int, Rating]) -> dict[int, Rating]:
    """The ratings of these people after a game among them. Sorted first: sums of fractions depend on their
    order, and a rating must not depend on who sat where."""
    order = sorted((seat.place, seat.player) for seat in seats if seat.player is not None)
    teams = [[_MODEL.rating(mu=known[player].mu, sigma=known[player].sigma)] for _place, player in order]
    rated = _MODEL.rate(teams, ranks=[float(place) for place, _player in order])
    return {
        player: Rating(one.mu, one.sigma, known[player].games + 1)
        for (_place, player), [one] in zip(order, rated, strict=True)
    }
