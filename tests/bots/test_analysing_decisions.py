"""What a move was worth next to Strategist's own choice."""

from __future__ import annotations

import pytest

from games.bots import choose
from games.bots.strategist import Budget, KnownCards, advise, judge, judge_openly
from games.bots.strategist.card_numbers import numbered
from games.rules import Observation, Options, Phase, apply, new_game, observe, parse_move, pending
from tests.rules.random_play import random_game
from tests.rules.stage import staged

pytestmark = pytest.mark.once


def decisions(seed: int, count: int) -> list[Observation]:
    """Return what seats saw that had to choose, in a game by chance."""
    game, found = random_game(seed, Options(), 3, passing=0.3), list[Observation]()
    state = new_game(game.options, game.players, game.first)
    for seat, text in game.log:
        if not state.shuffle_pile:
            seen = observe(state, pending(state)[0].seat)
            if len(seen.legal) > 1:
                found.append(seen)
        if len(found) == count:
            break
        state, _events = apply(state, seat, parse_move(text))
    return found


def test_a_judgement_compares_two_moves_by_chances_that_add_up() -> None:
    for seen in decisions(1, 5):
        found = judge(seen, KnownCards.none(3), "a", Budget(20), choose("recruit", seen))
        for tried in (found.best, found.made):
            assert parse_move(tried.move) in seen.legal
            assert sum(tried.chances) == pytest.approx(1.0)
            assert tried.rival != seen.seat
        assert found == judge(seen, KnownCards.none(3), "a", Budget(20), choose("recruit", seen))


def test_its_own_choice_costs_nothing() -> None:
    for seen in decisions(2, 6):
        best = advise(seen, KnownCards.none(3), "a", Budget(20))
        found = judge(seen, KnownCards.none(3), "a", Budget(20), parse_move(best.move))
        assert found.made == found.best == best
        assert found.loss == 0.0


@pytest.mark.parametrize(("hidden", "best"), [("2", "play 3"), ("10", "pass")])
def test_with_all_hands_open_it_sees_what_beats_a_card(hidden: str, best: str) -> None:
    """In a final battle a 3 wins against a 2 that lies face down, but not against a 10."""
    state = staged("3|-", down=f"-|{hidden}", finalists=(0, 1), variants=("hidden-cards",))
    seen, cards = observe(state, 0), ([numbered(["3"]), ()], [(), numbered([hidden])])
    found = judge_openly(seen, *cards, parse_move("pass"))
    assert found.best.move == best
    assert found.made.move == "pass"
    assert found.loss == (1.0 if best == "play 3" else 0.0)


def test_strengths_are_those_of_the_battle() -> None:
    seen = next(seen for seen in decisions(3, 40) if seen.phase == Phase.BATTLE and len(seen.hand or ()) > 4)
    tried = advise(seen, KnownCards.none(3), "a", Budget(20))
    assert tried.rival in {0, 1, 2}
    assert tried.own >= 0
    assert tried.reach >= 0
