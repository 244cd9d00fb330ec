"""The public channel of a table: who reads, who writes, and what is refused with a sentence."""

import re
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from accounts.mail.models import OutgoingEmail
from games import services
from games.chat import services as chat_services
from games.chat.links import chat_token
from games.chat.models import Message
from games.chat.services import messages
from games.models import Table
from tests.chat.chatting import hidden_fields, say
from tests.games.playing import begin_game, seat_table

pytestmark = pytest.mark.django_db


def chat_page(client: Client, table: Table) -> str:
    return client.get(f"/tables/{table.pk}/chat/").content.decode()


def test_what_one_writes_all_at_the_table_read(table: Table, people: list[Any], signed_in: Any) -> None:
    answer = say(signed_in(people[0]), table, "Shall we begin on **Sunday**?")
    assert (answer.status_code, answer["Location"]) == (302, f"/tables/{table.pk}/chat/")
    for reader in people[1:]:
        page = chat_page(signed_in(reader), table)
        assert "Shall we begin on <strong>Sunday</strong>?" in page
        assert "<strong>Anna</strong>" in page
    assert "Anna (you)" in chat_page(signed_in(people[0]), table)


def test_the_board_stands_on_the_tables_page_and_leads_back_there(
    table: Table, anna: Any, signed_in: Any
) -> None:
    client = signed_in(anna)
    answer = say(client, table, "On the table's page", page=f"/tables/{table.pk}/")
    assert answer["Location"] == f"/tables/{table.pk}/#chat"
    assert "On the table&#x27;s page" in client.get(f"/tables/{table.pk}/").content.decode().replace(
        "'", "&#x27;"
    )


def test_the_board_stands_on_the_games_page_and_leads_back_there(people: list[Any], signed_in: Any) -> None:
    game = begin_game(people)
    client = signed_in(people[1])
    answer = say(client, game.table, "Well dealt", page=f"/games/{game.pk}/")
    assert answer["Location"] == f"/games/{game.pk}/#chat"
    assert "Well dealt" in client.get(f"/games/{game.pk}/").content.decode()


SPECTATORS_READ = {
    "nobody": "",
    "link": "Anyone with the spectator link can read it too, even what was written before the game.",
    "anyone": "Anyone can watch this table and read this channel too",
}


@pytest.mark.parametrize("watch", list(SPECTATORS_READ))
def test_every_form_says_who_will_read_what_is_written(people: list[Any], signed_in: Any, watch: str) -> None:
    table = seat_table(people, size=4, watch=watch)
    link = f"/chat/{chat_token(table.seats.get(user=people[1]))}/"
    anna = signed_in(people[0])
    pages = [anna.get(f"/tables/{table.pk}/"), anna.get(f"/tables/{table.pk}/chat/"), Client().get(link)]
    pages.append(anna.post(f"/tables/{table.pk}/chat/", {"text": ""}))  # the form again, with its mistake
    for page in (page.content.decode() for page in pages):
        assert "Everyone at the table can read this channel" in page
        for other, sentence in SPECTATORS_READ.items():
            assert not sentence or (sentence in page) == (other == watch)


@pytest.mark.parametrize("state", ["gathering", "playing", "finished", "cancelled", "closed"])
def test_players_are_said_to_join_later_only_where_they_can(
    people: list[Any], signed_in: Any, state: str
) -> None:
    table = seat_table(people, size=4)
    Table.objects.filter(pk=table.pk).update(state=state)
    page = signed_in(people[0]).get(f"/tables/{table.pk}/chat/").content.decode()
    assert "Everyone at the table can read this channel" in page
    assert ("including players who join later" in page) == (state in ("gathering", "playing"))


def test_someone_who_writes_signed_out_is_told_that_spectators_may_read(table: Table) -> None:
    page = Client().post(f"/tables/{table.pk}/chat/", {"text": " "}).content.decode()
    assert "page shows who can read your message" in page


