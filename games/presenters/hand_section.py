"""The viewer's hand on the game page, which is the decision where a card is played or kept."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import QueryDict

from games.access import GameAccess
from games.presenters.choices import Pick
from games.presenters.decision import DecisionSection
from games.presenters.hand import HandCard
from games.presenters.orders import FightOn, fight_on, may_order, standing_order_text, with_orders
from games.presenters.position import Position
from games.rules import Phase


@dataclass(frozen=True)
class HandSection:
    """The viewer's cards, each with the moves it leads to, and how they could fight on."""

    cards: tuple[str, ...]
    picks: tuple[Pick, ...]  # each kind of card, and after them the moves that play no card
    decision: DecisionSection
    fight: FightOn | None  # how they could fight on after their next card
    plays_at_once: bool  # without picking the card first
    picked: str  # the card that is already picked
    may_change_pressing: bool  # whether they choose what pressing a card does

    @property
    def keeps(self) -> bool:
        """Whether they choose cards to keep."""
        return self.decision.kind == Phase.KEEP

    @property
    def plays(self) -> bool:
        """Whether they play a card, or decide about the whole hand."""
        return self.decision.kind in (Phase.BATTLE, Phase.HAND)

    @property
    def held(self) -> tuple[HandCard, ...]:
        """The kinds of cards in it."""
        return tuple(pick.held for pick in self.picks if pick.held)

    @property
    def with_orders(self) -> tuple[Pick, ...]:
        """The cards that can be played with a standing order."""
        return tuple(pick for pick in self.picks if pick.held and pick.orders)

    @property
    def has_orders_below(self) -> bool:
        """Whether standing orders have a part of their own below the hand."""
        return self.fight is not None or (self.plays_at_once and bool(self.with_orders))


def hand_section(
    access: GameAccess,
    position: Position,
    decision: DecisionSection,
    picked: str,
    typed: QueryDict | None,
) -> HandSection | None:
    """Return the hand that this access shows; None where it shows none, and after the game."""
    seen = position.seen
    if seen.hand is None or position.is_over:
        return None
    fight = fight_on(position, typed) if seen.asked else None
    return HandSection(
        cards=seen.hand,
        picks=with_orders(position, fight),
        decision=decision,
        fight=fight,
        plays_at_once=access.is_seated and access.seat.person.plays_at_once,
        picked=picked,
        may_change_pressing=access.is_seated and decision.is_card_to_play,
    )


@dataclass(frozen=True)
class OrderSection:
    """What the seat has ordered in this battle, or could order."""

    text: str  # of the order that stands; empty for none
    fight: FightOn | None  # the cards to fight on with that are suggested
    step: int
    address: str


def order_section(access: GameAccess, position: Position, typed: QueryDict | None) -> OrderSection | None:
    """Return the standing order of this access; None for links, and where nothing can be ordered."""
    if access.is_link or access.seat.played_by_bot or position.seen.asked or not may_order(position):
        return None
    step = position.seen.step
    return OrderSection(standing_order_text(position), fight_on(position, typed), step, access.order_url)
