"""SPF and DMARC records: right ones, missing ones, and those that can't be read."""

from collections.abc import Callable
from typing import Any

import pytest

from condottiere_site.site_checks.check_results import CheckOutcome
from condottiere_site.site_checks.sender_checks import check_dmarc, check_spf
from condottiere_site.site_checks.site_facts import SiteFacts
from tests.site_checks.conftest import HOST, SENDS_FROM, SERVICE
from tests.site_checks.nameserver import NameServer

Facts = Callable[..., SiteFacts]


def test_a_record_that_allows_the_mail_server_is_right(asked: NameServer, facts: Facts, mailing: Any) -> None:
    assert check_spf(facts()).outcome == CheckOutcome.OK


def test_records_that_include_others_are_followed(asked: NameServer, facts: Facts, mailing: Any) -> None:
    asked.records[HOST, "TXT"] = ['"v=spf1 include:_spf.example.net -all"']
    asked.records["_spf.example.net", "TXT"] = [f'"v=spf1 ip4:{SENDS_FROM} ~all"']
    assert check_spf(facts()).outcome == CheckOutcome.OK
    assert check_spf(facts(sends_from=("203.0.113.99",))).outcome == CheckOutcome.FAILED


@pytest.mark.parametrize(
    ("records", "told"),
    [
        ([], 'Add the TXT record "v=spf1 ip4:203.0.113.5 -all" to games.example.org.'),
        (['"v=spf1 -all"'], "Add ip4:203.0.113.5 to its TXT record"),
        (['"v=spf1 ip4:203.0.113.0/24 ~all"', '"v=spf1 -all"'], "Join them into one"),
        (['"v=spf1 ip5:203.0.113.5 -all"'], "Correct the TXT record"),
        (['"v=spf1 include:gone.example.net -all"'], "Correct the TXT record"),
    ],
)
def test_a_wrong_record_says_what_to_write(
    asked: NameServer, facts: Facts, mailing: Any, records: list[str], told: str
) -> None:
    asked.records[HOST, "TXT"] = records
    found = check_spf(facts())
    assert found.outcome == CheckOutcome.FAILED
    assert told in found.advice


def test_each_address_must_be_allowed_ipv6_too(asked: NameServer, facts: Facts, mailing: Any) -> None:
    found = check_spf(facts(sends_from=(SENDS_FROM, "2001:db8::5")))
    assert found.outcome == CheckOutcome.FAILED
    assert "Add ip6:2001:db8::5" in found.advice


def test_of_a_mail_service_only_the_record_is_looked_at(
    asked: NameServer, facts: Facts, mailing: Any
) -> None:
    found = check_spf(facts(sends_from=(), mail_server=SERVICE))
    assert found.outcome == CheckOutcome.OK
    assert SERVICE in found.sentence


def test_a_policy_is_named_with_its_domain(asked: NameServer, facts: Facts, mailing: Any) -> None:
    found = check_dmarc(facts())
    assert (found.outcome, found.sentence) == (CheckOutcome.OK, f"_dmarc.{HOST} has the policy none.")


def test_the_record_of_the_domain_above_counts(asked: NameServer, facts: Facts, mailing: Any) -> None:
    del asked.records[f"_dmarc.{HOST}", "TXT"]
    asked.records["_dmarc.example.org", "TXT"] = ['"v=DMARC1; p=reject; sp=quarantine"']
    assert check_dmarc(facts()).sentence == "_dmarc.example.org has the policy quarantine."


@pytest.mark.parametrize(
    "records", [[], ['"v=DMARC1"'], ['"v=DMARC1; p=perhaps"'], ['"v=DMARC1; p=none"', '"v=DMARC1; p=reject"']]
)
def test_a_record_that_does_not_count_fails(
    asked: NameServer, facts: Facts, mailing: Any, records: list[str]
) -> None:
    asked.records[f"_dmarc.{HOST}", "TXT"] = records
    found = check_dmarc(facts())
    assert found.outcome == CheckOutcome.FAILED
    assert "v=DMARC1; p=none" in found.advice


def test_a_return_path_at_another_domain_is_a_warning(
    asked: NameServer, facts: Facts, mailing: Any, settings: Any
) -> None:
    settings.BOUNCE_ADDRESS = "bounces@example.net"
    assert check_dmarc(facts()).outcome == CheckOutcome.WARNING
    settings.BOUNCE_ADDRESS = f"bounces@mail.{HOST}"
    assert check_dmarc(facts()).outcome == CheckOutcome.OK


def test_without_a_mail_server_no_record_is_needed(facts: Facts, settings: Any) -> None:
    settings.EMAIL_BACKEND = "accounts.mail.capture.CaptureBackend"
    assert {check(facts()).outcome for check in (check_spf, check_dmarc)} == {CheckOutcome.SKIPPED}
