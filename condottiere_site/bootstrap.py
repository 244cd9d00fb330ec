"""Prepare a fresh clone: find or create an environment with the locked packages, then run the command.

Standard library only, because it runs before anything is installed. Every failure ends in one sentence.
"""

import _thread
import argparse
import errno
import hashlib
import importlib.metadata
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

from condottiere_site.setup_failures import explain, explain_environment

ROOT = Path(__file__).resolve().parent.parent
STAMP = ".satisfied"
OWN_PACKAGES = {"accounts", "condottiere_site", "games", "tests"}
PIPE_CLOSED = 141  # what shells say of a program that SIGPIPE has ended
HIGHEST_PORT = 65_535
INTERRUPTED = 130  # and of one that Control-C has ended
JUST_SET_UP = "CONDOTTIERE_JUST_SET_UP"  # tells the next process that another set-up would change nothing


def main(arguments: list[str]) -> None:
    """Run a management command inside an environment that has the locked packages."""
    for_tests = arguments[1:2] == ["test"]
    interrupted = "Interrupted; the same command takes the set-up up again."
    try:
        _set_up(arguments, for_tests)
        interrupted = "Interrupted."
        _run(arguments, for_tests)
    except KeyboardInterrupt:
        sys.stderr.write(f"\n{interrupted}\n")
        sys.exit(INTERRUPTED)
    except ImportError as error:
        if (error.name or "").partition(".")[0] in OWN_PACKAGES:
            raise
        _leave_damaged_environment(arguments, f" ({error})")
        raise


def _set_up(arguments: list[str], for_tests: bool) -> None:
    """Go on inside an environment with the locked packages, unless this is one."""
    try:
        if not has_locked_packages(for_tests):
            _leave_damaged_environment(arguments)
            _continue_inside(_environment(for_tests), arguments)
    except OSError as error:
        _stop_for(error)


def has_locked_packages(for_tests: bool) -> bool:
    """Return whether this interpreter has every package of the lock file in the locked version."""
    lock = ROOT / ("requirements-dev.lock" if for_tests else "requirements.lock")
    pins = re.findall(
        r"^([\w.-]+)(?:\[.*?\])?==([^\s;\\]+) ?(;)?", lock.read_text(encoding="utf-8"), re.MULTILINE
    )
    locked: dict[str, set[str]] = {}
    # What is locked for some platforms only may be missing here.
    optional = {name for name, _version, marker in pins if marker}
    for name, version, _marker in pins:
        locked.setdefault(name, set()).add(version)
    return all(
        _installed(name) in versions or (name in optional and not _installed(name))
        for name, versions in locked.items()
    )


def _installed(name: str) -> str:
    """Return the installed version of a package; empty if it is missing."""
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _stop_for(error: OSError) -> NoReturn:
    where = error.filename or state_dir()
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        advice = "Free 1 GB"
    else:
        advice = "Make the folder writable, or set STATE_DIR to one that is"
    sys.exit(
        f"The environment can't be set up: {where}: {error.strerror}. {advice}, then start the command again."
    )


def _run(arguments: list[str], for_tests: bool) -> None:
    os.chdir(ROOT)
    if for_tests:
        from tests.__main__ import main as run_tests

        sys.exit(run_tests(arguments[2:]))
    sys.unraisablehook = _interrupt_again
    os.umask(0o077)  # a database holds sessions and emails: only its owner reads what a command makes
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "condottiere_site.settings")
    if arguments[1:2] == ["play"]:
        _default_site_url(arguments[2:])
    from django.core.management import execute_from_command_line

    from condottiere_site import bad_settings
    from condottiere_site.command_failures import in_sentences

    bad_settings.exit_if_any()
    with _ending_with_its_reader(), in_sentences(arguments):
        execute_from_command_line(arguments)


def _interrupt_again(lost: "sys.UnraisableHookArgs") -> None:
    """Repeat a Control-C that came while Python cleaned up, where it would be lost."""
    if lost.exc_type is KeyboardInterrupt:
        threading.Timer(0.05, _interrupt).start()
    else:
        sys.__unraisablehook__(lost)


def _interrupt() -> None:
    if hasattr(signal, "pthread_kill"):  # the main thread may be asleep, and a real signal wakes it
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
    else:
        _thread.interrupt_main()


@contextmanager
def _ending_with_its_reader() -> Iterator[None]:
    """End without a word if a program that reads the output has ended before, as `head` does."""
    try:
        try:
            yield
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        try:
            print(flush=True)
        except BrokenPipeError:
            # Python flushes once more at the end, and would say that it can't.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(PIPE_CLOSED)
        raise  # another pipe or connection


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
    if not (given.port.isascii() and given.port.isdigit() and 1 <= int(given.port) <= HIGHEST_PORT):
        return  # the same
    if not any(os.environ.get(name, "").strip() for name in ("SITE_URL", "SITE_URL_FILE")):
        os.environ["SITE_URL"] = f"http://{host}:{given.port}"


def state_dir() -> Path:
    """Return the folder of what the site keeps here: STATE_DIR, or var."""
    given = os.environ.get("STATE_DIR", "").strip()
    if given.startswith("~"):
        sys.exit("STATE_DIR begins with ~, which only shells know. Write the whole path.")
    return Path(given or ROOT / "var").absolute()


