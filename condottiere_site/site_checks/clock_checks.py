"""The machine's clock against the internet's time and the database's. Nothing is set."""

import socket
import struct
import time
from datetime import UTC, datetime

from django.db import DatabaseError, connection

from condottiere_site.site_checks.check_results import CheckResult, failed, passed, skipped, warning
from condottiere_site.site_checks.site_facts import SiteFacts

_ANSWERS_WITHIN = 3.0  # seconds
_TO_1970 = 2_208_988_800  # seconds from 1900, where NTP begins to count
_CLIENT = b"\x23" + 47 * b"\0"  # version 4, client (RFC 5905)
_SERVER = 4
_PACKET = 48
_NOTICEABLE, _HARMFUL = 2.0, 30.0  # seconds
_SET_CLOCK = "Let the machine keep its clock: apt install systemd-timesyncd, or chrony."


def check_clock(facts: SiteFacts) -> CheckResult:
    """Compare the machine's clock with a time server (NTP)."""
    name = "clock"
    try:
        ahead = _ahead_of_time_server(*facts.time_server)
    except OSError:
        where = facts.time_server[0]
        return skipped(
            name, f"The time server {where} didn't answer, so the time isn't known (UDP port 123)."
        )
    return _judged(name, ahead, "the internet's time")


def check_database_clock(facts: SiteFacts) -> CheckResult:
    """Compare the machine's clock with that of the database's machine."""
    name = "database clock"
    if connection.vendor != "postgresql":
        return skipped(name, "The database is a file on this machine.")
    try:
        with connection.cursor() as cursor:
            before = datetime.now(UTC)
            cursor.execute("SELECT clock_timestamp()")
            said: datetime = cursor.fetchone()[0]
            after = datetime.now(UTC)
    except DatabaseError as error:
        return failed(name, f"The database can't be asked: {error}".strip(), "Start PostgreSQL.")
    return _judged(name, (before + (after - before) / 2 - said).total_seconds(), "the database's machine")


def _judged(name: str, ahead: float, of: str) -> CheckResult:
    direction = "ahead of" if ahead > 0 else "behind"
    found = f"This machine's clock is {abs(ahead):.1f} s {direction} {of}."
    if abs(ahead) > _HARMFUL:
        return failed(name, f"{found} Deadlines and codes depend on it.", _SET_CLOCK)
    if abs(ahead) > _NOTICEABLE:
        return warning(name, found, _SET_CLOCK)
    return passed(name, f"This machine's clock agrees with {of}.")


def _ahead_of_time_server(host: str, port: int) -> float:
    """Return by how many seconds this machine's clock is ahead. Raises OSError without a usable answer."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        asking.settimeout(_ANSWERS_WITHIN)
        asking.connect((host, port))
        sent = time.time()
        asking.send(_CLIENT)
        packet = asking.recv(_PACKET)
        received = time.time()
    wants_no_visits = packet[1:2] == b"\0"
    if len(packet) < _PACKET or packet[0] & 7 != _SERVER or wants_no_visits:
        raise OSError("no usable answer")
    arrived, left = (
        seconds - _TO_1970 + fraction / 2**32
        for seconds, fraction in (struct.unpack("!II", packet[at : at + 8]) for at in (32, 40))
    )
    return float((sent - arrived) + (received - left)) / 2
