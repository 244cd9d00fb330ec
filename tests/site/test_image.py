"""The image holds what a site needs, and neither tests nor anything only developers use."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

pytestmark = pytest.mark.long


def test_a_site_starts_from_what_is_in_the_image(tmp_path: Path) -> None:
    ignored = (settings.BASE_DIR / ".dockerignore").read_text(encoding="utf-8").split()
    tracked = subprocess.run(
        ["git", "ls-files"], cwd=settings.BASE_DIR, capture_output=True, text=True, check=True
    )
    image = tmp_path / "app"
    for name in tracked.stdout.splitlines():
        if not any(name == each or name.startswith(each) for each in ignored):
            (image / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(settings.BASE_DIR / name, image / name)
    assert not (image / "tests").exists()
    assert not (image / "docs").exists()
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "VIRTUAL_ENV")}
    for command in (["check"], ["migrate", "--verbosity", "0"], ["collectstatic", "--no-input", "-v", "0"]):
        done = subprocess.run(
            [sys.executable, "manage.py", *command],
            cwd=image,
            env=kept | {"STATE_DIR": str(tmp_path / "state")},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
