"""What the checks are about: this site's addresses, from its settings and the options of the command."""

import socket
from dataclasses import dataclass
from email.utils import parseaddr
from ipaddress import ip_address
from urllib.parse import urlsplit

from django.conf import settings

from accounts.mail.capture import emails_are_captured
from accounts.mail.check_emails import own_mailbox
from accounts.own_name import site_name
from condottiere_site.site_checks.lookups import NoDnsAnswer, addresses

NAME_IT = "Name it with --sends-from."
_PORTS = {"http": 80, "https": 443}
_LOCAL_NAMES = ("localhost", "testserver")
_LOCAL_ENDINGS = (".localhost", ".local", ".internal", ".lan", ".home.arpa")
# Nothing is sent there: a UDP socket only asks which own address leads to the internet.
_SOMEWHERE = ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1"))


@dataclass(frozen=True)
class SiteFacts:
    """The site as its settings name it."""

    url: str
    host: str
    port: int
    is_https: bool
    name: str
    sender: str  # the address in From
    return_path: str  # the address to which undeliverable emails come back, before its tag
    own_mailbox: str  # where replies come in; empty if no mail comes to the site
    mail_server: str  # empty if emails are captured
    mail_server_port: int
    mail_is_encrypted: bool
    fetches_mail: bool  # from a mailbox, each minute
    sends_from: tuple[str, ...]  # given by the operator
    time_server: tuple[str, int]
    plain_port: int = 80

    @property
    def is_at_home(self) -> bool:
        """Whether the site's address is for this machine or a local network, as without SITE_URL."""
        if self.host in _LOCAL_NAMES or self.host.endswith(_LOCAL_ENDINGS) or "." not in self.host + ":":
            return True
        return is_address(self.host) and is_private(self.host)

    @property
    def sender_domain(self) -> str:
        """The domain that readers see, for DMARC."""
        return self.sender.rpartition("@")[2].lower()

    @property
    def return_domain(self) -> str:
        """The domain of the envelope's sender, for SPF."""
        return self.return_path.rpartition("@")[2].lower()


def facts_of_settings(
    sends_from: tuple[str, ...] = (), time_server: tuple[str, int] = ("pool.ntp.org", 123)
) -> SiteFacts:
    """Return the facts that the settings tell."""
    parts = urlsplit(settings.SITE_URL)
    sender = parseaddr(settings.DEFAULT_FROM_EMAIL)[1]
    return SiteFacts(
        url=settings.SITE_URL,
        host=parts.hostname or "",
        port=parts.port or _PORTS[parts.scheme],
        is_https=parts.scheme == "https",
        name=site_name(),
        sender=sender,
        return_path=settings.BOUNCE_ADDRESS or sender,
        own_mailbox=own_mailbox(),
        mail_server="" if emails_are_captured() else settings.EMAIL_HOST,
        mail_server_port=settings.EMAIL_PORT,
        mail_is_encrypted=settings.EMAIL_USE_TLS or settings.EMAIL_USE_SSL,
        fetches_mail=bool(settings.MAILBOX_URL),
        sends_from=sends_from,
        time_server=time_server,
    )


def is_address(text: str) -> bool:
    """Return whether this is an IPv4 or IPv6 address."""
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def is_private(address: str) -> bool:
    """Return whether no one on the internet can reach this address."""
    return not ip_address(address).is_global


def has_own_mail_server(facts: SiteFacts) -> bool:
    """Return whether the mail server is on this machine or next to it, not a service's."""
    if is_address(facts.mail_server):
        return is_private(facts.mail_server)
    if "." not in facts.mail_server:
        return True  # localhost, or a container's name
    try:
        found = {str(info[4][0]) for info in socket.getaddrinfo(facts.mail_server, facts.mail_server_port)}
    except OSError:
        return False
    return bool(found) and all(is_private(address.partition("%")[0]) for address in found)


def sending_addresses(facts: SiteFacts) -> tuple[str, ...]:
    """Return the public addresses from which email leaves; none if they can't be known here."""
    if facts.sends_from:
        return facts.sends_from
    if not has_own_mail_server(facts):
        return ()
    return _own_public_addresses() or tuple(
        address for address in _addresses_of_host(facts) if not is_private(address)
    )


def why_unknown(facts: SiteFacts) -> str:
    """Return why the addresses from which email leaves aren't known, in a sentence."""
    if has_own_mail_server(facts):
        return "This machine can't tell from which public address emails leave."
    return f"Emails leave through {facts.mail_server}, which has its own addresses and names."


def _addresses_of_host(facts: SiteFacts) -> list[str]:
    try:
        return addresses(facts.host)
    except NoDnsAnswer:
        return []


def _own_public_addresses() -> tuple[str, ...]:
    """Return the machine's own addresses by which it reaches the internet, unless they are translated."""
    found = []
    for family, somewhere in _SOMEWHERE:
        try:
            with socket.socket(family, socket.SOCK_DGRAM) as probe:
                probe.connect((somewhere, 9))
                found.append(str(probe.getsockname()[0]))
        except OSError:
            continue
    return tuple(address for address in found if not is_private(address))
