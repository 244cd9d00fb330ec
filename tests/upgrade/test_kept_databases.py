"""A database of each release is brought to today's code, and everything goes on."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.upgrade.databases import KEPT, LARGEST, ROOT, restored, run

FILES = sorted(KEPT.glob("*.xz"))

pytestmark = pytest.mark.once


def _long_on_sqlite(file: Path) -> Any:
    marks = [pytest.mark.long] if ".sqlite3" in file.suffixes else []
    return pytest.param(file, id=file.stem, marks=marks)


@pytest.mark.parametrize("file", [_long_on_sqlite(file) for file in FILES])
@pytest.mark.early
def test_a_site_of_an_earlier_release_goes_on(file: Path) -> None:
    with restored(file) as url:
        run("check", url)


def test_each_release_is_kept_for_both_databases_and_small() -> None:
    assert FILES
    assert {file.name for file in FILES} == {
        f"{version}.{kind}.xz"
        for version in {file.name.rpartition(".")[0].rpartition(".")[0] for file in FILES}
        for kind in ("sqlite3", "pgdump")
    }
    assert [file.name for file in FILES if file.stat().st_size > LARGEST] == []


def test_the_tool_says_what_it_takes() -> None:
    asked = [sys.executable, "-m", "tests.upgrade", "--help"]
    assert "make" in subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True).stdout
