"""Promises are judged by what happened after the deal: compared with a simpler reading of random games."""

from collections.abc import Sequence
from random import Random

import pytest

from games.chat.observed_course import Count, GameCut, Observed, SeatLeft, counted
from games.chat.promises import BROKEN, KEPT, NO_ATTACK, OPEN, PASSES, POPE, VOID, Judgement, Promise, judge
from games.rules import (
    REGIONS,
    BattleCompared,
    CardPlayed,
    GameEnded,
    HeldBack,
    Passed,
    PopePlaced,
    RegionChosen,
    RoundEnded,
    State,
    apply,
    new_game,
    parse_move,
    redact,
)
from tests.rules.random_play import EVERY_OPTIONS, Game, any_game

pytestmark = pytest.mark.once

ME, OTHER = 0, 1


def after(*events: object, stands_from: int = 0) -> tuple[Observed, ...]:
    """Return an observation for each event, all after the promise was made."""
    return tuple(Observed(stands_from + 1 + number, (event,)) for number, event in enumerate(events))


def compared(region: str = "roma") -> BattleCompared:
    return BattleCompared(region, (0, 0), None)


PLEDGED = {
    NO_ATTACK: Promise(ME, NO_ATTACK, 0, "siena", battles=2),
    POPE: Promise(ME, POPE, 0, "siena", battles=2),
    PASSES: Promise(ME, PASSES, 0),
}
ENDED = GameEnded((OTHER,), "total regions")

JUDGED = [
    (NO_ATTACK, (RegionChosen(ME, "siena"),), BROKEN),
    (NO_ATTACK, (RegionChosen(OTHER, "siena"), RegionChosen(ME, "roma")), OPEN),
    (NO_ATTACK, (compared(), compared()), KEPT),
    (NO_ATTACK, (compared(), compared(), RegionChosen(ME, "siena")), KEPT),
    (NO_ATTACK, (compared(), ENDED), KEPT),
    (NO_ATTACK, (compared(), GameCut()), KEPT),
    (POPE, (PopePlaced(ME, "siena"),), KEPT),
    (POPE, (PopePlaced(OTHER, "siena"), PopePlaced(ME, "roma"), PopePlaced(ME, None)), OPEN),
    (POPE, (compared(), compared()), BROKEN),
    (POPE, (ENDED,), BROKEN),
    (POPE, (GameCut(),), VOID),
    (PASSES, (RegionChosen(OTHER, "roma"), CardPlayed(OTHER, "1", (0, 1)), Passed(ME)), KEPT),
    (PASSES, (RegionChosen(OTHER, "roma"), CardPlayed(ME, "1", (1, 0))), BROKEN),
    (PASSES, (HeldBack(ME),), OPEN),
    (PASSES, (HeldBack(ME), CardPlayed(ME, "1", (1, 0))), BROKEN),
    (PASSES, (RegionChosen(OTHER, "roma"), compared()), KEPT),
    (PASSES, (ENDED,), VOID),
    (PASSES, (RegionChosen(OTHER, "roma"), GameCut()), VOID),
    (PASSES, (SeatLeft(OTHER), SeatLeft(ME), Passed(ME)), VOID),
]


@pytest.mark.parametrize(("kind", "events", "state"), JUDGED)
def test_what_happens_keeps_or_breaks_it(kind: str, events: tuple[object, ...], state: str) -> None:
    judgement = judge(PLEDGED[kind], after(*events))
    assert judgement.state == state
    assert (judgement.step is None) == (state == OPEN)


@pytest.mark.parametrize("kind", list(PLEDGED))
def test_what_a_clock_or_a_bot_does_is_nobodys_word(kind: str) -> None:
    observed = {NO_ATTACK: RegionChosen(ME, "siena"), POPE: PopePlaced(ME, "siena"), PASSES: Passed(ME)}[kind]
    assert judge(PLEDGED[kind], [Observed(1, (observed,), by_player=False)]) == Judgement(VOID, 1)


def test_a_round_that_ends_with_the_choice_is_not_over_before_it() -> None:
    promise = Promise(ME, NO_ATTACK, 0, "siena", rounds=1)
    assert judge(promise, [Observed(1, (RegionChosen(ME, "siena"), RoundEnded(None)))]).state == BROKEN
    assert judge(promise, after(RoundEnded(None), RegionChosen(ME, "siena"))).state == KEPT


def test_to_pass_is_promised_for_the_battle_that_is_fought() -> None:
    before = (Observed(1, (RegionChosen(OTHER, "roma"), CardPlayed(ME, "1", (1, 0)))),)
    promise = Promise(ME, PASSES, stands_from=1)
    assert judge(promise, before).state == OPEN
    assert judge(promise, (*before, *after(compared(), CardPlayed(ME, "1", (1, 0)), stands_from=1))) == (
        KEPT,
        2,
    )


@pytest.mark.parametrize("number", range(len(EVERY_OPTIONS)))
def test_another_reading_of_random_games_says_the_same(number: int, long: bool) -> None:
    for again in range(10 if long else 1):
        another_reading_says_the_same(number + again * len(EVERY_OPTIONS))


