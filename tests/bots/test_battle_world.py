"""A battle imagined by Strategist goes as the rules say, with every edition and option."""

from collections import Counter

import pytest

from games.bots import choose
from games.bots.strategist.battle_world import NONE, Action, World, strength
from games.bots.strategist.imagined_captain import captains_action
from games.bots.strategist.search import action_of
from games.bots.strategist.stakes import Stakes
from games.bots.strategist.world_building import world_of
from games.rules import Phase, State, observe, replay
from tests.rules.random_play import EVERY_OPTIONS, random_game

pytestmark = pytest.mark.once


@pytest.mark.parametrize("options", EVERY_OPTIONS, ids=str)
def test_a_world_follows_the_rules_through_every_battle(options) -> None:
    compared: Counter[bool] = Counter()
    for players in (2, 3, 5):
        game = random_game(players, options, players, passing=0.3, cut=150)
        played = replay(options, players, game.first, game.log)
        for before, ply, after in zip(played.states, played.plies, played.states[1:], strict=False):
            if before.phase == Phase.BATTLE:
                world = _world(before, ply.seat)
                seen = observe(before, ply.seat)
                imagined = captains_action(world, Stakes(seen))
                assert imagined in [action_of(move) for move in seen.legal]
                assert _without_pope(imagined) == _without_pope(action_of(choose("captain", seen)))
                world.act(action_of(ply.move))
                assert world.settled == (after.phase != Phase.BATTLE or after.battles > before.battles)
                _compare(world, before, after)
                compared[world.settled] += 1
    assert min(compared[False], compared[True]) > 5


def _without_pope(action: Action) -> Action:
    """Return the action without a place that Strategist looks for in a way of its own."""
    return action._replace(pope=NONE)


def _world(state: State, seat: int) -> World:
    return world_of(observe(state, seat), state.hands, state.face_down)


def _compare(world: World, before: State, after: State) -> None:
    if not world.settled:
        assert (world.hands, world.lines, world.down) == (
            list(after.hands), list(after.lines), list(after.face_down),
        )  # fmt: skip
        assert (world.totals, world.turn, world.out) == (list(after.totals), after.turn, after.out)
        assert world.battle == (NONE if after.battle is None else after.battle)
    if before.finalists:
        assert world.winners == (after.result.winners if after.result else ())
        return
    assert world.holdings == list(after.holdings)
    assert world.token == after.condottiere
    assert world.pope == (NONE if after.pope is None else after.pope)
    if after.result is not None:
        assert world.winners == after.result.winners
    elif not after.finalists:
        assert world.winners == ()


def test_the_strength_of_a_line_is_that_of_the_rules() -> None:
    """Winter counts the Mercenaries, the Drummer doubles them, Spring raises the highest."""
    line = (0, 6, 6, 7, 8, 9)  # 1 10 10 courtesan heroine drummer
    assert strength(line, NONE, NONE) == 42 + 11
    assert strength(line, 12, NONE) == 6 + 11
    assert strength(line, 13, 6) == 42 + 6 + 11
