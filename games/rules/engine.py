"""The entry point to the rules: takes a move, returns the next state and the events."""

from collections.abc import Callable, Iterable, Sequence
from itertools import takewhile
from typing import NamedTuple

from .battle import leave, play
from .errors import IllegalMove, InvalidMove
from .events import (
    CardsDealt,
    CardsTurnedUp,
    Event,
    HandsDropped,
    HandsOpened,
    HandsShown,
    LinesDiscarded,
    RoundEnded,
    redact,
)
from .legality import refusal
from .moves import Move, MoveKind, parse_move
from .options import Options
from .outcome import Outcome
from .rounds import discard_hand, keep, keep_hand, place, shuffle
from .state import State, new_final_battle, new_game

_ANSWERS: dict[MoveKind, Callable[[State, int, Move, list[Event]], State]] = {
    "place": place,
    "play": play,
    "pass": leave,
    "discard hand": discard_hand,
    "keep hand": keep_hand,
    "keep": keep,
}


def apply(state: State, seat: int | None, move: Move) -> tuple[State, tuple[Event, ...]]:
    """Return the state after a seat's move (None: the site's shuffle) and the events, unredacted.

    Raises IllegalMove. The moves accepted are exactly those that `legal_moves` lists.
    """
    reason = refusal(state, seat, move)
    if reason is not None:
        raise IllegalMove(reason)
    events: list[Event] = []
    after = shuffle(state, move, events) if seat is None else _ANSWERS[move.kind](state, seat, move, events)
    return after, tuple(events)


def outcome(state: State) -> Outcome | None:
    """Return who won and for what reason, or None while the game runs."""
    return state.result


# Whether these come, and what follows, depends on cards that the player does not see (R17, R25, R40).
_UNFORESEEN = (LinesDiscarded, HandsDropped, HandsOpened, HandsShown, RoundEnded, CardsDealt)


def preview(state: State, seat: int, move: Move) -> tuple[Event, ...]:
    """Return the events that follow from a legal move, as far as the seat can know beforehand.

    Raises IllegalMove.
    """
    _, events = apply(state, seat, move)
    return redact(takewhile(lambda event: _can_be_foreseen(event, seat), events), seat)


def _can_be_foreseen(event: Event, seat: int) -> bool:
    """Return whether the seat knows that this must follow. It doesn't know the others' face-down cards."""
    if isinstance(event, CardsTurnedUp):
        return all(owner == seat for owner, _ in event.cards)
    return not isinstance(event, _UNFORESEEN)


class Ply(NamedTuple):
    """One log entry as it was played."""

    seat: int | None
    move: Move
    events: tuple[Event, ...]


class Replay(NamedTuple):
    """The result of replaying a log.

    `states[n]` is the position before entry n, `state` the last one. `error` is None, or the number of the
    first entry that could not be played and why.
    """

    states: tuple[State, ...]
    plies: tuple[Ply, ...]
    state: State
    error: tuple[int, str] | None


def replay(
    options: Options,
    players: int,
    first_condottiere: int,
    entries: Iterable[tuple[int | None, str]],
    final_battle: Sequence[int | None] | None = None,
) -> Replay:
    """Play a log from the start and stop at its first bad entry.

    `final_battle` gives the regions each seat held before a match's final battle (R28). Raises UnknownOption
    for an impossible start.
    """
    if final_battle is None:
        state = new_game(options, players, first_condottiere)
    else:
        state = new_final_battle(options, final_battle, first_condottiere)
    states, plies = [state], list[Ply]()
    for number, (seat, text) in enumerate(entries):
        try:
            move = parse_move(text)
            state, events = apply(state, seat, move)
        except (InvalidMove, IllegalMove) as refused:
            return Replay(tuple(states), tuple(plies), state, (number, str(refused)))
        states.append(state)
        plies.append(Ply(seat, move, events))
    return Replay(tuple(states), tuple(plies), state, None)
