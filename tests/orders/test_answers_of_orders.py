"""A standing order answers only with legal moves, and asks when something happens that it doesn't cover."""

from dataclasses import dataclass
from random import Random
from typing import Any, get_args

import pytest

from games.orders import (
    HIGHEST_LIMIT,
    HOLD,
    LISTED,
    MARGIN,
    Aside,
    Fight,
    Order,
    Problem,
    Stop,
    Why,
    Wrong,
    answer,
    limit_above,
    problems,
    rivals,
    suggested,
)
from games.rules import (
    Event,
    GameEnded,
    Move,
    RegionConquered,
    RegionDefended,
    State,
    apply,
    observe,
    parse_move,
    pending,
    redact,
    replay,
)
from tests.rules.random_play import any_game, random_game
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


def alone(bruno: str = "4", anna: str = "3 1 2 6", **more: Any) -> Battle:
    """Anna gives an order with a 3, Bruno plays a last card, and Carla passes."""
    return battle(f"{anna}|{bruno}|1", **more).plays("play 3").given().plays(f"play {bruno}", "pass")


@pytest.mark.parametrize("order", [Aside(), HOLD, Fight(("1", "6"), 99), Fight(("1", "6"), 1)])
def test_alone_and_ahead_passes(order: Order) -> None:
    assert alone("2").answers(order) == passes()
    final = battle("3 1 6|2|", finalists=(ANNA, BRUNO)).plays("play 3").given().plays("play 2")
    assert final.answers(order) == passes()


@pytest.mark.parametrize("bruno", ["3", "4"])
def test_stands_aside_alone_by_asking_if_level_or_behind(bruno: str) -> None:
    for order in (Aside(), Aside(even_with_one_rival=True), HOLD):
        assert alone(bruno).answers(order) == Stop(Why.ALONE)


def test_hold_asks_as_soon_as_someone_plays_on() -> None:
    held = battle().plays("play 6").given()
    assert held.plays("pass", "play 1").answers(HOLD) == Stop(Why.LIST_DONE, CARLA, "1")
    assert held.plays("play 1", "pass").answers(HOLD) == Stop(Why.LIST_DONE, BRUNO, "1")
    assert held.plays("play winter", "pass").answers(HOLD) == Stop(Why.SPECIAL, BRUNO, "winter")
    assert held.plays("pass", "pass").answers(HOLD) == passes()


def test_hold_given_with_the_card_that_takes_the_lead_alone_passes_at_once() -> None:
    behind = alone("4")
    assert behind.plays("play 6").given().answers(HOLD) == passes()
    assert behind.plays("play 1").given().answers(HOLD) == Stop(Why.ALONE)


def test_fights_on_alone_until_ahead() -> None:
    order = Fight(("1", "2", "6"), 9)
    behind = alone("4")
    assert behind.answers(order) == plays("1")
    level = behind.plays("play 1")
    assert level.answers(order) == plays("2")
    assert level.plays("play 2").answers(order) == passes()


def test_fights_on_alone_only_if_its_cards_can_win() -> None:
    assert alone("10", "3 1 6 drummer").answers(Fight(("1", "6"), 99)) == Stop(Why.ALONE)
    assert alone("10", "3 1 6 drummer").answers(Fight(("1", "6", "drummer"), 99)) == plays("1")
    assert alone("4").plays("play 1").answers(Fight(("1",), 99)) == Stop(Why.ALONE)


def test_fights_on_alone_below_its_limit_and_after_nothing_special() -> None:
    assert alone("4").answers(Fight(("2", "6"), 4)) == Stop(Why.LIMIT, BRUNO)
    assert alone("4").answers(Fight(("2", "6"), 4, passes_at_limit=True)) == passes()
    wintry = battle("3 2|winter|10").plays("play 3").given().plays("play winter", "play 10")
    assert wintry.answers(Fight(("2",), 99)) == Stop(Why.SPECIAL, BRUNO, "winter")


def test_alone_and_ahead_asks_if_a_scarecrow_can_save_a_mercenary() -> None:
    """R10, R45: if the battle is then still won."""
    assert alone("2", "3 1 scarecrow").answers(Aside()) == passes()
    for order in (Aside(), HOLD):
        assert alone("2", "3 1 scarecrow", edition="1995").answers(order) == Stop(Why.ALONE)
    order = Fight(("5",), 99)
    later = battle("3 5 1 scarecrow|2 1|1").plays("play 3").given().plays("play 2", "pass")
    assert later.plays("play 5", "pass").answers(order) == Stop(Why.ALONE)


