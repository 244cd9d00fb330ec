"""Where each single card of a game went, and whether one seat ever saw its face.

A `Card` lives from the shuffle that put it into the pile until it is shuffled again. What lies face up is
known to all and not followed any further.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from games.rules import (
    CardPlayed,
    CardsDealt,
    CardsKept,
    CardsTurnedUp,
    Event,
    FinalBattleBegun,
    HandDecided,
    HandsDropped,
    HandsShown,
    MercenaryTakenBack,
    Replay,
    RoundEnded,
)
from games.rules.engine import Ply


@dataclass(eq=False)
class Card:
    """One card. `face` is what it was; `is_known` whether the seat has seen that; `lies_down` whether it was
    played face down, which not every card can be (R37)."""

    face: str
    is_known: bool = False
    lies_down: bool = False


@dataclass
class Histories:
    """The cards of a game, by the log entries that moved them."""

    piles: dict[int, list[Card]] = field(default_factory=dict)  # by the shuffle, from the top
    played: dict[int, Card] = field(default_factory=dict)
    kept: dict[int, list[Card]] = field(default_factory=dict)


class _Follower:
    """Follows every card that some seat may not know through a game."""

    def __init__(self, players: int, seat: int | None, *, nobody_keeps: bool) -> None:
        self.seat, self.nobody_keeps = seat, nobody_keeps
        self.hands: list[list[Card]] = [[] for _ in range(players)]
        self.down: list[list[Card]] = [[] for _ in range(players)]
        self.decided: dict[int, list[Card]] = {}
        self.pile: list[Card] = []
        self.found = Histories()

    def follow(self, number: int, ply: Ply, shares: Sequence[tuple[int, int]]) -> None:
        """One log entry; `shares` are what it dealt after a shuffle."""
        if ply.seat is None:
            self.pile = [Card(face) for face in ply.move.cards]
            self.found.piles[number] = list(self.pile)
            self._deal(shares)
        for event in ply.events:
            if isinstance(event, CardsDealt) and ply.seat is not None:
                self._deal([(event.seat, event.count)])
            self._happened(number, event)

    def _deal(self, shares: Iterable[tuple[int, int]]) -> None:
        """Deal from the top of the pile, as far as it goes (R26)."""
        for owner, count in shares:
            dealt, self.pile = self.pile[:count], self.pile[count:]
            self.hands[owner] += dealt
            if owner == self.seat:
                _known(dealt)

    def _happened(self, number: int, event: Event) -> None:
        match event:
            case CardPlayed():
                self._play(number, event)
            case CardsTurnedUp():
                # The earlier one first (R37).
                _known(self.down[owner].pop(0) for owner, _ in event.cards)
            case MercenaryTakenBack(card=str(face)):
                self.hands[event.seat].append(Card(face, is_known=True))
            case CardsKept() if not self.nobody_keeps:
                self._keep(number, event)
            case _:
                self._hands_may_go(event)

    def _hands_may_go(self, event: Event) -> None:
        match event:
            case HandDecided(discarded=True):
                self.decided[event.seat], self.hands[event.seat] = self.hands[event.seat], []
            case HandsShown():
                for cards in self.decided.values():
                    _known(cards)
                self.decided = {}
            case HandsDropped():
                for cards in self.hands:
                    _known(cards)
                self._hands_go()
            case FinalBattleBegun():
                self._hands_go()
            case RoundEnded() if self.nobody_keeps:
                self._hands_go()

    def _play(self, number: int, event: CardPlayed) -> None:
        assert event.card is not None
        card = self._taken(event.seat, event.card, rather_known=not event.is_face_down)
        self.found.played[number] = card
        if event.is_face_down:
            card.lies_down = True
            self.down[event.seat].append(card)
        else:
            card.is_known = True

    def _taken(self, owner: int, face: str, *, rather_known: bool) -> Card:
        """Which of several equal cards a player takes no one can tell: the one that says least."""
        hand = self.hands[owner]
        same = [card for card in hand if card.face == face]
        card = min(same, key=lambda card: card.is_known != rather_known)
        hand.remove(card)
        return card

    def _keep(self, number: int, event: CardsKept) -> None:
        kept = [self._taken(event.seat, face, rather_known=True) for face in event.cards or ()]
        self.found.kept[number] = kept
        self._hands_go()
        self.hands[event.seat] = list(kept)

    def _hands_go(self) -> None:
        """Put cards to be shuffled, seen or unseen."""
        for hand in self.hands:
            hand.clear()


def _known(cards: Iterable[Card]) -> None:
    for card in cards:
        card.is_known = True


def histories(past: Replay, players: int, seat: int | None) -> Histories:
    """Return the history of a game's cards, and which of them this seat (None: a spectator) has seen."""
    follower = _Follower(players, seat, nobody_keeps=past.state.options.is_1995)  # R46
    for number, ply in enumerate(past.plies):
        follower.follow(number, ply, past.states[number].shares)
    return follower.found
