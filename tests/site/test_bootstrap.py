"""The set-up from a fresh clone: made, completed, taken up again, or refused in one sentence."""

import os
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from subprocess import PIPE
from textwrap import dedent

import pytest
from django.conf import settings

from condottiere_site import bootstrap
from condottiere_site.setup_failures import explain
from tests.servers import HANGS
from tests.wheels import make_wheel

pytestmark = pytest.mark.once
ROOT = Path(settings.BASE_DIR)
BARE = Path(getattr(sys, "_base_executable", sys.executable))
# What the bootstrap imports of Django once the environment is complete.
STAND_IN = {
    "django/__init__.py": "",
    "django/conf.py": "class settings: INSTALLED_APPS = []",
    "django/db.py": "class DatabaseError(Exception): pass",
    "django/core/__init__.py": "",
    "django/core/exceptions.py": "class ImproperlyConfigured(Exception): pass",
    "django/core/management.py": "def execute_from_command_line(words): print('Ran', *words[1:])",
}


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """What the set-up needs of a checkout, with locks that pin a stand-in for Django alone."""
    folder = tmp_path / "clone"
    (folder / "condottiere_site").mkdir(parents=True)
    for name in (
        "manage.py",
        "pyproject.toml",
        "condottiere_site/__init__.py",
        "condottiere_site/bad_settings.py",
        "condottiere_site/bootstrap.py",
        "condottiere_site/command_failures.py",
        "condottiere_site/setup_failures.py",
    ):
        shutil.copy(ROOT / name, folder / name)
    pin = make_wheel(folder, "stand-in", "1.0", modules=STAND_IN)
    for name in ("requirements.lock", "requirements-dev.lock"):
        (folder / name).write_text(pin)
    (folder / "requirements-build.lock").write_text(make_wheel(folder, "builder", "1.0"))
    return folder


def _environment(clone: Path) -> dict[str, str]:
    """No registry, no settings of the machine's pip, an empty home."""
    return {
        "PATH": os.defpath,
        "HOME": str(clone),
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(clone),
    }