def another_reading_says_the_same(number: int) -> None:
    rng = Random(number)
    game = any_game(number * 2)
    states, observeds = played(game, rng)
    steps = sorted({state.step for state in states})
    for _ in range(12):
        promise = any_promise(rng, game, rng.choice(steps))
        judgement = judge(promise, observeds)
        assert judgement.state == read_plainly(promise, game, states, observeds), promise
        check_that_it_stays(promise, judgement, observeds, rng)
        check_that_the_past_is_past(promise, judgement, observeds)


def played(game: Game, rng: Random) -> tuple[list[State], list[Observed]]:
    """Return the positions of a game and the observed events; one in eight is a clock's or a bot's."""
    state = new_game(game.options, game.players, game.first)
    states, observeds = [state], list[Observed]()
    for seat, move in game.log:
        state, events = apply(state, seat, parse_move(move))
        states.append(state)
        observeds.append(Observed(state.step, redact(events, None), rng.random() > 0.125))
    return states, observeds


def any_promise(rng: Random, game: Game, stands_from: int) -> Promise:
    kind = rng.choice((NO_ATTACK, PASSES, POPE))
    limit = rng.choice(("rounds", "battles", ""))
    promise = Promise(
        rng.randrange(game.players), kind, stands_from, None if kind == PASSES else any_region(rng)
    )
    if kind == PASSES or not limit:
        return promise
    more = {limit: rng.randrange(1, 12)}
    return Promise(promise.seat, promise.kind, promise.stands_from, promise.region, **more)


def any_region(rng: Random) -> str:
    return rng.choice(REGIONS)


def is_over(observed: Observed, *kinds: str) -> int:
    return sum(type(event).__name__ in kinds for event in observed.events)


def read_plainly(promise: Promise, game: Game, states: Sequence[State], observeds: Sequence[Observed]) -> str:
    """Judge from the moves in the log, entry by entry."""
    rounds = [0]
    battles = [0]
    for observed in observeds:
        rounds.append(rounds[-1] + is_over(observed, "RoundEnded"))
        battles.append(battles[-1] + is_over(observed, "BattleCompared", "BattleStopped"))
    first = next(
        (n for n, observed in enumerate(observeds) if observed.step > promise.stands_from), len(observeds)
    )
    last_battle = battles[first] + 1 if promise.kind == PASSES else promise.battles
    for n in range(first, len(observeds)):
        if n > first and is_past(promise, rounds[n], battles[n], last_battle):
            return BROKEN if promise.kind == POPE else KEPT
        seat, text = game.log[n]
        if seat == promise.seat and (found := decided_by(promise, text, observeds[n])):
            return found if observeds[n].by_player else VOID
    if first < len(observeds) and is_past(promise, rounds[-1], battles[-1], last_battle):
        return BROKEN if promise.kind == POPE else KEPT
    if not states[-1].is_over or first == len(observeds):
        return OPEN
    return {NO_ATTACK: KEPT, POPE: BROKEN, PASSES: VOID}[promise.kind]


def is_past(promise: Promise, rounds: int, battles: int, last_battle: int | None) -> bool:
    return (promise.rounds is not None and rounds >= promise.rounds) or (
        last_battle is not None and battles >= last_battle
    )


def decided_by(promise: Promise, text: str, observed: Observed) -> str:
    words = text.split()
    if promise.kind == NO_ATTACK:
        return BROKEN if words == ["place", promise.region] else ""
    if promise.kind == POPE:
        return KEPT if words[:2] == ["play", "bishop"] and words[2:] == [promise.region] else ""
    if words[0] == "pass":
        return "" if is_over(observed, "HeldBack") else KEPT
    return BROKEN if words[0] == "play" else ""


def check_that_it_stays(
    promise: Promise, judgement: Judgement, observeds: Sequence[Observed], rng: Random
) -> None:
    for length in sorted(rng.sample(range(len(observeds) + 1), 5)):
        earlier = judge(promise, observeds[:length])
        assert earlier == judgement or earlier.state == OPEN
        if judgement.step is not None and length and observeds[length - 1].step > judgement.step:
            assert earlier == judgement


def check_that_the_past_is_past(
    promise: Promise, judgement: Judgement, observeds: Sequence[Observed]
) -> None:
    """Without any observed of the time before it stood, but the ends of battles and rounds, it is the
    same.
    """
    counts = (BattleCompared, RoundEnded)
    bare = [
        observed
        if observed.step > promise.stands_from
        else Observed(
            observed.step, tuple(e for e in observed.events if isinstance(e, counts) or is_end(e)), False
        )
        for observed in observeds
    ]
    assert judge(promise, bare) == judgement
    assert judgement.step is None or judgement.step > promise.stands_from


def is_end(event: object) -> bool:
    return type(event).__name__ == "BattleStopped"


def test_rounds_and_battles_are_counted_from_the_games_first() -> None:
    game = any_game(0)
    _states, observeds = played(game, Random(0))
    events = [event for observed in observeds for event in observed.events]
    rounds = sum(isinstance(event, RoundEnded) for event in events)
    battles = sum(isinstance(event, BattleCompared) for event in events)
    assert counted(observeds) == Count(rounds, battles)
    assert battles > 1
