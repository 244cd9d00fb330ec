"""The chat as a file: what its reader may read, in a form that is written down."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from condottiere_site.privacy import erase
from games.chat.models import Message, SealedNote
from games.chat.services import begin_channel, write
from games.chat.views import archive
from games.models import Game, Table
from tests.games.playing import begin_game, play_to_the_end

pytestmark = pytest.mark.django_db


@pytest.fixture
def game(people: list[Any]) -> Game:
    """A game with messages in three channels."""
    game = begin_game(people)
    anna, bruno, carla = game.table.seats.select_related("user").order_by("number")
    write(anna, "To *all* of you")
    write(bruno, 'Quotes " and <b>')
    write(anna, "Between us", channel=begin_channel(anna, [bruno]))
    write(bruno, "Behind her back", channel=begin_channel(bruno, [carla]))
    return game


def body(answer: Any) -> str:
    assert answer.status_code == 200, answer.status_code
    return b"".join(answer.streaming_content).decode()


def chat_of(client: Client, game: Game) -> dict[str, Any]:
    return json.loads(body(client.get(f"/games/{game.pk}/chat.json")))


def texts(chat: dict[str, Any]) -> list[list[str]]:
    return [[message["text"] for message in channel["messages"]] for channel in chat["channels"]]


def test_a_player_gets_what_they_read_and_nothing_else(game: Game, people: list[Any], signed_in: Any) -> None:
    anna, bruno, carla = (chat_of(signed_in(person), game) for person in people)
    public = ["To *all* of you", 'Quotes " and <b>']
    assert texts(anna) == [public, ["Between us"]]
    assert texts(bruno) == [public, ["Between us"], ["Behind her back"]]
    assert texts(carla) == [public, ["Behind her back"]]
    assert anna["format"] == "condottiere-chat/1"
    assert (anna["game"], anna["table"], anna["reader"]) == (game.pk, game.table.name, "Anna")
    first = anna["channels"][0]["messages"][0]
    assert (first["number"], first["by"], first["kind"]) == (1, "Anna", "words")
    assert anna["channels"][1]["people"] == ["Anna", "Bruno"]


def test_what_one_may_not_read_changes_nothing_in_the_file(
    game: Game, people: list[Any], signed_in: Any
) -> None:
    anna = signed_in(people[0])
    before = body(anna.get(f"/games/{game.pk}/chat.json"))
    bruno = game.table.seats.select_related("user").get(user=people[1])
    hidden = Message.objects.get(text="Behind her back")
    write(bruno, "And more", channel=hidden.channel)
    Message.objects.filter(pk=hidden.pk).update(text="Something else")
    assert body(anna.get(f"/games/{game.pk}/chat.json")) == before


def test_only_its_writer_has_an_email_that_is_sealed_still(
    game: Game, people: list[Any], signed_in: Any
) -> None:
    message = Message.objects.get(text="To *all* of you")
    Message.objects.filter(pk=message.pk).update(kind=Message.Kind.SEALED, text="", html="")
    SealedNote.objects.create(
        message=message, game=game, opens="game", text="The secret", salt="ab" * 16, digest="cd" * 32,
        made_ply=1, checked_step=1,
    )  # fmt: skip
    for person in people:
        written = body(signed_in(person).get(f"/games/{game.pk}/chat.json"))
        assert ("The secret" in written) == (person == people[0])
        assert "ab" * 16 not in written
        assert "cd" * 32 in written


def test_spectators_get_what_is_public_where_they_may_read(game: Game, stranger: Any, signed_in: Any) -> None:
    path = f"/watch/{game.table.watch_key}/chat.json"
    assert Client().get(path).status_code == 404
    Table.objects.update(watch="anyone", spectators_read=True)
    chat = json.loads(body(Client().get(path)))
    assert texts(chat) == [["To *all* of you", 'Quotes " and <b>']]
    assert chat["reader"] is None
    assert "Between us" not in json.dumps(chat)
    assert signed_in(stranger).get(f"/games/{game.pk}/chat.json").status_code == 404
    Table.objects.update(spectators_read=False)
    assert Client().get(path).status_code == 404


def test_after_the_end_the_epilogue_is_in_it(game: Game, people: list[Any], signed_in: Any) -> None:
    play_to_the_end(game)
    write(game.table.seats.select_related("user").get(user=people[2]), "Well fought")
    chat = chat_of(signed_in(people[0]), game)
    assert [channel["kind"] for channel in chat["channels"]] == ["table", "epilogue", "private"]
    assert texts(chat)[1] == ["Well fought"]


def test_the_file_speaks_its_readers_language(game: Game, people: list[Any], signed_in: Any) -> None:
    User.objects.filter(pk=people[0].pk).update(language="ru")
    erase(people[1])
    written = body(signed_in(people[0]).get(f"/games/{game.pk}/chat.json", headers={"accept-language": "en"}))
    assert json.loads(written)["channels"][1]["people"] == ["Anna", "[бывший игрок]"]
    assert "former" not in written


def test_it_is_offered_next_to_the_record(game: Game, people: list[Any], signed_in: Any) -> None:
    Table.objects.update(watch="anyone", spectators_read=True)
    play_to_the_end(game)
    anna, key = signed_in(people[0]), game.table.watch_key
    for page in (f"/games/{game.pk}/", f"/games/{game.pk}/chronicle/", f"/games/{game.pk}/proof/"):
        assert f'href="/games/{game.pk}/chat.json">Download chat' in anna.get(page).content.decode()
    for page in (f"/watch/{key}/", f"/watch/{key}/chronicle/", f"/watch/{key}/proof/"):
        assert f'href="/watch/{key}/chat.json">Download chat' in Client().get(page).content.decode()
    Table.objects.update(spectators_read=False)
    assert "Download chat" not in Client().get(f"/watch/{key}/").content.decode()


def test_at_an_anonymous_table_it_names_no_one(game: Game, people: list[Any], signed_in: Any) -> None:
    Table.objects.update(is_anonymous=True)
    for person in people:
        written = body(signed_in(person).get(f"/games/{game.pk}/chat.json"))
        assert not re.search("Anna|Bruno|Carla", written)
        assert json.loads(written)["reader"]


@pytest.mark.long
def test_ten_thousand_messages_come_in_pieces(game: Game, people: list[Any], signed_in: Any) -> None:
    channel = Message.objects.get(text="To *all* of you").channel
    Message.objects.bulk_create(
        Message(channel=channel, number=number, author=people[number % 3], text="x" * 200, html="<p>x</p>")
        for number in range(3, 10_001)
    )
    anna = signed_in(people[0])
    answer = anna.get(f"/games/{game.pk}/chat.json")
    assert answer.streaming
    numbers = [message["number"] for message in json.loads(body(answer))["channels"][0]["messages"]]
    assert numbers == list(range(1, 10_001))


def test_so_many_a_day_are_enough(game: Game, people: list[Any], signed_in: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(archive, "FILES_A_DAY", 1)
    anna = signed_in(people[0])
    assert anna.get(f"/games/{game.pk}/chat.json").status_code == 200
    answer = anna.get(f"/games/{game.pk}/chat.json")
    assert answer.status_code == 429
    assert "Try again tomorrow" in answer.content.decode()


def test_the_written_form_names_every_key(game: Game, people: list[Any], signed_in: Any) -> None:
    written = (Path(__file__).parents[2] / "docs" / "CHAT.md").read_text(encoding="utf-8")
    example = json.loads(written.partition("```json")[2].partition("```")[0])
    chat = chat_of(signed_in(people[0]), game)
    assert list(example) == list(chat)
    assert list(example["channels"][0]) == list(chat["channels"][0])
    assert list(example["channels"][0]["messages"][0]) == list(chat["channels"][0]["messages"][0])
