"""What each process of the site does first: refuse a database that it must not serve, and say why."""

import logging
import sys

from django.db import DatabaseError, OperationalError, connection

from accounts.clock_jumps import watch
from condottiere_site.database_state import database_state
from condottiere_site.running import SiteRuns, begin_to_run

REFUSED = 3  # gunicorn starts no new worker after this exit status

logger = logging.getLogger(__name__)


def begin_to_serve() -> None:
    """Exit with a sentence if this code must not serve the database; otherwise count as running."""
    problem = why_not_to_serve()
    if problem:
        sys.stderr.write(f"{problem}\n")
        sys.stderr.flush()
        sys.exit(REFUSED)
    watch.leap()  # from now on it's seen when the machine's clock is set


def why_not_to_serve() -> str:
    """Return why this code must not serve the database, in a sentence; if it's empty, count as running."""
    try:
        problem = database_state().serving_problem
        if not problem:
            begin_to_run()
        return problem
    except SiteRuns as error:
        return str(error)
    except DatabaseError as error:
        if isinstance(error, OperationalError) and connection.vendor != "sqlite":
            # A server that is away comes back, and web, worker and beat wait for it.
            logger.warning("the database could not be checked: %s", str(error).strip())
            return ""
        return f"The database can't be used: {error}".strip()
