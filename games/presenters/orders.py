"""Standing orders on pages and in emails: what a seat has ordered, and what it could order now."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from django.http import QueryDict
from django.utils.translation import gettext as _

from games.models import StandingOrder
from games.narration.orders import (
    aside_label,
    aside_text,
    fight_on_label,
    fight_on_text,
    hold_label,
    hold_text,
    order_text,
)
from games.narration.vocabulary import card_name
from games.orders import HOLD, LISTED, MARGIN, Fight, Kind, limit_above, lines_are_known, rivals, suggested
from games.presenters.choices import CardOrder, Pick
from games.presenters.hand import totals_after
from games.presenters.position import Position
from games.rules import Move, Phase, parse_move

MARGINS = (5, 10, 20, MARGIN, 50)  # to pick a limit from


@dataclass(frozen=True)
class PickedCard:
    """A card that can be picked to fight on with."""

    card: str
    name: str
    is_picked: bool


@dataclass(frozen=True)
class PickedLimit:
    """A limit that can be picked: how far above the strongest line it is."""

    margin: int
    name: str
    is_picked: bool


@dataclass(frozen=True)
class FightOn:
    """The cards and the limit to fight on with, to be picked; `typed` is a form that was refused."""

    order: Fight
    typed: QueryDict | None = None

    @property
    def text(self) -> str:
        return fight_on_text(self.order)

    @property
    def cards(self) -> list[PickedCard]:
        left = Counter(self.order.cards if self.typed is None else self.typed.getlist("cards"))
        found = []
        for card in self.order.cards:
            found.append(PickedCard(card, card_name(card), left[card] > 0))
            left[card] -= 1
        return found

    @property
    def limits(self) -> list[PickedLimit]:
        picked = str(MARGIN) if self.typed is None else self.typed.get("above", "")
        return [PickedLimit(margin, _above(margin), str(margin) == picked) for margin in MARGINS]

    @property
    def is_typed(self) -> bool:
        """Whether cards or a limit were typed."""
        return self.typed is not None and any(self.typed.get(name) for name in ("listed", "limit"))


def _above(margin: int) -> str:
    # Translators: ends “Stop when a rival reaches”; n is a strength.
    return _("%(n)d above the strongest line") % {"n": margin}


def standing_order_text(position: Position) -> str:
    """Return what the viewer's standing order does; empty if they have none."""
    assert position.viewer is not None
    row = StandingOrder.objects.filter(game=position.game, seat=position.viewer).first()
    return order_text(row.order) if row else ""


def may_order(position: Position) -> bool:
    """Return whether the viewer can give a standing order now, with a move or while others are asked."""
    seen, game = position.seen, position.game
    is_in_battle = seen.seat is not None and seen.phase == Phase.BATTLE and not seen.passed[seen.seat]
    return is_in_battle and game.table.has_orders and not game.is_over


def fight_on(position: Position, typed: QueryDict | None = None) -> FightOn | None:
    """Return the cards to fight on with that are suggested to the viewer; None where they cannot."""
    seen = position.seen
    if not may_order(position) or not rivals(seen) or not _has_seen_a_battle(position):
        return None
    order = suggested(seen)
    is_enough = len(order.cards) > (1 if seen.asked else 0)  # one is played first
    return FightOn(order, typed) if is_enough else None


def _has_seen_a_battle(position: Position) -> bool:
    """Return whether the viewer can know what fighting on means.

    They do once a region is held, or after their first game.
    """
    assert position.viewer is not None
    seat = position.game.table.all_seats()[position.viewer]
    return bool(position.seen.control) or (seat.user_id is not None and not seat.is_first_game)


def fight_after(position: Position, move: Move, suggestion: Fight) -> Fight:
    """Return what is left of a suggestion to fight on after a legal move has played one of its cards.

    Without another card, it is to hold.
    """
    cards = list(suggestion.cards)
    cards.remove(move.card or "")
    return Fight(tuple(cards), _limit_after(position, move, MARGIN)) if cards else HOLD


def limit_after(position: Position, move: Move, margin: int) -> int:
    """Return the limit this far above the strongest line that there is after a move; now if it is illegal."""
    if move in position.seen.legal:
        return _limit_after(position, move, margin)
    return limit_now(position, margin)


def _limit_after(position: Position, move: Move, margin: int) -> int:
    return limit_above(totals_after(position.choices.foresee(move)) or position.seen.totals, margin)


def limit_now(position: Position, margin: int) -> int:
    """Return the limit this far above the strongest line."""
    return limit_above(position.seen.totals, margin)


def with_orders(position: Position, fight: FightOn | None) -> tuple[Pick, ...]:
    """Return the viewer's cards and other answers, each with the standing orders to give with it."""
    picks = position.choices.picks
    if not may_order(position):
        return picks
    return tuple(replace(pick, orders=_orders_with(position, pick, fight)) for pick in picks)


def _orders_with(position: Position, pick: Pick, fight: FightOn | None) -> tuple[CardOrder, ...]:
    """Return the standing orders that can be given with this answer by someone who may give one.

    They hold with a card that takes the lead, unless another's card lies face down: it would only ask. A
    defender who can wait stands aside with a pass (R33).
    """
    if (way := pick.only) is None:
        return ()
    if pick.held is None:
        return (order_aside(position),) if position.viewer in position.seen.holds_back else ()
    card, orders = pick.held.card, [_order_to_hold(pick.held.card)] if _can_hold(position, pick) else []
    if fight is not None and card in LISTED:
        order = fight_after(position, parse_move(way.text), fight.order)
        orders.append(CardOrder(Kind.FIGHT, fight_on_label(card), fight_on_text(order), order))
    return tuple(orders)


def orders_of(position: Position, move: Move) -> tuple[CardOrder, ...]:
    """Return the standing orders that a page about this move alone offers with it."""
    if not may_order(position):
        return ()
    if move.kind == "pass":
        return (order_aside(position),)
    fight = fight_on(position)
    picks = [pick for pick in position.choices.picks if pick.only and pick.only.text == str(move)]
    return tuple(order for pick in picks for order in _orders_with(position, pick, fight))


def order_without_cards(position: Position, text: str) -> CardOrder | None:
    """Return the standing order that goes with this choice and lists no cards: to hold or stand aside."""
    if not may_order(position):
        return None
    if text == "pass":
        return order_aside(position) if rivals(position.seen) else None
    picks = [pick for pick in position.choices.picks if _can_hold(position, pick)]
    return next((_order_to_hold(pick.key) for pick in picks if pick.only and pick.only.text == text), None)


def _can_hold(position: Position, pick: Pick) -> bool:
    return pick.takes_lead and lines_are_known(position.seen)


def _order_to_hold(card: str) -> CardOrder:
    return CardOrder(Kind.HOLD, hold_label(card), hold_text())


def order_aside(position: Position) -> CardOrder:
    """Return the order to stand aside that is given with a pass."""
    return CardOrder(Kind.ASIDE, aside_label(), aside_text(waits=position.viewer in position.seen.holds_back))
