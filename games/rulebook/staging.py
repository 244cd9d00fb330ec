"""Play worked examples with real moves from the shuffle on, so that the rules alone give the result.

The shuffle is ordered so that everyone gets the cards they need. The rest of a hand is the lowest Mercenaries
left. So no one decides about discarding a hand where the example is about something else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.utils.functional import Promise

from games.rules import CARDS, Options, Phase, Ply, State, apply, new_game, observe, parse_move, pending

SEATED = ("Anna", "Bruno", "Carla", "Dario", "Elena", "Fabio")


class Misstaged(Exception):
    """The script of an example does not fit the rules: the wrong player is to move, or a card was dealt
    twice.
    """


@dataclass(frozen=True)
class Script:
    """A script: each player's first cards, what is played before the example begins, and what it shows.

    A move is written as "Anna: play 10". The line "Anna takes roma with 4" is a whole battle: she plays that
    card and everyone else passes. The line "the table shuffles" is a shuffle that nothing depends on.
    """

    hands: Mapping[str, str]
    moves: str
    before: str = ""
    edition: str = "2007"
    variants: tuple[str, ...] = ()

    @property
    def players(self) -> tuple[str, ...]:
        """The players at the table, Anna first; she is the first Condottiere."""
        return tuple(self.hands)


@dataclass(frozen=True)
class Example:
    """A title, what to know before, what is played, and what to see in it."""

    title: str | Promise
    setting: str | Promise
    script: Script
    lesson: str | Promise
    shows_lines: bool = True


@dataclass(frozen=True)
class PlayedScript:
    """A script played through: every position from the first shown move on, and the moves between them."""

    players: int
    states: tuple[State, ...]
    plies: tuple[Ply, ...]


def play(script: Script) -> PlayedScript:
    """Play a script. Raises Misstaged, or what the rules raise for an illegal move."""
    options = Options(script.edition, script.variants)
    state = new_game(options, len(script.players), 0)
    dealt, _ = apply(state, None, parse_move(f"shuffle {' '.join(_pile(script, options))}"))
    begun, _ = _play_lines(dealt, script.before)
    states, plies = _play_lines(begun[-1], script.moves)
    return PlayedScript(len(script.players), tuple(states), tuple(plies))


def _play_lines(state: State, text: str) -> tuple[list[State], list[Ply]]:
    """Return every position while these lines are played, this one first, and the moves made."""
    states, plies = [state], list[Ply]()
    for line in _lines(text):
        for after, ply in _play_line(states[-1], line):
            states.append(after)
            plies.append(ply)
    return states, plies


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.strip().splitlines() if line.strip()]


def _pile(script: Script, options: Options) -> Iterator[str]:
    """Yield the deck from the top: each seat's cards in dealing order, then the rest."""
    left = Counter(options.copies)
    for hand in script.hands.values():
        left.subtract(hand.split())
    if min(left.values()) < 0:
        raise Misstaged(f"more copies dealt than there are: {-left}")
    rest = [card for card in CARDS for _ in range(left[card])]
    for hand in script.hands.values():
        wanted = hand.split()
        lacking = options.first_hand_size - len(wanted)
        if lacking < 0:
            raise Misstaged(f"too many cards in a hand: {hand}")
        yield from (*wanted, *rest[:lacking])
        del rest[:lacking]
    yield from rest


def _play_line(state: State, line: str) -> Iterator[tuple[State, Ply]]:
    """Yield the moves of one line of a script."""
    if line == "the table shuffles":
        yield _make_move(state, None, f"shuffle {' '.join(state.shuffle_pile)}")
        return
    name, separator, move = line.partition(": ")
    if separator:
        yield _make_move(state, SEATED.index(name), move)
        return
    name, _takes, region, _with, card = line.split()
    yield from _play_conquest(state, SEATED.index(name), region, card)


def _play_conquest(state: State, winner: int, region: str, card: str) -> Iterator[tuple[State, Ply]]:
    """Yield a whole battle: the Condottiere chooses the region and plays the card; everyone else passes."""
    state, ply = _make_move(state, winner, f"place {region}")
    yield state, ply
    has_played = False
    while state.phase in (Phase.BATTLE, Phase.HAND):
        asked = pending(state)[0].seat
        if state.phase == Phase.HAND:
            move = "keep hand"
        elif asked == winner and not has_played:
            move, has_played = f"play {card}", True
        else:
            move = "pass"
        state, ply = _make_move(state, asked, move)
        yield state, ply


def _make_move(state: State, seat: int | None, text: str) -> tuple[State, Ply]:
    if seat is not None and seat not in [decision.seat for decision in pending(state)]:
        raise Misstaged(f"{SEATED[seat]} is not asked now: {text}")
    move = parse_move(text)
    after, events = apply(state, seat, move)
    return after, Ply(seat, move, events)


def lines_at_the_end(states: Sequence[State]) -> State:
    """Return the last position where a line has cards, face up or down; the last of all if none has."""
    return next((state for state in reversed(states) if _has_lines(state)), states[-1])


def _has_lines(state: State) -> bool:
    seen = observe(state, None)
    return any(seen.lines) or any(seen.face_down)
