"""Simulated people at their tables. Who is there when it is their turn answers at once, so that a table plays
on until its people are tired of it, or someone is asked who is not there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta

from games import services
from games.models import Game, LogEntry, Seat, Table
from games.models.replay import replayed
from games.rules import Decision, State, observe, pending
from tests.games.playing import submit
from tests.simulation.games.clockwork import Clock
from tests.simulation.leagues.habits import Person

SITTING = 30  # moves until people get up
FOR_A_MOVE = timedelta(seconds=4)

People = Mapping[int, Person]  # by the number of the account


def tables_of(user: int) -> list[int]:
    """Return the seats where they have a decision."""
    asked = Seat.objects.filter(
        user=user, decision_step__isnull=False, played_by_bot="", table__state=Table.State.PLAYING
    )
    return list(asked.order_by("asked_since", "pk").values_list("table", flat=True))


def come_back(user: int) -> int:
    """Come back wherever a bot plays for them; return at how many tables."""
    away = Seat.objects.filter(user=user, table__state=Table.State.PLAYING).exclude(played_by_bot="")
    seats = list(away.select_related("table", "user").order_by("pk"))
    for seat in seats:
        services.come_back(seat)
    return len(seats)


def sit_down(table: int, first: int, people: People, is_there: Callable[[int], bool], clock: Clock) -> bool:
    """Play on at the table, starting with them; return whether its game ended."""
    game = Game.objects.select_related("table").filter(table=table).latest("number")
    holders = dict(Seat.objects.filter(table=table, user__isnull=False).values_list("number", "user"))
    there = {seat: user or 0 for seat, user in holders.items() if user == first or is_there(user or 0)}
    leader = max(holders.values(), key=lambda user: people[user or 0].boldness)
    for _move in range(SITTING):
        state = replayed(game).state
        decision = _next(state, there)
        if decision is None:
            break
        user = there[decision.seat]
        move = people[user].chooses(observe(state, decision.seat), leads=user == leader)
        submit(game, decision.seat, move, decision.decision_step, LogEntry.Via.WEB)
        clock.go_to(clock.now + FOR_A_MOVE)
        if people[user].is_slow:
            del there[decision.seat]
    return Game.objects.filter(pk=game.pk, ended_at__isnull=False).exists()


def _next(state: State, there: Mapping[int, int]) -> Decision | None:
    """Return the first decision of a person who is present."""
    return next((one for one in pending(state) if one.seat in there), None)
