"""Standing orders: what a seat answers automatically in one battle, and when it asks its player instead.

Pure like the rules and the bots: no rows, clock or randomness. An order plays cards or passes. It never
chooses regions, sends the Pope, plays a Scarecrow or makes a secret decision (R17, R18). A stop always asks:
it neither plays nor passes. Once all others are out, an order passes as soon as that wins the battle.
Holding is an order that does nothing else.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from games.rules import (
    CARDS,
    MERCENARIES,
    CardPlayed,
    CardsTurnedUp,
    Event,
    HeldBack,
    MercenariesRemoved,
    MercenaryTakenBack,
    Move,
    Observation,
    Passed,
    Phase,
    PopePlaced,
    RanOutOfCards,
    SeasonSwept,
    line_strengths,
    parse_move,
    sole_highest,
)

HIGHEST_LIMIT = 999
MARGIN = 30  # of a suggested limit above the strongest line; docs/DEVELOPING.md has the measurements
LISTED = MERCENARIES | {"courtesan", "heroine", "drummer"}
# What others may play without changing my line; totals say the rest (Bishop and Scarecrow: if they leave it).
_ORDINARY = LISTED | {"bishop", "scarecrow"}
# Everything that can happen while a battle goes on. Any other event, known or not, is beyond an order.
_IN_BATTLE = (
    CardPlayed,
    CardsTurnedUp,
    SeasonSwept,
    MercenariesRemoved,
    PopePlaced,
    MercenaryTakenBack,
    Passed,
    HeldBack,
    RanOutOfCards,
)
_PASS = parse_move("pass")
_Lines = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Aside:
    """Stand aside: pass when asked."""

    even_with_one_rival: bool = False  # otherwise it asks when only one other is left in the battle


@dataclass(frozen=True, slots=True)
class Fight:
    """Fight on: play these cards one after the other, until another's announced total reaches `limit`.

    Once all others are out, it plays no more than it takes to win, and nothing if that is not enough.
    Without cards it holds: it passes once all others are out and that wins, and asks at anything else.
    """

    cards: tuple[str, ...]
    limit: int
    passes_at_limit: bool = False  # otherwise it asks there


Order = Aside | Fight
HOLD = Fight((), HIGHEST_LIMIT)


class Kind(StrEnum):
    """What an order is called in forms and links."""

    ASIDE = "aside"
    HOLD = "hold"
    FIGHT = "fight"


def kind_of(order: Order) -> Kind:
    """Return the kind of an order."""
    if isinstance(order, Aside):
        return Kind.ASIDE
    return Kind.FIGHT if order.cards else Kind.HOLD


class Why(StrEnum):
    """Why an order ends and asks its player."""

    NEW_BATTLE = "new battle"
    HELD_BACK = "held back"
    ALONE = "alone"
    ONE_RIVAL = "one rival"
    SPECIAL = "special"
    TURNED_UP = "turned up"
    LIMIT = "limit"
    LIST_DONE = "list done"
    CARD_GONE = "card gone"


class Stop(NamedTuple):
    """The reason an order ended, and the seat and the card that caused it, where there are such."""

    why: Why
    seat: int | None = None
    card: str | None = None


class Wrong(StrEnum):
    """What is wrong with an order."""

    TURNED_OFF = "turned off"  # at this table
    NO_BATTLE = "no battle"
    OUT = "out"
    NOT_LISTED = "not listed"
    NOT_HELD = "not held"
    LIMIT = "limit"


class Problem(NamedTuple):
    """Something wrong with an order, and the card it is about, if any."""

    wrong: Wrong
    card: str | None = None


def answer(order: Order, seen: Observation, since: Sequence[Event]) -> Move | Stop:
    """Return the seat's answer, one of `seen.legal`, or why the player is asked.

    `since` are the events since the order was given, as the seat may know them, and none before.
    """
    if seen.phase != Phase.BATTLE or is_over(since):
        return Stop(Why.NEW_BATTLE)
    if not rivals(seen) and _wins(seen, _lines(seen)):
        return Stop(Why.ALONE) if _may_take_back(seen) else _PASS
    if any(isinstance(event, HeldBack) and event.seat == seen.seat for event in since):
        return Stop(Why.HELD_BACK)  # a defender is asked again (R33)
    return _aside(order, seen, since) if isinstance(order, Aside) else _fight(order, seen, since)


def is_over(since: Iterable[Event]) -> bool:
    """Return whether the order's battle is over, or something beyond a battle has happened."""
    return not all(isinstance(event, _IN_BATTLE) for event in since)


def rivals(seen: Observation) -> tuple[int, ...]:
    """Return the other seats that are still in the battle."""
    return tuple([seat for seat, is_out in enumerate(seen.passed) if not is_out and seat != seen.seat])


def _lines(seen: Observation, more: tuple[str, ...] = ()) -> _Lines:
    """Return the lines if the seat adds these cards to its own, and turns up what it has face down."""
    assert seen.seat is not None
    down = () if seen.own_face_down is None else (seen.own_face_down,)
    return _changed(seen.lines, seen.seat, (*seen.lines[seen.seat], *down, *more))


def _changed(lines: _Lines, seat: int, line: tuple[str, ...]) -> _Lines:
    return (*lines[:seat], line, *lines[seat + 1 :])


