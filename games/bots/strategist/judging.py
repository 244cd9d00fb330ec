"""What a move was worth: Strategist's own choice and the move made, tried in the same imagined worlds.

The worlds are others than those in which the choice was found. So the choice has no luck of its own. Also
what a position is worth to each seat.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median_low

from games.rules import CARDS, Move, Observation, Phase

from .battle_world import NONE, World
from .card_numbers import Cards, numbered
from .chance import Chance
from .known_cards import KnownCards
from .position_value import chances
from .search import Budget, after_move, choose_move, end_hand_phase, played_out
from .stakes import Stakes
from .weights import own_weights
from .world_building import Dealer, is_dealt_anew, world_of

DEALS = 60


@dataclass(frozen=True)
class Tried:
    """What a move led to in the imagined worlds."""

    move: str
    chances: tuple[float, ...]  # of each seat to win the game
    own: int = 0  # the strength that the seat mostly reached in the battle; 0 without one
    rival: int | None = None  # the seat that most often was the strongest of the others
    reach: int = 0  # the strength that it mostly reached
    cards: tuple[str, ...] = ()  # that made the own strength; empty where unseen ones would have had to
    season: str = ""  # that counted with them

    @property
    def reasons(self) -> dict[str, object]:
        """What made the move good or bad, as JSON can hold it."""
        names = ("own", "rival", "reach", "cards", "season")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True)
class MoveJudgement:
    """A move and Strategist's choice, both tried."""

    seat: int
    best: Tried
    made: Tried

    @property
    def loss(self) -> float:
        """How much of its chance to win the move cost the seat."""
        return self.best.chances[self.seat] - self.made.chances[self.seat]


def judge(seen: Observation, known: KnownCards, seed: str, budget: Budget, move: Move) -> MoveJudgement:
    """Return what a legal move is worth next to Strategist's choice. Raises DamagedWeights."""
    assert seen.seat is not None
    best = choose_move(seen, known, seed, budget)
    first = tried(seen, known, seed, best)
    return MoveJudgement(seen.seat, first, first if move == best else tried(seen, known, seed, move))


def judge_openly(
    seen: Observation, hands: Sequence[Cards], down: Sequence[Cards], move: Move
) -> MoveJudgement:
    """Return what a legal move of a battle was worth next to the best, for someone who sees all cards.

    The others play as if they saw their own alone. Raises DamagedWeights.
    """
    assert seen.seat is not None
    world, seat = world_of(seen, hands, down), seen.seat
    led_to = {one: _played_openly(seen, world, one) for one in seen.legal}
    best = max(seen.legal, key=lambda one: (led_to[one].chances[seat], one == move))
    return MoveJudgement(seat, led_to[best], led_to[move])


def _played_openly(seen: Observation, world: World, move: Move) -> Tried:
    end = played_out(after_move(seen, world, move), Stakes(seen))
    return Tried(str(move), tuple(chances(end, own_weights().of(seen.options, seen.players))))


def advise(seen: Observation, known: KnownCards, seed: str, budget: Budget) -> Tried:
    """Return Strategist's choice, and what it leads to. Raises DamagedWeights."""
    return tried(seen, known, seed, choose_move(seen, known, seed, budget))


def tried(seen: Observation, known: KnownCards, seed: str, move: Move) -> Tried:
    """Return what a legal move leads to, in worlds that depend on the seed alone. Raises DamagedWeights."""
    assert seen.seat is not None
    stakes, dealer, chance = Stakes(seen), Dealer(seen, known), Chance.of(f"{seed}/tried")
    weights = own_weights().of(seen.options, seen.players)
    ends = []
    for _ in range(DEALS):
        world = dealer.deal(chance)
        ends.append(played_out(after_move(seen, world, move), stakes))
    sums = zip(*[chances(end, weights) for end in ends], strict=True)
    mean = tuple([sum(column) / DEALS for column in sums])
    if seen.phase not in (Phase.PLACE, Phase.BATTLE):
        return Tried(str(move), mean)
    own = median_low([end.totals[seen.seat] for end in ends])
    return Tried(str(move), mean, own, *_rival(ends, seen.seat), *_own_line(seen, ends, own))


def outlook(views: Sequence[tuple[Observation, KnownCards]], seed: str) -> tuple[float, ...]:
    """Return each seat's chance to win the game: the mean of what every seat expects from its own cards.

    `views` has what each seat sees and remembers. Raises DamagedWeights.
    """
    seen, _known = views[0]
    if seen.outcome is not None:
        winners = seen.outcome.winners
        return tuple([1.0 / len(winners) if seat in winners else 0.0 for seat in range(seen.players)])
    found = []
    for number, view in enumerate(views):
        chance = Chance.of(f"{seed}/outlook/{number}")
        found += [_expected(*view, chance) for _ in range(max(1, DEALS // len(views)))]
    return tuple([sum(column) / len(found) for column in zip(*found, strict=True)])


def _expected(seen: Observation, known: KnownCards, chance: Chance) -> list[float]:
    """Return each seat's chance in one imagined world."""
    world = Dealer(seen, known).deal(chance)
    if seen.phase == Phase.HAND:
        end_hand_phase(world)
    if seen.phase in (Phase.BATTLE, Phase.HAND):
        world = played_out(world, Stakes(seen))
    return chances(world, own_weights().of(seen.options, seen.players))


def _rival(ends: Sequence[World], seat: int) -> tuple[int, int]:
    """Return the seat that most often was the strongest of the others, and how strong it mostly became."""
    others = [other for other in range(ends[0].players) if other != seat]
    strongest = [max(others, key=lambda other: end.totals[other]) for end in ends]
    rival = max(others, key=strongest.count)
    return rival, median_low([end.totals[rival] for end in ends])


def _own_line(seen: Observation, ends: Iterable[World], own: int) -> tuple[tuple[str, ...], str]:
    """Return the line that most often made the seat's own strength, and the season that counted.

    Both are empty if it was never made from what the seat has or sees.
    """
    assert seen.seat is not None
    lines = Counter(
        (end.lines[seen.seat], end.season)
        for end in ends
        if end.totals[seen.seat] == own and _is_known(seen, end.lines[seen.seat], end.season)
    )
    if not own or not lines or is_dealt_anew(seen):
        return (), ""
    (line, season), _times = lines.most_common(1)[0]
    return tuple([CARDS[card] for card in sorted(line)]), "" if season == NONE else CARDS[season]


def _is_known(seen: Observation, line: Cards, season: int) -> bool:
    """Return whether the seat has these cards or sees them on the table."""
    assert seen.seat is not None
    had = [*(seen.hand or ()), *[card for cards in seen.lines for card in cards]]
    if seen.own_face_down is not None:
        had.append(seen.own_face_down)
    sees_season = season in (NONE, *line) or seen.season == CARDS[season]
    return sees_season and not Counter(line) - Counter(numbered(had))
