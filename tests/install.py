"""`python -m tests.install`: set the site up on fresh machines of many kinds, open it, and run tests.

A tool, run by hand before each release: it takes some ten minutes and installs from the registry. Every way
begins with a clone in an empty folder and an empty home. Ways marked "later" see newer versions of all
packages, as when the registry has moved on. The last one has locks without extras, and must fail.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests.servers import free_port
from tests.wheels import make_wheel

ROOT = Path(__file__).resolve().parent.parent
PIPS = ["22.3", "23.2.1", "24.0", "newest"]
TEN_TESTS = ["tests/rules/test_board_and_deal.py", "tests/rules/test_match.py", "-q"]
SETS_UP_WITHIN = 900.0  # seconds
KEPT_SETTINGS = ("PIP_", "UV_", "SSL_", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "REQUESTS_")
LATER = "9999"


@dataclass(frozen=True)
class Way:
    """A way to start the site: the words before `manage.py`, and what is special about the machine."""

    name: str
    command: tuple[str, ...]
    pip: str = ""
    is_later: bool = False
    strips_extras: bool = False


def main() -> int:
    """Try every way that this machine has; return 1 if one does not end as it should."""
    with tempfile.TemporaryDirectory(prefix="condottiere-install-") as folder:
        wheels = _raised_wheels(Path(folder))
        results = [_tried(way, Path(folder), wheels) for way in _ways(Path(folder))]
    return 0 if all(results) else 1


def _ways(folder: Path) -> list[Way]:
    pythons = _pythons()
    oldest = next(iter(pythons.values()))
    later = [Way(f"pip {pip}, later", (oldest,), pip, is_later=True) for pip in PIPS]
    stripped = Way("pip 22.3, later, without extras", (oldest,), "22.3", is_later=True, strips_extras=True)
    return [
        *[Way(f"pip {pip}", (oldest,), pip) for pip in PIPS],
        *[Way(f"Python {version}", (python,)) for version, python in pythons.items()],
        Way("uv run", (_uv(folder), "run")),
        Way("uv run python", (_uv(folder), "run", "python")),
        *later,
        stripped,
    ]


def _pythons() -> dict[str, str]:
    """Return the Pythons from 3.11 on that are found here, by version, the oldest first."""
    names = [f"python3.{minor}" for minor in range(11, 20)]
    versions = Path.home() / ".pyenv" / "versions"
    places = [shutil.which(name) for name in names] + [str(path) for path in versions.glob("3.*/bin/python")]
    script = "import sys; print('.'.join(map(str, sys.version_info[:3])))"
    found: dict[str, str] = {}
    for place in filter(None, places):
        done = subprocess.run([place, "-c", script], capture_output=True, text=True, check=False)
        version = done.stdout.strip()
        if not done.returncode and tuple(map(int, version.split("."))) >= (3, 11):
            found.setdefault(version, place)
    return dict(sorted(found.items(), key=lambda item: tuple(map(int, item[0].split(".")))))


def _uv(folder: Path) -> str:
    """Return uv's program: the one found here, or one installed for this run."""
    installed = folder / "uv" / "bin" / "uv"
    if not installed.exists() and not shutil.which("uv"):
        subprocess.run([sys.executable, "-m", "venv", str(folder / "uv")], check=True)
        subprocess.run([str(installed.with_name("pip")), "install", "--quiet", "uv"], check=True)
    return shutil.which("uv") or str(installed)


def _raised_wheels(folder: Path) -> Path:
    """Make a folder with an empty wheel of a later version for every locked package."""
    wheels = folder / "wheels"
    wheels.mkdir()
    lock = (ROOT / "requirements-dev.lock").read_text(encoding="utf-8")
    for name, extras in re.findall(r"^([\w.-]+)(?:\[(.*?)\])?==", lock, re.MULTILINE):
        make_wheel(wheels, name, LATER, [extra.strip() for extra in extras.split(",") if extra])
    return wheels


