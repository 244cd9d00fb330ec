"""Which hosts count as public: every special address of IANA's registries, in every form, and names."""

from __future__ import annotations

import threading
from ipaddress import IPv4Address, ip_network
from typing import Any

import pytest

from accounts.push import public_hosts, public_requests
from accounts.push.models import PushSubscription
from accounts.push.public_hosts import NotPublic, is_public, require_public
from tests.push.services import PushService

ADD = "/me/push/"

# The IANA IPv4 and IPv6 Special-Purpose Address Registries, and what the address space registries reserve.
SPECIAL_IPV4 = [
    "0.0.0.0/8", "0.0.0.0/32", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16",
    "172.16.0.0/12", "192.0.0.0/24", "192.0.0.0/29", "192.0.0.8/32", "192.0.0.9/32", "192.0.0.10/32",
    "192.0.0.170/32", "192.0.0.171/32", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24",
    "192.88.99.0/24", "192.88.99.2/32", "192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15",
    "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4", "255.255.255.255/32", "224.0.0.0/4",
]  # fmt: skip
SPECIAL_IPV6 = [
    "::1/128", "::/128", "::ffff:0:0/104", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64",
    "100:0:0:1::/64", "2001::/23", "2001::/32", "2001:1::1/128", "2001:1::2/128", "2001:1::3/128",
    "2001:2::/48", "2001:3::/32", "2001:4:112::/48", "2001:10::/28", "2001:20::/28", "2001:30::/28",
    "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20", "5f00::/16", "fc00::/7",
    "fe80::/10", "::/96", "::/8", "200::/7", "400::/6", "800::/5", "1000::/4", "4000::/3", "6000::/3",
    "8000::/3", "a000::/3", "c000::/3", "e000::/4", "f000::/5", "f800::/6", "fe00::/9", "fec0::/10",
    "ff00::/8", "3ffe::/16",
]  # fmt: skip
PUBLIC = [
    "1.1.1.1", "8.8.8.8", "93.184.216.34", "100.63.255.255", "100.128.0.0", "126.255.255.255",
    "128.0.0.0", "169.253.255.255", "172.15.255.255", "172.32.0.0", "192.0.1.0", "192.88.98.255",
    "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255", "2001:200::1",
    "2001:4860:4860::8888", "2003::1", "2400:cb00::1", "2606:2800:220:1:248:1893:25c8:1946",
    "2a00:1450:4001:82b::200e", "2c0f:fb50::1", "3ffd:ffff::1", "::ffff:93.184.216.34",
]  # fmt: skip
# The forms in which an IPv6 address carries an IPv4 one on.
CARRIED = {
    "mapped": "::ffff:{dotted}",
    "compatible": "::{dotted}",
    "translated (RFC 2765)": "::ffff:0:{dotted}",
    "translated (RFC 6052)": "64:ff9b::{dotted}",
    "translated locally (RFC 8215)": "64:ff9b:1::{dotted}",
    "6to4": "2002:{hexadecimal}::1",
    "Teredo server": "2001:0:{hexadecimal}:0:0:0:0",
    "Teredo client": "2001:0:4136:e378:8000:63bf:{inverted}",
    "ISATAP": "2606:4700::5efe:{dotted}",
    "ISATAP, unique": "2606:4700::200:5efe:{dotted}",
}


