"""What can be seen: a seat's view of a running game, and the record's full position.

A seat's view is made only here. It must never depend on anything that seat may not know.
"""

from dataclasses import dataclass
from typing import Any

from .board import REGIONS, largest_group
from .cards import CARDS, merged, names
from .legality import Decision, asked_seats, legal_moves, pending
from .moves import Move
from .options import Options
from .outcome import Outcome
from .state import BATTLE, HAND, Phase, State, defender, holds_back
from .strength import season_of


@dataclass(frozen=True, slots=True)
class Observation:
    """What one seat (None: everyone) may know. Cards and regions are the record's words."""

    seat: int | None
    options: Options
    players: int
    phase: Phase
    step: int
    condottiere: int
    battle: str | None
    chooser: int | None
    pope: str | None
    control: tuple[tuple[str, int], ...]
    hand: tuple[str, ...] | None
    hand_sizes: tuple[int, ...]
    lines: tuple[tuple[str, ...], ...]  # face up
    face_down: tuple[bool, ...]  # per seat, whether it has a card face down
    own_face_down: str | None
    totals: tuple[int, ...]
    passed: tuple[bool, ...]
    defender: int | None
    holds_back: tuple[int, ...]  # the defender, while a pass does not take them out
    discards: tuple[str, ...]
    pile_size: int
    season: str | None
    asked: Decision | None
    legal: tuple[Move, ...]
    waiting_for: tuple[int, ...]
    goal_connected: int
    goal_total: int | None
    largest_group: tuple[int, ...]
    final_battle: tuple[int, ...]
    outcome: Outcome | None


def observe(state: State, seat: int | None) -> Observation:
    """Return what a seat may know now; with None, what everyone sees.

    While hands may be discarded, sizes and discards are those from before that step. No one learns who may
    decide (R17, R23). Only its owner knows a face-down card (R40).
    """
    before = state.before
    goals = state.options.goals(state.players)
    season = season_of(state.lines)
    return Observation(
        seat=seat,
        options=state.options,
        players=state.players,
        phase=state.phase,
        step=state.step,
        condottiere=state.condottiere,
        battle=_region(state.battle),
        # The token moves only when a battle is over, so its holder chose the region that is fought for.
        chooser=None if state.battle is None else state.condottiere,
        pope=_region(state.pope),
        control=_control(state),
        hand=None if seat is None else names(state.hands[seat]),
        hand_sizes=tuple([len(hand) for hand in (state.hands if before is None else before.hands)]),
        lines=tuple([names(line) for line in state.lines]),
        face_down=tuple([bool(down) for down in state.face_down]),
        own_face_down=None if seat is None or not state.face_down[seat] else CARDS[state.face_down[seat][0]],
        totals=state.totals,
        passed=_passed(state),
        defender=defender(state),
        holds_back=tuple([owner for owner in range(state.players) if holds_back(state, owner)]),
        discards=names(state.discards if before is None else before.discards),
        pile_size=len(state.pile) + len(state.owed),
        season=None if season is None else CARDS[season],
        asked=next((decision for decision in pending(state) if decision.seat == seat), None),
        legal=() if seat is None else legal_moves(state, seat),
        waiting_for=() if state.phase == HAND else asked_seats(state),
        goal_connected=goals.connected,
        goal_total=goals.total,
        largest_group=tuple([largest_group(holding) for holding in state.holdings]),
        final_battle=state.finalists,
        outcome=state.result,
    )


def _region(number: int | None) -> str | None:
    return None if number is None else REGIONS[number]


def _control(state: State) -> tuple[tuple[str, int], ...]:
    """Return each held region with its seat, in the order of the map."""
    return tuple(
        [
            (region, seat)
            for number, region in enumerate(REGIONS)
            for seat, holding in enumerate(state.holdings)
            if holding >> number & 1
        ]
    )


def _passed(state: State) -> tuple[bool, ...]:
    """Return per seat whether it is out of the running battle; all False between battles."""
    in_battle = state.phase == BATTLE
    return tuple([in_battle and bool(state.out >> seat & 1) for seat in range(state.players)])


def position(state: State) -> dict[str, Any]:
    """Return the full position, as the command line prints it (RECORD.md).

    Never show it to a player of a running game.
    """
    asked = asked_seats(state)
    return {
        "phase": state.phase,
        "to_move": list(asked),
        "legal": {str(seat): [str(move) for move in legal_moves(state, seat)] for seat in asked},
        "condottiere": state.condottiere,
        "battle": _region(state.battle),
        "pope": _region(state.pope),
        "control": dict(_control(state)),
        "hands": [list(names(hand)) for hand in state.hands],
        "lines": [
            list(names(merged(line, down))) for line, down in zip(state.lines, state.face_down, strict=True)
        ],
        "strengths": list(state.totals),
        "passed": list(_passed(state)),
        "result": result_json(state.result),
    }


def result_json(result: Outcome | None) -> dict[str, Any] | None:
    """Return a result in the record's form."""
    if result is None:
        return None
    points = {} if result.points is None else {"points": list(result.points)}
    return {"winners": list(result.winners), "reason": result.reason} | points
