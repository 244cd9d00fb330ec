"""How every seat plays when a battle is imagined to its end: fast, by chance, from its own cards alone.

Each alternative has features, which are places in one list of weights. The sum of their weights is how much
it is liked. The weights are learned from real games (`training`).
"""

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from games.rules import CARDS, SPRING_BONUS

from .battle_world import NONE, PASS, Action, World, highest_mercenary, strength, totals_of
from .card_numbers import (
    BISHOP,
    DRUMMER,
    FIRST_SPECIAL,
    PUNCHES,
    SCARECROW,
    SPRING,
    STRENGTHS,
    SURRENDER,
    WINTER,
)
from .chance import Chance, growth
from .stakes import LEVELS, Stakes

_LEADS = (-20, -10, -5, 0, 1, 6, 11, 21)  # bounds of the lead over the best other line
_LEAD = len(_LEADS) + 1
_POWERS = (-10, 0, 8, 16, 28, 45)  # bounds of the lead with all of the hand's strength
_POWER = len(_POWERS) + 1
_SIZES = (1, 2, 3, 5, 8)  # bounds of a number of cards
_SIZE = len(_SIZES) + 1
_OTHERS = 4  # kinds of numbers of others still in: 0, 1, 2, more
_KINDS = len(CARDS)
_SEASONS = 3
_SEASON_PLACES = {NONE: 0, WINTER: 1, SPRING: 2}
_COVERED = 4  # what a face-down card of another is expected to bring

# Where each group of features begins: first those of a pass, then those of a card.
_PASS_OTHERS = 0
_PASS_STAKE = _PASS_OTHERS + _OTHERS * _LEAD
_PASS_RIVAL = _PASS_STAKE + LEVELS * _LEAD
_PASS_SIZE = _PASS_RIVAL + LEVELS * LEVELS
_PASS_POWER = _PASS_SIZE + _SIZE * _SIZE
_PASS_START = _PASS_POWER + _POWER * _OTHERS
_CARD_LEAD = _PASS_START + 4
_CARD_AFTER = _CARD_LEAD + _KINDS * _LEAD
_CARD_STAKE = _CARD_AFTER + _OTHERS * _LEAD
_CARD_SEASON = _CARD_STAKE + _KINDS * LEVELS
_TAKE_NOTHING = _CARD_SEASON + _KINDS * _SEASONS
FEATURES = _TAKE_NOTHING + 1


class Alternative(NamedTuple):
    """What a seat may do, and the features of doing it."""

    action: Action
    features: tuple[int, ...]


class _Situation(NamedTuple):
    """What the choice of a seat depends on, most of it as places in a group of features."""

    seat: int
    best: int  # the strength of the best other line
    lead: int  # of the seat's own line over it; negative if it is behind
    place: int  # of the lead
    others: int  # still in
    stake: int  # of the seat
    rival_stake: int  # of the seat with the best other line or, if there is none, with the most cards
    largest: int  # of the hands of others still in


def alternatives(world: World, stakes: Stakes) -> list[Alternative]:
    """Return what the seat whose turn it is may sensibly do: pass, or one of its cards."""
    now = _situation(world, stakes)
    found = [Alternative(PASS, _pass_features(world, now))]
    season = _SEASON_PLACES[world.season]
    for card in dict.fromkeys(world.hands[now.seat]):
        action, after = _card_action(world, stakes, now, card)
        others = 0 if card == SURRENDER else now.others
        features: tuple[int, ...] = (
            _CARD_LEAD + card * _LEAD + now.place,
            _CARD_AFTER + others * _LEAD + bisect_right(_LEADS, after),
            _CARD_STAKE + card * LEVELS + now.stake,
            _CARD_SEASON + card * _SEASONS + season,
        )
        if card == SCARECROW and action.taken == NONE:
            features = (*features, _TAKE_NOTHING)
        found.append(Alternative(action, features))
    return found


def _situation(world: World, stakes: Stakes) -> _Situation:
    seat = world.turn
    best, rival, others, largest, largest_of = -1, seat, 0, 0, NONE
    for other in range(world.players):
        if other != seat:
            total = world.totals[other] + (_COVERED if world.down[other] else 0)
            if total > best:
                best, rival = total, other
            if not world.out >> other & 1:
                others += 1
                if len(world.hands[other]) > largest:
                    largest, largest_of = len(world.hands[other]), other
    lead = world.totals[seat] + sum([STRENGTHS[card] for card in world.down[seat]]) - best
    if lead > 0 and largest_of != NONE:
        rival = largest_of
    levels = stakes.levels(world.battle)
    others = min(others, _OTHERS - 1)
    return _Situation(
        seat, best, lead, bisect_right(_LEADS, lead), others, levels[seat], levels[rival], largest
    )


