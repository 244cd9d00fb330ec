"""What is released stays as it is: its migrations never change, and its version is the same everywhere."""

import hashlib
import re
import tomllib
from pathlib import Path

import pytest

from condottiere_site import __version__

ROOT = Path(__file__).resolve().parent.parent.parent
# As `sha256sum` writes it: a comment names each release, then come the migrations that are new in it.
DIGESTS = ROOT / "tests" / "house" / "released_migrations.sha256"

pytestmark = pytest.mark.once


def released() -> dict[str, str]:
    """Return the digest of each migration of a release, by its path."""
    lines = DIGESTS.read_text(encoding="ascii").splitlines()
    return {path: digest for digest, path in (line.split() for line in lines if not line.startswith("#"))}


def changed(root: Path) -> list[str]:
    """Return the released migrations that are missing or different below this folder."""
    return [
        path
        for path, digest in released().items()
        if not (root / path).exists() or hashlib.sha256((root / path).read_bytes()).hexdigest() != digest
    ]


def test_no_migration_of_a_release_has_changed_or_disappeared() -> None:
    assert len(released()) >= 7
    assert changed(ROOT) == []


def test_a_changed_migration_and_a_missing_one_are_caught(tmp_path: Path) -> None:
    first, second, *others = released()
    for path in (first, *others):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes((ROOT / path).read_bytes())
    with (tmp_path / first).open("a") as file:
        file.write("\n")
    assert changed(tmp_path) == [first, second]


def test_every_release_has_a_version_a_date_and_says_how_to_upgrade() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == __version__
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    unreleased, *releases = re.split(r"^## ", changes, flags=re.MULTILINE)[1:]
    assert unreleased.startswith("Unreleased\n")
    assert releases[0].startswith(f"{__version__} (")
    for release in releases:
        assert re.match(r"\d+\.\d+\.\d+ \(\d{1,2} [A-Z][a-z]+ \d{4}\)\n", release)
        assert "**Upgrading**" in release


def test_the_migrations_of_each_release_are_kept_with_its_name() -> None:
    named = re.findall(r"^# (\S+)$", DIGESTS.read_text(encoding="ascii"), re.MULTILINE)
    releases = re.findall(r"^## (\d\S*) ", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert set(named) <= set(releases)
    assert "0.1.0" in named
