"""Worlds made from an observation: what the seat sees, with cards dealt at random to everyone else."""

from collections.abc import Sequence

from games.bots.regions import holding
from games.rules import Observation, Phase

from .battle_world import NONE, World
from .card_numbers import GOES_FACE_DOWN, NUMBER_OF, REGION_NUMBER, Cards, kept, numbered
from .chance import Chance
from .known_cards import KnownCards
from .likely_hands import Likelihoods, full_hand, row_of


def world_of(seen: Observation, hands: Sequence[Cards], down: Sequence[Cards]) -> World:
    """Return the world in which the seats hold these cards."""
    world = World(seen.options, seen.players)
    world.hands, world.down = list(hands), list(down)
    world.holdings = [holding(seen, seat) for seat in range(seen.players)]
    world.token, world.finalists = seen.condottiere, seen.final_battle
    world.battle = NONE if seen.battle is None else REGION_NUMBER[seen.battle]
    world.pope = NONE if seen.pope is None else REGION_NUMBER[seen.pope]
    if seen.phase == Phase.BATTLE:
        world.lines = [numbered(line) for line in seen.lines]
        world.totals = list(seen.totals)
        world.season = NONE if seen.season is None else NUMBER_OF[seen.season]
        world.out = sum([1 << seat for seat in range(seen.players) if seen.passed[seat]])
        world.played = sum([1 << seat for seat in range(seen.players) if _has_played(seen, seat)])
        (world.turn,) = seen.waiting_for
    return world


def _has_played(seen: Observation, seat: int) -> bool:
    """Return whether a seat has played a card in this battle, as far as it matters (R33).

    A card leaves no trace if its owner took it back. So the defender is asked first.
    """
    if seat == seen.defender:
        return seat not in seen.holds_back
    return bool(seen.lines[seat]) or seen.face_down[seat]


class Dealer:
    """Deals the cards that a seat cannot see, in all ways that agree with what it knows.

    Others get likelier cards more often, as `likelihoods` says.
    """

    def __init__(self, seen: Observation, known: KnownCards, likelihoods: Likelihoods) -> None:
        assert seen.seat is not None
        self._seen, self._known, self._me = seen, known, seen.seat
        self._own_down = () if seen.own_face_down is None else numbered([seen.own_face_down])
        self._is_fresh = is_dealt_anew(seen)
        hand = numbered(seen.hand or ())
        self._own = kept(hand) if self._is_fresh else hand
        self._unseen = self.unseen_cards()
        self._odds = [likelihoods[row_of(seen, seat)] for seat in range(seen.players)]

    def unseen_cards(self) -> list[int]:
        """Return all cards that may be anywhere."""
        unseen = list(self._seen.options.deck)
        gone = [*self._own, *self._own_down, *[card for hand in self._hands_known() for card in hand]]
        if not self._is_fresh:
            gone += numbered([*self._seen.discards, *[card for line in self._seen.lines for card in line]])
        for card in gone:
            unseen.remove(card)
        return unseen

    def _hands_known(self) -> tuple[Cards, ...]:
        """Return what is known of the others' hands."""
        hands = ((),) * self._seen.players if self._is_fresh else self._known.hands
        return tuple([() if seat == self._me else hand for seat, hand in enumerate(hands)])

    def deal(self, chance: Chance) -> World:
        """Return a world with new cards for the others."""
        pool, seen, known = self._unseen[:], self._seen, self._hands_known()
        down, hands = [self._own_down if seat == self._me else () for seat in range(seen.players)], []
        for seat in range(seen.players):
            if seen.face_down[seat] and seat != self._me:
                down[seat] = _face_down_card(pool, chance)
        for seat in range(seen.players):
            if self._is_fresh:
                hands.append(self._fresh_hand(seat, pool, chance))
            elif seat == self._me:
                hands.append(self._own)
            else:
                missing = seen.hand_sizes[seat] - len(known[seat])
                hands.append(_together(known[seat], chance.draw_likely(pool, missing, self._odds[seat])))
        return world_of(seen, hands, down)

    def _fresh_hand(self, seat: int, pool: list[int], chance: Chance) -> Cards:
        """Return the hand of a new round: the cards kept and those dealt (R18, R19)."""
        own = self._own if seat == self._me else ()
        count = full_hand(self._seen.options, holding(self._seen, seat).bit_count()) - len(own)
        return _together(own, chance.draw(pool, min(count, len(pool))))


def _face_down_card(pool: list[int], chance: Chance) -> Cards:
    """Take a card that may lie face down out of the pool (R37)."""
    places = [place for place, card in enumerate(pool) if GOES_FACE_DOWN[card]]
    return (pool.pop(places[chance.below(len(places))]),)


def _together(some: Cards, more: Cards) -> Cards:
    return tuple(sorted(some + more)) if some else more


def is_dealt_anew(seen: Observation) -> bool:
    """Return whether the region is chosen for a battle that starts a new round.

    In 2007 the region is chosen before the round is found to be over (R16, R18).
    """
    if seen.phase != Phase.PLACE or seen.options.is_1995 or seen.options.draws_after_battle:
        return False
    return sum([size > 0 for size in seen.hand_sizes]) <= 1
