"""An app only for these tests' processes: one more kind of email, and shorter timeouts."""

import os

from django.apps import AppConfig


class FaultsConfig(AppConfig):
    name = "tests.faults"

    def ready(self) -> None:
        """Register greetings, and shorten the wait for a mail server's answer."""
        from accounts.mail import messages, smtp_client
        from tests.mail.builders import GREETING

        messages.EMAIL_KINDS["greeting"] = GREETING
        smtp_client.ANSWER_WITHIN = float(os.environ.get("ANSWER_WITHIN", smtp_client.ANSWER_WITHIN))
