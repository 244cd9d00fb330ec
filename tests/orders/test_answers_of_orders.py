"""A standing order answers only with legal moves, and asks when something happens that it doesn't cover."""

from dataclasses import dataclass
from random import Random
from typing import Any, get_args

import pytest

from games.orders import (
    HIGHEST_LIMIT,
    LISTED,
    Aside,
    Fight,
    Order,
    Problem,
    Stop,
    Why,
    Wrong,
    answer,
    problems,
    suggested,
)
from games.rules import Event, Move, State, apply, observe, parse_move, pending, redact, replay
from tests.rules.random_play import random_game
from tests.rules.stage import staged

pytestmark = pytest.mark.once
ANNA, BRUNO, CARLA = range(3)


@dataclass
class Battle:
    """A battle played move by move, and what each seat has seen of it since an order was given."""

    state: State
    told: tuple[Event, ...] = ()

    def plays(self, *moves: str) -> "Battle":
        state, told = self.state, self.told
        for move in moves:
            (decision,) = pending(state)
            state, events = apply(state, decision.seat, parse_move(move))
            told += events
        return Battle(state, told)

    def given(self) -> "Battle":
        """The same battle with an order given now."""
        return Battle(self.state)

    def answers(self, order: Order, seat: int = ANNA) -> Move | Stop:
        return answer(order, observe(self.state, seat), redact(self.told, seat))


def battle(hands: str = "3 5 6 drummer|1 2 4 winter|1 2 3 bishop", **more: Any) -> Battle:
    return Battle(staged(hands, **more))


def passes() -> Move:
    return parse_move("pass")


def plays(card: str) -> Move:
    return parse_move(f"play {card}")


def test_aside_passes_when_asked() -> None:
    assert battle().plays("play 3", "play 1", "play 1").given().answers(Aside()) == passes()


def test_aside_asks_once_one_rival_is_left_unless_told_otherwise() -> None:
    later = battle().given().plays("play 3", "play 1", "pass")
    assert later.answers(Aside()) == Stop(Why.ONE_RIVAL, BRUNO)
    assert later.answers(Aside(even_with_one_rival=True)) == passes()


def test_aside_given_with_one_rival_left_passes() -> None:
    duel = battle("3 5|1 2", holder=BRUNO).given().plays("play 1")
    assert duel.answers(Aside()) == passes()


def test_who_is_alone_is_asked() -> None:
    later = battle().plays("play 3").given().plays("pass", "pass")
    assert later.answers(Aside(even_with_one_rival=True)) == Stop(Why.ALONE)
    assert later.answers(Fight(("5",), 99)) == Stop(Why.ALONE)


def test_a_defender_who_held_back_is_asked_the_next_time() -> None:
    """R33: the defender's pass doesn't take them out."""
    lands = {"variants": ("capturing-regions",), "control": "roma=0"}
    before = battle(**lands).given()
    assert before.answers(Aside()) == passes()
    later = before.plays("pass", "play 1", "play 1")
    assert later.answers(Aside()) == Stop(Why.HELD_BACK)


def test_fight_plays_its_cards_in_order() -> None:
    order = Fight(("6", "5"), 99)
    first = battle().plays("play 3", "play 1", "play 1").given()
    assert first.answers(order) == plays("6")
    second = first.plays("play 6", "play 2", "play 2")
    assert second.answers(order) == plays("5")
    third = second.plays("play 5", "play 4", "play 3")
    assert third.answers(order) == Stop(Why.LIST_DONE)


def test_fight_asks_at_its_limit_or_passes_if_told_to() -> None:
    before = battle().plays("play 3").given()
    reached = before.plays("play 4", "play 1")
    assert reached.answers(Fight(("5",), 4)) == Stop(Why.LIMIT, BRUNO)
    assert reached.answers(Fight(("5",), 5)) == plays("5")
    assert reached.answers(Fight(("5",), 4, passes_at_limit=True)) == passes()