def _environment(for_tests: bool) -> Path:
    """Return the environment's interpreter; create or complete the environment unless its stamp matches."""
    folder = _own_environment()
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    # The packages for the tests include all others, so one environment serves both.
    locks = [ROOT / "requirements-dev.lock"] + ([] if for_tests else [ROOT / "requirements.lock"])
    hashes = [hashlib.sha256(lock.read_bytes()).hexdigest() for lock in locks]
    state_dir().mkdir(0o700, parents=True, exist_ok=True)
    with _alone(state_dir() / "venv.lock") as held:
        if not python.exists() or _stamp(folder) not in hashes:
            _explain_second_environment()
            _complete(folder, python, locks[-1], held)
            (folder / STAMP).write_text(hashes[-1], encoding="ascii")
            os.environ[JUST_SET_UP] = "1"
    return python


def _own_environment() -> Path:
    return state_dir() / "venv"


def _leave_damaged_environment(arguments: list[str], why: str = "") -> None:
    """If this is the site's own environment, start again outside it and make a new one.

    It may be half deleted, or belong to a Python that has been replaced since.
    """
    folder = _own_environment()
    if Path(sys.prefix).resolve() != folder.resolve():
        return
    if os.environ.pop(JUST_SET_UP, "") or not (folder / STAMP).exists():
        sys.exit(
            f"The environment in {folder} is damaged{why}. Delete that folder, or set STATE_DIR to one from "
            "which programs can run, then start the command again."
        )
    _say(f"The environment in {folder} is damaged; it is made again")
    (folder / STAMP).unlink()
    _continue_inside(Path(getattr(sys, "_base_executable", sys.executable)), arguments)


def _explain_second_environment() -> None:
    """Say why an activated environment, or that of `uv run`, is not used."""
    if sys.prefix != sys.base_prefix and Path(sys.prefix).resolve() != _own_environment().resolve():
        _say(f"The packages in {sys.prefix} aren't the locked ones; the site uses an environment of its own")


def _stamp(folder: Path) -> str:
    stamp = folder / STAMP
    return stamp.read_text(encoding="ascii").strip() if stamp.exists() else ""


def _complete(folder: Path, python: Path, lock: Path, held: int | None) -> None:
    """Create the environment, or add packages to a finished one.

    The stamp is removed first and written last, so that an interrupted set-up is detected and started again.
    """
    finished = python.exists() and _stamp(folder)
    (folder / STAMP).unlink(missing_ok=True)
    if not finished:
        _make(folder, python)
    install(python, lock, held)


def _make(folder: Path, python: Path) -> None:
    try:
        import ensurepip  # noqa: F401 - only to see whether it is there
        import venv  # noqa: F401 - the same
    except ImportError:
        sys.exit(
            "This Python can't make a virtual environment: install its venv module "
            "(on Debian and Ubuntu: apt install python3-venv), then start the command again."
        )
    _say(f"Making a Python environment in {folder}")
    make = [sys.executable, "-m", "venv", "--clear", "--without-pip", str(folder)]
    # By a step of its own, because venv keeps to itself what ensurepip says.
    add_pip = [str(python), "-I", "-m", "ensurepip", "--default-pip"]
    for step in (make, add_pip):
        done = subprocess.run(step, capture_output=True, text=True, check=False)
        if done.returncode:
            reason = explain_environment(done.stdout + done.stderr)
            sys.exit(
                f"Python could not make a virtual environment in {folder}. {reason}, "
                "then start the command again."
            )


def install(python: Path, lock: Path, held: int | None = None) -> None:
    """Install what a lock file pins; end with a sentence that says why if that fails.

    pip inherits the file descriptor `held`: the folder stays locked until pip ends, even if we are killed.
    """
    _say(f"Installing the packages that {lock.name} names (about a minute, this once)")
    options = ["--no-input", "--disable-pip-version-check", "--progress-bar", "off"]
    # Not compiled: most modules are never imported, and Python compiles the others on import.
    options += ["--no-compile", "--require-hashes"]
    # One package has to be built. What builds it is locked too; otherwise pip would fetch the newest.
    builder = [*options, "-r", str(ROOT / "requirements-build.lock")]
    packages = [*options, "--no-build-isolation", "--use-pep517", "-r", str(lock)]
    log = state_dir() / "setup.log"
    with log.open("w", encoding="utf-8") as output:
        for step in (builder, packages):
            command = [str(python), "-m", "pip", "install", *step]
            fds = [] if held is None else [held]
            pip = subprocess.run(command, stdout=output, stderr=output, check=False, pass_fds=fds)
            if pip.returncode:
                break
    if pip.returncode:
        reason = explain(log.read_text(encoding="utf-8", errors="replace"), killed=pip.returncode < 0)
        sys.exit(
            f"The packages could not be installed. {reason}, then start the command again: "
            f"it goes on from there. All that pip said is in {log}."
        )


@contextmanager
def _alone(path: Path) -> Iterator[int | None]:
    """Hold a file lock, so that two commands started at once do not fill the same folder.

    Yield its file descriptor, or None on Windows, which has no such locks.
    """
    try:
        import fcntl
    except ImportError:
        yield None
        return
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            _say("Waiting for another command that is setting up the environment")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield file.fileno()


def _continue_inside(python: Path, arguments: list[str]) -> NoReturn:
    command = [str(python), str(ROOT / "manage.py"), *arguments[1:]]
    sys.stdout.flush()
    if os.name == "nt":
        sys.exit(subprocess.call(command))
    os.execv(python, command)  # noqa: S606 (our own interpreter, no shell)


def _say(line: str) -> None:
    print(line, flush=True)
