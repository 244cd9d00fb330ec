"""How every seat plays when a battle is imagined to its end: like Captain, from what it would see then."""

from dataclasses import fields
from functools import lru_cache
from typing import Any

from games.bots.bot_profiles import PROFILES
from games.bots.fighting import battle_act
from games.rules import CARDS, REGIONS, Observation

from .battle_world import NONE, PASS, Action, World
from .card_numbers import BISHOP, NUMBER_OF, Cards
from .stakes import Stakes

_CAPTAIN = PROFILES["captain"]
# What Captain doesn't look at in a battle is left empty: imagined moves must be fast.
_EMPTY: dict[str, Any] = dict.fromkeys([each.name for each in fields(Observation)])


def captains_action(world: World, stakes: Stakes) -> Action:
    """Return what Captain would do in the seat whose turn it is."""
    seat = world.turn
    act = battle_act(_CAPTAIN, _seen(world, stakes.seen))
    if act is None:
        return PASS
    if act.card == "bishop":
        places = stakes.popes(seat)
        return Action(BISHOP, pope=places[0] if places else NONE)
    return Action(
        NUMBER_OF[act.card],
        NONE if act.taken is None else NUMBER_OF[act.taken],
        NONE if act.owner is None else act.owner,
    )


def _seen(world: World, real: Observation) -> Observation:
    """Return what the seat whose turn it is sees.

    `real` says what stays the same throughout a battle. Cards discarded since then are left out.
    """
    seat, defender = world.turn, world.defender()
    return Observation(
        **_EMPTY
        | {
            "seat": seat,
            "options": world.options,
            "players": world.players,
            "condottiere": world.token,
            "battle": None if world.battle == NONE else REGIONS[world.battle],
            "chooser": None if world.battle == NONE else world.token,
            "control": real.control,
            "hand": _named(world.hands[seat]),
            "hand_sizes": tuple([len(hand) for hand in world.hands]),
            "lines": tuple([_named(line) for line in world.lines]),
            "face_down": tuple([bool(down) for down in world.down]),
            "own_face_down": CARDS[world.down[seat][0]] if world.down[seat] else None,
            "totals": tuple(world.totals),
            "passed": tuple([bool(world.out >> other & 1) for other in range(world.players)]),
            "defender": None if defender == NONE else defender,
            "holds_back": (defender,) if defender != NONE and world.holds_back(defender) else (),
            "discards": real.discards,
            "season": None if world.season == NONE else CARDS[world.season],
            "goal_connected": real.goal_connected,
            "goal_total": real.goal_total,
            "final_battle": world.finalists,
        }
    )


@lru_cache(maxsize=1 << 15)
def _named(cards: Cards) -> tuple[str, ...]:
    return tuple([CARDS[card] for card in cards])
