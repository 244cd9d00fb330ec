"""How often something may be done in a day: counted in the database, so that a limit holds for every process.

Nothing here may decide how much is too much, or what is said then: callers do.
"""

import ipaddress
from datetime import UTC, date, datetime, timedelta

from allauth.account.adapter import get_adapter
from django.db.models import F, QuerySet
from django.http import HttpRequest
from django.utils.crypto import salted_hmac

from accounts.models import RateLimitCounter

_SALT = "accounts.rate_limits"
_ONE_HOUSE = 64  # bits of an IPv6 address that one household or provider's customer has


def hit(action: str, key: str, most: int) -> bool:
    """Counts one use of `action` by `key` today (UTC); False, and nothing counted, when `most` is reached.

    `key` is a user's id, an address or a client's key; it is stored as a keyed hash only. However many ask at
    once, at most `most` get True. In a transaction the use counts when it is committed, and others who spend
    the same wait for that: spend several keys in sorted order.
    """
    used = _uses(action, key)
    if _count_one(used, most):
        return True
    # The row is missing, or the limit is reached; which of the two cannot be asked first, for another's
    # insert may come between the count above and the answer.
    first = RateLimitCounter(action=action, key=hashed(action, key), day=_today())
    RateLimitCounter.objects.bulk_create([first], ignore_conflicts=True)
    return _count_one(used, most)


def is_exceeded(action: str, key: str, most: int) -> bool:
    """Whether today's `most` is reached already; counts nothing."""
    return _uses(action, key).filter(count__gte=most).exists()


def client_key(request: HttpRequest) -> str:
    """A keyed hash of where the request comes from, behind as many proxies as are trusted.

    An IPv6 client is its /64 network: who has one address there has all of them.
    """
    return hashed("client", _network(get_adapter().get_client_ip(request)))


def delete_old_counts() -> int:
    """Deletes the counts of the days before yesterday; returns how many."""
    return RateLimitCounter.objects.filter(day__lt=_today() - timedelta(days=1)).delete()[0]


def _network(text: str) -> str:
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return text  # a socket's name; whatever it is, it is one client
    if isinstance(address, ipaddress.IPv4Address) or address.ipv4_mapped:
        return str(getattr(address, "ipv4_mapped", None) or address)
    return str(ipaddress.ip_network((int(address), _ONE_HOUSE), strict=False))


def _uses(action: str, key: str) -> QuerySet[RateLimitCounter]:
    return RateLimitCounter.objects.filter(action=action, key=hashed(action, key), day=_today())


def _count_one(used: QuerySet[RateLimitCounter], most: int) -> bool:
    return bool(used.filter(count__lt=most).update(count=F("count") + 1))


def hashed(action: str, key: str) -> str:
    """A keyed hash, by which rows are found again and nobody is known."""
    return salted_hmac(f"{_SALT}.{action}", key, algorithm="sha256").hexdigest()


def _today() -> date:
    return datetime.now(UTC).date()
