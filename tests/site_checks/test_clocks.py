"""The machine's clock against a time server's and the database's."""

import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from django.db import connection

from condottiere_site.site_checks.check_results import CheckOutcome
from condottiere_site.site_checks.clock_checks import check_clock, check_database_clock
from condottiere_site.site_checks.site_facts import SiteFacts

Facts = Callable[..., SiteFacts]


@contextmanager
def time_server(ahead: float, *, stratum: int = 2) -> Iterator[tuple[str, int]]:
    """Answer one question by NTP with a clock that is ahead of the machine's."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.1", 0))

        def answer() -> None:
            _packet, sender = server.recvfrom(48)
            now = time.time() + ahead + 2_208_988_800
            stamp = struct.pack("!II", int(now), int(now % 1 * 2**32))
            server.sendto(bytes([0x24, stratum]) + bytes(30) + stamp + stamp, sender)

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        yield "127.0.0.1", server.getsockname()[1]
        thread.join()


@pytest.mark.parametrize(
    ("ahead", "outcome"),
    [
        (0, CheckOutcome.OK),
        (-5, CheckOutcome.WARNING),
        (3600, CheckOutcome.FAILED),
        (-3600, CheckOutcome.FAILED),
    ],
)
def test_a_wrong_clock_is_noticed(facts: Facts, ahead: float, outcome: CheckOutcome) -> None:
    with time_server(ahead) as address:
        found = check_clock(facts(time_server=address))
    assert found.outcome == outcome
    if ahead == 3600:
        assert "3600.0 s behind the internet's time" in found.sentence


def test_a_time_server_that_refuses_is_no_time(facts: Facts) -> None:
    with time_server(0, stratum=0) as address:
        assert check_clock(facts(time_server=address)).outcome == CheckOutcome.SKIPPED


def test_without_a_time_server_nothing_is_claimed(facts: Facts) -> None:
    assert check_clock(facts(time_server=("nowhere.invalid", 123))).outcome == CheckOutcome.SKIPPED


@pytest.mark.django_db
def test_the_database_has_the_same_time(facts: Facts) -> None:
    expected = CheckOutcome.OK if connection.vendor == "postgresql" else CheckOutcome.SKIPPED
    assert check_database_clock(facts()).outcome == expected
