"""The set-up from a fresh clone: made, completed, taken up again, or refused in one sentence."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

from condottiere_site import bootstrap
from tests.servers import HANGS

pytestmark = pytest.mark.once
ROOT = Path(settings.BASE_DIR)
BARE = Path(getattr(sys, "_base_executable", sys.executable))


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """What the set-up needs of a checkout, with locks that name nothing to fetch."""
    folder = tmp_path / "clone"
    (folder / "condottiere_site").mkdir(parents=True)
    for name in (
        "manage.py",
        "pyproject.toml",
        "condottiere_site/__init__.py",
        "condottiere_site/bootstrap.py",
    ):
        shutil.copy(ROOT / name, folder / name)
    for name in ("requirements.lock", "requirements-dev.lock"):
        (folder / name).write_text("")
    return folder


def _start(
    clone: Path, *words: str, before: str = "", **environment: str
) -> subprocess.CompletedProcess[str]:
    """A bare interpreter, without any installed package, runs the clone's manage.py."""
    program = (
        f"import sys, runpy; sys.path.insert(0, {str(clone)!r}); sys.argv = {['manage.py', *words]!r}\n"
        f"{before}\nrunpy.run_path('manage.py', run_name='__main__')"
    )
    quiet = {
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_RETRIES": "0",
        "PIP_DEFAULT_TIMEOUT": "5",
        "HOME": str(clone),
    }
    return subprocess.run(
        [str(BARE), "-S", "-c", program],
        cwd=clone,
        env={"PATH": os.defpath} | quiet | environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=HANGS,
        check=False,
    )


def _sentence(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 1, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1, lines
    return lines[0]


def _stamp(clone: Path) -> Path:
    return clone / "var" / "venv" / bootstrap.STAMP


def test_a_python_without_venv_is_told_what_to_install(clone: Path) -> None:
    sentence = _sentence(_start(clone, "play", before="sys.modules['ensurepip'] = None"))
    assert "python3-venv" in sentence


def test_an_old_python_is_told_which_it_needs(clone: Path) -> None:
    sentence = _sentence(
        _start(clone, "play", before="sys.version_info = (3, 9, 2); sys.version = '3.9.2 (old)'")
    )
    assert sentence == "Condottiere needs Python 3.11 or newer, and this is Python 3.9.2."


@pytest.mark.long
def test_an_unreachable_registry_is_said_in_one_sentence(clone: Path) -> None:
    (clone / "requirements.lock").write_text(f"django==5.2 --hash=sha256:{'0' * 64}\n")
    done = _start(clone, "play", PIP_INDEX_URL="http://127.0.0.1:9/simple")
    sentence = _sentence(done)
    assert "registry" in sentence
    assert "start the command again" in sentence
    assert "Making a Python environment" in done.stdout
    assert not _stamp(clone).exists()


def test_a_folder_that_cannot_be_written_is_named(clone: Path) -> None:
    (clone / "var").write_text("a file where the folder should be")
    sentence = _sentence(_start(clone, "play"))
    assert str(clone / "var") in sentence
    assert "STATE_DIR" in sentence


@pytest.mark.long
def test_an_interrupted_set_up_is_taken_up_again(clone: Path) -> None:
    broken = clone / "var" / "venv"
    (broken / "bin").mkdir(parents=True)
    (broken / "bin" / "python").write_text("half an interpreter")
    (broken / "left-over").write_text("from before")
    done = _start(clone, "check")
    # The environment is whole again; its packages are none, for this clone's locks name none.
    assert _stamp(clone).exists()
    assert not (broken / "left-over").exists()
    assert "damaged: delete that folder" in done.stderr


@pytest.mark.long
def test_a_finished_environment_is_used_as_it_is_and_completed_for_the_tests(clone: Path) -> None:
    _start(clone, "check")
    whole = _stamp(clone).read_text()
    (clone / "var" / "venv" / "mine").write_text("kept")
    again = _start(clone, "check")
    assert "Making" not in again.stdout
    assert "Installing" not in again.stdout
    (clone / "requirements-dev.lock").write_text("# another\n")
    for_tests = _start(clone, "test")
    assert "Making" not in for_tests.stdout
    assert "Installing the packages that requirements-dev.lock names" in for_tests.stdout
    assert _stamp(clone).read_text() != whole
    # What serves the tests serves everything else.
    assert "Installing" not in _start(clone, "check").stdout
    assert (clone / "var" / "venv" / "mine").exists()


def test_an_interpreter_with_the_packages_is_used_and_no_environment_made(clone: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(clone / "manage.py"), "nonsense"],
        cwd=clone,
        env={"PATH": os.defpath, "HOME": str(clone)},
        capture_output=True,
        text=True,
        timeout=HANGS,
        check=False,
    )
    assert done.returncode != 0  # this clone has no settings to run with
    assert not (clone / "var").exists()


def test_versions_are_compared_as_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    installed = {"django": "5.2.10", "celery": "5.10rc1"}
    monkeypatch.setattr(bootstrap.importlib.metadata, "version", lambda name: installed[name])
    assert bootstrap._is_installed("django>=5.2,<5.3")
    assert bootstrap._is_installed("django>=5.2.9")
    assert not bootstrap._is_installed("django>=6")
    assert not bootstrap._is_installed("django<5.2")
    assert bootstrap._is_installed("celery>=5.7")


def test_pips_last_error_is_what_is_told() -> None:
    printed = "Collecting x\nERROR: one\nsomething\nERROR: no space left on device\nnotice\n"
    assert bootstrap._last_line(printed) == "ERROR: no space left on device"


@pytest.mark.parametrize(
    ("words", "address"),
    [
        ([], "http://127.0.0.1:8000"),
        (["--port", "9000"], "http://127.0.0.1:9000"),
        (["--host", "0.0.0.0", "--port=81"], "http://127.0.0.1:81"),
        (["--host", "::1"], "http://[::1]:8000"),
        (["--host", "games.lan"], "http://games.lan:8000"),
    ],
)
def test_the_site_s_address_follows_host_and_port(
    monkeypatch: pytest.MonkeyPatch, words: list[str], address: str
) -> None:
    monkeypatch.setenv("SITE_URL", "")
    bootstrap._default_site_url(words)
    assert os.environ["SITE_URL"] == address


def test_a_given_address_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SITE_URL", "https://games.example.org")
    bootstrap._default_site_url(["--port", "9000"])
    assert os.environ["SITE_URL"] == "https://games.example.org"