def test_alone_against_a_card_face_down_asks() -> None:
    """R40: no one knows yet whether a pass wins."""
    hidden = alone("2", variants=("hidden-cards",))
    for order in (Aside(), HOLD, Fight(("1", "6"), 99)):
        assert hidden.answers(order) == Stop(Why.ALONE)


def test_alone_counts_what_one_has_face_down() -> None:
    """R39: it is turned up before the lines are compared."""
    hidden = battle("3 6|4|1", variants=("hidden-cards",)).plays("play 3").given().plays("pass", "pass")
    assert hidden.answers(Fight(("6",), 99)) == passes()


HELD = {"variants": ("capturing-regions",), "control": "roma=0"}


def test_a_defender_who_held_back_is_asked_the_next_time() -> None:
    """R33: the defender's pass doesn't take them out."""
    before = battle(**HELD).given()
    assert before.answers(Aside()) == passes()
    later = before.plays("pass", "play 1", "play 1")
    for order in (Aside(), HOLD):
        assert later.answers(order) == Stop(Why.HELD_BACK)


def test_hold_asks_while_a_defender_holds_back() -> None:
    """R33: the defender's pass leaves them in the battle, so a pass of the leader wins nothing yet."""
    waits = (
        Battle(staged("3 6|2|1", variants=("capturing-regions",), control="roma=1")).plays("play 3").given()
    )
    assert waits.plays("pass", "pass").answers(HOLD) == Stop(Why.LIST_DONE, BRUNO)


def test_a_defender_alone_passes_if_that_keeps_the_region() -> None:
    """R34: any tie leaves it with its defender."""
    waited = battle("3 6|2|1", **HELD).given().plays("pass")
    assert waited.plays("pass", "pass").answers(Aside()) == passes()
    assert waited.plays("pass", "pass").answers(HOLD) == passes()
    assert waited.plays("play 2", "pass").answers(Aside()) == Stop(Why.HELD_BACK)
    assert alone("3", **HELD).answers(Aside()) == passes()
    assert alone("4", **HELD).answers(Aside()) == Stop(Why.ALONE)


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


@pytest.mark.parametrize("card", ["winter", "spring"])
def test_fight_asks_after_a_season_of_another(card: str) -> None:
    start = battle(f"3 5 6|1 2 {card}|1 2 3").plays("play 3").given()
    assert start.plays(f"play {card}", "play 1").answers(Fight(("5",), 99)) == Stop(Why.SPECIAL, BRUNO, card)
    assert start.plays("play 1", "play 1").answers(Fight(("5",), 99)) == plays("5")


def test_fight_asks_when_a_bishop_takes_from_my_line() -> None:
    """R8: a Bishop removes every highest Mercenary, and may leave my line as it is."""
    order = Fight(("5", "6"), 99)
    mine = battle("3 5 6|2 bishop|1 2 3").plays("play 3").given().plays("play bishop off", "play 1")
    assert mine.answers(order) == Stop(Why.SPECIAL, BRUNO, "bishop")
    theirs = battle("3 5 6|4 2|1 bishop 3").plays("play 3").given().plays("play 4", "play bishop off")
    assert theirs.answers(order) == plays("5")


@pytest.mark.parametrize("card", ["heroine", "courtesan", "drummer", "scarecrow nothing"])
def test_fight_goes_on_after_what_a_total_says(card: str) -> None:
    start = battle("3 5 6|1 2 heroine courtesan drummer scarecrow|1 2 3").plays("play 3").given()
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
    """R40: what lies face down counts for no one."""
    hidden = battle("3 5 6|10 2 4|1 2 3", variants=("hidden-cards",)).plays("play 3").given()
    assert hidden.plays("play 10", "play 1").answers(Fight(("5",), 5)) == plays("5")


def test_a_card_that_is_gone_is_asked_about() -> None:
    start = battle().plays("play 3", "play 1", "play 1").given()
    assert start.answers(Fight(("10",), 99)) == Stop(Why.CARD_GONE, card="10")


