"""Commands whose output goes to a program that ends before, such as `head`, end without a traceback."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from condottiere_site.bootstrap import PIPE_CLOSED, ROOT, _ending_with_its_reader
from tests.servers import HANGS


@pytest.mark.long
@pytest.mark.once
@pytest.mark.parametrize(
    "command",
    [
        pytest.param(["help"], id="written at the end"),
        pytest.param(["diffsettings", "--all"], id="written while it runs"),
    ],
)
def test_a_command_ends_with_its_reader(tmp_path: Path, command: list[str]) -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "manage.py", *command],
        cwd=ROOT,
        env={**os.environ, "STATE_DIR": str(tmp_path)},
        stdout=write,
        stderr=subprocess.PIPE,
        text=True,
        timeout=HANGS,
        check=False,
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (PIPE_CLOSED, "")


def test_a_lost_reader_ends_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w") as lost, monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", lost)
        with pytest.raises(SystemExit) as ended, _ending_with_its_reader():
            print("a line that waits in the buffer")
    assert ended.value.code == PIPE_CLOSED


def test_another_broken_pipe_is_told() -> None:
    with pytest.raises(BrokenPipeError, match="the mail server"), _ending_with_its_reader():
        raise BrokenPipeError("the mail server")
