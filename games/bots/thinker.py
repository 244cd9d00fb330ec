"""A process of its own that thinks: questions come in, answers go out. Not part of choosing moves.

`python -m games.bots.thinker` is started by the site and ends with it. It reads and writes pickled objects,
so only the process that started it may be at the other end.
"""

import os
import pickle
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from time import monotonic, process_time
from typing import Any, BinaryIO

from games.rules import Move, Observation

from .strategist import Budget, KnownCards, MoveJudgement, Tried, advise, choose_move, judge

PLAYOUTS = 150  # of a move: about 0.15 seconds of one core
LONGEST = 0.8  # seconds of processor time, after which a move is cut off before the next deal
LONGEST_WAIT = 8.0  # seconds after which it is, where the machine has no time for it
NICENESS = 10  # pages and emails come first


def budget() -> Budget:
    """Return the thought that a move may take from now on."""
    end, latest = process_time() + LONGEST, monotonic() + LONGEST_WAIT
    return Budget(PLAYOUTS, lambda: process_time() >= end or monotonic() >= latest)


def think_of_move(seen: Observation, known: KnownCards, seed: str) -> Move:
    """Return Strategist's move for the observing seat. Raises DamagedWeights."""
    return choose_move(seen, known, seed, budget())


def advice_on(seen: Observation, known: KnownCards, seed: str) -> Tried:
    """Return what Strategist would play for the observing seat. Raises DamagedWeights."""
    return advise(seen, known, seed, budget())


def judgement_on(seen: Observation, known: KnownCards, seed: str, move: Move) -> MoveJudgement:
    """Return what a move was worth next to Strategist's choice. Raises DamagedWeights."""
    return judge(seen, known, seed, budget(), move)


def answer_questions(read: BinaryIO, write: BinaryIO) -> None:
    """Answer each question, a function with its arguments, until no more can come."""
    while True:
        try:
            function, arguments = pickle.load(read)  # noqa: S301 - from the process that started this one
        except EOFError:
            return
        pickle.dump(_answer(function, arguments), write)
        write.flush()


def _answer(function: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[bool, Any]:
    """Return whether there is an answer, and the answer or what went wrong."""
    try:
        return True, function(*arguments)
    except Exception as error:  # noqa: BLE001 - whatever it is, the other process has to know
        return False, repr(error)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of the terminal's Control-C, the site decides
    if hasattr(os, "nice"):
        with suppress(PermissionError):  # a sandbox may forbid it: then Strategist thinks as others work
            os.nice(NICENESS)
    answer_questions(sys.stdin.buffer, sys.stdout.buffer)
