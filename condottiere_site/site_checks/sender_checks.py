"""SPF and DMARC: what the DNS says about who may send in the name of this site's domain."""

import re
from dataclasses import dataclass

import spf

from condottiere_site.site_checks.check_results import CheckResult, failed, passed, skipped, warning
from condottiere_site.site_checks.lookups import NoDnsAnswer, records
from condottiere_site.site_checks.site_facts import SiteFacts, sending_addresses, why_unknown

_SPF_TIME = 15  # seconds for all lookups of one record
_ANY_ADDRESS = "192.0.2.1"  # reads the record where the mail service's addresses aren't known
_MOST_LABELS = 8
_TAG = re.compile(r"\s*([a-zA-Z]+)\s*=\s*([^;]*?)\s*(?:;|$)")
_POLICIES = ("none", "quarantine", "reject")
_CHECK_DNS = "Check this machine's DNS, or ask another with --dns-server 9.9.9.9."


@dataclass(frozen=True)
class DmarcRecord:
    """The DMARC record that counts for a domain, and the domain at which it is."""

    domain: str
    policy: str


def check_spf(facts: SiteFacts) -> CheckResult:
    """Check that the return path's domain allows the addresses from which emails leave."""
    name = "SPF"
    if why := _why_no_domain(facts, facts.return_domain):
        return skipped(name, why)
    try:
        found = [text for text in records(facts.return_domain, "TXT") if _is_spf(text)]
        sending = sending_addresses(facts)
    except NoDnsAnswer as error:
        return failed(name, str(error), _CHECK_DNS)
    if len(found) != 1:
        return _no_single_record(name, facts, len(found), sending)
    results = {address: spf_result(address, facts.return_path) for address in sending or (_ANY_ADDRESS,)}
    broken = next((words for result, words in results.values() if result == "permerror"), "")
    if broken:
        advice = f"Correct the TXT record of {facts.return_domain}, which is now: {found[0]}"
        return failed(name, f"The SPF record of {facts.return_domain} can't be read. {broken}.", advice)
    if not sending:
        return passed(name, f"{facts.return_domain} has a record. {why_unknown(facts)}")
    refused = [address for address, (result, _words) in results.items() if result != "pass"]
    if refused:
        return failed(
            name,
            f"{facts.return_domain} doesn't allow {' and '.join(refused)}, from which emails leave.",
            f"Add {mechanisms(refused)} to its TXT record, which is now: {found[0]}",
        )
    return passed(name, f"{facts.return_domain} allows {' and '.join(sending)}.")


def _is_spf(text: str) -> bool:
    return text.lower() == "v=spf1" or text.lower().startswith("v=spf1 ")


def _no_single_record(name: str, facts: SiteFacts, count: int, sending: tuple[str, ...]) -> CheckResult:
    if count:
        why = f"{facts.return_domain} has {count} SPF records, so none counts."
        return failed(name, why, "Join them into one TXT record.")
    allowed = mechanisms(sending) if sending else "the include of your mail service"
    return failed(
        name,
        f"{facts.return_domain}, the domain of the return path, has no SPF record.",
        f'Add the TXT record "v=spf1 {allowed} -all" to {facts.return_domain}.',
    )


def mechanisms(addresses: tuple[str, ...] | list[str]) -> str:
    """Return how an SPF record allows these addresses."""
    return " ".join(f"ip6:{address}" if ":" in address else f"ip4:{address}" for address in addresses)


def spf_result(address: str, sender: str) -> tuple[str, str]:
    """Return SPF's word on mail with this envelope sender from an address, and why. Takes bounded time."""
    domain = sender.rpartition("@")[2]
    result, words = spf.check2(i=address, s=sender, h=domain, querytime=_SPF_TIME)
    return str(result), str(words)


def check_dmarc(facts: SiteFacts) -> CheckResult:
    """Check that the sender's domain has a DMARC record that can be read."""
    name = "DMARC"
    if why := _why_no_domain(facts, facts.sender_domain):
        return skipped(name, why)
    try:
        record = dmarc_record(facts.sender_domain)
    except NoDnsAnswer as error:
        return failed(name, str(error), _CHECK_DNS)
    except ValueError as error:
        return failed(name, str(error), "Keep one record, such as: v=DMARC1; p=none")
    if record is None:
        return failed(
            name,
            f"{facts.sender_domain}, the domain of the sender, has no DMARC record.",
            f'Add the TXT record "v=DMARC1; p=none" to _dmarc.{facts.sender_domain}.',
        )
    if not is_aligned(facts.return_domain, facts.sender_domain, record):
        return warning(
            name,
            f"The return path is at {facts.return_domain}, not {facts.sender_domain}: SPF can't count.",
            f"Use a BOUNCE_ADDRESS at {record.domain} or below it. Otherwise DKIM alone counts.",
        )
    return passed(name, f"_dmarc.{record.domain} has the policy {record.policy}.")


def dmarc_record(domain: str) -> DmarcRecord | None:
    """Return the DMARC record for a domain: its own, or that of the nearest domain above.

    Raises NoDnsAnswer; ValueError, with a sentence, for records that don't count.
    """
    labels = domain.split(".")[-_MOST_LABELS:]
    for start in range(max(1, len(labels) - 1)):
        place = ".".join(labels[start:])
        found = [text for text in records(f"_dmarc.{place}", "TXT") if text.lower().startswith("v=dmarc1")]
        if len(found) > 1:
            raise ValueError(f"_dmarc.{place} has {len(found)} DMARC records, so none counts.")
        if found:
            return _read_dmarc(place, found[0], is_above=start > 0)
    return None


def _read_dmarc(place: str, text: str, *, is_above: bool) -> DmarcRecord:
    tags = {name.lower(): value for name, value in _TAG.findall(text)}
    policy = (tags.get("sp") if is_above else None) or tags.get("p", "")
    if policy.lower() not in _POLICIES:
        raise ValueError(f"The record of _dmarc.{place} names no policy: {text}")
    return DmarcRecord(place, policy.lower())


def is_aligned(domain: str, sender_domain: str, record: DmarcRecord | None) -> bool:
    """Return whether a domain vouches for the sender's, in DMARC's relaxed sense, as far as the DNS tells.

    Either is the other or below it, or both are below the domain with the record.
    """
    if _is_below(domain, sender_domain) or _is_below(sender_domain, domain):
        return True
    return record is not None and _is_below(domain, record.domain)


def _is_below(domain: str, above: str) -> bool:
    return f".{domain}".endswith(f".{above}")


def _why_no_domain(facts: SiteFacts, domain: str) -> str:
    """Return why the DNS says nothing about this domain; empty if it does."""
    if not facts.mail_server:
        return "Emails are captured, so none leaves this site."
    return f"{domain} is a local name." if "." not in domain else ""
