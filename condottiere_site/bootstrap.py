"""Prepare a fresh clone: find or create an environment with the locked dependencies, then run the command.

Standard library only, because it runs before anything is installed. Every failure ends in one sentence.
"""

import argparse
import hashlib
import importlib.metadata
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parent.parent
STAMP = ".satisfied"


def main(arguments: list[str]) -> None:
    """Run a management command inside an environment that has all dependencies."""
    for_tests = arguments[1:2] == ["test"]
    try:
        if not has_dependencies(for_tests):
            _continue_inside(_environment(for_tests), arguments)
    except KeyboardInterrupt:
        sys.exit("\nInterrupted; the same command takes the set-up up again.")
    except OSError as error:
        where = error.filename or state_dir()
        sys.exit(
            f"Cannot set up the environment: {where}: {error.strerror}. "
            "Make the folder writable, or set STATE_DIR to one that is."
        )
    _run(arguments, for_tests)


def has_dependencies(for_tests: bool) -> bool:
    """Return whether this interpreter has every package that pyproject.toml requires on all machines."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = project["dependencies"] + (project["optional-dependencies"]["dev"] if for_tests else [])
    # Platform-specific requirements (after the semicolon) are not worth a new environment.
    return all(_is_installed(requirement) for requirement in wanted if ";" not in requirement)


def _is_installed(requirement: str) -> bool:
    name = re.split(r"[\[<>=!~ ]", requirement)[0]
    try:
        version = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return False
    bounds = re.findall(r"(>=|<)([0-9.]+)", requirement)
    return all((_numbers(version) >= _numbers(bound)) == (sign == ">=") for sign, bound in bounds)


def _numbers(version: str) -> list[int]:
    (begin,) = re.findall(r"^[0-9.]*", version)
    return [int(part) for part in begin.strip(".").split(".")]


def _run(arguments: list[str], for_tests: bool) -> None:
    os.chdir(ROOT)
    if for_tests:
        from tests.__main__ import main as run_tests

        sys.exit(run_tests(arguments[2:]))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "condottiere_site.settings")
    if arguments[1:2] == ["play"]:
        _default_site_url(arguments[2:])
    from django.conf import settings
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    try:
        _ = settings.INSTALLED_APPS
    except ImproperlyConfigured as error:
        sys.exit(f"Settings: {error}")
    execute_from_command_line(arguments)


def _default_site_url(arguments: list[str]) -> None:
    """Set SITE_URL to where the site listens, unless it is given."""
    parser = argparse.ArgumentParser(add_help=False, exit_on_error=False)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", default="8000")
    try:
        given = parser.parse_known_args(arguments)[0]
    except argparse.ArgumentError:
        return  # the command itself explains the error
    host = "127.0.0.1" if given.host in {"0.0.0.0", "::", ""} else given.host  # noqa: S104 (compared, not bound)
    host = f"[{host}]" if ":" in host else host
    if not os.environ.get("SITE_URL", "").strip():
        os.environ["SITE_URL"] = f"http://{host}:{given.port}"


def state_dir() -> Path:
    """Return the folder of what the site keeps here: STATE_DIR, or var."""
    return Path(os.environ.get("STATE_DIR", "").strip() or ROOT / "var").absolute()


def _environment(for_tests: bool) -> Path:
    """Return the environment's interpreter; create or complete the environment unless its stamp matches."""
    folder = state_dir() / "venv"
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    # The packages for the tests include all others, so one environment serves both.
    locks = [ROOT / "requirements-dev.lock"] + ([] if for_tests else [ROOT / "requirements.lock"])
    hashes = [hashlib.sha256(lock.read_bytes()).hexdigest() for lock in locks]
    if Path(sys.prefix).resolve() == folder.resolve() and _stamp(folder) in hashes:
        sys.exit(f"The environment in {folder} is damaged: delete that folder and start the command again.")
    state_dir().mkdir(parents=True, exist_ok=True)
    with _alone(state_dir() / "venv.lock"):
        if not python.exists() or _stamp(folder) not in hashes:
            _complete(folder, python, locks[-1])
            (folder / STAMP).write_text(hashes[-1], encoding="ascii")
    return python


def _stamp(folder: Path) -> str:
    stamp = folder / STAMP
    return stamp.read_text(encoding="ascii").strip() if stamp.exists() else ""


def _complete(folder: Path, python: Path, lock: Path) -> None:
    """Create the environment, or add packages to a finished one.

    The stamp is removed first and written last, so that an interrupted set-up is detected and started again.
    """
    finished = python.exists() and _stamp(folder)
    (folder / STAMP).unlink(missing_ok=True)
    if not finished:
        _make(folder)
    _install(python, lock)


def _make(folder: Path) -> None:
    try:
        import ensurepip  # noqa: F401 - only to see whether it is there
        import venv  # noqa: F401 - the same
    except ImportError:
        sys.exit(
            "This Python cannot make a virtual environment: install its venv module "
            "(on Debian and Ubuntu: apt install python3-venv), then start the command again."
        )
    _say(f"Making a Python environment in {folder}")
    made = subprocess.run(
        [sys.executable, "-m", "venv", "--clear", str(folder)], capture_output=True, text=True, check=False
    )
    if made.returncode:
        reason = _last_line(made.stdout + made.stderr)
        sys.exit(f"Python could not make a virtual environment in {folder}: {reason}")


def _install(python: Path, lock: Path) -> None:
    _say(f"Installing the packages that {lock.name} names (about a minute, this once)")
    command = [str(python), "-m", "pip", "install", "--no-input", "--disable-pip-version-check", "--quiet"]
    # Not compiled: most modules are never imported, and Python compiles the others on import.
    command += ["--progress-bar", "off", "--no-compile", "--require-hashes", "-r", str(lock)]
    pip = subprocess.run(command, capture_output=True, text=True, check=False)
    if pip.returncode:
        reason = _last_line(pip.stdout + pip.stderr)
        sys.exit(
            f"The packages could not be installed: {reason}. Check the connection to the package registry "
            "(or set PIP_INDEX_URL to another one), then start the command again."
        )


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith(("ERROR", "Error", "error"))]
    return (errors or lines or ["no reason given"])[-1]


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Hold a file lock, so that two commands started at once do not fill the same folder."""
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            _say("Waiting for another command that is setting up the environment")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _continue_inside(python: Path, arguments: list[str]) -> NoReturn:
    command = [str(python), str(ROOT / "manage.py"), *arguments[1:]]
    sys.stdout.flush()
    if os.name == "nt":
        sys.exit(subprocess.call(command))
    os.execv(python, command)  # noqa: S606 (our own interpreter, no shell)


def _say(line: str) -> None:
    print(line, flush=True)
