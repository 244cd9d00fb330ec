"""Makes another game that one seat cannot tell from this one, for every test of leaks.

What the seat has seen so far stays as it is: its own cards, all cards that lay face up or were shown, all
sizes, when a step of R17 opened and closed. Every other card gets another face: in the hands of others, kept
by them (R18), face down before them (R37), in the pile. So others are asked to discard their hands (R17), and
what they answered in a step that is still open may differ.
"""

from collections import Counter
from collections.abc import Sequence
from random import Random

from games.rules import Move, Options, State, apply, legal_moves, new_game, parse_move
from games.rules.cards import DRUMMER, NUMBER_OF
from games.rules.engine import Ply, Replay, replay
from games.rules.events import HandsShown
from tests.simulation.games.card_histories import Card, histories

Log = list[tuple[int | None, str]]
ATTEMPTS = 40


class NoOther(Exception):
    """These other faces contradict what the seat has seen."""


class TooLate(NoOther):
    """No attempt from this shuffle on can work: faces given earlier are in the way."""


def resampled(
    options: Options,
    players: int,
    first: int,
    log: Sequence[tuple[int | None, str]],
    seat: int | None,
    rng: Random,
) -> Log:
    """A log of the same running game in which everything this seat (None: a spectator) may not know can
    differ. The same log when nothing else was found.
    """
    past = replay(options, players, first, log)
    assert past.error is None
    assert not past.state.is_over
    return _Retelling(new_game(options, players, first), past, seat, rng).told()


