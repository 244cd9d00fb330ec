"""An app only for these tests' processes: one more kind of email, shorter timeouts, slow standing orders."""

import os
import threading
import time
from pathlib import Path

from django.apps import AppConfig


class FaultsConfig(AppConfig):
    name = "tests.faults"

    def ready(self) -> None:
        """Register greetings, wait less for a mail server's answer, and slow orders down if told to."""
        from accounts.mail import email_kinds, smtp_connection
        from tests.mail.builders import GREETING

        email_kinds.EMAIL_KINDS["greeting"] = GREETING
        smtp_connection.ANSWER_WITHIN = float(os.environ.get("ANSWER_WITHIN", smtp_connection.ANSWER_WITHIN))
        if folder := os.environ.get("SLOW_ORDERS"):
            _slow_orders_down(Path(folder))


def _slow_orders_down(folder: Path) -> None:
    """Let each answer of a standing order take a while, and a file show it, for kills in between."""
    from games.services import orders

    answer = orders.answer

    def slow(*seen: object) -> object:
        mark = folder / f"answering-{os.getpid()}-{threading.get_ident()}"
        mark.touch()
        time.sleep(0.1)
        mark.unlink()
        return answer(*seen)  # type: ignore[arg-type]

    orders.answer = slow  # type: ignore[assignment]
