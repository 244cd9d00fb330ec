"""A process that simulates has a database of its own, in a folder of its own, and can reach no other."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from typing import Any

# What such a process gets of its parent's environment: nothing that leads to the site's rows or mail server.
KEPT = (
    "PATH",
    "HOME",
    "LANG",
    "LC_ALL",
    "PYTHONPATH",
    "VIRTUAL_ENV",
    "SYSTEMROOT",
    "TZDIR",
    "LD_LIBRARY_PATH",
)


def own_environment(state: Path) -> dict[str, str]:
    """Return the environment of a process with its database in this folder."""
    environment = {name: os.environ[name] for name in KEPT if name in os.environ}
    return environment | {
        "STATE_DIR": str(state),
        "DATABASE_URL": f"sqlite:///{state / 'simulated.sqlite3'}",
        "SECRET_KEY": "simulated people trust a key that everybody knows",
        "PYTHONHASHSEED": "0",
    }


def require_own_database() -> None:
    """Refuse any other database, so that no mistake can touch real people's rows."""
    from django.conf import settings

    name = Path(str(settings.DATABASES["default"]["NAME"]))
    if name.parent != Path(os.environ["STATE_DIR"]) or name.exists():
        raise SystemExit("a simulation needs a database of its own")


def open_database() -> sqlite3.Connection:
    """Open the database, without syncing: its rows need not outlive this process."""
    from django.db import connection

    connection.ensure_connection()
    raw: Any = connection.connection
    raw.execute("PRAGMA synchronous=OFF")
    return raw


def copied(database: sqlite3.Connection) -> sqlite3.Connection:
    """Return a copy in memory: the empty database, from which each world begins."""
    copy = sqlite3.connect(":memory:")
    database.backup(copy)
    return copy
