"""Pledges are judged by what came after they stood: beside another, plainer reading of random games."""

from collections.abc import Sequence
from random import Random

import pytest

from games.chat.promises import (
    BROKEN,
    KEPT,
    NO_ATTACK,
    OPEN,
    PASSES,
    POPE,
    VOID,
    Count,
    GameCut,
    Judgement,
    Observed,
    Promise,
    SeatLeft,
    counted,
    judge,
)
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
from tests.rules.random_play import Game, any_game

ME, OTHER = 0, 1


def after(*events: object, stands_from: int = 0) -> tuple[Observed, ...]:
    """A deed for each event, all after the pledge stood."""
    return tuple(Observed(stands_from + 1 + number, (event,)) for number, event in enumerate(events))  # type: ignore[arg-type]


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
    deed = {NO_ATTACK: RegionChosen(ME, "siena"), POPE: PopePlaced(ME, "siena"), PASSES: Passed(ME)}[kind]
    assert judge(PLEDGED[kind], [Observed(1, (deed,), by_player=False)]) == Judgement(VOID, 1)


def test_a_round_that_ends_with_the_choice_is_not_over_before_it() -> None:
    pledge = Promise(ME, NO_ATTACK, 0, "siena", rounds=1)
    assert judge(pledge, [Observed(1, (RegionChosen(ME, "siena"), RoundEnded(None)))]).state == BROKEN
    assert judge(pledge, after(RoundEnded(None), RegionChosen(ME, "siena"))).state == KEPT


def test_to_pass_is_promised_for_the_battle_that_is_fought() -> None:
    before = (Observed(1, (RegionChosen(OTHER, "roma"), CardPlayed(ME, "1", (1, 0)))),)
    pledge = Promise(ME, PASSES, stands_from=1)
    assert judge(pledge, before).state == OPEN
    assert judge(pledge, (*before, *after(compared(), CardPlayed(ME, "1", (1, 0)), stands_from=1))) == (
        KEPT,
        2,
    )


GAMES = 330


@pytest.mark.parametrize(
    "number", [*range(66), *(pytest.param(n, marks=pytest.mark.long) for n in range(66, GAMES))]
)
def test_another_reading_of_random_games_says_the_same(number: int) -> None:
    rng = Random(number)
    game = any_game(number * 2)
    states, deeds = played(game, rng)
    steps = sorted({state.step for state in states})
    for _ in range(12):
        pledge = any_pledge(rng, game, rng.choice(steps))
        judgement = judge(pledge, deeds)
        assert judgement.state == read_plainly(pledge, game, states, deeds), pledge
        check_that_it_stays(pledge, judgement, deeds, rng)
        check_that_the_past_is_past(pledge, judgement, deeds)


def played(game: Game, rng: Random) -> tuple[list[State], list[Observed]]:
    """The positions of a game and what was seen; one deed in eight is a clock's or a bot's."""
    state = new_game(game.options, game.players, game.first)
    states, deeds = [state], list[Observed]()
    for seat, move in game.log:
        state, events = apply(state, seat, parse_move(move))
        states.append(state)
        deeds.append(Observed(state.step, redact(events, None), rng.random() > 0.125))
    return states, deeds


def any_pledge(rng: Random, game: Game, stands_from: int) -> Promise:
    kind = rng.choice((NO_ATTACK, PASSES, POPE))
    limit = rng.choice(("rounds", "battles", ""))
    pledge = Promise(
        rng.randrange(game.players), kind, stands_from, None if kind == PASSES else any_region(rng)
    )
    if kind == PASSES or not limit:
        return pledge
    more = {limit: rng.randrange(1, 12)}
    return Promise(pledge.seat, pledge.kind, pledge.stands_from, pledge.region, **more)


def any_region(rng: Random) -> str:
    return rng.choice(REGIONS)


def is_over(deed: Observed, *kinds: str) -> int:
    return sum(type(event).__name__ in kinds for event in deed.events)


def read_plainly(pledge: Promise, game: Game, states: Sequence[State], deeds: Sequence[Observed]) -> str:
    """From the moves as they are written, entry by entry."""
    rounds = [0]
    battles = [0]
    for deed in deeds:
        rounds.append(rounds[-1] + is_over(deed, "RoundEnded"))
        battles.append(battles[-1] + is_over(deed, "BattleCompared", "BattleStopped"))
    first = next((n for n, deed in enumerate(deeds) if deed.step > pledge.stands_from), len(deeds))
    last_battle = battles[first] + 1 if pledge.kind == PASSES else pledge.battles
    for n in range(first, len(deeds)):
        if n > first and is_past(pledge, rounds[n], battles[n], last_battle):
            return BROKEN if pledge.kind == POPE else KEPT
        seat, text = game.log[n]
        if seat == pledge.seat and (found := decided_by(pledge, text, deeds[n])):
            return found if deeds[n].by_player else VOID
    if first < len(deeds) and is_past(pledge, rounds[-1], battles[-1], last_battle):
        return BROKEN if pledge.kind == POPE else KEPT
    if not states[-1].is_over or first == len(deeds):
        return OPEN
    return {NO_ATTACK: KEPT, POPE: BROKEN, PASSES: VOID}[pledge.kind]


def is_past(pledge: Promise, rounds: int, battles: int, last_battle: int | None) -> bool:
    return (pledge.rounds is not None and rounds >= pledge.rounds) or (
        last_battle is not None and battles >= last_battle
    )


def decided_by(pledge: Promise, text: str, deed: Observed) -> str:
    words = text.split()
    if pledge.kind == NO_ATTACK:
        return BROKEN if words == ["place", pledge.region] else ""
    if pledge.kind == POPE:
        return KEPT if words[:2] == ["play", "bishop"] and words[2:] == [pledge.region] else ""
    if words[0] == "pass":
        return "" if is_over(deed, "HeldBack") else KEPT
    return BROKEN if words[0] == "play" else ""


def check_that_it_stays(
    pledge: Promise, judgement: Judgement, deeds: Sequence[Observed], rng: Random
) -> None:
    for length in sorted(rng.sample(range(len(deeds) + 1), 5)):
        earlier = judge(pledge, deeds[:length])
        assert earlier == judgement or earlier.state == OPEN
        if judgement.step is not None and length and deeds[length - 1].step > judgement.step:
            assert earlier == judgement


def check_that_the_past_is_past(pledge: Promise, judgement: Judgement, deeds: Sequence[Observed]) -> None:
    """Without any deed of the time before it stood, but the ends of battles and rounds, it is the same."""
    counts = (BattleCompared, RoundEnded)
    bare = [
        deed
        if deed.step > pledge.stands_from
        else Observed(deed.step, tuple(e for e in deed.events if isinstance(e, counts) or is_end(e)), False)
        for deed in deeds
    ]
    assert judge(pledge, bare) == judgement
    assert judgement.step is None or judgement.step > pledge.stands_from


def is_end(event: object) -> bool:
    return type(event).__name__ == "BattleStopped"


def test_rounds_and_battles_are_counted_from_the_games_first() -> None:
    game = any_game(0)
    _states, deeds = played(game, Random(0))
    events = [event for deed in deeds for event in deed.events]
    rounds = sum(isinstance(event, RoundEnded) for event in events)
    battles = sum(isinstance(event, BattleCompared) for event in events)
    assert counted(deeds) == Count(rounds, battles)
    assert battles > 1
