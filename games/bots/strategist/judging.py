"""What a move was worth: Strategist's own choice and the move made, tried in the same imagined worlds.

The worlds are others than those in which the choice was found. So the choice has no luck of its own. Also
what a position is worth to each seat.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from games.rules import CARDS, Move, Observation, Phase

from .battle_world import NONE, World
from .card_numbers import REGION_NUMBER, Cards, numbered
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
    # what follows is of the most typical of these worlds
    own: int = 0  # the strength that the seat reached in the battle; 0 without one
    rival: int | None = None  # the strongest of the others
    reach: int = 0  # the strength that it reached
    is_rivals: bool = False  # whether the rival won the battle
    cards: tuple[str, ...] = ()  # that made the own strength; empty where unseen ones would have had to
    season: str = ""  # that counted with them

    @property
    def reasons(self) -> dict[str, object]:
        """What made the move good or bad, as JSON can hold it."""
        names = ("own", "rival", "reach", "is_rivals", "cards", "season")
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
    stakes, chance = Stakes(seen), Chance.of(f"{seed}/tried")
    dealer = Dealer(seen, known, own_weights().hands)
    weights = own_weights().of(seen.options, seen.players)
    ends = []
    for _ in range(DEALS):
        world = dealer.deal(chance)
        ends.append(played_out(after_move(seen, world, move), stakes))
    sums = zip(*[chances(end, weights) for end in ends], strict=True)
    mean = tuple([sum(column) / DEALS for column in sums])
    if seen.phase not in (Phase.PLACE, Phase.BATTLE):
        return Tried(str(move), mean)
    return Tried(str(move), mean, **_facts(seen, move.region or seen.battle, _typical(seen, ends)))


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
    world = Dealer(seen, known, own_weights().hands).deal(chance)
    if seen.phase == Phase.HAND:
        end_hand_phase(world)
    if seen.phase in (Phase.BATTLE, Phase.HAND):
        world = played_out(world, Stakes(seen))
    return chances(world, own_weights().of(seen.options, seen.players))


def _typical(seen: Observation, ends: Sequence[World]) -> World:
    """Return the world whose strengths differ least from the others', where the seat did as in most.

    An average would be of no world: strengths that were never reached, or never together.
    """
    assert seen.seat is not None
    leading = [end for end in ends if _leads(end, seen.seat)]
    alike = leading if 2 * len(leading) > len(ends) else [end for end in ends if not _leads(end, seen.seat)]

    def unlikeness(one: World) -> tuple[int, bool]:
        differences = [abs(a - b) for other in alike for a, b in zip(one.totals, other.totals, strict=True)]
        return sum(differences), not _has_known_line(seen, one)

    return min(alike, key=unlikeness)


def _leads(end: World, seat: int) -> bool:
    return end.totals[seat] == max(end.totals) and end.totals.count(end.totals[seat]) == 1


def _facts(seen: Observation, region: str | None, end: World) -> dict[str, Any]:
    """Return how strong the seat and its strongest rival became, and by which cards of the seat."""
    assert seen.seat is not None
    own, line = end.totals[seen.seat], end.lines[seen.seat]
    others = [seat for seat in range(end.players) if seat != seen.seat]
    rival = max(others, key=lambda seat: end.totals[seat])
    facts: dict[str, Any] = {"own": own, "rival": rival, "reach": end.totals[rival]}
    facts["is_rivals"] = _has_won(end, region, rival)
    if own and _has_known_line(seen, end):
        facts["cards"] = tuple([CARDS[card] for card in sorted(line)])
        facts["season"] = "" if end.season == NONE else CARDS[end.season]
    return facts


def _has_won(end: World, region: str | None, seat: int) -> bool:
    """Return whether the seat has the region, or without one, whether it alone won the final battle."""
    if region is None:
        return end.winners == (seat,)
    return bool(end.holdings[seat] >> REGION_NUMBER[region] & 1)


def _has_known_line(seen: Observation, end: World) -> bool:
    """Return whether the seat's strength came of what it has or sees alone."""
    assert seen.seat is not None
    return not is_dealt_anew(seen) and _is_known(seen, end.lines[seen.seat], end.season)


def _is_known(seen: Observation, line: Cards, season: int) -> bool:
    """Return whether the seat has these cards or sees them on the table."""
    assert seen.seat is not None
    had = [*(seen.hand or ()), *[card for cards in seen.lines for card in cards]]
    if seen.own_face_down is not None:
        had.append(seen.own_face_down)
    sees_season = season in (NONE, *line) or seen.season == CARDS[season]
    return sees_season and not Counter(line) - Counter(numbered(had))
