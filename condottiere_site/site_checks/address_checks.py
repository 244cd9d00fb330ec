"""Names: the site's address, where its mail comes in, and the reverse name of the mail server."""

import errno
import socket
from collections.abc import Iterable

from condottiere_site.site_checks.check_results import CheckResult, failed, passed, skipped, warning
from condottiere_site.site_checks.lookups import NoDnsAnswer, addresses, mail_servers, names_of
from condottiere_site.site_checks.site_facts import (
    NAME_IT,
    SiteFacts,
    has_own_mail_server,
    is_address,
    is_private,
    sending_addresses,
    why_unknown,
)

CONNECTS_WITHIN = 5.0  # seconds
_NO_WAY = {errno.ENETUNREACH, errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT}  # this machine has no IPv6


def check_address(facts: SiteFacts) -> CheckResult:
    """Check that the site's name has addresses, and that a web server listens at each."""
    name = "address"
    if facts.is_at_home:
        return skipped(
            name, f"The site is at home ({facts.host}), so no one finds it by name.", _SET_SITE_URL
        )
    try:
        found = [facts.host] if is_address(facts.host) else addresses(facts.host)
    except NoDnsAnswer as error:
        return failed(name, str(error), "Check this machine's DNS, or ask another with --dns-server 9.9.9.9.")
    if not found:
        return failed(
            name,
            f"{facts.host} has no address.",
            f"Add an A record with this server's IPv4 address (and AAAA with its IPv6) to {facts.host}.",
        )
    silent = {address: why for address in found if (why := _why_silent(address, facts.port))}
    if silent:
        listed = ", ".join(f"{address} ({why})" for address, why in silent.items())
        return failed(
            name,
            f"Nothing answers at port {facts.port} of {listed}.",
            "Start the web server and open the port in the firewall, or remove that address from the DNS.",
        )
    if any(is_private(address) for address in found):
        listed = ", ".join(filter(is_private, found))
        why = f"{facts.host} leads to {listed}, which only a local network can reach."
        return warning(name, why, "For a public site, let the name lead to this server's public address.")
    return passed(name, f"{facts.host} leads to {_and(found)}, where a web server listens.")


_SET_SITE_URL = "Set SITE_URL once the site has a public name."


def _why_silent(address: str, port: int) -> str:
    """Return why no connection can be made; empty if one can, or if this machine can't try."""
    try:
        socket.create_connection((address, port), timeout=CONNECTS_WITHIN).close()
    except OSError as error:
        return "" if error.errno in _NO_WAY else (error.strerror or str(error)).lower()
    return ""


def check_incoming_mail(facts: SiteFacts) -> CheckResult:
    """Check that mail to the site's own addresses has a server to go to."""
    name = "incoming mail"
    if not facts.own_mailbox:
        advice = "Set REPLY_ADDRESS and BOUNCE_ADDRESS, so that replies and bounces are read (docs/EMAIL.md)."
        return skipped(name, "No mail comes to the site.", advice)
    if not facts.mail_server:
        return skipped(name, "Emails are captured, so no mail comes from outside.")
    domain = facts.own_mailbox.rpartition("@")[2]
    if _is_local(domain):
        return skipped(name, f"{domain} is a local name.")
    try:
        servers = mail_servers(domain) or ([domain] if addresses(domain) else [])
        reachable = [server for server in servers if server and addresses(server)]
    except NoDnsAnswer as error:
        return failed(name, str(error), "Check this machine's DNS.")
    if not reachable:
        return failed(
            name,
            f"No mail can reach {domain}: it has no mail server.",
            f"Add an MX record to {domain}, such as: {domain}. MX 10 mail.{domain}.",
        )
    return passed(name, f"Mail to {domain} goes to {reachable[0]}.")


def check_reverse_name(facts: SiteFacts) -> CheckResult:
    """Check that each sending address has a name that leads back to it."""
    name = "reverse name"
    if not facts.mail_server:
        return skipped(name, "Emails are captured, so none leaves this site.")
    try:
        found = sending_addresses(facts)
        if not found:
            return skipped(name, why_unknown(facts), NAME_IT if has_own_mail_server(facts) else "")
        wrong = [text for address in found if (text := _wrong_name(address))]
    except NoDnsAnswer as error:
        return failed(name, str(error), "Check this machine's DNS.")
    if wrong:
        return failed(
            name,
            " ".join(wrong),
            "At your hosting provider, set the reverse name (PTR) to a name whose A or AAAA record is this "
            "address. The mail server should greet with the same name (myhostname in Postfix).",
        )
    return passed(name, f"{_and(found)} has a name that leads back to it." if len(found) == 1 else _BOTH)


_BOTH = "Each sending address has a name that leads back to it."


def _wrong_name(address: str) -> str:
    names = names_of(address)
    if not names:
        return f"{address}, from which emails leave, has no reverse name."
    if not any(address in addresses(name) for name in names):
        return f"{address} is named {names[0]}, but that name doesn't lead back to it."
    return ""


def _is_local(domain: str) -> bool:
    return "." not in domain


def _and(words: Iterable[str]) -> str:
    return " and ".join(words)
