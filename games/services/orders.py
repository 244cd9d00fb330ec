"""Give, withdraw and carry out standing orders.

An order answers in the transaction of the move that set it off. It never stops a game: whatever goes wrong,
the order ends and its player is asked.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from django.db import transaction

from accounts.full_disk import raise_if_full
from games.models import Game, Seat, StandingOrder
from games.models.locking import locked_for, require_present, require_running
from games.models.replay import replayed
from games.orders import Aside, Order, Problem, Stop, Why, Wrong, answer, is_over, problems
from games.rules import Event, Move, Observation, State, observe, pending, redact

logger = logging.getLogger(__name__)

MOST_ANSWERS = 200  # in one transaction; no battle needs as many


class BadOrder(Exception):
    """Raised for an order that cannot be given; `problems` says why."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__(problems)
        self.problems = problems


class StaleOrder(Exception):
    """Raised for a standing order given to a position that is no longer the game's."""


@transaction.atomic
def give_order(game: Game, seat: Seat, order: Order, step: int) -> None:
    """Give a standing order without a move, while others are asked. Safe to repeat.

    Raises StaleOrder if the game has moved on from `step`, BadOrder, and Refused if someone else has the
    seat, a bot plays it or the game is over; each leaves everything unchanged.
    """
    locked = locked_for(game, seat)
    require_running(locked)
    require_present(seat)
    state = replayed(locked).state
    if state.step != step or _is_asked(state, seat):
        raise StaleOrder
    store_order(locked, state, seat.number, order)


def may_order_after(game: Game, seat: Seat, decision_step: int) -> bool:
    """Return whether a standing order can still follow the seat's move of this decision."""
    if game.is_over or not _is_newest(game, seat, decision_step):
        return False
    state = replayed(game).state
    return not _is_asked(state, seat) and problems(Aside(), observe(state, seat.number)) == []


@transaction.atomic
def give_order_after(game: Game, seat: Seat, order: Order, decision_step: int) -> None:
    """Give a standing order after the seat's newest move, while others are asked. Safe to repeat.

    Raises StaleOrder if the move of this decision is not the newest or the seat is asked again, BadOrder, and
    Refused as `give_order` does; each leaves everything unchanged.
    """
    locked = locked_for(game, seat)
    require_running(locked)
    require_present(seat)
    state = replayed(locked).state
    if not _is_newest(locked, seat, decision_step) or _is_asked(state, seat):
        raise StaleOrder
    store_order(locked, state, seat.number, order)


def _is_newest(game: Game, seat: Seat, decision_step: int) -> bool:
    moves = game.log.filter(seat=seat.number, decision_step__isnull=False).order_by("-ply")
    return moves.values_list("decision_step", flat=True).first() == decision_step


def _is_asked(state: State, seat: Seat) -> bool:
    return any(decision.seat == seat.number for decision in pending(state))


@transaction.atomic
def withdraw_order(game: Game, seat: Seat) -> bool:
    """Withdraw the seat's standing order, so that its player is asked again; return whether there was one.

    Raises Refused if someone else has the seat by now.
    """
    deleted, _by_model = locked_for(game, seat).standing_orders.filter(seat=seat.number).delete()
    return deleted > 0


def store_order(game: Game, state: State, seat: int, order: Order) -> None:
    """Store the seat's order for the running battle in place of an older one. Raises BadOrder.

    Call this under the game's lock. `state` is the position from which the order counts.
    """
    has_orders = game.table.has_orders
    wrong = problems(order, observe(state, seat)) if has_orders else [Problem(Wrong.TURNED_OFF)]
    if wrong:
        raise BadOrder(wrong)
    defaults = _columns(order) | {"ply": state.ply}
    StandingOrder.objects.update_or_create(game=game, seat=seat, defaults=defaults)


def _columns(order: Order) -> dict[str, Any]:
    if isinstance(order, Aside):
        return {
            "kind": StandingOrder.Kind.ASIDE,
            "cards": [],
            "limit": 0,
            "is_firm": order.even_with_one_rival,
        }
    return {
        "kind": StandingOrder.Kind.FIGHT,
        "cards": list(order.cards),
        "limit": order.limit,
        "is_firm": order.passes_at_limit,
    }


class RunningOrders:
    """The standing orders of one game while moves are being played. Save what ended with `delete_ended`."""

    def __init__(self, game: Game, since: Callable[[int], list[Event]]) -> None:
        """Read the game's orders; `since` returns the events from a log entry on."""
        self._rows = {row.seat: row for row in game.standing_orders.all()}
        self._since = since
        self._ended: list[int] = []
        self._answers = 0
        self.stops: dict[int, Stop] = {}  # by seat: why its order ended and its player is asked

    def answer(self, state: State, seat: int) -> Move | None:
        """Return what the seat's order answers; None if it has none, or its order ends here."""
        row = self._rows.get(seat)
        found = None if row is None else self._answer_or_none(row, state)
        if isinstance(found, Move):
            return found
        if found is not None and found.why != Why.NEW_BATTLE:  # the battle's own news says how it ended
            self.stops[seat] = found
        self.drop([seat])
        return None

    def _answer_or_none(self, row: StandingOrder, state: State) -> Move | Stop | None:
        try:
            return self._carry_out(row, observe(state, row.seat))
        except Exception as error:  # a standing order must never stop a game: its player is asked instead
            raise_if_full(error)
            logger.exception("a standing order could not be carried out", extra={"order": row.pk})
            return None

    def _carry_out(self, row: StandingOrder, seen: Observation) -> Move | Stop:
        self._answers += 1
        if self._answers > MOST_ANSWERS:
            raise RuntimeError("too many answers by standing orders")
        found = answer(row.order, seen, self._events_seen(row))
        if isinstance(found, Move) and found not in seen.legal:
            raise RuntimeError(f"a standing order answered {found}")
        return found

    def _events_seen(self, row: StandingOrder) -> tuple[Event, ...]:
        return redact(self._since(row.ply), row.seat)

    def given_at(self, seat: int | None) -> int:
        """Return the log entry from which the seat's order counts; 0 if it has none."""
        row = None if seat is None else self._rows.get(seat)
        return 0 if row is None else row.ply

    def drop(self, seats: Iterable[int | None]) -> None:
        """End the orders of these seats, without a reason to show."""
        self._ended += [self._rows.pop(seat).pk for seat in seats if seat in self._rows]

    def delete_ended(self, state: State) -> None:
        """Delete the orders that have ended: by a stop, with their battle, or when their seat left it."""
        if rows := list(self._rows.values()):
            out = observe(state, None).passed
            self.drop([row.seat for row in rows if out[row.seat] or is_over(self._events_seen(row))])
        if self._ended:
            StandingOrder.objects.filter(pk__in=self._ended).delete()