@pytest.mark.parametrize(
    ("bruno", "card"),
    [("winter", "winter"), ("spring", "spring"), ("drummer", "drummer"), ("bishop off", "bishop")],
)
def test_fight_asks_after_a_special_card_of_another(bruno: str, card: str) -> None:
    start = battle(f"3 5 6|1 2 {card}|1 2 3").plays("play 3").given()
    assert start.plays(f"play {bruno}", "play 1").answers(Fight(("5",), 99)) == Stop(Why.SPECIAL, BRUNO, card)
    assert start.plays("play 1", "play 1").answers(Fight(("5",), 99)) == plays("5")


@pytest.mark.parametrize("card", ["heroine", "courtesan", "scarecrow nothing"])
def test_fight_goes_on_after_what_a_total_says(card: str) -> None:
    start = battle("3 5 6|1 2 heroine courtesan scarecrow|1 2 3").plays("play 3").given()
    assert start.plays(f"play {card}", "play 1").answers(Fight(("5",), 99)) == plays("5")


def test_fight_asks_when_a_scarecrow_takes_from_my_line() -> None:
    """R45: in 1995 a Scarecrow takes a Mercenary from any line."""
    start = (
        battle("3 5 6|1 2 scarecrow|1 2 3", edition="1995")
        .plays("play 3", "play 1", "play 1", "play 5")
        .given()
    )
    mine = start.plays("play scarecrow 5 from 0", "play 2")
    assert mine.answers(Fight(("6",), 99)) == Stop(Why.SPECIAL, BRUNO, "scarecrow")
    theirs = start.plays("play scarecrow 1 from 2", "play 2")
    assert theirs.answers(Fight(("6",), 99)) == plays("6")


def test_fight_asks_when_another_turns_a_card_up() -> None:
    hidden = (
        battle("3 5 6|1 2 4|1 2 3", variants=("hidden-cards",)).plays("play 3", "play 4", "play 1").given()
    )
    later = hidden.plays("play 5", "play 1", "play 2")
    assert later.answers(Fight(("6",), 99)) == Stop(Why.TURNED_UP, BRUNO, "4")


def test_limits_look_at_announced_totals_only() -> None:
    """R40: what lies face down counts for nobody."""
    hidden = battle("3 5 6|10 2 4|1 2 3", variants=("hidden-cards",)).plays("play 3").given()
    assert hidden.plays("play 10", "play 1").answers(Fight(("5",), 5)) == plays("5")


def test_a_card_that_is_gone_is_asked_about() -> None:
    start = battle().plays("play 3", "play 1", "play 1").given()
    assert start.answers(Fight(("10",), 99)) == Stop(Why.CARD_GONE, card="10")


def test_what_happened_before_the_order_stops_nothing() -> None:
    before = battle().plays("play 3", "play winter", "play 1")
    assert before.answers(Fight(("5",), 99)) == Stop(Why.SPECIAL, BRUNO, "winter")
    assert before.given().answers(Fight(("5",), 99)) == plays("5")


@pytest.mark.parametrize("order", [Aside(even_with_one_rival=True), Fight(("5",), 99, passes_at_limit=True)])
def test_an_order_ends_with_its_battle(order: Order) -> None:
    over = battle("3 5 6|1 2 4|1 2 3").given().plays("play 3", "pass", "pass", "pass")
    assert over.answers(order) == Stop(Why.NEW_BATTLE)


IN_BATTLE = {
    "CardPlayed", "CardsTurnedUp", "SeasonSwept", "MercenariesRemoved", "PopePlaced", "MercenaryTakenBack",
    "Passed", "HeldBack", "RanOutOfCards",
}  # fmt: skip


