"""The choice of a move: try each candidate in many imagined worlds, and keep the better half of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from games.bots import choose
from games.rules import Move, Observation, Phase

from .battle_world import NONE, Action, World
from .card_numbers import NUMBER_OF, REGION_NUMBER, numbered
from .chance import Chance
from .imagined_captain import captains_action
from .known_cards import KnownCards
from .position_value import chances
from .stakes import Stakes
from .weights import LearnedWeights, own_weights
from .world_building import Dealer

# A move is clearly better than Captain's if the difference is so many standard errors.
_CLEAR = 1.0
_POPES = 3  # so many places of the Pope are tried for a Bishop


@dataclass(frozen=True)
class Budget:
    """How much thought a move may take.

    A playout is one candidate tried in one deal, so a move takes as long with few candidates as with many.
    `is_spent` may cut it off, and is asked between two deals.
    """

    playouts: int
    is_spent: Callable[[], bool] = lambda: False


def choose_move(
    seen: Observation, known: KnownCards, seed: str, budget: Budget, learned: LearnedWeights | None = None
) -> Move:
    """Return the move that won most often, by the bot's own weights or by others.

    The same arguments give the same move on every machine, unless the budget is cut off. Raises
    DamagedWeights, and ValueError when the seat has no decision to make.
    """
    if seen.seat is None or seen.asked is None or not seen.legal:
        raise ValueError("a bot answers only when its seat is asked")
    stakes = Stakes(seen)
    candidates = _candidates(seen, stakes)
    if len(candidates) == 1:
        return candidates[0]
    if seen.phase == Phase.KEEP:
        budget = Budget(playouts=1)  # no chance is involved: what follows is valued by average cards
    dealer = Dealer(seen, known, (learned or own_weights()).hands)
    weights = (learned or own_weights()).of(seen.options, seen.players)
    return _Search(seen, dealer, stakes, weights, candidates).best(Chance.of(seed), budget)


def _candidates(seen: Observation, stakes: Stakes) -> list[Move]:
    """Return the legal moves, without those Bishops that send the Pope where he hinders the others little."""
    assert seen.seat is not None
    if "bishop" not in (seen.hand or ()):
        return list(seen.legal)
    places = stakes.popes(seen.seat)[:_POPES]
    return [
        move
        for move in seen.legal
        if move.card != "bishop" or move.region is None or REGION_NUMBER[move.region] in places
    ]


class _Gain:
    """Differences in the same worlds: their number, sum and sum of squares."""

    __slots__ = ("_count", "_squares", "_sum")

    def __init__(self) -> None:
        self._count, self._sum, self._squares = 0, 0.0, 0.0

    def add(self, difference: float) -> None:
        self._count += 1
        self._sum += difference
        self._squares += difference * difference

    def mean(self) -> float:
        return self._sum / self._count if self._count else 0.0

    def is_clear(self) -> bool:
        """Return whether the mean is positive by more than its standard error."""
        if self._sum <= 0.0:
            return False
        spread = self._squares - self._sum * self._sum / self._count
        return self._sum * self._sum * max(self._count - 1, 1) > _CLEAR * _CLEAR * spread * self._count


class _Search:
    """How much better than Captain's move each candidate has done in the worlds so far."""

    def __init__(
        self,
        seen: Observation,
        dealer: Dealer,
        stakes: Stakes,
        weights: Sequence[float],
        candidates: list[Move],
    ) -> None:
        assert seen.seat is not None
        self._seen, self._seat, self._stakes = seen, seen.seat, stakes
        self._weights, self._dealer = weights, dealer
        self._favourite = choose("captain", seen)
        self._left = list(dict.fromkeys([self._favourite, *candidates]))
        self._gains = {move: _Gain() for move in self._left}

    def best(self, chance: Chance, budget: Budget) -> Move:
        """Return the best candidate, halving their number while the budget is spent.

        Captain's move stays to the end, and is played unless another is clearly better.
        """
        stages = max(1, (len(self._left) - 1).bit_length())
        for _ in range(stages):
            for _ in range(max(1, budget.playouts // (stages * len(self._left)))):
                self._deal(chance)
                if budget.is_spent():
                    return self._clearly_best()
            self._halve()
        return self._clearly_best()

    def _deal(self, chance: Chance) -> None:
        """Try every candidate that is left in one more world."""
        world = self._dealer.deal(chance)
        usual = self._value(world, self._favourite)
        for move in self._left:
            if move != self._favourite:
                self._gains[move].add(self._value(world, move) - usual)

    def _value(self, world: World, move: Move) -> float:
        end = played_out(after_move(self._seen, world, move), self._stakes)
        return chances(end, self._weights)[self._seat]

    def _halve(self) -> None:
        """Keep the better half, and Captain's move."""
        ranked = self._ranked()[: (len(self._left) + 1) // 2]
        self._left = list(dict.fromkeys([self._favourite, *ranked]))

    def _ranked(self) -> list[Move]:
        """Return the candidates that are left, the best first; of equals, the one that was first before."""
        return sorted(self._left, key=lambda move: -self._gains[move].mean())

    def _clearly_best(self) -> Move:
        best = self._ranked()[0]
        return best if self._gains[best].is_clear() else self._favourite


def after_move(seen: Observation, world: World, move: Move) -> World:
    """Return the imagined world once the observing seat has made this move."""
    assert seen.seat is not None
    world = world.copy()
    if seen.phase == Phase.PLACE:
        assert move.region is not None
        world.begin(REGION_NUMBER[move.region])
    elif seen.phase == Phase.BATTLE:
        world.act(action_of(move))
    elif seen.phase == Phase.KEEP:
        world.hands[seen.seat] = numbered(move.cards)
        world.settled = True
    else:
        if move.kind == "discard hand":
            world.hands[seen.seat] = ()
        end_hand_phase(world)
    return world


def end_hand_phase(world: World) -> None:
    """Begin the battle at the region chosen before, unless the round is over (R18) or it's 1995 (R46)."""
    if world.battle == NONE or sum([bool(hand) for hand in world.hands]) <= 1:
        world.settled = True
    else:
        world.begin(world.battle)


def action_of(move: Move) -> Action:
    """Return a move of a battle as an action."""
    if move.kind == "pass":
        return Action(reveals=move.reveals)
    return Action(
        NUMBER_OF[str(move.card)],
        NONE if move.taken is None else NUMBER_OF[move.taken],
        NONE if move.from_seat is None else move.from_seat,
        NONE if move.region is None else REGION_NUMBER[move.region],
    )


def played_out(world: World, stakes: Stakes) -> World:
    """Play this world's battle to its end, with captains in all seats."""
    while not world.settled:
        world.act(captains_action(world, stakes))
    return world
