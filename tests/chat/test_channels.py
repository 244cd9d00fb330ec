"""Channels: their readers and writers, when settings permit writing, and what opens after the end."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from games import services
from games.chat import services as chat_services
from games.chat.links import chat_token
from games.chat.models import Channel, Message
from games.models import Game, Seat, Table
from games.views.page_version import Viewer, ViewerKind, page_version
from tests.games.playing import begin_game, seat_table

pytestmark = pytest.mark.django_db


@pytest.fixture
def people(anna: Any, bruno: Any, carla: Any, dario: Any) -> list[Any]:
    return [anna, bruno, carla, dario]


@pytest.fixture
def game(people: list[Any]) -> Game:
    return begin_game(people)


def channel_of(table: Table, *people: Any, says: str = "Between us.") -> Channel:
    seats = [table.seats.get(user=person) for person in people]
    channel = chat_services.begin_channel(seats[0], seats[1:])
    chat_services.write(seats[0], says, channel=channel)
    return channel


def path_of(channel: Channel) -> str:
    return f"/tables/{channel.table_id}/chat/{channel.slug}/"


def text_of(client: Client, path: str, status: int = 200) -> str:
    answer = client.get(path)
    assert answer.status_code == status
    return str(answer.content.decode())


def finish(table: Table) -> None:
    Table.objects.filter(pk=table.pk).update(state=Table.State.FINISHED)
    table.refresh_from_db()


# Beginning one, and reading it


def test_a_channel_is_begun_with_one_form_and_read_by_its_people_alone(
    game: Game, people: list[Any], signed_in: Any
) -> None:
    anna = signed_in(people[0])
    with_whom = f"/tables/{game.table_id}/chat-with/"
    assert f'href="{with_whom}"' in text_of(anna, f"/games/{game.pk}/")
    form = text_of(anna, with_whom)
    assert re.findall(r'name="seats" value="(\d)"', form) == ["1", "2", "3"]
    sent = anna.post(with_whom, {"seats": ["1", "2"], "text": "Shall we?"})
    channel = Channel.objects.get(kind=Channel.Kind.PRIVATE)
    assert (sent.status_code, sent["Location"]) == (302, path_of(channel))
    page = text_of(signed_in(people[1]), path_of(channel))
    assert '<h1 id="chat-title">Private channel: Anna and Carla</h1>' in page
    assert "Only you, Anna and Carla can read this channel." in page
    assert "Shall we?" in page
    text_of(signed_in(people[3]), path_of(channel), 404)
    assert signed_in(people[3]).post(path_of(channel), {"text": "Me too"}).status_code == 404
    assert Message.objects.count() == 1


def test_the_same_people_have_one_channel_no_matter_who_begins_it(game: Game, people: list[Any]) -> None:
    first = channel_of(game.table, people[0], people[1], people[2])
    assert channel_of(game.table, people[2], people[0], people[1]) == first
    assert channel_of(game.table, people[0], people[1]) != first


@pytest.mark.parametrize("seats", [[], ["0"], ["7"], ["x"]])
def test_a_channel_with_no_one_is_refused_and_the_text_stays(
    game: Game, people: list[Any], signed_in: Any, seats: list[str]
) -> None:
    answer = signed_in(people[0]).post(
        f"/tables/{game.table_id}/chat-with/", {"seats": seats, "text": "Hello there"}
    )
    assert answer.status_code == 400
    assert "Hello there</textarea>" in answer.content.decode()
    assert not Channel.objects.exists()


def test_someone_who_names_themselves_or_a_seat_that_no_one_has_is_told_whom_to_choose(
    game: Game, people: list[Any], signed_in: Any
) -> None:
    mine = str(game.table.seats.get(user=people[0]).number)
    for seat in (mine, "9", "x"):
        form = {"seats": [seat], "text": "Hello there"}
        answer = signed_in(people[0]).post(f"/tables/{game.table_id}/chat-with/", form)
        assert answer.status_code == 400
        assert "join a private channel. Choose others" in answer.content.decode()
        assert "Hello there</textarea>" in answer.content.decode()
    assert not Channel.objects.exists()


def test_bots_are_no_one_to_chat_with(people: list[Any], signed_in: Any) -> None:
    table = seat_table(people[:1], size=2)
    services.seat_bot(table, "recruit", 1)
    client, path = signed_in(people[0]), f"/tables/{table.pk}/chat-with/"
    page = text_of(client, path)
    assert "Bots don’t chat" in page
    assert "<textarea" not in page
    assert path not in text_of(client, f"/tables/{table.pk}/")
    assert client.post(path, {"seats": ["1"], "text": "Beep"}).status_code == 400


def test_every_page_of_the_table_lists_ones_channels_with_what_is_unread(
    game: Game, people: list[Any], signed_in: Any
) -> None:
    channel = channel_of(game.table, people[0], people[1])
    hidden = channel_of(game.table, people[0], people[2])
    chat_services.write(game.table.seats.get(user=people[0]), "Are you there?", channel=channel)
    bruno = signed_in(people[1])
    for page in (f"/games/{game.pk}/", f"/tables/{game.table_id}/", f"/tables/{game.table_id}/chat/"):
        text = text_of(bruno, page)
        assert re.search(
            rf'href="{path_of(channel)}">Private channel: Anna <span class="unread">2 new messages', text
        )
        assert hidden.slug not in text
    assert "2 new messages" in text_of(bruno, "/games/")
    text_of(bruno, path_of(channel))
    for page in (f"/games/{game.pk}/", "/games/"):
        assert 'class="unread"' not in text_of(bruno, page)


def test_news_of_many_channels_is_one_line(game: Game, people: list[Any], signed_in: Any) -> None:
    anna, bruno, carla, dario = people
    client, line = signed_in(bruno), "New messages in 4 channels"
    for others in ([anna], [carla], [dario]):
        channel_of(game.table, *others, bruno)
    page = text_of(client, f"/games/{game.pk}/")
    assert page.count("1 new message in “Private channel: ") == 3
    channel_of(game.table, anna, carla, bruno)
    page = text_of(client, f"/games/{game.pk}/")
    assert f'<a href="/tables/{game.table_id}/chat/">{line}</a>' in page
    assert "1 new message in “" not in page
    assert text_of(client, f"/tables/{game.table_id}/chat/").count("Private channel: ") == 4


# People who come and go


def test_a_newcomer_reads_no_older_private_channel_and_who_left_reads_none(
    people: list[Any], elena: Any, signed_in: Any
) -> None:
    table = seat_table(people[:3], size=4)
    channel = channel_of(table, people[0], people[1])
    services.leave(table.seats.get(user=people[1]))
    services.take_seat(table, elena)
    for person in (people[1], elena):
        client = signed_in(person)
        text_of(client, path_of(channel), 404)
        assert client.post(path_of(channel), {"text": "Hello"}).status_code == 404
    assert channel.slug not in text_of(signed_in(elena), f"/tables/{table.pk}/chat/")


def test_who_left_reads_no_private_channel_where_anyone_reads_the_chat(
    people: list[Any], signed_in: Any
) -> None:
    table = seat_table(people[:3], size=4)
    channel = channel_of(table, people[0], people[1])
    services.leave(table.seats.get(user=people[1]))
    Table.objects.update(watch="anyone", spectators_read=True)
    client = signed_in(people[1])
    text_of(client, f"/tables/{table.pk}/chat/")
    text_of(client, path_of(channel), 404)


def test_a_channel_that_lost_someone_says_so_and_goes_on_among_the_others(
    game: Game, people: list[Any], signed_in: Any
) -> None:
    channel = channel_of(game.table, *people[:3])
    services.give_up(game.table.seats.get(user=people[1]))
    page = text_of(signed_in(people[0]), path_of(channel))
    assert "Private channel: Carla and a former player" in page
    assert "Only you and Carla can read" in page
    assert "1 other player has left the table" in page
    assert signed_in(people[2]).post(path_of(channel), {"text": "Still here"}).status_code == 302


def test_where_no_one_else_is_left_no_one_writes(game: Game, people: list[Any], signed_in: Any) -> None:
    channel = channel_of(game.table, people[0], people[1])
    services.give_up(game.table.seats.get(user=people[1]))
    client = signed_in(people[0])
    page = text_of(client, path_of(channel))
    assert "no one would read your message" in page
    assert "<textarea" not in page
    answer = client.post(path_of(channel), {"text": "Is anybody here?"})
    assert answer.status_code == 409
    assert "Is anybody here?</textarea>" in answer.content.decode()


# The terms


def in_phase(game: Game, phase: str) -> None:
    Game.objects.filter(pk=game.pk).update(phase=phase)


REFUSED = {
    ("between", "table"): "allow chat during a battle",
    ("between", "private"): "allow chat during a battle",
    ("public", "private"): "allow private channels",
    ("none", "table"): "allow chat during the game",
    ("none", "private"): "allow chat during the game",
}


@pytest.mark.parametrize(("chat", "kind"), list(REFUSED))
def test_what_the_terms_forbid_is_refused_with_its_sentence_and_the_text_stays(
    game: Game, people: list[Any], signed_in: Any, chat: str, kind: str
) -> None:
    channel = channel_of(game.table, people[0], people[1])
    in_phase(game, "battle")
    Table.objects.update(chat=chat)
    path = path_of(channel) if kind == "private" else f"/tables/{game.table_id}/chat/"
    client, link = signed_in(people[0]), f"/chat/{chat_token(game.table.seats.get(number=0), channel.slug)}/"
    pages = [path, link] if kind == "private" else [path, f"/games/{game.pk}/"]
    for page in (text_of(client, page) for page in pages):
        assert REFUSED[chat, kind] in page
        assert "<textarea" not in page
    accesses = [path, link] if kind == "private" else [path]
    for answer in (client.post(access, {"text": "One more thing"}) for access in accesses):
        page = answer.content.decode()
        assert answer.status_code == 409
        assert REFUSED[chat, kind] in page
        assert "One more thing</textarea>" in page
    assert Message.objects.count() == 1


@pytest.mark.parametrize("chat", ["between", "public", "none"])
def test_a_channel_that_the_terms_forbid_is_not_begun(
    game: Game, people: list[Any], signed_in: Any, chat: str
) -> None:
    in_phase(game, "battle")
    Table.objects.update(chat=chat)
    client, path = signed_in(people[0]), f"/tables/{game.table_id}/chat-with/"
    page = text_of(client, path)
    assert REFUSED[chat, "private"] in page
    assert "<textarea" not in page
    answer = client.post(path, {"seats": ["1"], "text": "Psst"})
    assert answer.status_code == 409
    assert "Psst</textarea>" in answer.content.decode()
    assert not Channel.objects.exists()


def test_between_battles_one_writes_again(game: Game, people: list[Any], signed_in: Any) -> None:
    Table.objects.update(chat="between")
    in_phase(game, "place")
    client = signed_in(people[0])
    assert client.post(f"/tables/{game.table_id}/chat/", {"text": "Now then"}).status_code == 302


# Spectators


@pytest.mark.parametrize("is_read", [True, False])
def test_spectators_read_the_whole_tables_channels_only_if_the_table_lets_them(
    game: Game, people: list[Any], *, is_read: bool
) -> None:
    chat_services.write(game.table.seats.get(number=0), "To the whole table")
    channel = channel_of(game.table, people[0], people[1], says="To Bruno alone")
    Table.objects.update(watch="link", spectators_read=is_read)
    key = game.table.watch_key
    page = text_of(Client(), f"/watch/{key}/")
    assert ("To the whole table" in page) == is_read
    assert "To Bruno alone" not in page
    assert "<textarea" not in page
    text_of(Client(), f"/watch/{key}/chat/", 200 if is_read else 404)
    text_of(Client(), f"/watch/{key}/chat/{channel.slug}/", 404)
    assert Client().post(f"/watch/{key}/chat/", {"text": "I watch"}).status_code == 405


def test_after_the_end_spectators_find_the_older_chat_and_the_epilogue(game: Game, people: list[Any]) -> None:
    chat_services.write(game.table.seats.get(number=0), "While we played")
    Table.objects.update(watch="link")
    finish(game.table)
    chat_services.write(game.table.seats.get(number=0), "Well played")
    key = game.table.watch_key
    page = text_of(Client(), f"/watch/{key}/")
    assert "Well played" in page
    assert f'href="/watch/{key}/chat/">Public channel' in page
    assert "While we played" in text_of(Client(), f"/watch/{key}/chat/")
    assert "Well played" in text_of(Client(), f"/watch/{key}/chat/epilogue/")


# After the end


def test_after_the_end_the_pages_lead_to_the_epilogue_and_the_older_chat_is_read(
    game: Game, people: list[Any], signed_in: Any
) -> None:
    chat_services.write(game.table.seats.get(number=1), "While we played")
    channel = channel_of(game.table, people[0], people[1])
    finish(game.table)
    client = signed_in(people[0])
    for page in (f"/games/{game.pk}/", f"/tables/{game.table_id}/"):
        text = text_of(client, page)
        assert '<h2 id="chat-title">Chat after the game</h2>' in text
        assert f'href="/tables/{game.table_id}/chat/">Public channel' in text
    assert "While we played" in text_of(client, f"/tables/{game.table_id}/chat/")
    page = text_of(client, path_of(channel))
    assert "Between us." in page
    assert "Write in the chat after the game instead" in page


def test_all_who_talked_in_a_channel_open_it_together(
    game: Game, people: list[Any], stranger: Any, signed_in: Any
) -> None:
    channel = channel_of(game.table, people[0], people[1], says="Our secret")
    path, anna, bruno, carla = path_of(channel), *map(signed_in, people[:3])
    assert "Agree to make it public" not in text_of(anna, path)
    assert (
        "when the game is over" in anna.post(f"{path}open/", {"action": "open"}, follow=True).content.decode()
    )
    finish(game.table)
    assert "Agree to make it public" in text_of(anna, path)
    anna.post(f"{path}open/", {"action": "open"})
    assert "Agreed to make it public: Anna." in text_of(bruno, path)
    assert "Keep it private" in text_of(anna, path)
    text_of(carla, path, 404)
    anna.post(f"{path}open/", {"action": "keep"})
    assert "has agreed" not in text_of(bruno, path)
    bruno.post(f"{path}open/", {"action": "open"})
    text_of(carla, path, 404)
    told = anna.post(f"{path}open/", {"action": "open"}, follow=True).content.decode()
    assert "so it is public now" in told
    page = text_of(carla, path)
    assert "Our secret" in page
    assert "Private channel: Anna and Bruno" in page
    assert "<textarea" not in page
    assert "The players in this channel made it public" in page
    assert path in text_of(carla, f"/games/{game.pk}/")
    text_of(signed_in(stranger), path, 404)
    kept = anna.post(f"{path}open/", {"action": "keep"}, follow=True).content.decode()
    assert "This channel is already public" in kept
    assert "Our secret" in text_of(carla, path)


def test_no_one_else_opens_a_channel(game: Game, people: list[Any], signed_in: Any) -> None:
    channel = channel_of(game.table, people[0], people[1])
    finish(game.table)
    assert signed_in(people[2]).post(f"{path_of(channel)}open/", {"action": "open"}).status_code == 404
    assert Client().post(f"{path_of(channel)}open/", {"action": "open"}).status_code == 302
    assert not channel.members.exclude(opens_at=None).exists()


def test_an_opened_channel_is_read_by_spectators_who_read_the_chat(game: Game, people: list[Any]) -> None:
    channel = channel_of(game.table, people[0], people[1], says="Our secret")
    Table.objects.update(watch="link")
    finish(game.table)
    path = f"/watch/{game.table.watch_key}/chat/{channel.slug}/"
    text_of(Client(), path, 404)
    for person in people[:2]:
        chat_services.agree_to_open(channel, game.table.seats.get(user=person))
    assert "Our secret" in text_of(Client(), path)
    Table.objects.update(spectators_read=False)
    text_of(Client(), path, 404)


def test_an_opened_channel_is_unread_on_every_page_until_it_is_read(
    game: Game, people: list[Any], signed_in: Any
) -> None:
    """Carla was not in it, so what she may now read counts as unread for her everywhere."""
    channel = channel_of(game.table, people[0], people[1], says="Our secret")
    finish(game.table)
    carla, pages = signed_in(people[2]), (f"/games/{game.pk}/", "/games/", f"/tables/{game.table_id}/chat/")
    Game.objects.filter(pk=game.pk).update(ended_at=game.moved_at)

    def counted() -> list[bool]:
        return ["1 new message" in text_of(carla, page) for page in pages]

    closed = word(game, 2, people[2])
    assert counted() == [False, False, False]
    assert "Our secret" not in text_of(carla, f"{reverse('my_messages')}?q=secret")
    for person in people[:2]:
        chat_services.agree_to_open(channel, game.table.seats.get(user=person))
    assert counted() == [True, True, True]
    assert word(game, 2, people[2]) != closed
    assert "secret</mark>" in text_of(carla, f"{reverse('my_messages')}?q=secret")
    text_of(carla, path_of(channel))
    assert counted() == [False, False, False]


@pytest.mark.parametrize("how", ["left", "deleted"])
def test_a_channel_stays_closed_when_someone_cannot_be_asked(
    game: Game, people: list[Any], signed_in: Any, how: str
) -> None:
    from games.chat.privacy import erase

    channel = channel_of(game.table, *people[:3])
    if how == "left":
        services.give_up(game.table.seats.get(user=people[1]))
    else:
        erase(people[1])
    finish(game.table)
    client = signed_in(people[0])
    page = text_of(client, path_of(channel))
    assert "stays private" in page
    assert 'value="open"' not in page
    client.post(f"{path_of(channel)}open/", {"action": "open"})
    press_on = signed_in(people[2]).post(f"{path_of(channel)}open/", {"action": "open"}, follow=True)
    assert "stays private" in press_on.content.decode()
    channel.refresh_from_db()
    assert channel.opened_at is None


# Open pages


def word(game: Game, seat: int, person: Any) -> str:
    version = page_version(Viewer(ViewerKind.PLAYER, game.pk, seat, person.pk, person.pk))
    assert version
    return version


def test_news_in_a_private_channel_is_news_to_its_own_people_alone(game: Game, people: list[Any]) -> None:
    Table.objects.update(watch="anyone")

    def words() -> list[str]:
        spectator = page_version(Viewer(ViewerKind.SPECTATOR, game.pk, -1, game.table.watch_key))
        assert spectator
        return [*(word(game, seat, person) for seat, person in enumerate(people)), spectator]

    before = words()
    channel_of(game.table, people[0], people[1])
    assert [a == b for a, b in zip(before, words(), strict=True)] == [False, False, True, True, True]


def test_a_newcomers_version_does_not_change_with_the_predecessors_channels(
    game: Game, people: list[Any], elena: Any
) -> None:
    channel = channel_of(game.table, people[0], people[1])
    Seat.objects.filter(table=game.table, user=people[1]).update(user=elena)
    before = word(game, 1, elena)
    with_anna = word(game, 0, people[0])
    Channel.objects.filter(pk=channel.pk).update(newest=9)
    assert word(game, 1, elena) == before
    assert word(game, 0, people[0]) != with_anna


def test_an_open_chat_page_asks_and_hears_nothing_until_something_is_said(
    game: Game, people: list[Any], signed_in: Any
) -> None:
    channel = channel_of(game.table, people[0], people[1])
    hidden = channel_of(game.table, people[0], people[2])
    bruno, anna = signed_in(people[1]), game.table.seats.get(user=people[0])
    live = re.search(r'hx-get="([^"]+)"', text_of(bruno, path_of(channel)))
    assert live
    chat_services.write(anna, "To Carla", channel=hidden)
    quiet = bruno.get(live[1])
    assert (quiet.status_code, quiet.content) == (204, b"")
    chat_services.write(anna, "To Bruno", channel=channel)
    assert "To Bruno" in text_of(bruno, live[1])


@pytest.mark.long
def test_queries_do_not_grow_with_channels(game: Game, people: list[Any], signed_in: Any) -> None:
    from tests.games.test_reading_writes_nothing import queries_of

    channel_of(game.table, people[0], people[1])
    client = signed_in(people[0])
    paths = [f"/games/{game.pk}/", f"/tables/{game.table_id}/", f"/tables/{game.table_id}/chat/"]
    paths += [f"/tables/{game.table_id}/chat-with/", "/games/"]
    for path in paths:
        text_of(client, path)
    few = [len(queries_of(client, path)) for path in paths]
    for others in ([2], [3], [1, 2], [1, 3], [2, 3], [1, 2, 3]):
        channel_of(game.table, people[0], *(people[other] for other in others))
    for path in paths:
        text_of(client, path)
    assert [len(queries_of(client, path)) for path in paths] == few
