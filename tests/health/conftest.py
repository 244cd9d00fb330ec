"""Each test begins with nothing remembered about the health of the site."""

import pytest

from condottiere_site.health import metrics, readiness


@pytest.fixture(autouse=True)
def _nothing_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    works = [readiness._ROWS, metrics._FIGURES, *readiness._OUTSIDE.values()]
    for work in works:
        monkeypatch.setattr(work, "_run", None)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no one wait long for work that hangs."""
    monkeypatch.setattr("condottiere_site.health.limited_work.WAITS", 0.1)
