"""R17: what a reader gets costs the same whether others have answered in secret or not.

Not by a stopwatch: the same statements are put to the database, and the same functions of ours are called in
the same order.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

import pytest
import time_machine
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext

from games import services
from games.links import LinkedDecision, answer_token
from games.models import Game, Table
from games.rules import Decision, State, parse_move, pending
from tests.games import polls
from tests.games.playing import game_where, submit

pytestmark = [pytest.mark.django_db, pytest.mark.once]

ROOT = Path(__file__).resolve().parents[2]
OWN = tuple(str(ROOT / app) for app in ("accounts", "games", "condottiere_site", "templates"))
NOW = "2031-03-03 12:00:30+00:00"


class Cost(NamedTuple):
    """The cost of one answer."""

    queries: list[str]
    calls: list[CodeType]


def some_are_asked(state: State, decision: Decision) -> bool:
    return decision.kind == "hand" and 2 < len(pending(state)) < state.players


@pytest.fixture
def game(people: list[Any], dario: Any, elena: Any) -> Game:
    game, _state = game_where([*people, dario, elena], some_are_asked)
    Table.objects.filter(pk=game.table_id).update(watch=Table.Watch.ANYONE, pace="day", time_by="host")
    return Game.objects.select_related("table").get(pk=game.pk)


@cache
def _is_own(file: str) -> bool:
    return file.startswith(OWN)


@contextmanager
def calls() -> Iterator[list[CodeType]]:
    """Record our functions that are called in this block."""
    found: list[CodeType] = []

    def note(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call" and _is_own(frame.f_code.co_filename):
            found.append(frame.f_code)

    sys.setprofile(note)
    try:
        yield found
    finally:
        sys.setprofile(None)


def cost_of(client: Client, path: str, **headers: str) -> Cost:
    with CaptureQueriesContext(connection) as captured, calls() as called:
        assert client.get(path, headers=headers).status_code in (200, 304, 404)
    return Cost([query["sql"] for query in captured], called)


def paths(game: Game, number: int) -> list[str]:
    """Return the pages that the holder of this seat opens; -1 is a spectator."""
    watch = f"/watch/{game.table.watch_key}/"
    if number < 0:
        return [watch, "/watch/", f"{watch}proof/"]
    table, here = f"/tables/{game.table_id}/", f"/games/{game.pk}/"
    user = game.table.seats.get(number=number).user_id
    token = answer_token(LinkedDecision(game.pk, number, user, game.step - 1))
    own = ["", "arrangements/", "proof/", "chronicle/"]
    beside = [table, f"{table}chat/", f"{table}deals/", f"{table}show/", f"{table}seal/"]
    return [*(here + page for page in own), *beside, "/games/", "/", "/tables/", watch, f"/answer/{token}/"]


def costs(game: Game, clients: dict[int, Client]) -> dict[str, Cost]:
    found = {}
    for number, client in clients.items():
        for path in paths(game, number):
            found[f"{path} for seat {number}"] = cost_of(client, path)
    return found


@time_machine.travel(NOW, tick=False)
@pytest.mark.parametrize("answer", ["keep hand", pytest.param("discard hand", marks=pytest.mark.long)])
def test_a_secret_answer_makes_no_page_of_others_cost_more_or_less(
    game: Game, signed_in: Any, answer: str, long: bool
) -> None:
    asked = pending(_state(game))
    first = asked[0]
    idle = next(seat for seat in range(5) if seat not in [decision.seat for decision in asked])
    others = [game.table.seats.get(number=number) for number in (asked[1].seat, *([idle] if long else []))]
    clients = {seat.number: signed_in(seat.user) for seat in others} | {-1: Client()}
    for number, client in clients.items():
        for path in paths(game, number):
            client.get(path)  # what is new to them is so once
    before = costs(game, clients)
    assert all(cost.calls for cost in before.values())
    submit(game, first.seat, parse_move(answer), first.decision_step, "web")
    after = costs(game, clients)
    assert [path for path in before if before[path].queries != after[path].queries] == []
    assert [path for path in before if before[path].calls != after[path].calls] == []


@time_machine.travel(NOW, tick=False)
def test_a_poll_costs_the_same(game: Game, signed_in: Any) -> None:
    first = pending(_state(game))[0]
    other = next(seat for seat in game.table.seats.all() if seat.number != first.seat)
    client, path = signed_in(other.user), f"/games/{game.pk}/"
    page = client.get(path).content.decode()
    address, headers = polls.asked_by(page)
    cost_of(client, address, **headers)  # queries that are built once are built
    before = cost_of(client, address, **headers)
    submit(game, first.seat, parse_move("keep hand"), first.decision_step, "web")
    assert cost_of(client, address, **headers) == before


@time_machine.travel(NOW, tick=False)
def test_what_the_table_did_between_secret_answers_stands_where_it_would_without_them(
    game: Game, signed_in: Any
) -> None:
    """A pause between another's answer and one's own is shown before one's own."""
    first, second = pending(_state(game))[:2]
    reader = game.table.seats.get(number=second.seat)
    told = []
    for is_answered in (False, True):
        with transaction.atomic():
            if is_answered:
                submit(game, first.seat, parse_move("keep hand"), first.decision_step, "web")
            services.host_pauses(Game.objects.get(pk=game.pk), game.table.host, 3)
            submit(game, second.seat, parse_move("keep hand"), second.decision_step, "web")
            page = signed_in(reader.user).get(f"/games/{game.pk}/").content.decode()
            told.append(page.partition('id="log"')[2].partition("</section>")[0])
            transaction.set_rollback(True)
    assert "paused" in told[0]
    assert told[0] == told[1]


def _state(game: Game) -> State:
    from games.models.replay import replayed

    return replayed(Game.objects.select_related("table").get(pk=game.pk)).state
