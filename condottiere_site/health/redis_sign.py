"""The sign that Redis answers."""

from django.conf import settings
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from condottiere_site.health.signs import Sign, SignName

ANSWERS_WITHIN = 2.0  # seconds, to connect and again to answer


def redis_signs() -> list[Sign]:
    """Return whether Redis answers, if the site has one."""
    return [Sign(SignName.REDIS, failed=not _answers(settings.REDIS_URL))] if settings.REDIS_URL else []


def _answers(url: str) -> bool:
    url = url.replace("redis+socket://", "unix://", 1)  # Celery's name for it
    try:
        with Redis.from_url(
            url,
            socket_connect_timeout=ANSWERS_WITHIN,
            socket_timeout=ANSWERS_WITHIN,
            retry=Retry(NoBackoff(), 0),
        ) as redis:
            return bool(redis.ping())
    except (RedisError, OSError):
        return False
