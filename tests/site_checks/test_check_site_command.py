"""The command itself: its lines, its exit code, and settings with which little can be tried."""

from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from condottiere_site.site_checks import all_checks
from condottiere_site.site_checks.check_results import CheckResult
from tests.servers import free_port
from tests.site_checks.test_running_parts import every_task_ran

Lines = Callable[..., dict[str, tuple[str, str]]]

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def emails_are_captured(settings: Any) -> None:
    settings.EMAIL_BACKEND = "accounts.mail.capture.CaptureBackend"


def test_a_site_at_home_with_captured_mail_says_what_does_not_apply(
    lines: Lines, live_server: Any, settings: Any
) -> None:
    settings.SITE_URL = live_server.url
    every_task_ran()
    found = lines("--time-server", "nowhere.invalid")
    skipped = {name for name, (outcome, _text) in found.items() if outcome == "skipped"}
    assert skipped >= {"address", "https", "redirect", "mail server", "SPF", "DKIM", "DMARC", "out and back"}
    assert found["exit"][0] == "0"
    assert "EMAIL_URL" in found["mail server"][1]


def test_one_failure_makes_the_exit_code_1_and_the_last_line_counts(lines: Lines, settings: Any) -> None:
    settings.SITE_URL = f"http://127.0.0.1:{free_port()}"
    code, text = lines("--time-server", "nowhere.invalid")["exit"]
    assert code == "1"
    assert " 2 failed, " in text.splitlines()[-1]  # no web server, no worker
    assert "\x1b" not in text
    assert max(map(len, text.splitlines())) <= 100


def test_a_check_that_breaks_does_not_stop_the_others(
    lines: Lines, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def check_luck(_facts: Any) -> CheckResult:
        raise ZeroDivisionError("none left")

    monkeypatch.setattr(all_checks, "CHECKS", (check_luck, *all_checks.CHECKS[-1:]))
    found = lines()
    assert found["luck"][0] == "failed"
    assert "ZeroDivisionError" in found["luck"][1]
    assert "reverse name" in found


@pytest.mark.parametrize(
    "words",
    [
        ("--email", "nonsense"),
        ("--wait", "soon"),
        ("--wait", "0"),
        ("--wait", "nan"),
        ("--dns-server", "dns.example.org"),
        ("--time-server", ":x"),
        ("--sends-from", "mail.example.org"),
    ],
)
def test_bad_options_are_refused(words: tuple[str, str]) -> None:
    with pytest.raises(CommandError):
        call_command("check_site", *words, stdout=StringIO(), stderr=StringIO())