class _Retelling:
    """Replays the game from shuffle to shuffle with other hidden cards where possible."""

    def __init__(self, start: State, past: Replay, seat: int | None, rng: Random) -> None:
        self.start, self.past, self.seat, self.rng = start, past, seat, rng
        self.cards = histories(past, start.players, seat)
        self.shuffles = sorted(self.cards.piles)
        self.faces: dict[Card, str] = {}

    def told(self) -> Log:
        """Try to change everything; failing that, only what follows a later shuffle, down to nothing."""
        for kept in [0] * 3 + list(range(1, len(self.shuffles))):
            try:
                return self._told_after(kept)
            except NoOther:
                continue
        return [(ply.seat, str(ply.move)) for ply in self.past.plies]

    def _told_after(self, kept: int) -> Log:
        """Replay with the first shuffles unchanged and the others made again."""
        begun = self.shuffles[kept] if self.shuffles else 0
        log: Log = [(ply.seat, str(ply.move)) for ply in self.past.plies[:begun]]
        self.faces = {card: card.face for at in self.shuffles[:kept] for card in self.cards.piles[at]}
        state = self.past.states[begun]
        for at in self.shuffles[kept:]:
            state, entries = self._part_anew(state, at)
            log += entries
        return log

    def _part_anew(self, state: State, at: int) -> tuple[State, Log]:
        for attempt in range(ATTEMPTS):
            try:
                self._faces_anew(state, at, timid=attempt >= ATTEMPTS // 2)
                pile = [self.faces[card] for card in self.cards.piles[at]]
                after, entries = self._play(state, None, parse_move(" ".join(("shuffle", *pile))), [])
                return self._play_on(after, at, entries)
            except TooLate:
                raise
            except NoOther:
                continue
        raise NoOther

    def _faces_anew(self, state: State, at: int, *, timid: bool) -> None:
        """Known cards keep their faces; the others get what is left of the pile, those that lie face down
        first. A timid try leaves most of them as they were."""
        left = Counter(state.shuffle_pile)
        fresh = []
        for card in sorted(self.cards.piles[at], key=lambda card: not card.is_known):
            if left[card.face] and (card.is_known or (timid and self.rng.random() < 0.7)):
                left[card.face] -= 1
                self.faces[card] = card.face
            elif card.is_known:
                raise TooLate
            else:
                fresh.append(card)
        faces = list(left.elements())
        self.rng.shuffle(faces)
        for card in sorted(fresh, key=lambda card: not card.lies_down):
            self.faces[card] = faces.pop(_fitting(card, faces))

    def _play(self, state: State, seat: int | None, move: Move, entries: Log) -> tuple[State, Log]:
        if seat is not None and move not in legal_moves(state, seat):
            raise NoOther
        after, _ = apply(state, seat, move)
        return after, [*entries, (seat, str(move))]

    def _play_on(self, state: State, begun: int, entries: Log) -> tuple[State, Log]:
        """Repeat the public entries up to the next shuffle, and make the secret ones again."""
        later = [at for at in self.shuffles if at > begun]
        end = later[0] if later else len(self.past.plies)
        at = begun + 1
        while at < end or self.past.states[at].phase == "hand":
            before = self.past.states[at]
            if (before.phase == "hand") != (state.phase == "hand"):
                raise NoOther
            if before.phase == "hand":
                state, entries, at = self._hand_step(state, entries, at)
                if at == len(self.past.plies):
                    break
                continue
            ply = self.past.plies[at]
            state, entries = self._play(state, ply.seat, self._move(at, ply), entries)
            at += 1
        self._must_look_alike(state, self.past.states[end])
        return state, entries

    def _must_look_alike(self, state: State, before: State) -> None:
        if (state.phase, state.turn) != (before.phase, before.turn):
            raise NoOther

    def _move(self, at: int, ply: Ply) -> Move:
        """Return the same move with the same cards, whatever their faces are now."""
        if at in self.cards.kept:
            faces = sorted((self._face(card) for card in self.cards.kept[at]), key=NUMBER_OF.__getitem__)
            return parse_move(" ".join(("keep", *(faces or ["nothing"]))))
        if at in self.cards.played and not self.cards.played[at].is_known:
            return parse_move(f"play {self._face(self.cards.played[at])}")
        return ply.move

    def _face(self, card: Card) -> str:
        """Keep the face of a Mercenary taken back: it came from no pile and everyone saw it."""
        return self.faces.get(card, card.face)

    def _hand_step(self, state: State, entries: Log, at: int) -> tuple[State, Log, int]:
        """A step of R17: the seat decides as it did and is the last to do so only if it was; discards that
        were shown are made again; all others keep. While the step is open, others may have answered anything
        or nothing."""
        until = at
        while until < len(self.past.plies) and not _closes(self.past.plies[until]):
            until += 1
        is_open = until == len(self.past.plies)
        decided = self.past.plies[at : until + 1]
        asked = [owner for owner in range(state.players) if legal_moves(state, owner)]
        mine = next((str(ply.move) for ply in decided if ply.seat == self.seat), None)
        if (self.seat in asked) != bool(
            self.seat is not None and legal_moves(self.past.states[at], self.seat)
        ):
            raise NoOther
        answers = self._open_answers(asked, mine) if is_open else self._closed_answers(asked, mine, decided)
        for owner, text in answers:
            state, entries = self._play(state, owner, parse_move(text), entries)
        return state, entries, at + len(decided)

    def _closed_answers(self, asked: list[int], mine: str | None, decided: Sequence[Ply]) -> Log:
        shown = {ply.seat for ply in decided if str(ply.move) == "discard hand"}
        others = [owner for owner in asked if owner != self.seat]
        if not shown <= set(asked):
            raise NoOther
        self.rng.shuffle(others)
        answers: Log = [(owner, "discard hand" if owner in shown else "keep hand") for owner in others]
        if mine is None:
            return answers
        if decided[-1].seat == self.seat:
            return [*answers, (self.seat, mine)]
        if not answers:
            raise NoOther
        answers.insert(self.rng.randrange(len(answers)), (self.seat, mine))
        return answers

    def _open_answers(self, asked: list[int], mine: str | None) -> Log:
        others = [owner for owner in asked if owner != self.seat]
        if not others and (mine is not None or self.seat not in asked):
            raise NoOther
        self.rng.shuffle(others)
        must_wait = mine is not None or self.seat not in asked
        answering = others[: self.rng.randrange(len(others) + (0 if must_wait else 1)) if others else 0]
        answers: Log = [(owner, self.rng.choice(["discard hand", "keep hand"])) for owner in answering]
        if mine is not None:
            answers.insert(self.rng.randrange(len(answers) + 1), (self.seat, mine))
        return answers


def _fitting(card: Card, faces: list[str]) -> int:
    """Return the position of the last of these faces that this card can have (R37)."""
    if not card.lies_down:
        return len(faces) - 1
    fitting = [number for number, face in enumerate(faces) if NUMBER_OF[face] <= DRUMMER]
    if not fitting:
        raise NoOther
    return fitting[-1]


def _closes(ply: Ply) -> bool:
    """Return whether this was the last decision of a step of R17."""
    return any(isinstance(event, HandsShown) for event in ply.events)
