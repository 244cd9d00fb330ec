"""Own sites, on both databases. What takes seconds to make is made once and copied."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.releases.own_sites import OwnSite, copied, copied_database, new_database

NewSite = Callable[..., OwnSite]


@pytest.fixture(params=["sqlite", "postgresql"])
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def new_site(engine: str, tmp_path: Path) -> Iterator[NewSite]:
    """Makes a site whose database is empty, on a machine of the given name."""
    with ExitStack() as made:

        def make(machine: str = "here", **environment: str) -> OwnSite:
            database = made.enter_context(new_database()) if engine == "postgresql" else ""
            return OwnSite(tmp_path / machine, database, **environment)

        yield make


@pytest.fixture(scope="session")
def _migrated_file(tmp_path_factory: pytest.TempPathFactory) -> OwnSite:
    site = OwnSite(tmp_path_factory.mktemp("migrated"))
    assert site.run("migrate").status == 0
    return site


@pytest.fixture(scope="session")
def _played_file(_migrated_file: OwnSite, tmp_path_factory: pytest.TempPathFactory) -> OwnSite:
    site = copied(_migrated_file, tmp_path_factory.mktemp("played") / "site")
    site.staged("play")
    return site


@pytest.fixture(scope="session")
def _migrated_database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OwnSite]:
    with new_database() as address:
        site = OwnSite(tmp_path_factory.mktemp("migrated"), address)
        assert site.run("migrate").status == 0
        yield site


@pytest.fixture(scope="session")
def _played_database(
    _migrated_database: OwnSite, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[OwnSite]:
    with copied_database(_migrated_database, tmp_path_factory.mktemp("played") / "site") as site:
        site.staged("play")
        yield site


@pytest.fixture
def site(engine: str, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[OwnSite]:
    """A site whose tables are there, without any row about people or games."""
    with _copy_of("migrated", engine, tmp_path, request) as made:
        yield made


@pytest.fixture
def played(engine: str, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[OwnSite]:
    """A site with games under way (stage.py), as it was three hours ago."""
    with _copy_of("played", engine, tmp_path, request) as made:
        yield made


@contextmanager
def _copy_of(state: str, engine: str, folder: Path, request: pytest.FixtureRequest) -> Iterator[OwnSite]:
    if engine == "sqlite":
        yield copied(request.getfixturevalue(f"_{state}_file"), folder / "site")
        return
    with copied_database(request.getfixturevalue(f"_{state}_database"), folder / "site") as made:
        yield made
