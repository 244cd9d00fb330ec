"""The people of a match."""

from typing import Any

import pytest


@pytest.fixture
def people(anna: Any, bruno: Any, carla: Any) -> list[Any]:
    return [anna, bruno, carla]
