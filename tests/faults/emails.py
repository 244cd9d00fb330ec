"""The kind of email that only the processes of these tests know."""

from accounts.mail.messages import EMAIL_KINDS
from tests.mail.builders import GREETING

EMAIL_KINDS["greeting"] = GREETING
