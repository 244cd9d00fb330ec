"""A finished game looked at again: its moves, which of them were choices, and which of those cost most.

Each move is judged by what its seat knew at that moment, not by the cards that were hidden from it. Only
`open_question` has those, for what is said apart.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from games.rules import Event, Move, Observation, Phase, Replay, observe, redact

from .strategist import KnownCards
from .strategist.card_numbers import Cards, numbered

NAMED = 3
LEAST_LOSS = 0.03  # of the chance to win: less may be chance alone


class Question(NamedTuple):
    """A decision: what the seat saw and remembered then, its move, and what all seats saw after it."""

    ply: int
    seen: Observation
    known: KnownCards
    move: Move
    views_after: Sequence[tuple[Observation, KnownCards]]

    @property
    def is_choice(self) -> bool:
        """Whether there was another move."""
        return len(self.seen.legal) > 1


class OpenQuestion(NamedTuple):
    """A decision of a battle with all hands open, and the cards that lay face down."""

    seen: Observation
    hands: Sequence[Cards]
    down: Sequence[Cards]
    move: Move


class Cost(NamedTuple):
    """How much of its chance to win a decision cost its seat."""

    ply: int
    loss: float


def choices_of(game: Replay, players: int) -> Iterator[Question]:
    """Yield the decisions of a game that left a choice, in order."""
    return (question for question in questions_of(game, players) if question.is_choice)


def questions_of(game: Replay, players: int, after: int = -1) -> Iterator[Question]:
    """Yield the decisions of a game, in order, from behind entry `after` on."""
    known = [KnownCards.none(players) for _seat in range(players)]
    for number, entry in enumerate(game.plies):
        before, known = known, [one.after(_told(entry.events, seat)) for seat, one in enumerate(known)]
        if entry.seat is not None and number > after:
            seen = observe(game.states[number], entry.seat)
            views = [(observe(game.states[number + 1], seat), one) for seat, one in enumerate(known)]
            yield Question(number, seen, before[entry.seat], entry.move, views)


def open_question(game: Replay, ply: int) -> OpenQuestion | None:
    """Return the decision of an entry with all cards; None outside battles, where unknown ones follow."""
    entry, state = game.plies[ply], game.states[ply]
    seen = observe(state, entry.seat)
    if seen.phase != Phase.BATTLE:
        return None
    all_seen = [observe(state, seat) for seat in range(seen.players)]
    hands = [numbered(one.hand or ()) for one in all_seen]
    down = [numbered([one.own_face_down] if one.own_face_down else []) for one in all_seen]
    return OpenQuestion(seen, hands, down, entry.move)


def _told(events: Sequence[Event], seat: int) -> tuple[Event, ...]:
    return tuple(redact(events, seat))


def costliest(costs: Iterable[Cost]) -> list[Cost]:
    """Return the decisions that cost most, in the order of the game; none that may be chance alone."""
    worst = sorted(costs, key=lambda cost: (-cost.loss, cost.ply))[:NAMED]
    return sorted([cost for cost in worst if cost.loss >= LEAST_LOSS])
