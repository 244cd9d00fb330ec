"""One site for all tests of faults; each test leaves its servers healthy and its other processes ended."""

from collections.abc import Iterator

import pytest

from tests.faults.site import Site


@pytest.fixture(scope="session")
def _servers() -> Iterator[Site]:
    try:
        site = Site(ANSWER_WITHIN="4")
    except (FileNotFoundError, ImportError) as error:
        pytest.skip(str(error))
    with site:
        yield site


@pytest.fixture
def site(_servers: Site) -> Iterator[Site]:
    """Only servers: the test starts everything else."""
    yield _servers
    _servers.stop_all()
