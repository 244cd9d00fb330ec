"""The chance of each seat to win the game from a position between two battles.

Each seat's features are weighed, and the chances are in proportion to e to the power of the sums. The weights
are learned from the ends of real games (`training`).
"""

from collections.abc import Sequence
from functools import lru_cache

from games.bots.regions import each_of, largest_group, share_of_number, standing, steps_to_group
from games.rules import CARDS, Options

from .battle_world import NONE, World
from .card_numbers import ALL_REGIONS, BISHOP, CARD_PRICES, PUNCHES, SCARECROW, SURRENDER, Cards, kept
from .chance import growth
from .likely_hands import full_hand

Features = tuple[float, ...]

FEATURES = 20
_DRAWN_AFTER_BATTLE = 3  # R25
_KINDS = len(CARDS)


def chances(world: World, weights: Sequence[float]) -> list[float]:
    """Return each seat's chance to win; of a game that is over, its share of the victory."""
    if world.winners:
        share = 1.0 / len(world.winners)
        return [share if seat in world.winners else 0.0 for seat in range(world.players)]
    odds = [
        growth(sum([weight * factor for weight, factor in zip(weights, features, strict=True)]))
        for features in features_of(world)
    ]
    total = sum(odds)
    return [odd / total for odd in odds]


def features_of(world: World) -> list[Features]:
    """Return the features of each seat."""
    hands = _hands_expected(world)
    strengths = [sum([PUNCHES[card] * count for card, count in enumerate(hand)]) for hand in hands]
    table = sum(strengths) / world.players + 1.0
    return [_features(world, seat, hands[seat], strengths[seat] / table) for seat in range(world.players)]


def _features(world: World, seat: int, hand: Sequence[float], share: float) -> Features:
    """Return a seat's features, most of them between 0 and 2.

    `share` is the strength of its hand, as a part of the table's average.
    """
    goals = world.options.goals(world.players)
    held, free = world.holdings[seat], _obtainable(world, seat)
    worth = standing(held, free, goals.connected, goals.total, share_of_number(world.options))
    steps = steps_to_group(held, free, goals.connected)
    if goals.total is not None:
        steps = min(steps, goals.total - held.bit_count())
    is_near, is_close, token = float(steps <= 1), float(steps == 2), float(world.token == seat)
    ways = min(_ways_to_win(held, free, goals.connected, goals.total), 4) / 4.0
    size = sum(hand)
    return (
        worth / 20.0,
        is_near,
        is_close,
        ways,
        ways * token,
        ways * share,
        held.bit_count() / 3.0,
        token,
        token * is_near,
        token * is_close,
        share,
        share * is_near,
        share * is_close,
        min(share, 0.5),  # the first cards matter most
        sum([CARD_PRICES[card] * count for card, count in enumerate(hand)]) / 30.0,
        size / 10.0,
        float(not size),
        hand[SCARECROW] / 2.0,
        hand[BISHOP] / 2.0,
        hand[SURRENDER],
    )


def _obtainable(world: World, seat: int) -> int:
    """Return the regions that a seat may still take (R3, R32, R41)."""
    options = world.options
    if options.is_1995:
        return ALL_REGIONS & ~world.holdings[seat]
    taken = world.holdings[seat] if options.captures_regions else sum(world.holdings)
    return ALL_REGIONS & ~taken & ~(0 if world.pope == NONE else 1 << world.pope)


@lru_cache(maxsize=1 << 14)
def _ways_to_win(held: int, free: int, connected: int, total: int | None) -> int:
    """Return how many regions would win the game at once."""
    if total is not None and held.bit_count() + 1 >= total:
        return free.bit_count()
    return sum([largest_group(held | one) >= connected for one in each_of(free)])


def _hands_expected(world: World) -> list[list[float]]:
    """Return how many cards of each kind each seat has when the next battle begins, on average."""
    options = world.options
    hands = [_counted(hand) for hand in world.hands]
    if options.draws_after_battle:
        most = _DRAWN_AFTER_BATTLE if any(world.hands) else options.hand_size
        return [
            _filled(hand, min(most, _limit(world, seat) - len(world.hands[seat])), options)
            for seat, hand in enumerate(hands)
        ]
    if sum([bool(hand) for hand in world.hands]) > 1:
        return hands
    left = [() if options.is_1995 else kept(hand) for hand in world.hands]
    return [
        _filled(_counted(cards), _limit(world, seat) - len(cards), options) for seat, cards in enumerate(left)
    ]


def _counted(hand: Cards) -> list[float]:
    counts = [0.0] * _KINDS
    for card in hand:
        counts[card] += 1.0
    return counts


def _limit(world: World, seat: int) -> int:
    return full_hand(world.options, world.holdings[seat].bit_count())


def _filled(hand: list[float], count: int, options: Options) -> list[float]:
    """Add this many average cards to a hand."""
    if count <= 0:
        return hand
    return [held + count * part for held, part in zip(hand, _average_card(options), strict=True)]


@lru_cache(maxsize=64)
def _average_card(options: Options) -> tuple[float, ...]:
    """Return which part of the deck each kind of card is."""
    return tuple([options.copies.get(card, 0) / len(options.deck) for card in CARDS])
