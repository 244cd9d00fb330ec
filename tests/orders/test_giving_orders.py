"""Standing orders in a stored game: they answer in the transaction of the move that set them off."""

import logging
from collections.abc import Callable
from typing import Any

import pytest

from accounts.mail.models import OutgoingEmail
from games import services
from games.models import Game, LogEntry, Seat, StandingOrder
from games.models.replay import replayed
from games.orders import HOLD, Aside, Fight, Order, Problem, Wrong, suggested
from games.rules import MERCENARIES, Move, Observation, apply, observe, parse_move, pending
from games.services import orders as orders_service
from tests.clocks.passing import HOUR, Wall, timed_game
from tests.games.playing import begin_game, submit

pytestmark = pytest.mark.django_db


class Battle:
    """A game in its first battle; `first` must answer now, then `second`, then `third`."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.play(self.asked(), next(str(move) for move in self.seen(self.asked()).legal))
        self.first = self.asked()
        self.second, self.third = [(self.first + after) % 3 for after in (1, 2)]

    def asked(self) -> int:
        (decision,) = pending(replayed(self.game).state)
        return decision.seat

    def seen(self, seat: int) -> Observation:
        return observe(replayed(self.game).state, seat)

    def mercenary(self, seat: int) -> str:
        """Return the lowest Mercenary in the seat's hand."""
        return next(card for card in self.seen(seat).hand or () if card in MERCENARIES)

    def play(self, seat: int, move: str = "", order: Order | None = None) -> services.Played:
        text = move or f"play {self.mercenary(seat)}"
        step = replayed(self.game).state.step
        return submit(self.game, seat, parse_move(text), step, "web", order)

    def give(self, seat: int, order: Order) -> None:
        services.give_order(self.game, seat_of(self, seat), order, replayed(self.game).state.step)

    def fight(self, seat: int, move: str = "", limit: int = 99) -> Fight:
        """Play a Mercenary and fight on with all others."""
        move = move or f"play {self.mercenary(seat)}"
        after, _events = apply(replayed(self.game).state, seat, parse_move(move))
        order = Fight(suggested(observe(after, seat)).cards, limit)
        self.play(seat, move, order)
        return order

    def log(self) -> list[tuple[int | None, str, str]]:
        """Return who made which move how, since the battle began."""
        rows = self.game.log.exclude(move__startswith="shuffle").exclude(move__startswith="place")
        return list(rows.order_by("ply").values_list("seat", "move", "via"))

    def orders(self) -> set[int]:
        return set(StandingOrder.objects.values_list("seat", flat=True))

    def stop(self, seat: int) -> Any:
        return Seat.objects.get(table=self.game.table_id, number=seat).order_stop


@pytest.fixture
def battle(anna: Any, bruno: Any, carla: Any) -> Battle:
    return Battle(begin_game([anna, bruno, carla]))


def test_fight_on_plays_its_next_card_when_its_seat_is_asked(battle: Battle) -> None:
    order = battle.fight(battle.first)
    battle.play(battle.second)
    battle.play(battle.third)
    assert battle.log()[-1] == (battle.first, f"play {order.cards[0]}", "order")
    assert battle.asked() == battle.second
    assert battle.orders() == {battle.first}
    asked = Seat.objects.get(table=battle.game.table_id, number=battle.second)
    assert asked.pending_decision == "battle"
    assert not OutgoingEmail.objects.filter(
        kind="your_turn", context__seat=battle.first, context__decision_step__gt=2
    ).exists()


def test_a_stop_ends_the_order_and_asks_its_player_saying_why(battle: Battle) -> None:
    battle.fight(battle.first, limit=1)
    battle.play(battle.second)
    battle.play(battle.third)
    assert battle.asked() == battle.first
    assert battle.orders() == set()
    assert battle.stop(battle.first) == ["limit", battle.second, None]
    assert OutgoingEmail.objects.filter(kind="your_turn", context__seat=battle.first).count() >= 1
    battle.play(battle.first)
    assert battle.stop(battle.first) is None


def test_orders_of_several_seats_answer_one_after_the_other(battle: Battle) -> None:
    battle.give(battle.second, Aside())
    battle.give(battle.third, Aside(even_with_one_rival=True))
    battle.play(battle.first)
    assert battle.log()[1:] == [(battle.second, "pass", "order"), (battle.third, "pass", "order")]
    assert battle.asked() == battle.first
    assert battle.orders() == set()


def test_an_order_given_while_asked_is_refused(battle: Battle) -> None:
    """It comes with the answer; what was shown to its player before they were asked is out of date."""
    with pytest.raises(services.StaleOrder):
        battle.give(battle.first, Aside())
    assert battle.orders() == set()
    assert battle.log() == []


def test_a_new_order_replaces_the_old_one(battle: Battle) -> None:
    battle.give(battle.second, Aside())
    battle.give(battle.second, Fight((battle.mercenary(battle.second),), 50))
    battle.play(battle.first)
    assert battle.log()[-1][1].startswith("play ")


def test_a_withdrawn_order_answers_nothing(battle: Battle) -> None:
    battle.give(battle.second, Aside())
    second = seat_of(battle, battle.second)
    assert services.withdraw_order(battle.game, second)
    assert not services.withdraw_order(battle.game, second)
    battle.play(battle.first)
    assert battle.asked() == battle.second


def test_a_move_by_hand_ends_the_order(battle: Battle) -> None:
    """As when two pages are open: the later move tells what its player wants now."""
    battle.fight(battle.first)
    battle.play(battle.second)
    StandingOrder.objects.update(limit=1)
    battle.play(battle.third)
    StandingOrder.objects.create(game=battle.game, seat=battle.first, kind="aside", ply=0)
    battle.play(battle.first)
    assert battle.orders() == set()