def _pass_features(world: World, now: _Situation) -> tuple[int, ...]:
    hand = world.hands[now.seat]
    power = bisect_right(_POWERS, now.lead + sum([PUNCHES[card] for card in hand]))
    return (
        _PASS_OTHERS + now.others * _LEAD + now.place,
        _PASS_STAKE + now.stake * _LEAD + now.place,
        _PASS_RIVAL + now.stake * LEVELS + now.rival_stake,
        _PASS_SIZE + bisect_right(_SIZES, len(hand)) * _SIZE + bisect_right(_SIZES, now.largest),
        _PASS_POWER + power * _OTHERS + now.others,
        _PASS_START + (2 if world.played else 0) + (world.played >> now.seat & 1),
    )


def _card_action(world: World, stakes: Stakes, now: _Situation, card: int) -> tuple[Action, int]:
    """Return how a card is played, and roughly the lead after it."""
    if card < FIRST_SPECIAL:
        return Action(card), now.lead + _mercenary_adds(world, now.seat, card)
    if card == SCARECROW:
        return _scarecrow(world, now)
    if card == BISHOP:
        places = stakes.popes(now.seat)
        return Action(BISHOP, pope=places[0] if places else NONE), _lead_after_bishop(world, now)
    if card in (WINTER, SPRING):
        return Action(card), _lead_after_season(world, now, card)
    if card == DRUMMER:
        return Action(card), now.lead + _drummer_adds(world, now.seat)
    return Action(card), now.lead + STRENGTHS[card]


def _mercenary_adds(world: World, seat: int, card: int) -> int:
    adds = 1 if world.season == WINTER else STRENGTHS[card]
    if DRUMMER in world.lines[seat]:
        adds *= 2
    if world.season == SPRING and card >= highest_mercenary(world.lines):
        adds += SPRING_BONUS
    return adds


def _drummer_adds(world: World, seat: int) -> int:
    line = world.lines[seat]
    if DRUMMER in line:
        return 0
    return strength(tuple([card for card in line if card < FIRST_SPECIAL]), world.season, NONE)


def _scarecrow(world: World, now: _Situation) -> tuple[Action, int]:
    """Return a Scarecrow that takes the seat's own best, in 1995 the best of the strongest other line."""
    owner = now.seat
    if world.options.is_1995:
        robbed = [
            (world.totals[other], other)
            for other, line in enumerate(world.lines)
            if other != now.seat and highest_mercenary([line]) != NONE
        ]
        owner = max(robbed)[1] if robbed else owner
    line = world.lines[owner]
    taken = highest_mercenary([line])
    if taken == NONE:
        return Action(SCARECROW), now.lead
    value = 1 if world.season == WINTER else STRENGTHS[taken]
    if DRUMMER in line:
        value *= 2
    if not world.options.is_1995:
        return Action(SCARECROW, taken), now.lead - value
    return Action(SCARECROW, taken, owner), now.lead + (-value if owner == now.seat else value)


def _lead_after_season(world: World, now: _Situation, card: int) -> int:
    if card == world.season:
        return now.lead
    return _lead_with(totals_of(world.lines, card), now.seat)


def _lead_after_bishop(world: World, now: _Situation) -> int:
    highest = highest_mercenary(world.lines)
    if highest == NONE or world.options.is_1995:
        return now.lead
    lines = [tuple([card for card in line if card != highest]) for line in world.lines]
    return _lead_with(totals_of(lines, world.season), now.seat)


def _lead_with(totals: list[int], seat: int) -> int:
    return totals[seat] - max([total for other, total in enumerate(totals) if other != seat])


def chosen(world: World, stakes: Stakes, weights: Sequence[float], chance: Chance) -> Action:
    """Return an action, the likelier the more its features weigh."""
    found = alternatives(world, stakes)
    if len(found) == 1:
        return found[0].action
    odds = [growth(sum([weights[feature] for feature in each.features])) for each in found]
    at = chance.fraction() * sum(odds)
    for each, odd in zip(found, odds, strict=True):
        at -= odd
        if at < 0.0:
            return each.action
    return found[-1].action
