"""A disk of 16 MB fills up while people play on SQLite; PostgreSQL's own disk fills up."""

import os
import random
import sys

import pytest

from tests.faults import disks

pytestmark = [
    pytest.mark.once,
    pytest.mark.skipif(
        sys.platform != "linux" or os.geteuid() != 0, reason="only root can mount a small disk"
    ),
]


@pytest.mark.long
def test_a_full_disk_under_play_hides_no_page_and_loses_no_move() -> None:
    counts = disks.sqlite(random.Random(1))
    assert counts.problems == [], counts.row()


@pytest.mark.long
def test_a_full_disk_under_postgresql_hides_no_page_and_loses_no_move_or_email() -> None:
    counts = disks.postgresql(random.Random(1))
    assert counts.problems == [], counts.row()