def test_an_order_ends_with_its_battle(battle: Battle) -> None:
    battle.fight(battle.first)
    battle.play(battle.second, "pass")
    battle.play(battle.third, "pass")
    assert battle.log()[-1] == (battle.first, "pass", "order")
    assert battle.orders() == set()
    assert battle.asked() == battle.first  # the winner chooses the next region


def test_hold_passes_once_everyone_else_has(battle: Battle) -> None:
    battle.play(battle.first, order=HOLD)
    battle.play(battle.second, "pass")
    battle.play(battle.third, "pass")
    assert battle.log()[-1] == (battle.first, "pass", "order")
    assert battle.orders() == set()


def test_hold_ends_when_someone_plays_on(battle: Battle) -> None:
    battle.play(battle.first, order=HOLD)
    played = battle.mercenary(battle.second)
    battle.play(battle.second)
    battle.play(battle.third, "pass")
    assert battle.asked() == battle.first
    assert battle.stop(battle.first) == ["list done", battle.second, played]
    assert battle.orders() == set()


def test_hold_may_be_given_while_others_decide(battle: Battle) -> None:
    battle.play(battle.first)
    battle.give(battle.first, HOLD)
    assert StandingOrder.objects.get().order == HOLD
    battle.play(battle.second, "pass")
    battle.play(battle.third, "pass")
    assert battle.log()[-1] == (battle.first, "pass", "order")


def test_an_order_for_a_position_that_is_gone_is_refused(battle: Battle) -> None:
    step = replayed(battle.game).state.step
    battle.play(battle.first)
    with pytest.raises(services.StaleOrder):
        services.give_order(battle.game, seat_of(battle, battle.third), Aside(), step)
    assert battle.orders() == set()


@pytest.mark.parametrize(
    ("order", "wrong"),
    [
        (Fight((), 0), Problem(Wrong.LIMIT)),
        (Fight(("winter",), 5), Problem(Wrong.NOT_LISTED, "winter")),
        (Fight(("10",) * 9, 5), Problem(Wrong.NOT_HELD, "10")),
        (Fight(("1",) * 16, 10**1000), Problem(Wrong.LIMIT)),
    ],
)
def test_a_bad_order_changes_nothing_and_its_move_is_not_played(
    battle: Battle, order: Order, wrong: Problem
) -> None:
    with pytest.raises(services.BadOrder) as refused:
        battle.play(battle.first, order=order)
    assert wrong in refused.value.problems
    assert battle.log() == []
    assert battle.asked() == battle.first


def test_the_same_answer_again_gives_no_second_order(battle: Battle) -> None:
    step = replayed(battle.game).state.step
    move = parse_move(f"play {battle.mercenary(battle.first)}")
    battle.fight(battle.first, str(move))
    services.withdraw_order(battle.game, seat_of(battle, battle.first))
    again = submit(battle.game, battle.first, move, step, "link", Aside())
    assert again.again
    assert battle.orders() == set()


def test_a_link_for_a_decision_that_the_order_answered_finds_its_answer(battle: Battle) -> None:
    battle.give(battle.second, Aside())
    step = replayed(battle.game).state.step + 1
    battle.play(battle.first)
    with pytest.raises(services.AlreadyPlayed, match="pass") as already:
        submit(
            battle.game, battle.second, parse_move(f"play {battle.mercenary(battle.second)}"), step, "link"
        )
    assert already.value.via == "order"


def test_whatever_goes_wrong_with_an_order_its_player_is_asked(
    battle: Battle, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    battle.give(battle.second, Aside())

    def fails(*_args: object) -> Move:
        raise ZeroDivisionError

    monkeypatch.setattr(orders_service, "answer", fails)
    with caplog.at_level(logging.ERROR):
        battle.play(battle.first)
    assert battle.asked() == battle.second
    assert battle.orders() == set()
    assert "standing order" in caplog.text


def gives_up(battle: Battle) -> None:
    services.give_up(Seat.objects.get(table=battle.game.table_id, number=battle.third))


def closes(battle: Battle) -> None:
    proposal = services.propose_end(seat_of(battle, 0), battle.game, "none")
    for number in (1, 2):
        services.accept_proposal(seat_of(battle, number), proposal)


def seat_of(battle: Battle, number: int) -> Seat:
    return Seat.objects.get(table=battle.game.table_id, number=number)


@pytest.mark.parametrize("ends", [gives_up, closes])
def test_an_order_ends_with_its_players_seat_or_the_game(
    battle: Battle, ends: Callable[[Battle], None]
) -> None:
    battle.give(battle.third, Aside())
    ends(battle)
    assert battle.orders() == set()


def test_a_time_out_ends_the_order_of_its_seat(wall: Wall, anna: Any, bruno: Any, carla: Any) -> None:
    game = timed_game([anna, bruno, carla])
    battle = Battle(game)
    StandingOrder.objects.create(game=game, seat=battle.first, kind="fight", cards=["10"] * 9, limit=9, ply=0)
    battle.give(battle.second, Aside(even_with_one_rival=True))
    wall.pass_by(96 * HOUR)
    assert battle.orders() == set()
    assert LogEntry.objects.filter(game=game, via="clock").count() == 1
    assert battle.log()[-1] == (battle.second, "pass", "order")  # the clock's move sets others off


def test_misses_are_not_forgiven_by_an_order(anna: Any, bruno: Any, carla: Any) -> None:
    battle = Battle(timed_game([anna, bruno, carla]))
    Seat.objects.update(misses=1)
    battle.give(battle.second, Aside())
    battle.play(battle.first)
    assert [seat_of(battle, seat).misses for seat in (battle.first, battle.second)] == [0, 1]
