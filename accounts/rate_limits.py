"""Rate limits by the day and within seconds, counted in the database, so that they hold across processes.

Callers decide the limits and the error texts.
"""

import ipaddress
import math
from collections.abc import Collection
from datetime import UTC, date, datetime, timedelta

from allauth.account.adapter import get_adapter
from django.db.models import F, QuerySet
from django.db.models.functions import Greatest
from django.http import HttpRequest
from django.utils.crypto import salted_hmac

from accounts.models import RateLimitCounter
from accounts.row_locks import delete_free

_SALT = "accounts.rate_limits"
# Bits of an IPv6 address that are the same for a household, and for a customer with many networks
_ONE_HOUSE, _ONE_CUSTOMER = 64, 48


def hit(action: str, key: str, most: int) -> bool:
    """Count one use of `action` by `key` today (UTC); return False, counting nothing, if `most` is reached.

    `key` is a user's id, an address or a client's key; only a keyed hash of it is stored. Among concurrent
    callers, at most `most` get True. In a transaction the use counts once committed, and other uses of the
    same key wait for that. To count several keys, go through them in sorted order to avoid deadlocks.
    """
    used = _uses(action, key)
    if _count_one(used, most):
        return True
    # The row is missing, or the limit is reached. Checking which of the two first would be a race:
    # another insert may come between the count above and the check.
    first = RateLimitCounter(action=action, key=hashed(action, key), day=_today())
    RateLimitCounter.objects.bulk_create([first], ignore_conflicts=True)
    return _count_one(used, most)


def seconds_to_wait(action: str, key: str, most: int, within: int) -> int:
    """Count one use and return 0; or, counting nothing, the seconds until one is free again.

    At most `most` uses are free at once; each comes back after its share of `within` seconds. The counter is
    the millisecond of the day at which all will be free again (the generic cell rate algorithm).
    """
    now = _milliseconds_of_today()
    share, window = within * 1000 // most, within * 1000
    used, latest = _uses(action, key), now + window - share
    free_at = Greatest(F("count"), now)
    if used.filter(count__lte=latest).update(count=free_at + share):
        return 0
    first = RateLimitCounter(action=action, key=hashed(action, key), day=_today())
    RateLimitCounter.objects.bulk_create([first], ignore_conflicts=True)
    if used.filter(count__lte=latest).update(count=free_at + share):
        return 0
    return max(1, math.ceil((used_today(action, key) - latest) / 1000))


def left_within(used: int, most: int, within: int) -> tuple[int, int]:
    """Return how many uses are free, and the seconds until all are; `seconds_to_wait` counted `used`."""
    taken = max(0, used - _milliseconds_of_today())
    share = max(1, within * 1000 // most)
    return max(0, (within * 1000 - taken) // share), math.ceil(taken / 1000)


def _milliseconds_of_today() -> int:
    """Return the milliseconds since midnight (UTC), for counters of the day."""
    now = datetime.now(UTC)
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    return (now - midnight) // timedelta(milliseconds=1)


def is_exceeded(action: str, key: str, most: int) -> bool:
    """Return whether today's `most` is reached already; counts nothing."""
    return _uses(action, key).filter(count__gte=most).exists()


def used_today(action: str, key: str) -> int:
    """Return how often `key` has done `action` today (UTC)."""
    return _uses(action, key).values_list("count", flat=True).first() or 0


def all_used_today(actions: Collection[str], key: str) -> dict[str, int]:
    """Return the counts of today (UTC) of these actions by `key`, in one query."""
    keys = [hashed(action, key) for action in actions]
    found = RateLimitCounter.objects.filter(day=_today(), action__in=actions, key__in=keys)
    return dict.fromkeys(actions, 0) | dict(found.values_list("action", "count"))


def client_key(request: HttpRequest) -> str:
    """Return a keyed hash of the request's client network, behind as many proxies as are trusted.

    An IPv6 client is its /64 network, because anyone with one address there has all of them.
    """
    return hashed("client", _network(get_adapter().get_client_ip(request)))


def wide_client_key(request: HttpRequest) -> str:
    """Return a keyed hash of the /48 network of an IPv6 client, which one customer may have; "" for IPv4."""
    network = _network(get_adapter().get_client_ip(request), _ONE_CUSTOMER)
    return hashed("wide client", network) if ":" in network else ""


def delete_old_counts() -> int:
    """Delete the counts of the days before yesterday; return how many."""
    return delete_free(RateLimitCounter.objects.filter(day__lt=_today() - timedelta(days=1)))[0]


def _network(text: str, bits: int = _ONE_HOUSE) -> str:
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return text  # a socket's name: treat it as one client
    if isinstance(address, ipaddress.IPv4Address) or address.ipv4_mapped:
        return str(getattr(address, "ipv4_mapped", None) or address)
    return str(ipaddress.ip_network((int(address), bits), strict=False))


def _uses(action: str, key: str) -> QuerySet[RateLimitCounter]:
    return RateLimitCounter.objects.filter(action=action, key=hashed(action, key), day=_today())


def _count_one(used: QuerySet[RateLimitCounter], most: int) -> bool:
    return bool(used.filter(count__lt=most).update(count=F("count") + 1))


def hashed(action: str, key: str) -> str:
    """Return a keyed hash, which finds rows again but identifies no one."""
    return salted_hmac(f"{_SALT}.{action}", key, algorithm="sha256").hexdigest()


def _today() -> date:
    return datetime.now(UTC).date()
