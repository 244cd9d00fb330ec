"""The site's name, its reverse name, and where its mail comes in."""

from collections.abc import Callable
from typing import Any

import pytest

from condottiere_site.site_checks.address_checks import check_address, check_incoming_mail, check_reverse_name
from condottiere_site.site_checks.check_results import CheckOutcome
from condottiere_site.site_checks.site_facts import SiteFacts
from tests.servers import free_port
from tests.site_checks.conftest import HOST, SENDS_FROM, SERVICE
from tests.site_checks.nameserver import NameServer

Facts = Callable[..., SiteFacts]


def test_a_name_that_leads_to_a_web_server_is_right(
    asked: NameServer, facts: Facts, web_server: Callable[..., int]
) -> None:
    found = check_address(facts(host=HOST, port=web_server()))
    assert found.outcome == CheckOutcome.WARNING  # right for a local network alone
    assert "127.0.0.1, which only a local network can reach" in found.sentence


def test_a_name_without_an_address_says_which_record_to_add(asked: NameServer, facts: Facts) -> None:
    found = check_address(facts(host="other.example.org"))
    assert found.outcome == CheckOutcome.FAILED
    assert "A record" in found.advice


def test_an_address_at_which_nothing_listens_is_named(asked: NameServer, facts: Facts) -> None:
    found = check_address(facts(host=HOST, port=free_port()))
    assert found.outcome == CheckOutcome.FAILED
    assert "127.0.0.1 (connection refused)" in found.sentence


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "192.168.1.7", "tower.local"])
def test_a_site_at_home_needs_no_name(facts: Facts, host: str) -> None:
    assert check_address(facts(host=host)).outcome == CheckOutcome.SKIPPED


@pytest.mark.long
def test_a_silent_dns_server_is_named_and_waited_for_briefly(asked: NameServer, facts: Facts) -> None:
    asked.is_silent = True
    found = check_address(facts(host=HOST))
    assert found.outcome == CheckOutcome.FAILED
    assert "No DNS server answered" in found.sentence


def test_mail_goes_to_the_server_that_the_mx_record_names(
    asked: NameServer, facts: Facts, mailing: Any
) -> None:
    found = check_incoming_mail(facts())
    assert (found.outcome, found.sentence) == (CheckOutcome.OK, f"Mail to {HOST} goes to mail.{HOST}.")


@pytest.mark.parametrize("mx", [[], ["0 ."], ["10 gone.example.org."]])
def test_a_domain_that_takes_no_mail_is_told_what_to_add(
    asked: NameServer, facts: Facts, mailing: Any, mx: list[str]
) -> None:
    asked.records[HOST, "MX"] = mx
    asked.records[HOST, "A"] = []
    found = check_incoming_mail(facts())
    assert found.outcome == CheckOutcome.FAILED
    assert "MX record" in found.advice


def test_a_reverse_name_leads_back(asked: NameServer, facts: Facts, mailing: Any) -> None:
    assert check_reverse_name(facts()).outcome == CheckOutcome.OK


@pytest.mark.parametrize(
    ("names", "told"),
    [([], "has no reverse name"), (["other.example.org."], "doesn't lead back")],
)
def test_a_missing_or_a_wrong_reverse_name_fails(
    asked: NameServer, facts: Facts, mailing: Any, names: list[str], told: str
) -> None:
    asked.records["5.113.0.203.in-addr.arpa", "PTR"] = names
    found = check_reverse_name(facts())
    assert found.outcome == CheckOutcome.FAILED
    assert SENDS_FROM in found.sentence
    assert told in found.sentence


def test_the_names_of_a_mail_service_are_its_own_matter(
    asked: NameServer, facts: Facts, mailing: Any
) -> None:
    found = check_reverse_name(facts(sends_from=(), mail_server=SERVICE))
    assert found.outcome == CheckOutcome.SKIPPED
