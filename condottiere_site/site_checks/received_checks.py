"""What an email that came back shows: its signature, its return path, who handed it over."""

from condottiere_site.site_checks.check_results import CheckResult, failed, passed, skipped, warning
from condottiere_site.site_checks.lookups import NoDnsAnswer
from condottiere_site.site_checks.received_email import ReceivedEmail, Signature
from condottiere_site.site_checks.sender_checks import dmarc_record, is_aligned, mechanisms, spf_result
from condottiere_site.site_checks.site_facts import SiteFacts

_FOR_ONE_CLICK = ("list-unsubscribe", "list-unsubscribe-post")
_SIGN = (
    "Let the mail server sign with a key of {domain}, and publish the key as a TXT record (docs/EMAIL.md)."
)
_SIGN_BOTH = "Sign both. In opendkim.conf: SignHeaders *,+list-unsubscribe,+list-unsubscribe-post"
_BAD_FINDINGS = ("fail", "softfail", "none", "permerror")
NAMES = ("DKIM", "one click", "return path", "SPF on the way", "receiver")


def check_received(facts: SiteFacts, received: ReceivedEmail, return_path: str) -> list[CheckResult]:
    """Check an email that came back to the site; `return_path` is the one with which it went out."""
    signatures = received.signatures()
    return [
        _check_signature(facts, signatures),
        _check_one_click(received, signatures),
        _check_return_path(received, return_path),
        _check_spf_on_the_way(facts, received),
        check_findings(received.findings()),
    ]


def nothing_received(why: str) -> list[CheckResult]:
    """Return the same checks as skipped, because no email came back."""
    return [skipped(name, why) for name in NAMES]


def _check_signature(facts: SiteFacts, signatures: list[Signature]) -> CheckResult:
    name, sign = "DKIM", _SIGN.format(domain=facts.sender_domain)
    if not signatures:
        return failed(name, "The email came back without a signature.", sign)
    valid = [one for one in signatures if not one.fault]
    if not valid:
        one = signatures[0]
        return failed(name, f"The signature of {one.domain} is not valid. {one.fault}", sign)
    try:
        record = dmarc_record(facts.sender_domain)
    except (NoDnsAnswer, ValueError):
        record = None  # said elsewhere
    own = [one for one in valid if is_aligned(one.domain, facts.sender_domain, record)]
    if not own:
        why = f"The email is signed by {valid[0].domain}, which isn't the sender's domain."
        return failed(name, why, sign)
    return passed(name, f"The email is signed by {own[0].domain} (selector {own[0].selector}).")


def _check_one_click(received: ReceivedEmail, signatures: list[Signature]) -> CheckResult:
    name = "one click"
    missing = [field for field in _FOR_ONE_CLICK if received.message[field] is None]
    if missing:
        why = f"The email came back without {' and '.join(missing)}."
        return failed(name, why, "Find out which server removes header fields, or use another mail service.")
    valid = [one for one in signatures if not one.fault]
    if not valid:
        return skipped(name, "Without a valid signature, mail programs don't unsubscribe with one click.")
    if not any(one.fields.issuperset(_FOR_ONE_CLICK) for one in valid):
        why = "No valid signature covers both List-Unsubscribe and List-Unsubscribe-Post (RFC 8058)."
        return failed(name, why, _SIGN_BOTH)
    return passed(name, "Both header fields for unsubscribing with one click are signed.")


def _check_return_path(received: ReceivedEmail, return_path: str) -> CheckResult:
    name = "return path"
    if not return_path:
        advice = "Set BOUNCE_ADDRESS, so that the site knows which emails bounce (docs/EMAIL.md)."
        return skipped(name, "Emails have no return path of their own.", advice)
    if not received.return_path:
        return skipped(name, "The receiving server doesn't say what the envelope's sender was.")
    found = received.return_path.strip("<> ").lower()
    if found != return_path.lower():
        return warning(
            name,
            f"The mail service replaced it by {found or 'none'}, so bounces don't come back to the site.",
            "Let the service report bounces by webhook (docs/EMAIL.md), or use one that keeps return paths.",
        )
    return passed(name, "It's kept, so a bounce leads to its email.")


def _check_spf_on_the_way(facts: SiteFacts, received: ReceivedEmail) -> CheckResult:
    name = "SPF on the way"
    address = received.handed_over_by()
    if not address:
        return skipped(name, "The email never left this machine or network.")
    sender = received.return_path.strip("<> ") or facts.return_path
    domain = sender.rpartition("@")[2]
    result, words = spf_result(address, sender)
    if result != "pass":
        return warning(
            name,
            f"{address} handed the email over, and may not send for {domain} ({words}).",
            f"If that's your mail server, add {mechanisms([address])} to the SPF record.",
        )
    return passed(name, f"{address} handed the email over, and may send for {domain}.")


def check_findings(found: dict[str, str]) -> CheckResult:
    """Check what a receiving server wrote into the email (Authentication-Results)."""
    name = "receiver"
    if not found:
        return skipped(name, "The receiving server doesn't say what it found.")
    told = ", ".join(f"{method}={result}" for method, result in sorted(found.items()))
    bad = [method.upper() for method, result in sorted(found.items()) if result in _BAD_FINDINGS]
    if bad:
        return failed(
            name, f"The receiving server found {told}.", f"Correct {' and '.join(bad)} as said above."
        )
    return passed(name, f"The receiving server found {told}.")