def test_an_emails_link_to_a_game_shows_no_board(people: list[Any]) -> None:
    from games.links import LinkedDecision, answer_token
    from tests.games.playing import decision_of

    game = begin_game(people)
    chat_services.write(game.table.seats.first(), "Between us")
    decision = decision_of(game)
    token = answer_token(
        LinkedDecision(game.pk, decision.seat, people[decision.seat].pk, decision.decision_step)
    )
    visitor = Client()
    page = visitor.get(f"/answer/{token}/").content.decode()
    assert "Between us" not in page
    lead = re.search(r'href="(/chat/[^"]+)">Open the chat', page)
    assert lead, page
    assert "Between us" in visitor.get(lead[1]).content.decode()


def test_a_closed_decisions_link_leads_to_no_board(people: list[Any]) -> None:
    from games.links import LinkedDecision, answer_token
    from tests.games.playing import answer, decision_of

    game = begin_game(people)
    decision = decision_of(game)
    token = answer_token(
        LinkedDecision(game.pk, decision.seat, people[decision.seat].pk, decision.decision_step)
    )
    answer(game, "place roma")
    assert "/chat/" not in Client().get(f"/answer/{token}/").content.decode()


def test_strangers_find_nothing_and_no_one_is_asked_to_sign_in(
    table: Table, stranger: Any, signed_in: Any
) -> None:
    chat_services.write(table.seats.first(), "Between us")
    path = f"/tables/{table.pk}/chat/"
    for client, status in ((signed_in(stranger), 404), (Client(), 302)):
        assert client.get(path).status_code == status
        assert client.post(path, {"text": "Hello"}).status_code == status
    for missing in (Client().get(path), Client().get("/tables/99999/chat/")):
        assert missing["Location"].startswith("/accounts/login/")
    assert "Between us" not in signed_in(stranger).get(f"/tables/{table.pk}/").content.decode()
    assert Message.objects.count() == 1


def test_an_invited_person_reads_the_board_only_once_they_have_a_seat(
    anna: Any, bruno: Any, signed_in: Any
) -> None:
    table = services.make_table(anna, name="Closed", size=3, entry="invitation", invited=[bruno.email])
    chat_services.write(table.seats.get(), "Only for us")
    client = signed_in(bruno)
    assert client.get(f"/tables/{table.pk}/chat/").status_code == 404
    assert "Only for us" not in client.get(f"/tables/{table.pk}/").content.decode()
    services.take_seat(table, bruno, table.invitations.get())
    assert "Only for us" in chat_page(client, table)


def test_where_anyone_may_watch_anyone_reads_and_only_players_write(
    table: Table, stranger: Any, signed_in: Any
) -> None:
    chat_services.write(table.seats.first(), "Welcome, all")
    Table.objects.update(watch="anyone")
    path = f"/tables/{table.pk}/chat/"
    for client, status in ((Client(), 302), (signed_in(stranger), 404)):
        page = client.get(path).content.decode()
        assert "Welcome, all" in page
        assert "<textarea" not in page
        assert f'href="/watch/{table.watch_key}/"' in page.partition("<main")[2]  # the way back to the table
        assert client.post(path, {"text": "Hello"}).status_code == status
    assert Message.objects.count() == 1


def test_opening_the_pages_writes_no_more_than_how_far_one_has_read(
    table: Table, anna: Any, signed_in: Any, django_assert_num_queries: Any
) -> None:
    from tests.journeys.rows import all_rows

    client = signed_in(anna)
    chat_services.write(table.seats.first(), "Hello")
    before = all_rows()
    for path in (f"/tables/{table.pk}/chat/", f"/tables/{table.pk}/"):
        for method in ("get", "head", "options"):
            getattr(client, method)(path)
    after = all_rows()
    assert after.pop("chat_channelreadmarker") == before.pop("chat_channelreadmarker")
    assert after == before


@pytest.mark.parametrize(
    "empty", ["", " \n\t ", "\u202e\u200b", "\x00", "\u3164\u2800", "\u0301", "\ufe0f\u200d"]
)
def test_an_empty_text_is_refused_with_a_sentence(
    table: Table, anna: Any, signed_in: Any, empty: str
) -> None:
    answer = say(signed_in(anna), table, empty)
    assert answer.status_code == 400
    assert "The message is empty" in answer.content.decode()
    assert not Message.objects.exists()


def test_a_form_without_a_text_is_refused_like_an_empty_one(table: Table, anna: Any, signed_in: Any) -> None:
    answer = signed_in(anna).post(f"/tables/{table.pk}/chat/")
    assert answer.status_code == 400
    assert "The message is empty" in answer.content.decode()


