"""A seat's standing order on the game page: what it does, and what could be ordered now."""

from __future__ import annotations

from dataclasses import dataclass

from games.models import Game, Seat, StandingOrder
from games.narration.orders import fight_on_text, order_text
from games.narration.vocabulary import card_names
from games.orders import Fight, rivals, suggested
from games.rules import Observation, Phase


@dataclass(frozen=True)
class FightOn:
    """Cards to fight on with, as a form fills them in."""

    order: Fight

    @property
    def cards(self) -> str:
        return card_names(self.order.cards)

    @property
    def limit(self) -> int:
        return self.order.limit

    @property
    def text(self) -> str:
        return fight_on_text(self.order)


@dataclass(frozen=True)
class OrderPanel:
    """What a seat that isn't asked can order; `text` describes the order that stands, empty for none."""

    text: str
    fight: FightOn | None


def order_panel(game: Game, seen: Observation) -> OrderPanel | None:
    """Return the panel of the observing seat; None where it can order nothing, or is asked anyway."""
    if seen.seat is None or seen.asked is not None or not _may_order(game, seen):
        return None
    row = StandingOrder.objects.filter(game=game, seat=seen.seat).first()
    return OrderPanel(order_text(row.order) if row else "", fight_on(game, seen))


def fight_on(game: Game, seen: Observation) -> FightOn | None:
    """Return the cards to fight on with that are suggested to a seat; None where it cannot."""
    order = suggested(seen) if _may_order(game, seen) and rivals(seen) else None
    return FightOn(order) if order and order.cards and _has_seen_a_battle(game, seen) else None


def _has_seen_a_battle(game: Game, seen: Observation) -> bool:
    """Return whether the seat's player can know what fighting on means.

    They do once a region is held, or if they have been in another game.
    """
    assert seen.seat is not None
    user = game.table.all_seats()[seen.seat].user_id
    others = Seat.objects.filter(user=user, table__games__isnull=False).exclude(table=game.table_id)
    return bool(seen.control) or (user is not None and others.exists())


def _may_order(game: Game, seen: Observation) -> bool:
    is_in_battle = seen.seat is not None and seen.phase == Phase.BATTLE and not seen.passed[seen.seat]
    return is_in_battle and game.table.has_orders and not game.is_over