def _start(
    clone: Path, *words: str, before: str = "", **environment: str
) -> subprocess.CompletedProcess[str]:
    """A bare interpreter, without any installed package, runs the clone's manage.py."""
    program = (
        f"import sys, runpy; sys.path.insert(0, {str(clone)!r}); sys.argv = {['manage.py', *words]!r}\n"
        f"{before}\nrunpy.run_path('manage.py', run_name='__main__')"
    )
    return subprocess.run(
        [str(BARE), "-S", "-c", program],
        cwd=clone,
        env=_environment(clone) | environment,
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
    unreachable = {"PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_NO_INDEX": "", "PIP_RETRIES": "0"}
    done = _start(clone, "play", **unreachable)
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


def test_a_folder_that_only_a_shell_would_know_is_refused(clone: Path) -> None:
    assert _sentence(_start(clone, "play", STATE_DIR="~/games")).startswith("STATE_DIR begins with ~")
    assert not (clone / "~").exists()


@pytest.mark.long
def test_an_interrupted_set_up_is_taken_up_again(clone: Path) -> None:
    broken = clone / "var" / "venv"
    (broken / "bin").mkdir(parents=True)
    (broken / "bin" / "python").write_text("half an interpreter")
    (broken / "left-over").write_text("from before")
    done = _start(clone, "check")
    assert _stamp(clone).exists()
    assert not (broken / "left-over").exists()
    assert "Ran check" in done.stdout


@pytest.mark.long
def test_a_finished_environment_is_used_as_it_is_and_completed_for_the_tests(clone: Path) -> None:
    _start(clone, "check")
    whole = _stamp(clone).read_text()
    (clone / "var" / "venv" / "mine").write_text("kept")
    again = _start(clone, "check")
    assert "Making" not in again.stdout
    assert "Installing" not in again.stdout
    pins = (clone / "requirements.lock").read_text() + make_wheel(clone, "for-tests", "1.0")
    (clone / "requirements-dev.lock").write_text(pins)
    for_tests = _start(clone, "test")
    assert "Making" not in for_tests.stdout
    assert "Installing the packages that requirements-dev.lock names" in for_tests.stdout
    assert _stamp(clone).read_text() != whole
    # What serves the tests serves everything else.
    assert "Installing" not in _start(clone, "check").stdout
    assert (clone / "var" / "venv" / "mine").exists()


def _lock(clone: Path, *pins: str) -> None:
    (clone / "requirements.lock").write_text("\n".join(pins))


def _run_here(clone: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """The interpreter of the tests, with all its packages, runs the clone's manage.py."""
    return subprocess.run(
        [sys.executable, str(clone / "manage.py"), "nonsense"],
        cwd=clone,
        env=_environment(clone) | environment,
        capture_output=True,
        text=True,
        timeout=HANGS,
        check=False,
    )


def test_an_interpreter_with_the_locked_packages_is_used_and_no_environment_made(clone: Path) -> None:
    elsewhere = "no-such-package==1.0 ; sys_platform == 'plan9'"
    _lock(clone, f"django=={metadata.version('django')}", elsewhere)
    done = _run_here(clone)
    assert done.returncode != 0  # this clone has no settings to run with
    assert not (clone / "var").exists()


@pytest.mark.long
@pytest.mark.parametrize("pin", ["django==5.2", "no-such-package==1.0", "psycopg[binary]==3.0"])
def test_an_environment_with_other_versions_is_not_used_and_that_is_said(clone: Path, pin: str) -> None:
    _lock(clone, f"{pin} --hash=sha256:{'0' * 64}")
    done = _run_here(clone)
    assert f"The packages in {sys.prefix} aren't the locked ones" in done.stdout
    assert "Making a Python environment" in done.stdout


def test_one_of_several_versions_that_are_locked_for_different_pythons_is_enough(clone: Path) -> None:
    version = metadata.version("django")
    _lock(clone, f"django=={version} ; python_version >= '3.11'", "django==1.0 ; python_version < '3.11'")
    _run_here(clone)
    assert not (clone / "var").exists()


REGISTRY = "https://registry.example"
PIP_SAID = {
    "No connection": (
        """
        Collecting amqp==5.3
          WARNING: Retrying (Retry(total=0)) connection broken by 'NewConnectionError(...)': /simple/amqp/
        ERROR: Could not find a version that satisfies the requirement amqp==5.3 (from versions: none)
        ERROR: No matching distribution found for amqp==5.3
        """,
        "amqp: The package registry can't be reached. Check the connection",
    ),
    "A proxy with a password": (
        """
        Collecting idna==3.10
          WARNING: Retrying after connection broken by 'ProxyError('Cannot connect to proxy.',
          OSError('Tunnel connection failed: 407 Proxy Authentication Required'))'
        """,
        "idna: The proxy wants a name and a password. Set HTTPS_PROXY",
    ),
    "A full disk": (
        """
        Collecting nh3==0.3
        ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device
        """,
        "nh3: The disk is full. Free 1 GB",
    ),
    "A wrong clock": (
        "SSLError(SSLCertVerificationError('certificate verify failed: certificate is not yet valid'))",
        "A package: The registry's certificate isn't valid at the time that this computer's clock shows. Set",
    ),
    "A Python without SSL": (
        """
        Collecting idna==3.10
          Could not fetch URL: (Caused by SSLError("Can't connect because the SSL module is not available."))
        """,
        "idna: This Python was built without SSL. Install another one",
    ),
    "No package for this platform": (
        """
        ERROR: Could not find a version that satisfies the requirement idna==99 (from versions: 3.9, 3.10)
        ERROR: No matching distribution found for idna==99
        """,
        "The registry has no idna of the locked version for this computer and this Python",
    ),
    "A registry that refuses": (
        """
        ERROR: Could not find a version that satisfies the requirement idna==3.10 (from versions: none)
        ERROR: No matching distribution found for idna==3.10
        """,
        "The registry offers no idna to this Python. Check PIP_INDEX_URL",
    ),
    "Another file than the locked one": (
        f"""
        ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.
            idna==3.10 from {REGISTRY}/idna-3.10.whl (from -r requirements.lock (line 1)):
                Expected sha256 00
                     Got        94
        """,
        "The registry's file of idna isn't the one that this version was tested with",
    ),
    "A lock without an extra": (
        f"""
        ERROR: In --require-hashes mode, all requirements must have their versions pinned. These do not:
            coverage[toml] from {REGISTRY}/coverage.whl (from pytest-cov==7.0)
        """,
        "The lock file lacks coverage[toml]",
    ),
    "A compiler is missing": (
        """
          error: subprocess-exited-with-error
        ERROR: Failed building wheel for regex
        ERROR: Failed to build installable wheels
        """,
        "regex would have to be compiled on this computer",
    ),
    "A builder that does not start": (
        """
        Collecting http-ece==1.2.1
        ERROR: Exception:
        pip._vendor.pyproject_hooks._impl.BackendUnavailable
        """,
        "http-ece would have to be compiled on this computer",
    ),
    "Something unknown": (
        """
        Collecting x==1
        ERROR: one
        something
        ERROR: the moon is full.
        notice
        """,
        "pip stopped at x: ERROR: the moon is full. Mend that",
    ),
    "Nothing": ("", "pip stopped at its start: it gave no reason. Mend that"),
}


@pytest.mark.parametrize("failure", PIP_SAID)
def test_why_packages_could_not_be_installed_is_said_with_what_to_do(failure: str) -> None:
    printed, sentence = PIP_SAID[failure]
    explained = explain(dedent(printed))
    assert explained.startswith(sentence)
    assert len(explained.splitlines()) == 1


def test_a_killed_pip_says_what_it_lacked() -> None:
    assert explain("Collecting idna==3.10", killed=True).startswith("idna: pip was killed, perhaps because")


VENV_SAID = {
    "Error: [Errno 28] No space left on device: '/x/pyvenv.cfg'": "The disk is full. Free 1 GB",
    "Refusing to create a venv in /a:b because it contains the PATH separator :.": "Its path has a colon",
    "Error: [Errno 13] Permission denied: '/x'": "The folder can't be written. Make it writable",
    "Error: [Errno 1] Operation not permitted: 'lib' -> '/x/lib64'": "The disk of that folder takes no links",
    "/x/bin/python: No module named ensurepip": "Parts of this Python are missing. Reinstall it",
    "Error: the moon is full.": "It said: Error: the moon is full. Mend that",
    "": "It said: it gave no reason. Mend that",
}


@pytest.mark.parametrize("printed", VENV_SAID)
def test_why_no_environment_could_be_made_is_said_with_what_to_do(clone: Path, printed: str) -> None:
    python = clone / "python"
    python.write_text(f'#!/bin/sh\ncat <<"END" >&2\n{printed}\nEND\nexit 1\n')
    python.chmod(0o755)
    sentence = _sentence(_start(clone, "play", before=f"sys.executable = {str(python)!r}"))
    assert f"environment in {clone / 'var' / 'venv'}. {VENV_SAID[printed]}" in sentence
    assert sentence.endswith(", then start the command again.")


def test_what_adds_pip_to_an_environment_is_heard(clone: Path) -> None:
    """As on a disk that is full only then: venv itself would say no more than that it failed."""
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))"
    sentence = _sentence(_start(clone, "play", before=limit))
    assert "File too large" in sentence


