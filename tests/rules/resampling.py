"""Another game that one seat cannot tell from this one: for every test that asks whether something leaks.

What the seat has seen so far stays as it is: its own hands, all cards played and shown, all sizes, when a
step of R17 opened and closed. The rest is dealt anew: other hands, the pile, cards kept by others (R18), who
else was asked to discard (R17), and what others have answered in a step that is still open.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from games.rules import Move, Options, State, apply, legal_moves, new_game, parse_move
from games.rules.cards import names
from games.rules.engine import Ply, Replay, replay
from games.rules.events import HandsDropped, HandsShown
from games.rules.state import final_starter

Log = list[tuple[int | None, str]]
Hand = Counter[str]
ATTEMPTS = 40


class NoOther(Exception):
    """This try at dealing anew contradicts what the seat has seen."""


@dataclass
class Round:
    """What a seat knows of the cards between one shuffle and the next."""

    start: int  # the entry of its shuffle
    end: int  # the entry of the next shuffle, or the length of the log
    sizes: list[int]  # of the hands after the deal
    shown: list[Hand]  # per seat the cards its hand is known to have had after the deal
    true: list[Hand]  # the hands after the deal as they were
    dealt: set[int] = field(default_factory=set)


def resampled(
    options: Options,
    players: int,
    first: int,
    log: Sequence[tuple[int | None, str]],
    seat: int | None,
    rng: Random,
) -> Log:
    """A log of the same running game in which everything this seat (None: a watcher) may not know can differ.
    The same log when nothing else was found."""
    past = replay(options, players, first, log)
    assert past.error is None
    assert not past.state.is_over
    rounds = _rounds(past, seat)
    return _Retelling(options, players, first, past, rounds, seat, rng).told()


def _rounds(past: Replay, seat: int | None) -> list[Round]:
    starts = [number for number, ply in enumerate(past.plies) if ply.seat is None]
    return [
        _round(past, seat, start, end)
        for start, end in zip(starts, [*starts[1:], len(past.plies)], strict=True)
    ]


def _round(past: Replay, seat: int | None, start: int, end: int) -> Round:
    after = past.states[start + 1]
    true = [Counter(hand) for hand in _hands(after)]
    shown = [
        Counter(hand) if owner == seat else _shown(past, owner, start, end) for owner, hand in enumerate(true)
    ]
    return Round(start, end, [hand.total() for hand in true], shown, true)


def _hands(state: State) -> list[tuple[str, ...]]:
    return [names(hand) for hand in state.hands]


def _shown(past: Replay, owner: int, start: int, end: int) -> Hand:
    """The least hand after the deal from which this seat could have played and shown what it did."""
    need, balance = Counter[str](), Counter[str]()

    def leaves(card: str) -> None:
        balance[card] += 1
        need[card] = max(need[card], balance[card])

    for ply in past.plies[start + 1 : end]:
        if ply.seat == owner and ply.move.card is not None:
            leaves(ply.move.card)
            if ply.move.taken is not None:
                balance[ply.move.taken] -= 1
        for event in ply.events:
            if isinstance(event, HandsShown | HandsDropped):
                for card in dict(event.hands).get(owner, ()):
                    leaves(card)
    return need


class _Retelling:
    """Tells the game again, round by round; a round that cannot be told otherwise is told as it was."""

    def __init__(
        self,
        options: Options,
        players: int,
        first: int,
        past: Replay,
        rounds: list[Round],
        seat: int | None,
        rng: Random,
    ) -> None:
        self.past, self.rounds, self.seat, self.rng = past, rounds, seat, rng
        self.players = players
        self.start = new_game(options, players, first)

    def told(self) -> Log:
        """Tries to change all rounds; failing that only later ones, down to none."""
        for kept in [0] * 3 + list(range(1, len(self.rounds))):
            try:
                return self._told_after(kept)
            except NoOther:
                continue
        return [(ply.seat, str(ply.move)) for ply in self.past.plies]

    def _told_after(self, kept: int) -> Log:
        """The first rounds as they were, the rest anew."""
        begun = self.rounds[kept].start if self.rounds else 0
        log: Log = [(ply.seat, str(ply.move)) for ply in self.past.plies[:begun]]
        state = self.past.states[begun]
        for number in range(kept, len(self.rounds)):
            state, entries = self._another_round(state, number)
            log += entries
        return log

    def _another_round(self, state: State, number: int) -> tuple[State, Log]:
        for attempt in range(ATTEMPTS):
            try:
                return self._round(state, number, timid=attempt >= ATTEMPTS // 2)
            except NoOther:
                continue
        raise NoOther

    def _round(self, state: State, number: int, timid: bool) -> tuple[State, Log]:
        hands = self._hands_anew(state, number, timid)
        state, entries = self._play(state, None, self._shuffle(state, hands), [])
        return self._play_on(state, number, entries)

    def _hands_anew(self, state: State, number: int, timid: bool) -> list[Hand]:
        """Each hand after the deal: what is known of it and what it had already, filled up from what nobody
        has seen."""
        known = self.rounds[number]
        kept = [Counter(hand) for hand in _hands(state)]
        fixed = [shown | held for shown, held in zip(known.shown, kept, strict=True)]
        unseen = Counter(_deck(state))
        for hand in fixed:
            unseen.subtract(hand)
        missing = [size - hand.total() for size, hand in zip(known.sizes, fixed, strict=True)]
        if min(unseen.values()) < 0 or min(missing) < 0:
            raise NoOther
        likely = [true - hand if timid else Counter() for true, hand in zip(known.true, fixed, strict=True)]
        return self._filled(fixed, missing, unseen, likely)

    def _filled(self, fixed: list[Hand], missing: list[int], unseen: Hand, likely: list[Hand]) -> list[Hand]:
        """A timid try leaves most cards where they were."""
        hands = []
        for hand, count, was in zip(fixed, missing, likely, strict=True):
            stays = Counter(card for card in (was & unseen).elements() if self.rng.random() < 0.7)
            stays = Counter(list(stays.elements())[:count])
            unseen = unseen - stays
            drawn = Counter(self.rng.sample(sorted(unseen.elements()), count - stays.total()))
            unseen = unseen - drawn
            hands.append(hand + stays + drawn)
        return hands

    def _shuffle(self, state: State, hands: list[Hand]) -> Move:
        """The pile that deals these hands in the order of R19 or R21."""
        held = [Counter(hand) for hand in _hands(state)]
        parts = [list((hand - had).elements()) for hand, had in zip(hands, held, strict=True)]
        for part in parts:
            self.rng.shuffle(part)
        first = final_starter(state) if state.finalists else state.condottiere
        order = [(first + step) % self.players for step in range(self.players)]
        filled = [max(0, state.options.hand_size - had.total()) for had in held]
        pile = [card for owner in order for card in parts[owner][: filled[owner]]]
        pile += [card for owner in order for card in parts[owner][filled[owner] :]]
        rest = list((Counter(state.shuffle_pile) - Counter(pile)).elements())
        self.rng.shuffle(rest)
        return parse_move(" ".join(("shuffle", *pile, *rest)))

    def _play(self, state: State, seat: int | None, move: Move, entries: Log) -> tuple[State, Log]:
        if seat is not None and move not in legal_moves(state, seat):
            raise NoOther
        after, _ = apply(state, seat, move)
        return after, [*entries, (seat, str(move))]

    def _play_on(self, state: State, number: int, entries: Log) -> tuple[State, Log]:
        """The round's public entries as they were; the secret ones anew."""
        known = self.rounds[number]
        at = known.start + 1
        while at < known.end or self.past.states[at].phase == "hand":
            before = self.past.states[at]
            if (before.phase == "hand") != (state.phase == "hand"):
                raise NoOther
            if before.phase == "hand":
                state, entries, at = self._hand_step(state, entries, at)
                if at == len(self.past.plies):
                    break
                continue
            ply = self.past.plies[at]
            assert ply.seat is not None
            move = self._kept(state, ply.seat, ply.move, number) if ply.move.kind == "keep" else ply.move
            state, entries = self._play(state, ply.seat, move, entries)
            at += 1
        self._must_look_alike(state, self.past.states[known.end])
        return state, entries

    def _must_look_alike(self, state: State, before: State) -> None:
        if (state.phase, state.turn) != (before.phase, before.turn):
            raise NoOther

    def _kept(self, state: State, owner: int, move: Move, number: int) -> Move:
        """Other cards kept by another (R18), as many, and such that his next hand can have had them."""
        if owner == self.seat:
            return move
        hand = _hands(state)[owner]
        cards = self.rng.sample(range(len(hand)), len(move.cards))
        if number + 1 < len(self.rounds):
            following = self.rounds[number + 1]
            room = following.sizes[owner] - following.shown[owner].total()
            if (Counter(hand[at] for at in cards) - following.shown[owner]).total() > room:
                raise NoOther
        return parse_move(" ".join(("keep", *([hand[at] for at in sorted(cards)] or ["nothing"]))))

    def _hand_step(self, state: State, entries: Log, at: int) -> tuple[State, Log, int]:
        """A step of R17: the seat decides as it did and is the last to do so only if it was; discards that
        were shown are made again; all others keep. While the step is open, others may have answered anything
        or nothing."""
        until = at
        while until < len(self.past.plies) and not _closes(self.past.plies[until]):
            until += 1
        is_open = until == len(self.past.plies)
        decided = self.past.plies[at : until + 1]
        asked = [owner for owner in range(self.players) if legal_moves(state, owner)]
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


def _closes(ply: Ply) -> bool:
    """Whether this was the last decision of a step of R17."""
    return any(isinstance(event, HandsShown) for event in ply.events)


def _deck(state: State) -> tuple[str, ...]:
    return names(state.options.deck)
