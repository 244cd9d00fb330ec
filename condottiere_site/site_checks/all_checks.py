"""Every check in the order of its line. One that breaks says so, and the others go on."""

from collections.abc import Callable, Iterator

from condottiere_site.site_checks.address_checks import check_address, check_incoming_mail, check_reverse_name
from condottiere_site.site_checks.check_results import CheckResult, failed
from condottiere_site.site_checks.clock_checks import check_clock, check_database_clock
from condottiere_site.site_checks.mail_server_checks import check_mail_server
from condottiere_site.site_checks.running_checks import check_backup, check_signs
from condottiere_site.site_checks.sender_checks import check_dmarc, check_spf
from condottiere_site.site_checks.site_facts import SiteFacts
from condottiere_site.site_checks.web_checks import (
    check_headers,
    check_home_page,
    check_https,
    check_redirect,
    check_static_files,
)

Check = Callable[[SiteFacts], CheckResult]

CHECKS: tuple[Check, ...] = (
    check_address,
    check_https,
    check_redirect,
    check_home_page,
    check_headers,
    check_static_files,
    check_clock,
    check_database_clock,
    check_mail_server,
    check_incoming_mail,
    check_spf,
    check_dmarc,
    check_reverse_name,
)


def run_checks(facts: SiteFacts) -> Iterator[CheckResult]:
    """Run the checks that need no email, one after the other."""
    yield from guarded("parts", check_signs)
    yield from guarded("backup", lambda: [check_backup()])
    for check in CHECKS:
        yield from guarded(check.__name__.removeprefix("check_").replace("_", " "), lambda: [check(facts)])  # noqa: B023


def guarded(name: str, check: Callable[[], list[CheckResult]]) -> list[CheckResult]:
    """Return the results of a check; if it breaks, a result that says so."""
    try:
        return check()
    except Exception as error:  # noqa: BLE001 - whatever a strange server does to a check
        why = f"The check itself broke ({type(error).__name__}: {error})."
        return [failed(name, why, "Report this, please. The other lines still count.")]
