"""`python -m tests`: every test once on PostgreSQL and Redis, and those marked `sqlite` on SQLite too.

`--long` adds the tests marked `long`, larger counts, and all other tests that SQLite can run. With any other
argument it is pytest with those arguments, on PostgreSQL.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import IO

from condottiere_site.bootstrap import state_dir
from tests import left_out

TESTS = Path(__file__).resolve().parent
# Rooms whose tests say nothing about the database, or need what SQLite cannot share between processes.
ONLY_ONCE = {"rules", "house", "browser", "journeys", "look", "faults", "options"}


def main(arguments: list[str]) -> int:
    """Run all tests; return exit status 0 only if every run passed."""
    options = ["--long", "--timeout", "3600"] if "--long" in arguments else []
    others = [argument for argument in arguments if argument != "--long"]
    if others:
        return _pytest([*options, *others], {})
    _say(left_out.missing_programs())
    again = ["not once", *_rooms_with_a_database()] if options else ["sqlite and not once", *_marked_files()]
    with tempfile.TemporaryDirectory(prefix="condottiere-sqlite-") as folder:
        noting, report = {"TESTS_NOTE_SKIPS_IN": folder}, Path(folder, "report")
        database = noting | {"DATABASE_URL": f"sqlite:///{folder}/condottiere.sqlite3"}
        with (
            report.open("w", encoding="utf-8") as output,
            _started([*options, "-m", *again], database, output) as beside,
        ):
            print("Every test, on PostgreSQL and Redis", flush=True)
            first = _pytest([*options, "-n", "2", "--dist", "worksteal"], noting)
            second = _status(beside)
        print("What depends on the database, beside it on SQLite", flush=True)
        print(report.read_text("utf-8"), flush=True)
        _say([*left_out.missing_programs(), *left_out.counts(Path(folder))])
    return first or second


def _say(lines: list[str]) -> None:
    for line in lines:
        print(line, flush=True)


def _marked_files() -> list[str]:
    """Return the files with tests marked `sqlite`; collecting all others would take longer than these run."""
    files = sorted(path for path in TESTS.glob("*/test_*.py") if "mark.sqlite" in path.read_text("utf-8"))
    return [str(path.relative_to(TESTS.parent)) for path in files]


def _rooms_with_a_database() -> list[str]:
    rooms = sorted({path.parent for path in TESTS.glob("*/test_*.py") if path.parent.name not in ONLY_ONCE})
    return [str(room.relative_to(TESTS.parent)) for room in rooms]


def _pytest(arguments: list[str], environment: dict[str, str]) -> int:
    with _started(arguments, environment) as run:
        return _status(run)


def _started(
    arguments: list[str], environment: dict[str, str], output: IO[str] | None = None
) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "pytest", *arguments]
    return subprocess.Popen(command, cwd=TESTS.parent, env=_compiling_once(environment), stdout=output)


def _status(run: subprocess.Popen[bytes]) -> int:
    try:
        return run.wait()
    except KeyboardInterrupt:  # pytest was interrupted too, and stops what it started
        run.wait()
        raise SystemExit(130) from None


def _compiling_once(environment: dict[str, str]) -> dict[str, str]:
    """Keep compiled modules in the state folder, if Python may leave none next to their sources.

    The tests start Python a hundred times; without them each start would compile Django again.
    """
    full = os.environ | environment
    if full.pop("PYTHONDONTWRITEBYTECODE", ""):
        full.setdefault("PYTHONPYCACHEPREFIX", str(state_dir() / "compiled"))
    return full


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
