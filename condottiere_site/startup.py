"""What each process of the site does first: refuse a database that it must not serve, and say why."""

import logging
import os
import sys
import threading

from django.db import DEFAULT_DB_ALIAS, DatabaseError, OperationalError, connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created

from accounts.clock_jumps import watch
from condottiere_site.database_state import database_state, unusable
from condottiere_site.running import SiteRuns, begin_to_run

REFUSED = 3  # gunicorn starts no new worker after this exit status

logger = logging.getLogger(__name__)
_one_looks = threading.Lock()  # other threads wait, because they must not serve before it's known


class DatabaseAway(Exception):
    """The database server can't be reached now."""


def begin_to_serve() -> None:
    """Exit with a sentence if this code must not serve the database; otherwise count as running.

    Web, worker and beat wait for a server that is away, and look at the database once it's back.
    """
    try:
        problem = why_not_to_serve()
    except DatabaseAway as error:
        logger.warning("the database could not be checked: %s", error)
        connection_created.connect(_look_once_it_is_back)
        problem = ""
    if problem:
        _say(problem)
        sys.exit(REFUSED)
    watch.leap()  # from now on it's seen when the machine's clock is set


def why_not_to_serve() -> str:
    """Return why this code must not serve the database, in a sentence; if it's empty, count as running.

    Raises DatabaseAway.
    """
    try:
        problem = database_state().serving_problem
        if not problem:
            begin_to_run()
        return problem
    except SiteRuns as error:
        return str(error)
    except DatabaseError as error:
        if isinstance(error, OperationalError) and connection.vendor != "sqlite":
            raise DatabaseAway(str(error).strip()) from error
        return unusable(error)


def _look_once_it_is_back(connection: BaseDatabaseWrapper, **_facts: object) -> None:
    """Look at the database before the first query; end this process if it must not be served."""
    if connection.alias != DEFAULT_DB_ALIAS:
        return  # the look itself
    with _one_looks:
        if not connection_created.disconnect(_look_once_it_is_back):
            return  # another thread has looked
        try:
            problem = why_not_to_serve()
        except DatabaseAway:
            connection_created.connect(_look_once_it_is_back)
            return
        if problem:
            _say(problem)
            os._exit(REFUSED)  # this may be one of many threads


def _say(problem: str) -> None:
    sys.stderr.write(f"{problem}\n")
    sys.stderr.flush()
