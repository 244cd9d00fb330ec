"""Others get the same whether a standing order was given or not: bytes, queries and calls of functions."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
import time_machine
from django.core import mail
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.mail.delivery import deliver_due
from accounts.mail.models import OutgoingEmail
from games import services
from games.links import LinkedDecision, answer_token
from games.models import StandingOrder
from games.models.replay import replayed
from games.orders import HOLD, Aside, Fight, Order
from tests.games.playing import begin_game
from tests.games.test_secret_answers_cost_nothing import cost_of, paths
from tests.orders.test_giving_orders import Battle, seat_of

pytestmark = [pytest.mark.django_db, pytest.mark.once]

SPECTATOR = -1
DRAWN = re.compile(rb'name="(csrfmiddlewaretoken|form_key)" value="[\w-]+"|={10,}\d+==|X-CSRFToken": "\w+"')
ORDERS_READ = re.compile(r'FROM "games_standingorder"')


@pytest.fixture
def people(anna: Any, bruno: Any, carla: Any) -> list[Any]:
    return [anna, bruno, carla]


@pytest.fixture
def battle(people: list[Any], wall: Any) -> Any:
    with time_machine.travel(wall.now, tick=False):
        yield Battle(begin_game(people, watch="anyone", pace="day"))


@pytest.mark.parametrize("holds", [True, pytest.param(False, marks=pytest.mark.long)])
@pytest.mark.parametrize("reader", ["first", pytest.param("second", marks=pytest.mark.long)])
def test_an_order_changes_no_query_and_no_call_of_others_pages(
    battle: Battle, people: list[Any], signed_in: Any, reader: str, holds: bool
) -> None:
    number = getattr(battle, reader)
    clients = {number: signed_in(people[number]), SPECTATOR: Client()}
    pages = [(client, path) for seat, client in clients.items() for path in _places(battle, seat)]
    if reader == "first":  # previews never run orders, not even of those who are next
        pages.append((clients[number], _preview(battle, people[number])))
    for client, path in pages:
        client.get(path)  # what is new to them is so once
    before = {path: cost_of(client, path) for client, path in pages}
    for seat in {battle.second, battle.third} - {number}:
        battle.give(seat, HOLD if holds else Fight((battle.mercenary(seat),), 40))
    after = {path: cost_of(client, path) for client, path in pages}
    assert [path for path in before if before[path].queries != after[path].queries] == []
    assert [path for path in before if before[path].calls != after[path].calls] == []
    read = [query for cost in after.values() for query in cost.queries if ORDERS_READ.search(query)]
    assert all(f'"seat" = {number}' in query for query in read)


def test_an_order_changes_no_query_of_anothers_move(
    battle: Battle, people: list[Any], signed_in: Any
) -> None:
    client, told = signed_in(people[battle.first]), []
    typed = {"move": f"play {battle.mercenary(battle.first)}", "decision_step": _step(battle)}
    given: list[Order | None] = [None, None, Aside(), HOLD]  # queries that are built once are built
    for order in given:
        with transaction.atomic():
            if order is not None:
                battle.give(battle.third, order)
            with CaptureQueriesContext(connection) as captured:
                assert client.post(f"/games/{battle.game.pk}/move/", typed).status_code == 302
            told.append([query["sql"].partition(" ")[0] for query in captured])
            transaction.set_rollback(True)
    assert told[1] == told[2] == told[3]


History = Callable[[Battle], None]


def nothing_ordered(battle: Battle) -> None:
    battle.play(battle.first)
    battle.play(battle.second)


def stopped_at_once(battle: Battle) -> None:
    """An order that asks where its seat would have been asked without it."""
    battle.give(battle.third, Fight((battle.mercenary(battle.third),), 1))
    nothing_ordered(battle)
    assert battle.stop(battle.third)


def held_in_vain(battle: Battle) -> None:
    """Holding asks where its seat would have been asked without it, because others play on."""
    battle.give(battle.third, HOLD)
    nothing_ordered(battle)
    assert battle.stop(battle.third)


def won_by_hand(battle: Battle) -> None:
    battle.play(battle.first, "pass")
    battle.play(battle.second)
    battle.play(battle.third)
    battle.play(battle.second, "pass")
    battle.play(battle.third, "pass")


def won_by_holding(battle: Battle) -> None:
    battle.play(battle.first, "pass")
    battle.play(battle.second)
    battle.play(battle.third, order=HOLD)
    battle.play(battle.second, "pass")
    assert battle.log()[-1] == (battle.third, "pass", "order")


def withdrawn(battle: Battle) -> None:
    battle.give(battle.third, Aside())
    services.withdraw_order(battle.game, seat_of(battle, battle.third))
    nothing_ordered(battle)


def changed(battle: Battle) -> None:
    battle.play(battle.first)
    battle.give(battle.third, Aside())
    battle.give(battle.third, Fight((battle.mercenary(battle.third),), 1))
    battle.play(battle.second)


def passed_by_hand(battle: Battle) -> None:
    nothing_ordered(battle)
    battle.play(battle.third, "pass")


def passed_by_order(battle: Battle) -> None:
    battle.give(battle.third, Aside())
    nothing_ordered(battle)


@pytest.mark.parametrize(
    ("first", "others"),
    [
        (nothing_ordered, [stopped_at_once, held_in_vain]),
        pytest.param(won_by_hand, [won_by_holding], marks=pytest.mark.long),
        (passed_by_hand, [passed_by_order]),
        pytest.param(nothing_ordered, [withdrawn, changed], marks=pytest.mark.long),
    ],
)
def test_how_a_seat_came_to_be_asked_or_to_pass_shows_to_its_owner_alone(
    battle: Battle, people: list[Any], signed_in: Any, first: History, others: list[History]
) -> None:
    told = _told_by(battle, people, signed_in, first)
    assert sum(text.startswith(b"200\n") for text in told.values()) >= 10
    for other in others:
        assert _told_by(battle, people, signed_in, other) == told
    assert not StandingOrder.objects.exists()


def _told_by(battle: Battle, people: list[Any], signed_in: Any, history: History) -> dict[bytes, bytes]:
    """All that the other two and a spectator get after this history, which is then undone."""
    readers = {seat: people[seat] for seat in (battle.first, battle.second)}
    with transaction.atomic():
        OutgoingEmail.objects.all().delete()
        history(battle)
        found = _emails({person.email for person in readers.values()})
        for seat, person in {**readers, SPECTATOR: None}.items():
            client = signed_in(person) if person else Client()
            here = paths(battle.game, seat)
            wanted = (
                here if seat == SPECTATOR else [here[0], "/games/", "/", f"/tables/{battle.game.table_id}/"]
            )
            found |= {f"{path} {seat}".encode(): _bytes(client.get(path)) for path in wanted}
        transaction.set_rollback(True)
    return found


def _places(battle: Battle, seat: int) -> list[str]:
    """Return the pages on which an order could show, for the holder of this seat or a spectator."""
    if seat == SPECTATOR:
        return paths(battle.game, seat)
    here = f"/games/{battle.game.pk}/"
    return [here, f"{here}arrangements/", f"/tables/{battle.game.table_id}/", "/games/", "/"]


def _preview(battle: Battle, person: Any) -> str:
    """Return the page that shows what a move of the asked seat leads to."""
    token = answer_token(LinkedDecision(battle.game.pk, battle.first, person.pk, _step(battle)))
    typed = {"move": f"play {battle.mercenary(battle.first)}", "decision_step": _step(battle)}
    return f"/answer/{token}/confirm/?{urlencode(typed)}"


def _emails(addresses: set[str]) -> dict[bytes, bytes]:
    OutgoingEmail.objects.update(message_id="<email-1@testserver>")
    mail.outbox.clear()
    with time_machine.travel(timedelta(hours=1), tick=False):
        deliver_due()
    mine = sorted(one.message().as_bytes() for one in mail.outbox if addresses & set(one.to))
    return {f"email {number}".encode(): DRAWN.sub(b"", text) for number, text in enumerate(mine)}


def _bytes(answer: Any) -> bytes:
    headers = sorted(f"{name}: {value}" for name, value in answer.headers.items())
    return "\n".join([str(answer.status_code), *headers, ""]).encode() + DRAWN.sub(b"", answer.content)


def _step(battle: Battle) -> int:
    return replayed(battle.game).state.step
