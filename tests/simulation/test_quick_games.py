"""Games without a site: they end, the same seed gives the same ones, and orders spare emails."""

from dataclasses import replace

from tests.simulation.games.people import Levers
from tests.simulation.games.quick import QuickClub
from tests.simulation.games.report import Figures, printed_quick
from tests.simulation.games.world import Plan

PLAN = Plan(players=3, pace="hours", seed=4, levers=Levers(orders=0, alone=0, captains=True, holds=0))


def lived(plan: Plan, tables: int = 2) -> Figures:
    return QuickClub(plan, 0, tables).lived()


def test_the_same_seed_gives_the_same_games() -> None:
    once, again = lived(PLAN), lived(PLAN)
    assert once == again
    assert len(once.lengths) == len(once.turn_emails) == 2
    assert all(length > 0 for length in once.lengths)
    assert sum(once.battle_emails) <= sum(once.turn_emails) == once.emails["your_turn"]
    assert once.ordered == 0


def test_standing_orders_move_and_ask_and_spare_emails() -> None:
    without, ordered = lived(PLAN), lived(replace(PLAN, levers=Levers(100, 100, captains=True)))
    assert ordered.orders["fight"] > 0
    assert 0 < ordered.ordered < ordered.moves
    assert ordered.stops.total() <= ordered.orders.total()
    assert sum(ordered.turn_emails) < sum(without.turn_emails)
    report = "\n".join(printed_quick(ordered, "hours", 3, Levers(100, 100, captains=True)))
    assert f"they made {ordered.ordered} moves" in report
    assert "2 games of 3" in report


def test_holding_makes_the_last_pass() -> None:
    held = lived(replace(PLAN, levers=replace(PLAN.levers, holds=100)))
    assert held.orders.keys() == {"hold"}
    assert 0 < held.ordered < held.orders["hold"]
    assert not any(stop.startswith(("limit", "one rival")) for stop in held.stops)


def test_agreed_hours_and_replies_shorten_games() -> None:
    usual, agreed, replied = (
        sum(lived(replace(PLAN, levers=replace(PLAN.levers, **lever)), 3).lengths)
        for lever in ({}, {"hours": 100}, {"replies": 100})
    )
    assert agreed < usual
    assert replied < usual
