"""A seat's standing order on the game page: what it does, and what could be ordered now."""

from __future__ import annotations

from dataclasses import dataclass

from games.models import Game, StandingOrder
from games.narration.orders import fight_on_text, order_text
from games.orders import Fight, suggested
from games.rules import Move, Observation, State, apply, observe


@dataclass(frozen=True)
class FightOn:
    """Cards to fight on with, as a form fills them in."""

    order: Fight

    @property
    def cards(self) -> str:
        return ", ".join(self.order.cards)

    @property
    def limit(self) -> int:
        return self.order.limit

    @property
    def text(self) -> str:
        return fight_on_text(self.order)


@dataclass(frozen=True)
class OrderPanel:
    """What a seat in a battle can order; `text` describes the order that stands, empty for none."""

    text: str
    fight: FightOn | None
    is_asked: bool


def order_panel(game: Game, seen: Observation) -> OrderPanel | None:
    """Return the panel of the observing seat; None where it can order nothing."""
    if seen.seat is None or game.is_over or not game.table.has_orders or not _is_in_battle(seen):
        return None
    row = StandingOrder.objects.filter(game=game, seat=seen.seat).first()
    return OrderPanel(order_text(row.order) if row else "", _fight(seen), seen.asked is not None)


def fight_after(state: State, seat: int, move: Move) -> FightOn | None:
    """Return how a seat could fight on after this move of its own; None if its battle ends with it."""
    after, _events = apply(state, seat, move)
    seen = observe(after, seat)
    return _fight(seen) if _is_in_battle(seen) else None


def _is_in_battle(seen: Observation) -> bool:
    return seen.seat is not None and seen.phase == "battle" and not seen.passed[seen.seat]


def _fight(seen: Observation) -> FightOn | None:
    order = suggested(seen)
    return FightOn(order) if order.cards else None