def test_a_text_may_have_4000_characters_and_no_more(table: Table, anna: Any, signed_in: Any) -> None:
    client = signed_in(anna)
    longest = "é\r\n" * 1999 + "ab"
    assert say(client, table, longest).status_code == 302
    assert len(Message.objects.get().text) == 4000
    answer = say(client, table, longest + "c")
    assert answer.status_code == 400
    page = answer.content.decode()
    assert "can have at most 4000 characters. This one has 4001" in page
    assert 'aria-invalid="true"' in page
    assert longest.replace("\r\n", "\n").split("\n")[-1] + "c</textarea>" in page
    assert Message.objects.count() == 1


def test_a_megabyte_is_refused_at_once_and_given_back(table: Table, anna: Any, signed_in: Any) -> None:
    client = signed_in(anna)
    client.get("/tables/")
    started = timezone.now()
    answer = say(client, table, "[*_`>" * 200_000)
    assert timezone.now() - started < timedelta(seconds=3)
    assert answer.status_code == 400
    assert len(answer.content) > 1_000_000
    assert not Message.objects.exists()


def test_a_double_click_posts_once(table: Table, anna: Any, signed_in: Any) -> None:
    client = signed_in(anna)
    path = f"/tables/{table.pk}/chat/"
    fields = hidden_fields(chat_page(client, table)) | {"text": "Once\r\nonly"}
    assert {client.post(path, fields).status_code for _ in range(3)} == {302}
    assert Message.objects.count() == 1
    assert OutgoingEmail.objects.filter(kind="message").count() == 2


def test_the_same_words_are_written_again_from_a_new_form(table: Table, anna: Any, signed_in: Any) -> None:
    client = signed_in(anna)
    for _ in range(3):
        say(client, table, "Yes")
    assert Message.objects.count() == 3


def test_another_text_from_the_same_form_is_not_lost(table: Table, anna: Any, signed_in: Any) -> None:
    client = signed_in(anna)
    fields = hidden_fields(chat_page(client, table))
    for text in ("Yes", "No", "Yes"):
        client.post(f"/tables/{table.pk}/chat/", fields | {"text": text})
    assert [message.text for message in Message.objects.all()] == ["Yes", "No"]


@pytest.mark.parametrize("back", ["https://evil.example/", "//evil.example", "game", "admin:index"])
def test_made_up_hidden_fields_lead_nowhere_else(table: Table, anna: Any, signed_in: Any, back: str) -> None:
    client, path = signed_in(anna), f"/tables/{table.pk}/chat/"
    for after in ("", "-1", "x", "9" * 30, "\x00"):
        answer = client.post(path, {"text": "Hello", "after": after, "back": back})
        assert answer.status_code in (302, 400)
        if answer.status_code == 302:
            assert answer["Location"] == path
            assert Message.objects.count() == 1
        Message.objects.all().delete()


def test_a_hundred_messages_are_enough_for_a_day(
    table: Table, people: list[Any], signed_in: Any, monkeypatch: Any
) -> None:
    monkeypatch.setattr(messages, "MOST_A_DAY", 3)
    client = signed_in(people[0])
    with time_machine.travel("2026-11-20T12:00:00Z", tick=False):
        for number in range(3):
            assert say(client, table, f"Number {number}").status_code == 302
        answer = say(client, table, "One too many")
        assert answer.status_code == 429
        page = answer.content.decode()
        assert "You have reached the daily limit for messages (3)" in page
        assert "One too many</textarea>" in page
        assert say(signed_in(people[1]), table, "I am another").status_code == 302
    with time_machine.travel("2026-11-21T00:00:01Z", tick=False):
        assert say(client, table, "A new day").status_code == 302
    assert Message.objects.count() == 5


def test_the_days_limit_is_a_hundred() -> None:
    assert messages.MOST_A_DAY == 100


def test_a_double_click_does_not_count_twice(
    table: Table, anna: Any, signed_in: Any, monkeypatch: Any
) -> None:
    monkeypatch.setattr(messages, "MOST_A_DAY", 1)
    client = signed_in(anna)
    fields = hidden_fields(chat_page(client, table)) | {"text": "Once"}
    assert [client.post(f"/tables/{table.pk}/chat/", fields).status_code for _ in range(2)] == [302, 302]