def samples(network: str) -> list[str]:
    """Return the first, the last and some addresses in the middle of a network."""
    found = ip_network(network)
    size = found.num_addresses
    return [str(found[place]) for place in {0, 1 % size, size // 3, size // 2, size - 1}]


@pytest.mark.parametrize("network", [*SPECIAL_IPV4, *SPECIAL_IPV6])
def test_no_special_address_counts_as_public(network: str) -> None:
    assert [address for address in samples(network) if is_public(address)] == []


@pytest.mark.parametrize("address", PUBLIC)
def test_their_neighbours_are_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize("form", CARRIED)
@pytest.mark.parametrize("network", SPECIAL_IPV4)
def test_no_special_address_hides_in_another(network: str, form: str) -> None:
    for address in samples(network):
        number = int(IPv4Address(address))
        halves = [f"{part >> 16:x}:{part & 0xFFFF:x}" for part in (number, number ^ 0xFFFF_FFFF)]
        written = CARRIED[form].format(dotted=address, hexadecimal=halves[0], inverted=halves[1])
        assert not is_public(written), written


@pytest.mark.parametrize("form", [form for form in CARRIED if form != "mapped"])
def test_a_public_address_is_not_reached_by_a_tunnel(form: str) -> None:
    written = CARRIED[form].format(dotted="8.8.8.8", hexadecimal="808:808", inverted="f7f7:f7f7")
    assert not is_public(written)


@pytest.mark.parametrize(
    "address",
    [
        "fe80::1%eth0",
        "2606:4700::1%eth0",
        "::1%lo",
        "",
        "localhost",
        "1.2.3",
        "1.2.3.4/8",
        "0x7f.1",
        "٣.1.1.1",
    ],
)
def test_what_has_a_scope_or_is_no_address_is_not_public(address: str) -> None:
    assert not is_public(address)


INNER = (
    "http://localhost/x",
    "https://localhost/x",
    "https://127.0.0.1/x",
    "https://127.1/x",
    "https://2130706433/x",
    "https://0x7f000001/x",
    "https://[::1]/x",
    "https://10.1.2.3/x",
    "https://a@localhost/x",
    "https://localhost:99999/x",
    "https:///x",
    "file:///etc/passwd",
)


@pytest.mark.django_db
def test_only_public_https_addresses_are_kept(anna: Any, signed_in: Any, server: PushService) -> None:
    for endpoint in INNER:
        with pytest.raises(NotPublic):
            require_public(endpoint)
    page = signed_in(anna).post(ADD, server.form, follow=True).content.decode()
    assert "We can’t reach this browser." in page
    assert not PushSubscription.objects.exists()


def resolve_to(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> None:
    """Let every name lead to these addresses."""
    rows = [(0, 0, 0, "", (address, 443)) for address in addresses]
    monkeypatch.setattr(public_hosts.socket, "getaddrinfo", lambda *_words, **_more: rows)


@pytest.mark.parametrize("port", [0, 1, 22, 80, 8443, 65535])
def test_no_other_port_is_ever_asked(monkeypatch: pytest.MonkeyPatch, port: int) -> None:
    resolve_to(monkeypatch, "93.184.216.34")
    require_public("https://push.example.org/x")
    require_public("https://push.example.org:443/x")
    with pytest.raises(NotPublic):
        require_public(f"https://push.example.org:{port}/x")


@pytest.mark.parametrize(
    "addresses",
    [
        ("93.184.216.34", "10.0.0.1"),
        ("10.0.0.1", "93.184.216.34"),
        ("2606:4700::1", "fec0::1"),
        ("93.184.216.34", "::ffff:127.0.0.1"),
        ("fe80::1%eth0",),
        (),
    ],
)
def test_all_addresses_of_a_name_must_be_public(
    monkeypatch: pytest.MonkeyPatch, addresses: tuple[str, ...]
) -> None:
    resolve_to(monkeypatch, *addresses)
    with pytest.raises(NotPublic):
        require_public("https://push.example.org/x")


def test_the_connection_goes_to_the_address_that_was_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = [["93.184.216.34", "8.8.8.8"], ["127.0.0.1"]]  # the name leads elsewhere when asked again
    connected = list[Any]()

    def look_up(*_words: Any, **_more: Any) -> list[Any]:
        return [(0, 0, 0, "", (address, 443)) for address in answers.pop(0)]

    def connect(address: Any, *_words: Any) -> Any:
        connected.append(address)
        raise ConnectionRefusedError

    monkeypatch.setattr(public_hosts.socket, "getaddrinfo", look_up)
    monkeypatch.setattr(public_requests.socket, "create_connection", connect)
    with pytest.raises(ConnectionRefusedError):
        public_requests.PublicConnection("push.example.org", 443, timeout=1).connect()
    assert connected == [("93.184.216.34", 443)]
    assert len(answers) == 1


def test_a_name_that_never_resolves_holds_up_no_request(monkeypatch: pytest.MonkeyPatch) -> None:
    released = threading.Event()
    monkeypatch.setattr(public_hosts, "RESOLVES_WITHIN", 0.01)
    monkeypatch.setattr(public_hosts.socket, "getaddrinfo", lambda *_words, **_more: released.wait(60) and [])
    with pytest.raises(NotPublic):
        require_public("https://slow.example.org/")
    released.set()


def test_all_steps_of_a_connection_fit_into_its_time() -> None:
    assert public_hosts.RESOLVES_WITHIN + public_requests.ANSWERS_WITHIN < public_requests.ENDS_WITHIN


@pytest.mark.parametrize("host", ["a" * 64 + ".example", "xn--" + "a" * 70, ".", "a..b", "-"])
def test_a_name_that_no_resolver_takes_is_not_public(host: str) -> None:
    with pytest.raises(NotPublic):
        require_public(f"https://{host}/")
