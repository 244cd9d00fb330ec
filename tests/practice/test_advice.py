"""“What would you play?”: asked by a button, answered by the clock task, and only where bots alone play."""

from __future__ import annotations

import re
from datetime import timedelta
from html import unescape
from typing import Any
from uuid import uuid4

import pytest
import time_machine
from django.test import Client

from accounts import clock
from games.bots import choose, thinker
from games.models import Advice, Game, Seat
from games.rules import Options, Phase, Record, observe, pending, read_record, replay_record
from games.services.import_game import import_games
from games.services.progress import Progress
from games.services.strategist import THOUGHT_LASTS
from games.services.thinking_process import THINKER, NoThought
from games.tasks import think
from tests.commands.records import finished
from tests.games.playing import begin_game
from tests.practice.playing_as_a_guest import begun, decision_step, offered

pytestmark = pytest.mark.django_db

BUTTON = "What would you play?"


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thinker, "PLAYOUTS", 4)
    monkeypatch.setattr(THINKER, "ask", lambda function, *arguments: function(*arguments))


@pytest.fixture
def path(client: Client) -> str:
    return begun(client, 2, "captain")


def read(client: Client, path: str) -> str:
    return unescape(client.get(path).content.decode())


def test_a_get_asks_nothing_and_the_button_is_answered_in_the_background(client: Client, path: str) -> None:
    page = read(client, path)
    assert BUTTON in page
    assert not Advice.objects.exists()
    asked = client.post(f"{path}advice/")
    assert asked["Location"] == f"{path}#advice"
    page = read(client, path)
    assert "Strategist is thinking about your turn." in page
    assert 'http-equiv="refresh"' in page
    assert BUTTON not in page
    assert think() == 1
    page = read(client, path)
    assert "is thinking" not in page
    assert 'http-equiv="refresh"' not in page
    answer = Advice.objects.get().answer
    assert answer is not None
    assert answer["move"] in offered(page)
    said = re.search(r"Strategist’s choice: “[^”]+”\.", page)
    assert said
    assert f"with a chance of {round(100 * answer['chance'])}%" in page


def test_asking_twice_asks_once_and_the_answer_stays(client: Client, path: str) -> None:
    client.post(f"{path}advice/")
    client.post(f"{path}advice/")
    assert Advice.objects.count() == 1
    think()
    answer = Advice.objects.get().answer
    client.post(f"{path}advice/")
    assert Advice.objects.get().answer == answer
    assert think() == 0


def test_the_next_turn_is_another_question(client: Client, path: str) -> None:
    client.post(f"{path}advice/")
    think()
    page = read(client, path)
    client.post(f"{path}move/", {"move": offered(page)[0], "decision_step": decision_step(page)})
    assert BUTTON in read(client, path)


def test_a_question_about_a_turn_that_is_over_costs_no_thought(
    client: Client, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.post(f"{path}advice/")
    page = read(client, path)
    client.post(f"{path}move/", {"move": offered(page)[0], "decision_step": decision_step(page)})
    monkeypatch.setattr(THINKER, "ask", lambda *_question: pytest.fail("it thought"))
    assert think() == 1
    assert Advice.objects.get().answer == {}


def test_where_there_is_no_thought_captain_says_what_it_would_play(
    client: Client, path: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def ask(*_question: Any) -> Any:
        raise NoThought("DamagedWeights")

    monkeypatch.setattr(THINKER, "ask", ask)
    client.post(f"{path}advice/")
    think()
    assert "DamagedWeights" in caplog.text
    seat = Seat.objects.get(bot="")
    usual = choose("captain", observe(Progress.of(Game.objects.get()).state, seat.number))
    answer = Advice.objects.get().answer
    assert answer == {"bot": "captain", "move": str(usual)}
    assert "Captain’s choice" in read(client, path)


def test_a_question_without_answer_can_be_asked_again(client: Client, path: str) -> None:
    client.post(f"{path}advice/")
    with time_machine.travel(clock.now() + THOUGHT_LASTS + timedelta(seconds=1)):
        assert think() == 0
        page = read(client, path)
        assert BUTTON in page
        assert "is thinking" not in page
        client.post(f"{path}advice/")
        assert think() == 1


def test_no_one_is_advised_at_a_table_with_other_people(anna: Any, bruno: Any, signed_in: Any) -> None:
    game = begin_game([anna, bruno])
    hers = signed_in(anna)
    assert BUTTON not in read(hers, f"/games/{game.pk}/")
    said = hers.post(f"/games/{game.pk}/advice/", follow=True).content.decode()
    assert "Strategist can’t advise you here." in unescape(said)
    assert not Advice.objects.exists()


def test_a_secret_decision_is_advised_where_a_bot_has_already_answered(client: Client) -> None:
    """The page of such a step doesn't read the others' answers, so it counts fewer entries (R17)."""
    record, ply, seat = before_two_secret_decisions()
    over = import_games([record], "link")[0]
    address = f"/watch/{over.table.watch_key}/history/{ply}/play-on/"
    path = client.post(address, {"seat": seat, "strength": "captain", "form_key": str(uuid4())})["Location"]
    assert "discard hand" in offered(read(client, path))
    client.post(f"{path}advice/")
    assert think() == 1
    page = read(client, path)
    assert "Strategist’s choice: “" in page
    assert BUTTON not in page


def before_two_secret_decisions() -> tuple[Record, int, int]:
    """Return a record, the first entry where two seats may discard their hands, and the last of these."""
    for number in range(300):
        record = read_record(finished(number, Options(), 4))
        for ply, state in enumerate(replay_record(record).states):
            if state.phase == Phase.HAND and len(pending(state)) > 1:
                return record, ply, pending(state)[-1].seat
    raise AssertionError("no such position")


def test_no_one_is_advised_at_an_ordinary_table_that_others_have_left(
    anna: Any, bruno: Any, signed_in: Any
) -> None:
    game = begin_game([anna, bruno])
    asked = Seat.objects.get(decision_step__isnull=False)
    Seat.objects.exclude(pk=asked.pk).update(user=None, bot=Seat.Bot.CAPTAIN)
    theirs = signed_in(asked.user)
    assert BUTTON not in read(theirs, f"/games/{game.pk}/")
    theirs.post(f"/games/{game.pk}/advice/")
    assert not Advice.objects.exists()


def test_switched_off_nothing_is_offered_or_thought(client: Client, path: str, settings: Any) -> None:
    client.post(f"{path}advice/")
    settings.STRATEGIST = False
    assert BUTTON not in read(client, path)
    assert think() == 0