def _wins(seen: Observation, lines: _Lines) -> bool:
    """Return whether the seat wins, or keeps its region (R34), if everyone passes at these lines.

    That is not known while another's card lies face down (R40).
    """
    if not lines_are_known(seen):
        return False
    winner = sole_highest(line_strengths(lines))
    return seen.seat == (seen.defender if winner is None else winner)


def lines_are_known(seen: Observation) -> bool:
    """Return whether no other seat has a card face down, so that the seat knows who is ahead (R40)."""
    return not any(seen.face_down[seat] for seat in _others(seen))


def _may_take_back(seen: Observation) -> bool:
    """Return whether a Scarecrow can take a Mercenary into the hand (R10, R45) and the seat still wins."""
    lines = _lines(seen)
    for move in seen.legal:
        if move.taken is not None:
            owner = seen.seat if move.from_seat is None else move.from_seat
            assert owner is not None
            at = lines[owner].index(move.taken)
            if _wins(seen, _changed(lines, owner, lines[owner][:at] + lines[owner][at + 1 :])):
                return True
    return False


def _aside(order: Aside, seen: Observation, since: Iterable[Event]) -> Move | Stop:
    left = rivals(seen)
    if not left:
        return Stop(Why.ALONE)
    is_last = len(left) == 1 and any(isinstance(event, Passed | RanOutOfCards) for event in since)
    return Stop(Why.ONE_RIVAL, left[0]) if is_last and not order.even_with_one_rival else _PASS


def _fight(order: Fight, seen: Observation, since: Sequence[Event]) -> Move | Stop:
    stop = _changed_by_others(seen, since)
    if stop is not None:
        return stop
    reached = next((seat for seat in _others(seen) if seen.totals[seat] >= order.limit), None)
    if reached is not None:
        return _PASS if order.passes_at_limit else Stop(Why.LIMIT, reached)
    played = sum([isinstance(event, CardPlayed) and event.seat == seen.seat for event in since])
    if not rivals(seen) and not _wins(seen, _lines(seen, order.cards[played:])):
        return Stop(Why.ALONE)
    if not order.cards:
        return _played_on(seen, since)
    if played >= len(order.cards):
        return Stop(Why.LIST_DONE)
    card = order.cards[played]
    move = parse_move(f"play {card}")
    return move if move in seen.legal else Stop(Why.CARD_GONE, card=card)


def _played_on(seen: Observation, since: Iterable[Event]) -> Stop:
    """Return that holding ended: the first rival who played a card, or who is still in without one.

    It has no reason of its own: a release without this order reads the stops of those that have it.
    """
    left = rivals(seen)
    for event in since:
        if isinstance(event, CardPlayed) and event.seat in left:
            return Stop(Why.LIST_DONE, event.seat, event.card)
    return Stop(Why.LIST_DONE, left[0])


def _changed_by_others(seen: Observation, since: Iterable[Event]) -> Stop | None:
    """Return the first thing another seat did that a player should look at before fighting on."""
    by = None  # whose card the events are about
    for event in since:
        if isinstance(event, CardPlayed):
            by = event.seat
            if by != seen.seat and event.card not in {None, *_ORDINARY}:
                return Stop(Why.SPECIAL, by, event.card)
        elif isinstance(event, MercenariesRemoved) and by != seen.seat:
            if any(seat == seen.seat for seat, _count in event.losses):
                return Stop(Why.SPECIAL, by, "bishop")
        elif isinstance(event, MercenaryTakenBack) and event.from_seat == seen.seat != event.seat:
            return Stop(Why.SPECIAL, event.seat, "scarecrow")
        elif isinstance(event, CardsTurnedUp):
            for seat, card in event.cards:
                if seat != seen.seat:
                    return Stop(Why.TURNED_UP, seat, card)
    return None


def _others(seen: Observation) -> list[int]:
    return [seat for seat in range(seen.players) if seat != seen.seat]


def problems(order: Order, seen: Observation) -> list[Problem]:
    """Return all that is wrong with an order given now; [] if it can be given.

    `seen` is what the seat sees then: if the order comes with a move, after that move.
    """
    if seen.phase != Phase.BATTLE or seen.seat is None:
        return [Problem(Wrong.NO_BATTLE)]
    if seen.passed[seen.seat]:
        return [Problem(Wrong.OUT)]
    return [] if isinstance(order, Aside) else _problems_of_list(order, seen)


def _problems_of_list(order: Fight, seen: Observation) -> list[Problem]:
    found: list[Problem] = []
    held = Counter(seen.hand)
    for card, count in Counter(order.cards).items():
        if card not in LISTED:
            found.append(Problem(Wrong.NOT_LISTED, card))
        elif count > held[card]:
            found.append(Problem(Wrong.NOT_HELD, card))
    return found if 1 <= order.limit <= HIGHEST_LIMIT else [*found, Problem(Wrong.LIMIT)]


def suggested(seen: Observation) -> Fight:
    """Return a list to start from: all cards that a list may hold, Mercenaries first and from the lowest.

    It goes on until another's strength is `MARGIN` more than the strongest line has. `seen` is what the seat
    sees after the move that the list follows, if there is one.
    """
    cards = tuple(sorted([card for card in seen.hand or () if card in LISTED], key=CARDS.index))
    return Fight(cards, limit_above(seen.totals))


def limit_above(totals: Sequence[int], margin: int = MARGIN) -> int:
    """Return the limit that is this far above the strongest of these lines."""
    return min(max(totals) + margin, HIGHEST_LIMIT)
