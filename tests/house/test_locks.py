"""The lock files pin all that the packages require, with every extra, so that any pip installs them."""

import ast
import re
import tomllib
from collections.abc import Iterable, Mapping
from importlib import metadata
from itertools import product
from pathlib import Path

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent.parent
LOCKS = ["requirements.lock", "requirements-dev.lock"]
PIN = re.compile(
    r"^(?P<name>[A-Za-z0-9._-]+)(?:\[(?P<extras>[^\]]*)\])?==(?P<version>[^\s;\\]+)(?P<rest>.*)$"
)
# The platforms and Pythons that the site runs on.
PLATFORMS = [
    {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix"},
    {"sys_platform": "darwin", "platform_system": "Darwin", "os_name": "posix"},
    {"sys_platform": "win32", "platform_system": "Windows", "os_name": "nt"},
]
MACHINES = ["x86_64", "aarch64"]
PYTHONS = ["3.11", "3.12", "3.13", "3.14"]

# What the code uses inside other packages. It may change with any minor version, so pyproject bounds them.
UNDOCUMENTED = {
    "allauth": {
        "allauth.account.internal.flows.login",
        "allauth.account.internal.flows.reauthentication",
        "allauth.account.views._reauthenticate",
        "allauth.core.internal.cryptokit",
        "allauth.core.internal.httpkit",
    },
    "celery": {"celery.worker.state"},
    "mailparser_reply": {"mailparser_reply.parser"},
    "waitress": {"waitress.channel", "waitress.parser", "waitress.server"},
}
DISTRIBUTIONS = {
    "allauth": "django-allauth",
    "celery": "celery",
    "mailparser_reply": "mail-parser-reply",
    "waitress": "waitress",
}

pytestmark = pytest.mark.once


class Pins:
    """What a lock file pins: versions and extras by canonical name."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.versions: dict[str, str] = {}
        self.extras: dict[str, set[str]] = {}
        self.problems: list[str] = []
        self._read(lines)

    def _read(self, lines: Iterable[str]) -> None:
        hashes: dict[str, int] = {}
        name = ""
        for line in lines:
            if pin := PIN.match(line):
                name = canonicalize_name(pin["name"])
                self.versions[name] = pin["version"]
                extras = (pin["extras"] or "").split(",")
                self.extras[name] = {canonicalize_name(one.strip()) for one in extras if one.strip()}
                hashes[name] = 0
            elif re.fullmatch(r"    --hash=sha256:[0-9a-f]{64}( \\)?", line) and name:
                hashes[name] += 1
            elif line.strip():
                self.problems.append(f"not a pin, nor a hash of one: {line}")
        self.problems += [f"no hash: {name}" for name, count in hashes.items() if not count]


def pins(lock: str) -> Pins:
    return Pins((ROOT / lock).read_text(encoding="utf-8").splitlines())


def environments() -> list[dict[str, str]]:
    return [
        platform
        | {"platform_machine": machine, "python_version": python, "python_full_version": f"{python}.0"}
        for platform, machine, python in product(PLATFORMS, MACHINES, PYTHONS)
    ]


def applies(marker: Marker | None, extras: Iterable[str]) -> bool:
    """Return whether a requirement applies on any supported platform, with one of these extras or none."""
    return marker is None or any(
        marker.evaluate(environment | {"extra": extra})
        for environment in environments()
        for extra in ["", *extras]
    )


def missing_from(lock: Pins, requirements: Mapping[str, list[str]]) -> list[str]:
    """Return what the locked packages require and the lock lacks: a package, or one of its extras.

    With `--require-hashes`, pip before 24 refuses a requirement with an extra that the lock names without it,
    as soon as a newer version of that package is published.
    """
    found = []
    for package in lock.versions:
        for text in requirements.get(package, []):
            needed = Requirement(text)
            if not applies(needed.marker, lock.extras[package]):
                continue
            name = canonicalize_name(needed.name)
            extras = {canonicalize_name(extra) for extra in needed.extras}
            if name not in lock.versions:
                found.append(f"{package} requires {text}, which is not locked")
            elif extras - lock.extras[name]:
                found.append(f"{package} requires {text}, which is locked without the extra")
    return found


def installed() -> dict[str, list[str]]:
    """Return what each package of this environment requires, as its metadata says."""
    return {canonicalize_name(one.metadata["Name"]): one.requires or [] for one in metadata.distributions()}


@pytest.mark.parametrize("name", [*LOCKS, "requirements-build.lock"])
def test_a_lock_holds_hashed_pins_alone_and_names_no_registry(name: str) -> None:
    lock = pins(name)
    assert lock.problems == []
    text = (ROOT / name).read_text(encoding="utf-8")
    assert not re.search(r"https?://|file:|--(extra-)?index-url|--find-links|@ ", text)


@pytest.mark.parametrize("name", LOCKS)
def test_everything_that_a_locked_package_requires_is_locked_with_its_extras(name: str) -> None:
    assert missing_from(pins(name), installed()) == []


def test_a_lock_without_an_extra_or_a_package_is_caught() -> None:
    lines = (ROOT / "requirements-dev.lock").read_text(encoding="utf-8").splitlines()
    assert any(line.startswith("coverage[toml]==") for line in lines)
    stripped = Pins(line.replace("coverage[toml]==", "coverage==") for line in lines)
    assert any("coverage[toml]" in problem for problem in missing_from(stripped, installed()))
    without = pins("requirements-dev.lock")
    del without.versions["coverage"]
    assert any("coverage[toml]" in problem for problem in missing_from(without, installed()))


def test_a_line_that_pins_nothing_is_caught() -> None:
    stray = "    --hash=sha256:" + "0" * 64
    assert Pins(["django>=5", stray]).problems
    assert Pins(["django==5.2 \\"]).problems == ["no hash: django"]
    assert Pins(["django==5.2 \\", stray]).problems == []


def test_the_locks_agree_with_the_project_and_with_each_other() -> None:
    base, dev = pins("requirements.lock"), pins("requirements-dev.lock")
    assert len(base.versions) > 20
    assert pins("requirements-build.lock").versions == {"setuptools": dev.versions["setuptools"]}
    assert {
        name: version for name, version in base.versions.items() if dev.versions.get(name) != version
    } == {}
    assert {name: extras for name, extras in base.extras.items() if extras - dev.extras[name]} == {}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for lock, asked in (
        (base, project["dependencies"]),
        (dev, project["dependencies"] + project["optional-dependencies"]["dev"]),
    ):
        wanted = [Requirement(text) for text in asked]
        assert [
            str(one)
            for one in wanted
            if not one.specifier.contains(lock.versions[canonicalize_name(one.name)], prereleases=True)
            or {canonicalize_name(extra) for extra in one.extras} - lock.extras[canonicalize_name(one.name)]
        ] == []


def test_imports_of_undocumented_modules_are_named_here() -> None:
    named = set().union(*UNDOCUMENTED.values())
    used = _imported_modules()
    inside = {name for name in used if re.search(r"\.(_|internal\b)", name) and not name.startswith("tests.")}
    assert inside - named == set()
    assert named - used == set()


def test_packages_whose_insides_are_used_are_bounded_to_a_minor_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = {canonicalize_name(one.name): one for one in map(Requirement, project["dependencies"])}
    locked = pins("requirements.lock").versions
    for name in DISTRIBUTIONS.values():
        major, minor = map(int, locked[name].split(".")[:2])
        assert not wanted[name].specifier.contains(f"{major}.{minor + 1}"), name


def _imported_modules() -> set[str]:
    """Return the modules of other packages that the product imports, also inside functions."""
    paths = [
        path for room in ("accounts", "condottiere_site", "games") for path in (ROOT / room).rglob("*.py")
    ]
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in paths]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    whole = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return whole | {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module}