@pytest.mark.long
def test_two_first_starts_at_once_set_up_one_after_the_other(clone: Path) -> None:
    words = [str(BARE), "-S", str(clone / "manage.py"), "check"]
    both = [
        subprocess.Popen(words, cwd=clone, env=_environment(clone), stdout=PIPE, stderr=PIPE, text=True)
        for _ in range(2)
    ]
    printed = [one.communicate(timeout=HANGS)[0] for one in both]
    assert sum("Making a Python environment" in text for text in printed) == 1
    assert all("Ran check" in text for text in printed)


@pytest.mark.long
def test_an_environment_that_lost_its_packages_is_made_anew(clone: Path) -> None:
    """As when Python was replaced by a newer one, or someone deleted half of the folder."""
    _start(clone, "check")
    packages = next((clone / "var" / "venv" / "lib").glob("python3*")) / "site-packages"
    for lost in ("django/core", "stand_in-1.0.dist-info"):
        shutil.rmtree(packages / lost)
        done = _start(clone, "check")
        assert "is damaged; it is made again" in done.stdout
        assert "Ran check" in done.stdout


@pytest.mark.long
@pytest.mark.skipif(os.name == "nt", reason="Windows has no process groups")
def test_a_set_up_killed_at_any_moment_is_taken_up_again(clone: Path) -> None:
    words = [str(BARE), "-S", str(clone / "manage.py"), "check"]
    for moment in ("Making a Python environment", "Installing the packages"):
        first = subprocess.Popen(words, cwd=clone, env=_environment(clone), stdout=PIPE, text=True)
        assert first.stdout is not None
        assert any(moment in line for line in first.stdout)
        first.kill()  # and venv or pip goes on
        first.communicate(timeout=HANGS)
        assert not _stamp(clone).exists()
        _start(clone, "check")
        assert _stamp(clone).exists()
        shutil.rmtree(clone / "var")


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
