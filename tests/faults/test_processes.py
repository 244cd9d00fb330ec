"""However a run ends, none of its processes survives."""

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests.faults.processes import ROOT
from tests.servers import HANGS, wait_until

pytestmark = pytest.mark.once

RUN = """
import signal, sys, time, pathlib
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may make the tests ignore it
from tests.faults.processes import Processes
processes = Processes(pathlib.Path(sys.argv[1]))
print(processes.start("sleeper", ["sleep", "1000"], {}).pid, flush=True)
time.sleep(1000)
"""


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL], ids=lambda how: how.name)
@pytest.mark.long
def test_what_a_run_started_ends_with_it(how: signal.Signals, tmp_path: Path) -> None:
    if how == signal.SIGKILL and not shutil.which("setpriv"):
        pytest.skip("setpriv is not here")
    command = [sys.executable, "-c", RUN, str(tmp_path)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as run:
        assert run.stdout
        sleeper = int(run.stdout.readline())
        wait_until(lambda: psutil.Process(sleeper).name() == "sleep", "the sleeper to begin")
        run.send_signal(how)
        try:
            run.wait(HANGS)
        finally:
            run.kill()
    wait_until(lambda: not psutil.pid_exists(sleeper), "the sleeper to end")
