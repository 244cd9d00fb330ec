"""The example of the docs plays whole games against the site's bots, by the API alone."""

from __future__ import annotations

import importlib.util
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from accounts.api_tokens import make_token
from accounts.bots import make_bot
from accounts.models import User
from accounts.push.target_requests import new_signing_key, signature
from games import services
from games.models import Game, Table
from games.models.replay import replayed
from tests.people import all_proven
from tests.servers import HANGS, ROOT

FILE = ROOT / "docs" / "example_bot.py"
pytestmark = pytest.mark.django_db(transaction=True)


def loaded(path: Path = FILE) -> ModuleType:
    made = importlib.util.spec_from_file_location("example_bot", path)
    assert made is not None
    assert made.loader is not None
    module = importlib.util.module_from_spec(made)
    made.loader.exec_module(module)
    return module


@pytest.fixture
def example() -> ModuleType:
    return loaded()


@pytest.fixture
def robin(db: None) -> User:
    bot = make_bot(all_proven({"anna@example.org": "Anna"})[0], "Robin")
    assert bot is not None
    return bot


@pytest.fixture
def site(example: ModuleType, robin: User, live_server: Any) -> Any:
    _row, text = make_token(robin, "The example", ["read", "play"], None)
    return example.Site(live_server.url, text)


def are_over(results: list[str]) -> None:
    assert all(results), results
    for game in Game.objects.all():
        assert replayed(game).state.is_over


def test_a_whole_game_of_two(example: ModuleType, site: Any) -> None:
    results = example.play_against(site, "recruit", 2, {"edition": "2007"})
    assert len(results) == Game.objects.count() == 1
    are_over(results)


@pytest.mark.long
@pytest.mark.parametrize(
    "settings",
    [{"edition": "2007"}, {"edition": "2007", "match": "20"}, {"edition": "1995"}],
    ids=["base", "all options", "1995"],
)
def test_whole_games_against_captain(example: ModuleType, site: Any, settings: dict[str, Any]) -> None:
    options = {"variants": example.ALL_OPTIONS} if "match" in settings else {}
    results = example.play_against(site, "captain", 3, settings | options)
    assert len(results) == Game.objects.count() >= 1
    are_over(results)


def test_it_takes_part_where_it_is_invited(example: ModuleType, site: Any, robin: User) -> None:
    anna = robin.owner
    assert anna is not None
    table = services.make_table(
        anna, name="Friday", size=2, entry=Table.Entry.INVITATION, takes_bots=True, people=[robin]
    )
    assert example.play_what_waits(site) == 1
    assert table.seats.filter(user=robin).exists()
    example.play_what_waits(site)
    services.confirm(table.seats.get(user=anna))
    game = Game.objects.get()
    example.play_what_waits(site)
    assert not table.seats.filter(user=robin, asked_since__isnull=False).exists()
    assert not game.is_over


def test_it_asks_again_with_the_etag_and_believes_it(example: ModuleType, site: Any) -> None:
    assert site.get("me") is site.get("me")


def test_it_believes_only_the_sites_webhooks(example: ModuleType) -> None:
    key, body, now = new_signing_key(), b'{"type": "your_turn"}', int(time.time())
    woken = threading.Event()
    server = example.listen(0, key, woken)
    address = f"http://127.0.0.1:{server.server_port}/"

    def post(signed_with: str, at: int, sent: bytes = body) -> int:
        headers = {
            "webhook-id": "msg_1",
            "webhook-timestamp": str(at),
            "webhook-signature": signature(signed_with, "msg_1", at, body),
        }
        try:
            return int(urllib.request.urlopen(urllib.request.Request(address, sent, headers)).status)
        except urllib.error.HTTPError as refused:
            return refused.code

    assert [post(new_signing_key(), now), post(key, now - 3600), post(key, now, b"{}")] == [403] * 3
    assert not woken.is_set()
    assert post(key, now) == 204
    assert woken.wait(HANGS)
    woken.clear()
    assert [post(key, now), post(key, now + 1), post(key, now + 1)] == [403, 204, 403]  # again; signed again
    server.shutdown()


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"webhook-timestamp": "²", "webhook-signature": "v1,x"},
        {"webhook-timestamp": "9" * 5_000, "webhook-signature": "v1,ü"},
        {"webhook-id": "msg_1", "webhook-timestamp": "now"},
    ],
)
def test_what_is_no_webhook_is_refused(example: ModuleType, headers: dict[str, str]) -> None:
    assert not example.is_from_site(new_signing_key(), headers, b"{}", {})
