"""R17 to R19, R23, R40: no seat learns what it may not know, proven by changing what it cannot know."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from random import Random

import pytest

from games.rules import (
    EDITIONS,
    Event,
    HandDecided,
    HandsShown,
    Observation,
    Options,
    Replay,
    State,
    legal_moves,
    observe,
    pending,
    preview,
    redact,
    replay,
)
from tests.rules.random_play import EVERY_OPTIONS, Game, any_game, random_game
from tests.rules.stage import played, staged
from tests.simulation.games.resampling import resampled


def _replayed(game: Game, log: list[tuple[int | None, str]]) -> Replay:
    told = replay(game.options, game.players, game.first, log)
    assert told.error is None
    return told


def _until(told: Replay, ply: int) -> Replay:
    """Return a replay as it was at this ply."""
    return Replay(told.states[: ply + 1], told.plies[:ply], told.states[ply], None)


def _seen(told: Replay, seat: int | None) -> tuple[list[Observation], list[Event]]:
    """All that a seat has ever been shown: each view that differed from the one before, each event it may
    know."""
    views: list[Observation] = []
    for state in told.states:
        view = observe(state, seat)
        if not views or views[-1] != view:
            views.append(view)
    return views, [event for ply in told.plies for event in redact(ply.events, seat)]


def _previews(state: State, seat: int | None) -> list[tuple[Event, ...]]:
    return [] if seat is None else [preview(state, seat, move) for move in legal_moves(state, seat)]


def _cuts(states: Sequence[State], rng: Random) -> list[int]:
    """Choose a random ply, and one of each kind with a secret decision or a face-down card."""
    kinds: dict[str, list[int]] = {"anywhere": list(range(1, len(states) - 1))}
    for ply, state in enumerate(states[1:-1], start=1):
        still_open = state.phase == "hand" and states[ply - 1].phase == "hand"
        kind = "answered" if still_open else "face down" if any(state.face_down) else state.phase
        if kind != "battle":
            kinds.setdefault(kind, []).append(ply)
    return [rng.choice(plies) for plies in kinds.values()]


def _games(rows: int) -> Iterator[tuple[Game, Random]]:
    """So many games of every option set, and twelve times as many of the base games of both editions, where
    hands are discarded in secret."""
    for number in range(rows * len(EVERY_OPTIONS)):
        yield any_game(number), Random(number)
    for number in range(rows * 12):
        for edition in EDITIONS:
            yield random_game(number, Options(edition)), Random(number)


@dataclass
class Tally:
    """Counts how often hidden facts differed."""

    compared: int = 0
    hands: int = 0
    piles: int = 0
    face_down: int = 0
    answers: int = 0  # in a step of R17 that is still open
    after_new_piles: int = 0  # made by R26
    by_phase: Counter[str] = field(default_factory=Counter)

    def count(self, here: Replay, there: Replay) -> None:
        state, other = here.state, there.state
        self.by_phase[state.phase] += state != other
        if state.phase == "shuffle":  # mostly of everything, with all hands empty
            return
        self.compared += 1
        self.hands += state.hands != other.hands
        self.piles += state.pile != other.pile
        self.face_down += state.face_down != other.face_down
        self.answers += state.phase == "hand" and (state.ply, state.deciding) != (other.ply, other.deciding)
        self.after_new_piles += (
            state.options.draws_after_battle and state.shuffles > 1 and state.hands != other.hands
        )


def test_r17_r40_what_a_seat_cannot_know_changes_nothing_that_it_gets(
    request: pytest.FixtureRequest,
) -> None:
    """Check games of every option set and edition, cut off anywhere."""
    rows = 60 if request.config.getoption("--long", default=False) else 1
    tally: defaultdict[str, Tally] = defaultdict(Tally)
    for game, rng in _games(rows):
        whole = _replayed(game, game.log)
        for cut in _cuts(whole.states, rng):
            log = game.log[:cut]
            seat = rng.choice([*range(game.players), None])
            other = resampled(game.options, game.players, game.first, log, seat, rng)
            told, retold = _until(whole, cut), _replayed(game, other)
            here, there = told.state, retold.state
            assert _seen(told, seat) == _seen(retold, seat)
            assert repr(observe(here, seat)).encode() == repr(observe(there, seat)).encode()
            assert observe(here, None) == observe(there, None)
            assert repr(_previews(here, seat)).encode() == repr(_previews(there, seat)).encode()
            for name in ("all", game.options.edition, *game.options.variants):
                tally[name].count(told, retold)
    for name, counted in tally.items():
        assert counted.compared > 30 * rows, name
        assert counted.hands > 0.75 * counted.compared, name
        assert counted.piles > 0.75 * counted.compared, name
    everything = tally["all"]
    assert everything.face_down > 15 * rows
    assert everything.after_new_piles > 8 * rows
    for name in EDITIONS:
        assert tally[name].answers > 3 * rows, name
    for phase in ("place", "battle", "hand", "keep"):
        assert everything.by_phase[phase] > 8 * rows, phase


def test_r17_others_see_only_that_hands_may_be_discarded() -> None:
    opened, told = played(staged("drummer | heroine courtesan | 1 | 1", battle=None), "place siena")
    decided, _ = played(opened, "1: discard hand")
    for seat in (0, 2, 3, None):
        assert observe(decided, seat) == observe(opened, seat)
    view = observe(decided, 2)
    assert view.phase == "hand"
    assert view.waiting_for == ()
    assert view.asked is None
    assert view.hand_sizes == (1, 2, 1, 1)
    assert "heroine" not in view.discards[-1:]
    assert [type(event).__name__ for event in redact(told, 2)] == [
        "RegionChosen",
        "LinesDiscarded",
        "HandsOpened",
    ]


def test_r17_a_decision_is_its_own_seats_secret_and_counts_no_step() -> None:
    opened, _ = played(staged("drummer | heroine courtesan | 1 | 1", battle=None), "place siena")
    decided, told = played(opened, "1: keep hand")
    assert told == [HandDecided(1, False, ("courtesan", "heroine"))]
    assert redact(told, 1) == tuple(told)
    assert redact(told, 0) == redact(told, None) == ()
    assert decided.ply == opened.ply + 1
    assert decided.step == opened.step == pending(decided)[0].decision_step
    assert observe(decided, 1).asked is None


def test_r17_the_discards_are_shown_together_in_seat_order() -> None:
    opened, _ = played(staged("drummer | heroine courtesan | winter | 1 | 1", battle=None), "place siena")
    closed, told = played(opened, "2: discard hand", "1: keep hand", "0: discard hand")
    assert HandsShown(((0, ("drummer",)), (2, ("winter",)))) in told
    assert closed.step == opened.step + 1
    assert observe(closed, 3).hand_sizes == (0, 2, 0, 1, 1)
    assert {"drummer", "winter"} <= set(observe(closed, 3).discards)


def test_r17_a_preview_tells_nothing_of_the_others() -> None:
    state = staged("drummer | heroine courtesan | 1 | 1", battle=None)
    opened, _ = played(state, "place siena")
    alone, _ = played(staged("drummer | 2 | 1 | 1", battle=None), "place siena")
    assert [type(event).__name__ for event in preview(state, 0, legal_moves(state, 0)[0])] == ["RegionChosen"]
    for move in legal_moves(opened, 0):
        assert preview(opened, 0, move) == preview(alone, 0, move)


def test_r19_cards_dealt_and_kept_are_for_their_seat_alone() -> None:
    state = staged("5 5 drummer | - | -", battle=None)
    dealt, told = played(state, "place siena", "keep 5 drummer", "shuffle")
    for seat in (1, 2, None):
        redacted = redact(told, seat)
        assert len(redacted) == len(told)
        private = [event for event in redacted if type(event).__name__ in ("CardsDealt", "CardsKept")]
        assert all(event.cards is None for event in private if event.seat != seat)
        assert [event.count for event in private] == [2, 8, 10, 10]
    assert observe(dealt, 0).hand is not None
    assert observe(dealt, None).hand is None


def test_r23_hand_sizes_and_the_discard_pile_are_public() -> None:
    state, _ = played(staged("5 scarecrow | 1 2 | 3"), "play scarecrow nothing")
    for seat in (None, 0, 1, 2):
        view = observe(state, seat)
        assert view.hand_sizes == (1, 2, 1)
        assert view.discards.count("scarecrow") == 16
    assert observe(state, 1).pile_size == 0


def test_r24_no_move_shows_or_exchanges_a_card() -> None:
    """Deals bind no one and are none of the rules' business: there is no such move."""
    kinds = {move.kind for seed in range(20) for move in _all_legal(random_game(seed))}
    assert kinds == {"place", "play", "pass", "discard hand", "keep hand", "keep"}


def _all_legal(game: Game):
    for state in replay(game.options, game.players, game.first, game.log).states:
        for decision in pending(state):
            yield from legal_moves(state, decision.seat)
