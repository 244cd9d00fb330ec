"""Readers of a finished game may download its record, up to a daily limit."""

from typing import Any

import pytest
from django.test import Client

from accounts.models import RateLimitCounter
from games.models import Table
from games.rules import read_record, verify
from games.views import history
from tests.games.playing import begin_game, play_to_the_end

pytestmark = pytest.mark.django_db
MOST = 3


@pytest.fixture
def paths(people: list[Any], monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Return where a player and a spectator find a finished game's record, with a small limit."""
    monkeypatch.setattr(history, "RECORDS_A_DAY", MOST)
    game = begin_game(people, watch="anyone")
    play_to_the_end(game)
    return {
        "player": f"/games/{game.pk}/record.json",
        "spectator": f"/watch/{game.table.watch_key}/record.json",
    }


def statuses(client: Client, path: str, times: int = MOST + 1, **more: Any) -> list[int]:
    return [client.get(path, **more).status_code for _time in range(times)]


def test_a_record_checks_and_one_too_many_is_refused_with_a_reason(
    paths: dict[str, str], people: list[Any], signed_in: Any
) -> None:
    client = signed_in(people[0])
    answer = client.get(paths["player"])
    assert verify(read_record(answer.json())).ok
    assert statuses(client, paths["player"]) == [200, 200, 429, 429]
    page = client.get(paths["player"]).content.decode()
    assert "limit of downloads for today (3)" in page
    assert "tomorrow" in page


def test_each_person_has_a_count_of_their_own_however_they_come(
    paths: dict[str, str], people: list[Any], signed_in: Any
) -> None:
    first, second = signed_in(people[0]), signed_in(people[1])
    assert statuses(first, paths["player"], MOST) == [200] * MOST
    assert statuses(first, paths["spectator"], 1) == [429]
    assert statuses(second, paths["player"]) == [200, 200, 200, 429]


def test_someone_who_has_no_account_is_counted_by_connection(paths: dict[str, str]) -> None:
    assert statuses(Client(), paths["spectator"]) == [200, 200, 200, 429]
    assert statuses(Client(), paths["spectator"], 1) == [429]
    assert statuses(Client(), paths["spectator"], 1, REMOTE_ADDR="192.0.2.7") == [200]


def test_what_is_not_sent_is_not_counted(people: list[Any], signed_in: Any) -> None:
    game = begin_game(people, watch="anyone")
    before = list(RateLimitCounter.objects.values_list())
    assert statuses(signed_in(people[0]), f"/games/{game.pk}/record.json", 1) == [404]
    key = Table.objects.get().watch_key
    assert statuses(Client(), f"/watch/{key}/record.json", 1) == [404]
    assert list(RateLimitCounter.objects.values_list()) == before