def _tried(way: Way, folder: Path, wheels: Path) -> bool:
    """Set up, play and test in one way; print what came of it, and return whether that was expected."""
    place = Path(tempfile.mkdtemp(dir=folder))
    try:
        seconds, problem = _set_up(way, place, wheels)
    finally:
        shutil.rmtree(place, ignore_errors=True)
    is_as_it_should_be = bool(problem) == way.strips_extras
    verdict = "as expected" if is_as_it_should_be else "WRONG"
    print(f"{way.name}: {verdict}. {problem or seconds}", flush=True)
    return is_as_it_should_be


def _set_up(way: Way, place: Path, wheels: Path) -> tuple[str, str]:
    """Return the seconds that each command took, and what went wrong; empty if all is well."""
    clone, home = place / "clone", place / "home"
    home.mkdir()
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
    environment = {key: value for key, value in os.environ.items() if key.startswith(KEPT_SETTINGS)}
    environment |= {"PATH": os.environ["PATH"], "HOME": str(home)}
    if way.is_later:
        links = f"{environment.get('PIP_FIND_LINKS', '')} {wheels}".strip()
        environment |= {"PIP_FIND_LINKS": links, "UV_FIND_LINKS": str(wheels)}
    if way.strips_extras:
        for lock in clone.glob("requirements*.lock"):
            lock.write_text(re.sub(r"^([\w.-]+)\[.*?\]==", r"\1==", lock.read_text(), flags=re.MULTILINE))
    if way.pip:
        _prepare_pip(way, clone, environment)
    began = time.monotonic()
    problem = _plays(way, clone, environment)
    played = time.monotonic()
    problem = problem or _tests(way, clone, environment)
    tested = time.monotonic()
    return f"play answered after {played - began:.0f} s, ten tests took {tested - played:.0f} s", problem


def _prepare_pip(way: Way, clone: Path, environment: dict[str, str]) -> None:
    """Leave an environment with this pip and an outdated stamp, which `manage.py` completes with that pip."""
    folder = clone / "var" / "venv"
    subprocess.run([*way.command, "-m", "venv", str(folder)], env=environment, check=True)
    wanted = ["--upgrade", "pip"] if way.pip == "newest" else [f"pip=={way.pip}"]
    command = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", *wanted]
    subprocess.run(command, env=environment, check=True)
    (folder / ".satisfied").write_text("outdated")


def _plays(way: Way, clone: Path, environment: dict[str, str]) -> str:
    """Start `play` and ask for its home page; return what went wrong."""
    port = free_port()
    command = [*way.command, "manage.py", "play", "--port", str(port)]
    with _running(command, clone, environment) as (play, output):
        end = time.monotonic() + SETS_UP_WITHIN
        while play.poll() is None and time.monotonic() < end:
            with suppress(urllib.error.URLError, ConnectionError, TimeoutError):
                page = urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=10).read()
                return "" if b"Condottiere" in page else "the home page is another one"
            time.sleep(0.2)
        return f"play does not answer: {output.read_text()[-600:].strip()}"


@contextmanager
def _running(
    command: list[str], clone: Path, environment: dict[str, str]
) -> Iterator[tuple[subprocess.Popen[bytes], Path]]:
    output = clone.parent / "output"
    with output.open("w") as file:
        process = subprocess.Popen(
            command, cwd=clone, env=environment, stdout=file, stderr=file, start_new_session=True
        )
        try:
            yield process, output
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGINT)
            process.wait(60)


def _tests(way: Way, clone: Path, environment: dict[str, str]) -> str:
    """Run the ten tests; return what went wrong."""
    command = [*way.command, "manage.py", "test", *TEN_TESTS]
    done = subprocess.run(
        command,
        cwd=clone,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=SETS_UP_WITHIN,
    )
    passed = re.search(r"(\d+) passed", done.stdout)
    if done.returncode or not passed or int(passed[1]) < 10:
        return f"the tests fail: {(done.stdout + done.stderr)[-600:].strip()}"
    return ""


if __name__ == "__main__":
    sys.exit(main())
