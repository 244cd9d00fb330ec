"""Ends of commands that a person can mend: one sentence instead of a traceback.

Only `manage.py` uses it. `--traceback`, an option of every command, shows where it happened.
"""

import logging
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from django.db import DatabaseError

SERVERS = (["play"], ["receive_mail"])  # their log says when the database is away, and since when


@contextmanager
def in_sentences(arguments: Sequence[str]) -> Iterator[None]:
    """Exit with a sentence if the database or a file can't be used."""
    if arguments[1:2] not in SERVERS:
        logging.getLogger("psycopg.pool").setLevel(logging.ERROR)  # the sentence says it
    try:
        yield
    except (DatabaseError, OSError) as error:
        sentence = _about_database(error) if isinstance(error, DatabaseError) else _about_file(error)
        if not sentence or "--traceback" in arguments:
            raise
        sys.exit(f"CommandError: {sentence}")


def _about_database(error: DatabaseError) -> str:
    """Return what the database lacks, or else what it said."""
    from condottiere_site.database_state import database_state, unusable

    try:
        problem = database_state().serving_problem
    except DatabaseError as reason:  # of a connection without the pool, which only says that it waited
        problem, error = "", reason
    return problem or unusable(error)


def _about_file(error: OSError) -> str:
    """Return which file can't be used and why; empty if the error names none."""
    return f"{error.filename} can't be used: {error.strerror}." if error.filename and error.strerror else ""
