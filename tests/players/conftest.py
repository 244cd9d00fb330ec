"""A fixed clock for tests of people's pages."""

from collections.abc import Iterator

import pytest

from accounts import clock as site_clock
from tests.clocks.passing import Wall


@pytest.fixture
def wall(db: None) -> Iterator[Wall]:
    """A clock at a Monday noon, until a test moves it."""
    clock = Wall()
    with site_clock.use_clock(clock):
        yield clock
