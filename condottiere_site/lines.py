"""Connections to PostgreSQL of which can be seen, without asking, that the server has hung up."""

from __future__ import annotations

import select
from time import monotonic
from typing import Any

from psycopg import Connection, Cursor

ASKED_EVERY = 30  # seconds


class Line(Connection[Any]):
    """What the pool lends. Before each loan it asks an empty question, to give nobody a line that is dead.

    A server that ends or is killed hangs up, which is seen at this end of the line. Only a machine that
    vanished does not, so one that has said nothing for a while is asked.
    """

    _heard_at = float("-inf")

    def execute(self, query: Any, *parameters: Any, **how: Any) -> Cursor[Any]:
        if query == "" and monotonic() < self._heard_at + ASKED_EVERY and not self._has_word():
            return self.cursor()
        answer = super().execute(query, *parameters, **how)
        self._heard_at = monotonic()
        return answer

    def _has_word(self) -> bool:
        """Whether there is something to read that nobody asked for: a farewell, or the end of the line."""
        line = select.poll()
        line.register(self.fileno(), select.POLLIN)
        return bool(line.poll(0))