def test_what_happened_before_the_order_stops_nothing() -> None:
    before = battle().plays("play 3", "play winter", "play 1")
    assert before.answers(Fight(("5",), 99)) == Stop(Why.SPECIAL, BRUNO, "winter")
    assert before.given().answers(Fight(("5",), 99)) == plays("5")


@pytest.mark.parametrize(
    "order", [Aside(even_with_one_rival=True), Fight(("5",), 99, passes_at_limit=True), HOLD]
)
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
        for order in (Aside(), HOLD, Fight(("5",), 99)):
            assert answer(order, seen, (event,)) == Stop(Why.NEW_BATTLE)


def test_every_answer_is_legal_wherever_random_play_leads(long: bool) -> None:
    """Whatever happened since an order was given: a legal card of the list or a pass, or a decision."""
    answered, won = {"play": 0, "pass": 0, "stop": 0}, 0
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
                    if not rivals(seen) and got == passes() and not _passes_at_limit(order):
                        assert _wins(state, seat)
                        won += 1
    assert min(answered.values()) > 10
    assert won > 10


def test_hold_passes_exactly_where_a_pass_surely_wins(long: bool) -> None:
    """Wherever random play leads: it never plays a card, and asks wherever its player could want another."""
    answers = {"pass": 0, "rival": 0, "face down": 0, "no win": 0, "taken back": 0}
    for number in range(0, 660, 3 if long else 55):
        game = any_game(number)
        for state in replay(game.options, game.players, game.first, game.log).states:
            for seat in [decision.seat for decision in pending(state) if decision.kind == "battle"]:
                seen = observe(state, seat)
                why = _why_not_to_pass(state, seat)
                got = answer(HOLD, seen, ())
                assert got == passes() if not why else isinstance(got, Stop), (number, why)
                answers[why or "pass"] += 1
    assert min(answers.values()) > 5, answers


def _why_not_to_pass(state: State, seat: int) -> str:
    """Return by the rules alone why a pass here does not surely win; empty if it does."""
    seen = observe(state, seat)
    if rivals(seen):
        return "rival"
    if any(seen.face_down[other] for other in range(seen.players) if other != seat):
        return "face down"
    if not _wins(state, seat):
        return "no win"
    takes = [move for move in seen.legal if move.taken is not None]
    return "taken back" if any(_wins(apply(state, seat, move)[0], seat) for move in takes) else ""


def _wins(state: State, seat: int) -> bool:
    """Return whether a pass here leaves the region or the game with this seat."""
    _after, events = apply(state, seat, passes())
    won = next(
        (event for event in events if isinstance(event, RegionConquered | RegionDefended | GameEnded)), None
    )
    return won is not None and (won.winners == (seat,) if isinstance(won, GameEnded) else won.seat == seat)


def _passes_at_limit(order: Order) -> bool:
    return isinstance(order, Fight) and order.passes_at_limit


def test_a_good_order_has_no_problems() -> None:
    seen = observe(battle().state, ANNA)
    assert problems(Aside(), seen) == []
    assert problems(HOLD, seen) == []
    assert problems(Fight(("3", "drummer", "6"), 12), seen) == []


@pytest.mark.parametrize(
    ("order", "wrong"),
    [
        (Fight((), 0), [Problem(Wrong.LIMIT)]),
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


def test_the_suggestion_is_all_a_list_may_hold_from_the_lowest_mercenary() -> None:
    after = battle("drummer heroine 3 6 5 10 bishop winter|1 2 4|1 2 3").plays("play 3")
    cards = ("5", "6", "10", "heroine", "drummer")
    assert suggested(observe(after.state, ANNA)) == Fight(cards, 3 + MARGIN)


def test_the_suggested_limit_is_a_little_above_the_strongest_line_whose_ever_it_is() -> None:
    led = battle("3 5 6|10 2 4|1 2 3").plays("play 3", "play 10", "play 1")
    assert suggested(observe(led.state, ANNA)).limit == 10 + MARGIN
    winter = battle("3 5 6 drummer winter|10 2 4|1 2 3").plays("play winter", "play 10", "play 1")
    assert suggested(observe(winter.state, ANNA)).limit == 1 + MARGIN
    hidden = battle("3 5 6|1 2 4|1 2 3", variants=("hidden-cards",)).plays("play 3")
    assert suggested(observe(hidden.state, ANNA)) == Fight(("5", "6"), MARGIN)
    assert limit_above((HIGHEST_LIMIT, 0)) == HIGHEST_LIMIT
