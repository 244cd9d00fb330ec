"""Requests drawn from the schema: none fails, and every answer is one that the schema describes."""

from __future__ import annotations

from collections import Counter
from http import HTTPStatus
from typing import Any

import pytest
import schemathesis
from django.core.handlers.wsgi import WSGIHandler
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import Failure, FailureGroup
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from condottiere_site.api_requests import Limits
from games.models import Game, Seat
from tests.api.asking import Program
from tests.games.playing import begin_game, play_to_the_end, seat_table
from tests.leagues.world import a_running_season
from tests.people import all_proven

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.long, pytest.mark.once]

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
# No one here is invited, and nothing is proposed: these may find nothing each time.
MAY_FIND_NOTHING = {
    "DELETE /api/v1/tables/{table_id}/invitation",
    "DELETE /api/v1/tables/{table_id}/invitations/{number}",
    "POST /api/v1/games/{game_id}/proposals/{number}/answer",
    "POST /api/v1/tables/{table_id}/channels/{slug}/deals/{number}/answer",
    "POST /api/v1/tables/{table_id}/channels/{slug}/opening",
}


@pytest.fixture
def described(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the schema, headers and places of a site with two games, an open table and a league."""
    monkeypatch.setattr("condottiere_site.api_requests.WITH_TOKEN", Limits(10**9, 10**9))
    people = all_proven({f"{name}@example.org": name.capitalize() for name in ("anna", "bruno", "carla")})
    play_to_the_end(begin_game(people, watch="link"))
    season = a_running_season(people[0], people)
    tables = [begin_game(people, watch="link").table, seat_table(people[:1], size=3, entry="open")]
    places = {
        "game_id": [game.pk for game in Game.objects.all()],
        "table_id": [table.pk for table in tables],
        "league_id": [season.league_id],
        "season": [season.number],
        "level": [1],
        "slug": ["table"],
        "key": [*(game.table.watch_key for game in Game.objects.all()), tables[1].join_key],
        "seat_id": list(Seat.objects.filter(table__in=tables).values_list("pk", flat=True)),
        "number": [1],
    }
    schema = schemathesis.openapi.from_wsgi("/api/v1/openapi.json", from_here)
    return schema, {**Program(people[0]).headers, "Accept-Encoding": "identity"}, places


def from_here(environ: dict[str, Any], start: Any) -> Any:
    """Answer as the site does; werkzeug's client names no address from which it asks."""
    return WSGIHandler()({**environ, "REMOTE_ADDR": "127.0.0.1"}, start)


def test_every_answer_is_one_that_the_schema_describes(described: Any) -> None:
    schema, headers, places = described
    answered, failed = Counter[str](), []
    for operation in [each.ok() for each in schema.get_all_operations()]:

        @given(case=operation.as_strategy(), data=st.data())
        @settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck), database=None)
        def ask(case: Any, data: st.DataObject) -> None:
            if data.draw(st.integers(0, 3)):  # most addresses that are drawn lead nowhere
                case.path_parameters = {
                    name: data.draw(st.sampled_from(places[name])) for name in case.path_parameters
                }
            answer = case.call_and_validate(headers=headers, checks=CHECKS)
            answered[case.operation.label] += answer.status_code != HTTPStatus.NOT_FOUND

        try:
            ask()
        except (FailureGroup, Failure) as failure:
            failed.append(f"{operation.label}: {failure}")
    assert not failed, "\n\n".join(failed)
    assert {label for label, times in answered.items() if not times} <= MAY_FIND_NOTHING
