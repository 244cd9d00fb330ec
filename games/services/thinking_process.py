"""The process in which Strategist thinks, as the worker that started it sees it.

It holds nothing of the site: no database, no settings. Ending it at any moment loses one thought.
"""

from __future__ import annotations

import contextlib
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from django.conf import settings

Answer = TypeVar("Answer")

LONGEST_ANSWER = 40.0  # seconds: far more than a thought takes on a busy machine, and the process to start
_COMMAND = (sys.executable, "-m", "games.bots.thinker")


class NoThought(Exception):
    """Raised if there is no answer: the process died, took too long or could not think."""


class ThinkingProcess:
    """One process that answers one question at a time; started when needed, and again once it has died."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._one_at_a_time = threading.Lock()

    @property
    def pid(self) -> int | None:
        """The number of the running process; None for none."""
        return self._process.pid if self._process is not None and self._process.poll() is None else None

    def ask(self, function: Callable[..., Answer], *arguments: Any) -> Answer:
        """Return what a function of `games.bots` returns there. Raises NoThought."""
        with self._one_at_a_time:
            is_answer, answer = self._exchange((function, arguments))
        if not is_answer:
            raise NoThought(answer)
        result: Answer = answer
        return result

    def _exchange(self, question: object) -> tuple[bool, Any]:
        process = self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        timer = threading.Timer(LONGEST_ANSWER, process.kill)
        timer.start()
        is_answered = False
        try:
            pickle.dump(question, process.stdin)
            process.stdin.flush()
            answer: tuple[bool, Any] = pickle.load(process.stdout)  # noqa: S301 - from a process of our own
            is_answered = True
        except (OSError, EOFError, pickle.UnpicklingError) as error:
            raise NoThought(f"the thinking process ended: {error!r}") from error
        finally:
            timer.cancel()
            if not is_answered:  # what is left in the pipes would answer the next question
                self.stop()
        return answer

    def _started(self) -> subprocess.Popen[bytes]:
        if self.pid is None:
            self.stop()
            self._process = subprocess.Popen(
                _COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=settings.BASE_DIR
            )
        assert self._process is not None
        return self._process

    def stop(self) -> None:
        """End the process, if it runs."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):  # of a question that was not sent
                    pipe.close()


THINKER = ThinkingProcess()  # of this worker; it ends when its input does