def test_a_table_cancelled_is_read_and_no_longer_written(table: Table, anna: Any, signed_in: Any) -> None:
    client = signed_in(anna)
    say(client, table, "Nobody comes")
    fields = hidden_fields(chat_page(client, table)) | {"text": "Too late"}
    services.cancel(table)
    page = chat_page(client, table)
    assert "Nobody comes" in page
    assert "no one can write here" in page
    assert "<textarea" not in page
    answer = client.post(f"/tables/{table.pk}/chat/", fields)
    assert answer.status_code == 409
    assert Message.objects.count() == 1


def test_someone_who_left_neither_reads_nor_writes_and_is_a_former_player(
    table: Table, people: list[Any], signed_in: Any
) -> None:
    bruno = signed_in(people[1])
    say(bruno, table, "I have no time, sorry")
    services.leave(table.seats.get(user=people[1]))
    assert bruno.get(f"/tables/{table.pk}/chat/").status_code == 404
    assert bruno.post(f"/tables/{table.pk}/chat/", {"text": "Still here"}).status_code == 404
    page = chat_page(signed_in(people[0]), table)
    assert "I have no time, sorry" in page
    assert "a former player" in page
    assert "Bruno" not in page


def test_one_goes_on_talking_when_the_game_is_over(people: list[Any], signed_in: Any) -> None:
    game = begin_game(people)
    Table.objects.update(state=Table.State.FINISHED)
    client = signed_in(people[0])
    answer = say(client, game.table, "Well played", channel="epilogue")
    assert (answer.status_code, answer["Location"]) == (302, f"/tables/{game.table_id}/chat/epilogue/")
    late = client.post(f"/tables/{game.table_id}/chat/", {"text": "Too late"})
    assert late.status_code == 409
    assert "Write in the chat after the game instead" in late.content.decode()
    assert [message.text for message in Message.objects.all()] == ["Well played"]


def test_a_guests_practice_table_has_no_board(table: Table, anna: Any, signed_in: Any) -> None:
    Table.objects.update(practice_key="a-key")
    assert signed_in(anna).get(f"/tables/{table.pk}/chat/").status_code == 404


@pytest.mark.long
def test_a_long_chat_is_read_a_page_at_a_time(
    table: Table, anna: Any, signed_in: Any, monkeypatch: Any
) -> None:
    monkeypatch.setattr(messages, "MOST_IN_A_WHILE", 100)
    seat = table.seats.first()
    for number in range(45):
        chat_services.write(seat, f"Message number {number} of many")
    client = signed_in(anna)
    seen, path = list[str](), f"/tables/{table.pk}/chat/"
    while path:
        page = client.get(path).content.decode()
        seen = [*page.split("Message number ")[1:], *seen]
        earlier = re.search(r'href="([^"]+\?before=\d+)"', page)
        path = earlier[1] if earlier else ""
    assert [int(line.split()[0]) for line in seen] == list(range(45))


@pytest.mark.parametrize("before", ["x", "-4", "9" * 40, "0", "²", ""])
def test_a_made_up_page_number_shows_a_board(table: Table, anna: Any, signed_in: Any, before: str) -> None:
    assert signed_in(anna).get(f"/tables/{table.pk}/chat/", {"before": before}).status_code == 200


def test_the_pages_are_kept_nowhere(table: Table, anna: Any, signed_in: Any) -> None:
    answer = signed_in(anna).get(f"/tables/{table.pk}/chat/")
    assert "no-store" in answer["Cache-Control"]


def test_queries_do_not_grow_with_the_chat(
    table: Table, people: list[Any], signed_in: Any, django_assert_max_num_queries: Any
) -> None:
    from tests.games.test_reading_writes_nothing import queries_of

    client, path = signed_in(people[0]), f"/tables/{table.pk}/chat/"
    chat_services.write(table.seats.first(), "Hello")
    client.get(path)
    few = queries_of(client, path)
    for seat in table.seats.all():
        for number in range(5):
            chat_services.write(seat, f"Message {number}")
    client.get(path)
    many = queries_of(client, path)
    assert {sql.split()[0] for sql in many} == {"SELECT"}
    assert len(many) == len(few)
