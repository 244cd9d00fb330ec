"""The site as a visitor meets it: certificate, redirect, headers, static files."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import pytest

from condottiere_site.site_checks.check_results import CheckOutcome
from condottiere_site.site_checks.site_facts import SiteFacts
from condottiere_site.site_checks.web_checks import (
    check_headers,
    check_home_page,
    check_https,
    check_redirect,
    check_static_files,
)
from tests.servers import free_port
from tests.site_checks.conftest import HOST, Answers
from tests.site_checks.nameserver import NameServer

Facts = Callable[..., SiteFacts]
Start = Callable[..., int]


def test_a_good_site_passes(asked: NameServer, facts: Facts, https_site: Start) -> None:
    https_site()
    for check in (check_https, check_home_page, check_headers, check_static_files):
        assert check(facts()).outcome == CheckOutcome.OK, check(facts())


@pytest.mark.parametrize(
    ("host", "days", "is_trusted", "outcome", "told"),
    [
        (HOST, 60, False, CheckOutcome.FAILED, "isn't valid"),
        ("other.example.org", 60, True, CheckOutcome.FAILED, "isn't valid"),
        (HOST, -0.01, True, CheckOutcome.FAILED, "expired"),
        (HOST, 5, True, CheckOutcome.WARNING, "ends in 5 days"),
    ],
)
def test_a_certificate_that_browsers_refuse_or_soon_will(
    asked: NameServer,
    facts: Facts,
    https_site: Start,
    host: str,
    days: float,
    is_trusted: bool,
    outcome: CheckOutcome,
    told: str,
) -> None:
    https_site(host, days=days, is_trusted=is_trusted)
    found = check_https(facts())
    assert (found.outcome, told in found.sentence) == (outcome, True), found
    assert found.advice


def test_a_public_site_without_https_fails(asked: NameServer, facts: Facts, settings: Any) -> None:
    settings.SITE_URL = f"http://{HOST}"
    assert check_https(facts()).outcome == CheckOutcome.FAILED
    assert check_redirect(facts()).outcome == CheckOutcome.SKIPPED


@pytest.mark.parametrize(
    ("status", "target", "outcome"),
    [
        (301, "{url}/", CheckOutcome.OK),
        (200, "", CheckOutcome.FAILED),
        (301, "https://elsewhere.example.org/", CheckOutcome.FAILED),
    ],
)
def test_plain_http_must_lead_to_https(
    asked: NameServer,
    facts: Facts,
    https_site: Start,
    web_server: Start,
    answers: Answers,
    status: int,
    target: str,
    outcome: CheckOutcome,
) -> None:
    https_site()
    answers["/"] = (status, {"Location": target.format(url=facts().url)}, b"")
    assert check_redirect(facts(plain_port=web_server())).outcome == outcome


def test_plain_http_that_is_not_answered_is_a_warning(
    asked: NameServer, facts: Facts, https_site: Start
) -> None:
    https_site()
    assert check_redirect(facts(plain_port=free_port())).outcome == CheckOutcome.WARNING
    assert check_redirect(facts()).outcome == CheckOutcome.SKIPPED  # the site is at another port


@pytest.mark.parametrize(
    ("missing", "told"),
    [
        ("Strict-Transport-Security", "X-Forwarded-Proto"),
        ("Content-Security-Policy", "unchanged"),
        ("X-Content-Type-Options", "unchanged"),
        ("Referrer-Policy", "unchanged"),
    ],
)
def test_each_header_that_is_missing_is_noticed(
    asked: NameServer, facts: Facts, https_site: Start, answers: Answers, missing: str, told: str
) -> None:
    https_site()
    del answers["/"][1][missing]
    found = check_headers(facts())
    assert (found.outcome, missing in found.sentence) == (CheckOutcome.FAILED, True)
    assert told in found.advice


@pytest.mark.parametrize("status", [400, 404, 500, 502])
def test_a_home_page_that_does_not_arrive_fails_once(
    asked: NameServer, facts: Facts, https_site: Start, answers: Answers, status: int
) -> None:
    https_site()
    answers["/"] = (status, {}, b"")
    assert check_home_page(facts()).outcome == CheckOutcome.FAILED
    assert {check(facts()).outcome for check in (check_headers, check_static_files)} == {CheckOutcome.SKIPPED}


def test_static_files_that_are_missing_fail_and_uncollected_ones_are_a_warning(
    asked: NameServer, facts: Facts, https_site: Start, answers: Answers
) -> None:
    https_site()
    [path] = set(answers) - {"/"}
    answers[path][1]["Cache-Control"] = "max-age=600"
    assert check_static_files(facts()).outcome == CheckOutcome.WARNING
    del answers[path]
    assert "collectstatic" in check_static_files(facts()).advice
    answers["/"] = (200, {}, b"<h1>It works!</h1>")
    assert check_static_files(facts()).outcome == CheckOutcome.FAILED


def test_a_web_server_that_is_down_is_said_by_one_line(facts: Facts, settings: Any) -> None:
    settings.SITE_URL = f"http://127.0.0.1:{free_port()}"
    found = [check(facts()) for check in (check_https, check_home_page, check_headers, check_static_files)]
    assert [one.name for one in found if one.outcome == CheckOutcome.FAILED] == ["home page"]


def test_the_site_itself_passes(live_server: Any, facts: Facts, settings: Any) -> None:
    settings.SITE_URL = live_server.url
    settings.ALLOWED_HOSTS = [urlsplit(live_server.url).hostname]
    for check in (check_home_page, check_headers):
        assert check(facts()).outcome in (CheckOutcome.OK, CheckOutcome.WARNING), check(
            facts()
        )  # slow where it's busy
    assert check_static_files(facts()).outcome == CheckOutcome.WARNING  # not collected
