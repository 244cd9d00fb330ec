"""Requests drawn from the schema: none fails, and every answer is one that the schema describes."""

from __future__ import annotations

from typing import Any

import pytest
import schemathesis
from django.core.handlers.wsgi import WSGIHandler
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.api.asking import Program
from tests.games.playing import begin_game, play_to_the_end, seat_table
from tests.leagues.world import a_league, a_season
from tests.people import all_proven

pytestmark = [pytest.mark.django_db, pytest.mark.long, pytest.mark.once]

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


@pytest.fixture
def described(db: None, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the schema of a site with a running game, a finished one, an open table and a league."""
    monkeypatch.setattr("condottiere_site.api_requests.MOST_WITH_TOKEN", 10**9)
    people = all_proven({f"{name}@example.org": name.capitalize() for name in ("anna", "bruno", "carla")})
    begin_game(people)
    play_to_the_end(begin_game(people))
    seat_table(people[:1], size=3, entry="open")
    a_season(a_league(people[0]))
    schema = schemathesis.openapi.from_wsgi("/api/v1/openapi.json", WSGIHandler())
    schema.headers = Program(people[0]).headers  # type: ignore[attr-defined]
    return schema


drawn = schemathesis.pytest.from_fixture("described")


@drawn.parametrize()
@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
def test_every_answer_is_one_that_the_schema_describes(case: Any, described: Any) -> None:
    case.call_and_validate(headers=described.headers, checks=CHECKS)