@pytest.mark.parametrize("kind", [*get_args(Event), type("SomethingNew", (), {})])
def test_any_event_that_is_no_part_of_a_battle_stops_an_order(kind: type) -> None:
    seen = observe(battle().plays("play 3", "play 1", "play 1").state, ANNA)
    event = object.__new__(kind)
    if kind.__name__ not in IN_BATTLE:
        for order in (Aside(), Fight(("5",), 99)):
            assert answer(order, seen, (event,)) == Stop(Why.NEW_BATTLE)


def test_every_answer_is_legal_wherever_random_play_leads(long: bool) -> None:
    """Whatever happened since an order was given: a legal card of the list or a pass, or a question."""
    answered = {"play": 0, "pass": 0, "stop": 0}
    for seed in range(300 if long else 25):
        game, rng = random_game(seed), Random(seed)
        played = replay(game.options, game.players, game.first, game.log)
        for place, state in enumerate(played.states):
            for seat in [decision.seat for decision in pending(state) if decision.kind == "battle"]:
                seen = observe(state, seat)
                given = rng.randint(max(0, place - 6), place)
                since = redact([event for ply in played.plies[given:place] for event in ply.events], seat)
                held = [card for card in seen.hand or () if card in LISTED]
                fight = Fight(
                    tuple(rng.sample(held, min(3, len(held)))), rng.randint(1, 30), rng.random() < 0.5
                )
                for order in (Aside(rng.random() < 0.5), fight):
                    got = answer(order, seen, since)
                    answered["stop" if isinstance(got, Stop) else got.kind] += 1
                    assert isinstance(got, Stop) or got in seen.legal
    assert min(answered.values()) > 10


def test_a_good_order_has_no_problems() -> None:
    seen = observe(battle().state, ANNA)
    assert problems(Aside(), seen) == []
    assert problems(Fight(("3", "drummer", "6"), 12), seen) == []


@pytest.mark.parametrize(
    ("order", "wrong"),
    [
        (Fight((), 5), [Problem(Wrong.NO_CARDS)]),
        (Fight(("3", "3"), 5), [Problem(Wrong.NOT_HELD, "3")]),
        (Fight(("10",), 5), [Problem(Wrong.NOT_HELD, "10")]),
        (Fight(("winter", "rome"), 5), [Problem(Wrong.NOT_LISTED, name) for name in ("winter", "rome")]),
        (Fight(("3",), -1), [Problem(Wrong.LIMIT)]),
        (Fight(("3",), 0), [Problem(Wrong.LIMIT)]),
        (Fight(("3",), HIGHEST_LIMIT + 1), [Problem(Wrong.LIMIT)]),
        (Fight(("3",), 10**1000), [Problem(Wrong.LIMIT)]),
    ],
)  # fmt: skip
def test_everything_wrong_with_an_order_is_found(order: Order, wrong: list[Problem]) -> None:
    assert problems(order, observe(battle().state, ANNA)) == wrong


def test_no_order_outside_a_battle_or_once_out_of_it() -> None:
    assert problems(Aside(), observe(battle(battle=None).state, ANNA)) == [Problem(Wrong.NO_BATTLE)]
    out = battle().plays("pass")
    assert problems(Aside(), observe(out.state, ANNA)) == [Problem(Wrong.OUT)]


def test_the_suggestion_is_the_mercenaries_from_the_lowest_up_to_their_total() -> None:
    after = battle("3 5 6 10 drummer|1 2 4|1 2 3").plays("play 3")
    assert suggested(observe(after.state, ANNA)) == Fight(("5", "6", "10"), 3 + 5 + 6 + 10)


def test_the_suggested_total_counts_the_season_and_the_card_face_down() -> None:
    winter = battle("3 5 6 drummer winter|1 2 4|1 2 3").plays("play winter", "play 1", "play 1")
    assert suggested(observe(winter.state, ANNA)).limit == 3
    hidden = battle("3 5 6|1 2 4|1 2 3", variants=("hidden-cards",)).plays("play 3")
    assert suggested(observe(hidden.state, ANNA)) == Fight(("5", "6"), 14)
