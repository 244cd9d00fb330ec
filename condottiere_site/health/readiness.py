"""All signs of health, worked out at most once in five seconds in each process."""

import time
from collections.abc import Callable

from django.db import DatabaseError, InterfaceError, OperationalError

from accounts import clock
from condottiere_site.health.backup_sign import backup_signs
from condottiere_site.health.clock_sign import clock_signs
from condottiere_site.health.deadline_sign import deadline_signs
from condottiere_site.health.disk_sign import disk_signs
from condottiere_site.health.email_signs import email_signs, mail_server_signs
from condottiere_site.health.limited_work import LimitedWork
from condottiere_site.health.migration_sign import migration_signs
from condottiere_site.health.own_connection import own_connection
from condottiere_site.health.redis_sign import redis_signs
from condottiere_site.health.signs import Ages, Sign, SignName, unknown
from condottiere_site.health.tick_signs import tick_signs

STARTED = time.monotonic()

# Those read from rows, which can't be seen without the database; in the order in which they are read.
FROM_ROWS: dict[SignName, Callable[[Ages], list[Sign]]] = {
    SignName.MIGRATIONS: migration_signs,
    SignName.TICKS: tick_signs,
    SignName.MAIL_SERVER: mail_server_signs,
    SignName.EMAIL: email_signs,
    SignName.DEADLINES: deadline_signs,
    SignName.BACKUP: backup_signs,
}
# Those that need no database.
FROM_OUTSIDE: dict[SignName, Callable[[], list[Sign]]] = {
    SignName.REDIS: redis_signs,
    SignName.DISK: disk_signs,
    SignName.CLOCK: clock_signs,
}
_ORDER = list(SignName)


def current_signs() -> list[Sign]:
    """Return all signs as this process, which serves the site, sees them: at most five seconds old.

    What does not answer in time has failed.
    """
    rows, outside = _ROWS.result(), {name: work.result() for name, work in _OUTSIDE.items()}
    signs = rows if rows is not None else _without_database()
    for name, found in outside.items():
        signs = signs + ([Sign(name, failed=True)] if found is None else found)
    return _in_order(signs)


def signs_now() -> list[Sign]:
    """Return all signs as a command sees them that looks once; it may wait for several seconds."""
    outside = [sign for look in FROM_OUTSIDE.values() for sign in look()]
    return _in_order(_signs_from_rows(float("inf")) + outside)


def _in_order(signs: list[Sign]) -> list[Sign]:
    return sorted(signs, key=lambda sign: _ORDER.index(sign.name))


def _signs_from_rows(up_for: float) -> list[Sign]:
    """Read the database. What can't be read has failed; so has the database, if it did not answer."""
    found: dict[SignName, list[Sign]] = {}
    answers = True
    try:
        with own_connection():
            ages = Ages(clock.now(), up_for)
            for name, look in FROM_ROWS.items():
                found[name] = look(ages)
    except (OperationalError, InterfaceError):
        answers = False
    except DatabaseError:
        pass  # a table is missing: the sign about migrations, which is read first, tells of it
    rows = [sign for name in FROM_ROWS for sign in found.get(name, [unknown(name)])]
    return [Sign(SignName.DATABASE, failed=not answers), *rows]


def _without_database() -> list[Sign]:
    return [Sign(SignName.DATABASE, failed=True), *map(unknown, FROM_ROWS)]


_ROWS = LimitedWork(lambda: _signs_from_rows(time.monotonic() - STARTED))
_OUTSIDE = {name: LimitedWork(look) for name, look in FROM_OUTSIDE.items()}
