"""What a move was worth next to Strategist's own choice."""

from __future__ import annotations

import pytest

from games.bots import choose
from games.bots.analysis import questions_of
from games.bots.strategist import Budget, KnownCards, Tried, advise, judge, judge_openly, judging, outlook
from games.bots.strategist.battle_world import World
from games.bots.strategist.card_numbers import numbered
from games.bots.strategist.stakes import Stakes
from games.rules import (
    VARIANTS,
    Observation,
    Options,
    Phase,
    apply,
    new_game,
    observe,
    parse_move,
    pending,
    replay,
)
from tests.rules.random_play import EVERY_OPTIONS, random_game
from tests.rules.stage import staged

pytestmark = pytest.mark.once


def decisions(seed: int, count: int, options: Options | None = None) -> list[Observation]:
    """Return what seats saw that had to choose, in a game by chance."""
    game, found = random_game(seed, options or Options(), 3, passing=0.3), list[Observation]()
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


@pytest.mark.parametrize("options", [Options(), Options("1995"), Options("2007", VARIANTS)], ids=str)
def test_what_is_said_of_a_battle_happened_in_one_world_and_as_in_most(
    options: Options, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Medians of 60 worlds would be strengths that were reached in none of them."""
    ends, usual = list[World](), judging.played_out

    def played_out(world: World, stakes: Stakes) -> World:
        ends.append(usual(world, stakes))
        return ends[-1]

    monkeypatch.setattr(judging, "DEALS", 20)
    monkeypatch.setattr(judging, "played_out", played_out)
    battles = [seen for seen in decisions(3, 40, options) if seen.phase == Phase.BATTLE]
    for seen in battles[::4]:
        for move in seen.legal[-1:]:
            ends.clear()
            found = judging.tried(seen, KnownCards.none(3), "a", move)
            assert found.rival is not None
            leads = [end.totals[seen.seat] > strongest_other(end, seen.seat) for end in ends]
            assert leads.count(found.own > found.reach) * 2 >= len(ends)
            assert any(is_meant(found, end, seen) for end in ends)


def strongest_other(end: World, seat: int) -> int:
    return max(total for other, total in enumerate(end.totals) if other != seat)


def is_meant(found: Tried, end: World, seen: Observation) -> bool:
    """Whether this is the world of which something was said."""
    assert found.rival is not None
    totals = (end.totals[seen.seat], end.totals[found.rival], strongest_other(end, seen.seat))
    is_its_line = numbered(found.cards) == tuple(sorted(end.lines[seen.seat]))
    return totals == (found.own, found.reach, found.reach) and (is_its_line or not found.cards)


@pytest.mark.parametrize(
    "options",
    [
        pytest.param(options, marks=pytest.mark.long if number % 4 else [])
        for number, options in enumerate(EVERY_OPTIONS)
    ],
    ids=str,
)
def test_every_position_has_a_chance_for_each_seat(options: Options, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("games.bots.strategist.judging.DEALS", 1)
    players = 2 + EVERY_OPTIONS.index(options) % 5
    game = random_game(4, options, players, passing=0.2, cut=60)
    played = replay(options, players, game.first, game.log)
    for question in questions_of(played, players):
        found = outlook(question.views_after, "a")
        assert len(found) == players
        assert sum(found) == pytest.approx(1.0)


def test_a_finished_game_is_won() -> None:
    game = random_game(1, Options(), 3, passing=0.3)
    played = replay(game.options, 3, game.first, game.log)
    *_rest, last = questions_of(played, 3)
    winners = played.state.result.winners
    assert outlook(last.views_after, "a") == tuple((seat in winners) / len(winners) for seat in range(3))


def test_the_mover_alone_knows_its_hand_but_all_seats_count() -> None:
    """A final battle that a hidden 10 wins: its owner knows, the other seat expects to win as often."""
    state = staged("3|10", finalists=(0, 1))
    views = [(observe(state, seat), KnownCards.none(2)) for seat in (0, 1)]
    first, second = (outlook([view], "a") for view in views)
    assert second[1] > 0.9
    assert outlook(views, "a")[0] == pytest.approx((first[0] + second[0]) / 2, abs=0.1)
