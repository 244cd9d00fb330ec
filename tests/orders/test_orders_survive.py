"""Whatever happens while standing orders are there, no move is lost or doubled, and no game stops."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.db import connection, transaction

from accounts.mail.models import OutgoingEmail
from accounts.personal_data import leave_in_all_apps
from condottiere_site.privacy import erase
from games import services
from games.models import Game, LogEntry, Seat, StandingOrder
from games.models.replay import replayed
from games.orders import Aside, Fight, answer
from games.rules import MERCENARIES, parse_move, pending
from games.selectors.integrity import differences
from games.services import Refused, absence
from games.services import orders as orders_service
from games.services.moves import is_in_battle
from tests.clocks.passing import Wall
from tests.clocks.racing import TIMES, at_once
from tests.games.playing import begin_game, submit
from tests.orders.test_giving_orders import Battle, seat_of

pytestmark = [pytest.mark.django_db, pytest.mark.once]

Stored = list[list[tuple[Any, ...]]]


class Killed(BaseException):
    """The process is gone; nothing after this line is done."""


@pytest.fixture
def people(anna: Any, bruno: Any, carla: Any) -> list[Any]:
    return [anna, bruno, carla]


@pytest.fixture
def battle(people: list[Any]) -> Battle:
    return Battle(begin_game(people))


def everyone_fights(battle: Battle) -> None:
    """The two who are not asked order all their Mercenaries, up to limits that end the fight."""
    for seat in (battle.second, battle.third):
        held = [card for card in battle.seen(seat).hand or () if card in MERCENARIES]
        battle.give(seat, Fight(tuple(held), 99))


def stored(game: Game) -> Stored:
    """All that a move changes, without the numbers of rows."""
    emails = OutgoingEmail.objects.order_by("key").values_list("key", "state")
    orders = game.standing_orders.order_by("seat").values_list("seat", "kind", "cards", "limit", "ply")
    asked = Seat.objects.filter(table=game.table_id).order_by("number")
    log = game.log.order_by("ply").values_list("ply", "seat", "move", "via", "decision_step")
    found = (emails, orders, asked.values_list("number", "decision_step", "order_stop"), log)
    return [list(rows) for rows in found]


def is_sound(game: Game) -> None:
    """The log replays, its copies agree with it, and only players who may still use an order have one."""
    assert differences(game.pk) == []
    game = Game.objects.get(pk=game.pk)
    state = replayed(game).state
    asked = {decision.seat for decision in pending(state)}
    assert game.is_over or asked
    for row in game.standing_orders.all():
        assert is_in_battle(state, row.seat)
        assert row.seat not in asked


def test_a_kill_anywhere_in_a_chain_leaves_all_or_nothing(
    battle: Battle, monkeypatch: pytest.MonkeyPatch
) -> None:
    everyone_fights(battle)
    before, answers = stored(battle.game), 0

    def dies(at: int, *seen: Any) -> object:
        nonlocal answers
        answers += 1
        if answers == at:
            raise Killed
        return answer(*seen)

    done = None
    for at in (0, 1, 2, 3):  # 0: never
        answers = 0
        monkeypatch.setattr(orders_service, "answer", partial(dies, at))
        with transaction.atomic():
            try:
                battle.play(battle.first, "pass")
            except Killed:
                assert stored(battle.game) == before
                monkeypatch.setattr(orders_service, "answer", answer)
                battle.play(battle.first, "pass")
            done = done or stored(battle.game)
            assert stored(battle.game) == done
            is_sound(battle.game)
            transaction.set_rollback(True)
        assert answers == at or answers > 3
    assert stored(battle.game) == before


def test_too_many_answers_end_an_order_and_its_player_is_asked(
    battle: Battle, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    everyone_fights(battle)
    assert orders_service.MOST_ANSWERS == 200
    monkeypatch.setattr(orders_service, "MOST_ANSWERS", 1)
    with caplog.at_level(logging.ERROR):
        battle.play(battle.first)
    assert [seat for seat, _move, via in battle.log() if via == "order"] == [battle.second]
    assert battle.asked() == battle.third
    assert battle.orders() == {battle.second}
    assert "too many answers" in caplog.text
    is_sound(battle.game)


def closes_their_account(battle: Battle, _newcomer: Any) -> None:
    leave_in_all_apps(seat_of(battle, battle.third).person)


def deletes_their_account(battle: Battle, _newcomer: Any) -> None:
    erase(seat_of(battle, battle.third).person)


def hands_over(battle: Battle, newcomer: Any) -> None:
    services.take_over(services.hand_over(seat_of(battle, battle.third), newcomer.email), newcomer)


def is_away(battle: Battle, _newcomer: Any) -> None:
    with transaction.atomic():
        absence.play_for_absent(battle.game, seat_of(battle, battle.third), 0, battle.game.started_at)


def is_replaced(battle: Battle, newcomer: Any) -> None:
    """As an organiser replaces a player who is away."""
    is_away(battle, newcomer)
    services.fill_seat(seat_of(battle, battle.third), newcomer)


LEAVING = [closes_their_account, deletes_their_account, hands_over, is_away, is_replaced]


@pytest.mark.parametrize("leaves", LEAVING)
def test_an_order_answers_for_nobody_but_the_player_who_gave_it(
    battle: Battle, dario: Any, leaves: Callable[[Battle, Any], None]
) -> None:
    battle.give(battle.third, Aside(even_with_one_rival=True))
    holder = seat_of(battle, battle.third)
    leaves(battle, dario)
    if leaves is not is_away:
        assert battle.orders() == set()
        with pytest.raises(Refused):
            services.give_order(battle.game, holder, Aside(), replayed(battle.game).state.step)
        with pytest.raises(Refused):
            services.withdraw_order(battle.game, holder)
    battle.play(battle.first)
    battle.play(battle.second)
    assert battle.orders() == set()
    assert not LogEntry.objects.filter(via="order").exists()
    is_sound(battle.game)
    turns = [battle.first, battle.second, battle.third]
    moved = [seat for seat, _move, _via in battle.log()]
    assert moved[:3] == turns[: len(moved)]
    assert len(moved) >= 3 or battle.asked() == battle.third


def everyone_leaves(battle: Battle) -> None:
    for seat in (battle.first, battle.second, battle.third):
        services.give_up(seat_of(battle, seat))


def everyone_agrees_to_end(battle: Battle) -> None:
    proposal = services.propose_end(seat_of(battle, battle.first), battle.game, "most regions")
    for seat in (battle.second, battle.third):
        services.accept_proposal(seat_of(battle, seat), proposal)


@pytest.mark.parametrize("ends", [everyone_leaves, everyone_agrees_to_end])
def test_no_order_outlives_a_game_that_its_table_ends(battle: Battle, ends: Callable[[Battle], None]) -> None:
    """Nor does one stop a game in which a bot and orders answer one another."""
    everyone_fights(battle)
    ends(battle)
    assert Game.objects.get(pk=battle.game.pk).is_over
    assert battle.orders() == set()
    is_sound(battle.game)


def test_someone_for_whom_a_bot_plays_is_told_to_come_back_first(
    battle: Battle, people: list[Any], signed_in: Any
) -> None:
    is_away(battle, None)
    client, here = signed_in(people[battle.third]), f"/games/{battle.game.pk}/"
    assert "Stand aside" not in client.get(here).content.decode()
    typed = {"order": "aside", "step": replayed(battle.game).state.step}
    page = client.post(f"{here}order/", typed, follow=True).content.decode()
    assert "A bot is playing for you. Come back first." in page
    assert battle.orders() == set()


@pytest.fixture
def in_threads(transactional_db: None) -> None:
    assert connection.vendor == "postgresql"


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("in_threads")
def test_an_order_and_all_that_crosses_it_come_in_some_order(people: list[Any], wall: Wall) -> None:
    """Two answers at once, which set the order off; it is withdrawn, changed, and its seat given up."""
    allowed = (services.NotAsked, services.StaleOrder, services.BadOrder, Refused)
    for round_number in range(max(TIMES, 2)):
        battle = Battle(begin_game(people, name=f"Table {round_number}"))
        everyone_fights(battle)
        before, step = len(battle.log()), replayed(battle.game).state.step
        mine, third = parse_move(f"play {battle.mercenary(battle.first)}"), seat_of(battle, battle.third)
        moves = [partial(submit, battle.game, battle.first, mine, step, via) for via in ("web", "link")]
        crossing: list[Callable[[], object]] = [
            partial(services.withdraw_order, battle.game, third),
            partial(services.give_order, battle.game, third, Aside(), step),
        ]
        at_once(wall, *moves, crossing[round_number % 2], allowed=allowed)
        played = battle.log()[before:]
        assert [(seat, move, via in ("web", "link")) for seat, move, via in played[:1]] == [
            (battle.first, str(mine), True)
        ]
        assert {via for _seat, _move, via in played[1:]} <= {"order"}
        turns = [seat for seat, _move, _via in played]
        assert turns == [(battle.first + turn) % 3 for turn in range(len(turns))]
        assert turns[1:2] == [battle.second]
        is_sound(battle.game)


def test_a_game_goes_on_without_orders_that_say_nonsense(battle: Battle) -> None:
    """Such as no version of the site stores."""
    for cards in (["winter"], [7], {"a": 1}, None):
        with transaction.atomic():
            StandingOrder.objects.create(
                game=battle.game, seat=battle.second, kind="fight", cards=cards or [], limit=99, ply=0
            )
            battle.play(battle.first)
            assert battle.asked() == battle.second
            assert battle.orders() == set()
            transaction.set_rollback(True)
