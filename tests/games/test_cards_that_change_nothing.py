"""Whether a card would change nothing now, said before it is played, in both editions."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from games.presenters.idle_cards import idle_reason
from games.rules import (
    SPEC_OF,
    Move,
    Observation,
    Options,
    State,
    line_strengths,
    observe,
    replay_record,
)
from games.rules.effects import resolve
from games.rules.selfplay import selfplay_game
from tests.rules.stage import names, staged


def positions(options: Options, games: int = 3) -> Iterator[tuple[State, int]]:
    """Every battle position of a few random games, with the seat to move."""
    for number in range(games):
        states = replay_record(selfplay_game(options, None, "idle", number)).states
        yield from (
            (state, state.turn) for state in states if state.phase == "battle" and state.turn is not None
        )


def changes_something(state: State, seen: Observation, move: Move) -> bool:
    """Whether the rules change a strength, take a card or end the battle for this move."""
    assert seen.seat is not None
    if move.card == "surrender" or (move.card == "bishop" and seen.options.is_1995) or move.taken:
        return True
    before = [*seen.lines]
    if SPEC_OF[str(move.card)].goes_face_down:  # it counts when it's turned up, with what lies there
        before[seen.seat] += (seen.own_face_down,) if seen.own_face_down else ()
        after = [*before]
        after[seen.seat] += (str(move.card),)
    else:
        after = [names(line) for line in resolve(state, seen.seat, move).lines]
    return line_strengths(before) != line_strengths(after)


@pytest.mark.parametrize(
    "options",
    [Options(), Options("1995"), Options("2007", ("hidden-cards",))],
    ids=["2007", "1995", "hidden"],
)
def test_a_card_is_said_to_change_nothing_exactly_where_the_rules_change_nothing(options: Options) -> None:
    said = set()
    for state, seat in positions(options):
        seen = observe(state, seat)
        for card in {move.card for move in seen.legal if move.card}:
            moves = [move for move in seen.legal if move.card == card]
            is_idle = not any(changes_something(state, seen, move) for move in moves)
            assert bool(idle_reason(seen, card)) == is_idle, (card, seen)
            said |= {card} if is_idle else set()
    seasons = {"winter"} if options.is_1995 else {"winter", "spring", "bishop"}
    assert said == seasons | {"drummer", "scarecrow"}


@pytest.mark.parametrize(
    ("card", "lines", "told"),
    [
        ("winter", "-|-", "No Mercenary is in play: Winter changes nothing yet."),
        ("winter", "-|winter", "Winter is already in play: another one changes nothing."),
        ("winter", "heroine|spring", "No Mercenary counts now: Winter only discards Spring."),
        ("winter", "1|1", "Every Mercenary already counts 1: Winter changes nothing yet."),
        ("winter", "1|2", ""),
        ("spring", "-|courtesan", "No Mercenary is in play: Spring changes nothing yet."),
        ("drummer", "-|10", "Your line has no Mercenary: the Drummer changes nothing yet."),
        ("drummer", "10 drummer|-", "Your line already has a Drummer: another one changes nothing."),
        ("scarecrow", "heroine|10", "Your line has no Mercenary: the Scarecrow takes nothing."),
        ("bishop", "heroine|-", "No Mercenary is there to remove: the Bishop only moves the Pope."),
        ("surrender", "-|-", ""),
        ("1", "-|winter", ""),
    ],
)
def test_what_is_wrong_with_the_card_now_is_said(card: str, lines: str, told: str) -> None:
    assert idle_reason(observe(staged(f"{card} 5|5", lines), 0), card) == told
