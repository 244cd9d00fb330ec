"""The link in an email about messages: one channel, for one person there, and nothing else."""

import re
from typing import Any

import pytest
from django.test import Client

from accounts.times import moment
from condottiere_site.privacy import erase
from games import services
from games.chat.links import chat_token
from games.chat.models import Member, Message
from games.chat.services import begin_channel, write
from games.links import seat_token
from games.models import Seat, Table
from tests.chat.chatting import answer_path, chat_emails, hidden_fields, main_of
from tests.games.playing import begin_game
from tests.journeys.rows import all_rows
from tests.tidy import tidy

pytestmark = pytest.mark.django_db


@pytest.fixture
def link(table: Table, people: list[Any]) -> str:
    """Bruno's link from the email about a message of Anna's."""
    write(Seat.objects.select_related("user").get(table=table, user=people[0]), "What do you think?")
    return answer_path(next(email for email in chat_emails() if email.to == ["bruno@example.org"]))


def test_it_opens_the_board_and_shows_nothing_else_of_the_table(link: str) -> None:
    answer = Client().get(link)
    page = answer.content.decode()
    assert answer.status_code == 200
    assert "You read and write as Bruno." in page
    assert "What do you think?" in page
    assert "<strong>Anna</strong>" in page
    assert main_of(page).count("<form") == 1
    assert "Carla" not in page


def test_its_reader_finds_what_they_wrote_as_their_own(link: str) -> None:
    client = Client()
    fields = hidden_fields(client.get(link).content.decode()) | {"text": "I think so too."}
    page = client.post(link, fields, follow=True).content.decode()
    assert "I think so too." in page
    assert "<strong>Bruno (you)</strong>" in page


def test_earlier_messages_are_read_by_it_page_after_page(
    link: str, table: Table, people: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("games.chat.thread.MOST_ON_A_PAGE", 5)
    seat = Seat.objects.select_related("user").get(table=table, user=people[0])
    for number in range(11):
        write(seat, f"Message number {number} of many")
    seen, path = list[str](), link
    while path:
        page = Client().get(path).content.decode()
        seen = [*page.split("Message number ")[1:], *seen]
        earlier = re.search(r'href="([^"]+\?before=\d+)"', page)
        path = earlier[1] if earlier else ""
        assert path.partition("?")[0] in ("", link)
    assert [int(line.split()[0]) for line in seen] == list(range(11))
    assert f'href="{link}">Show the newest messages' in page


def test_the_page_of_a_seat_leads_to_it(table: Table, people: list[Any]) -> None:
    seat = Seat.objects.get(table=table, user=people[1])
    page = Client().get(f"/seat/{seat_token(seat)}/").content.decode()
    found = re.search(r'href="(/chat/[^"]+)">Open the chat<', page)
    assert found, page
    assert "You read and write as Bruno." in Client().get(found[1]).content.decode()


def test_during_a_game_it_shows_no_hand_and_no_position(people: list[Any]) -> None:
    game = begin_game(people)
    path = f"/chat/{chat_token(game.table.seats.get(user=people[1]))}/"
    page = tidy(Client().get(path).content.decode())
    for part in ("Your hand", 'class="card', "<svg viewBox", 'class="map"', "Waiting for", 'class="lines"'):
        assert part not in page
    assert f'href="/games/{game.pk}/">Sign in to open the game' in page


def test_opening_it_changes_nothing(link: str, signed_in: Any, carla: Any) -> None:
    clients = (Client(), signed_in(carla))
    before = all_rows()
    for client in clients:
        for method in ("get", "head", "options"):
            assert getattr(client, method)(link).status_code == (405 if method == "options" else 200)
    assert all_rows() == before


def test_its_form_writes_as_its_owner_no_matter_who_is_signed_in(
    link: str, table: Table, bruno: Any, carla: Any, signed_in: Any
) -> None:
    for number, client in enumerate((Client(), signed_in(carla))):
        fields = hidden_fields(client.get(link).content.decode()) | {"text": f"Yes {number}"}
        answer = client.post(link, fields, follow=True)
        assert answer.redirect_chain == [(link, 302)]
        assert "Your message is sent." in answer.content.decode()
    mine = Message.objects.filter(author=bruno, channel__table=table)
    assert [message.text for message in mine] == ["Yes 0", "Yes 1"]


def test_it_signs_no_one_in(link: str, table: Table) -> None:
    client = Client()
    client.post(link, {"text": "Hello"})
    assert client.get(f"/tables/{table.pk}/chat/").status_code == 302
    assert "_auth_user_id" not in client.session


def test_a_double_click_posts_once(link: str, bruno: Any) -> None:
    client = Client()
    fields = hidden_fields(client.get(link).content.decode()) | {"text": "Yes"}
    for _ in range(2):
        assert client.post(link, fields).status_code == 302
    assert Message.objects.filter(author=bruno).count() == 1


def test_what_is_refused_stays_in_the_form(link: str) -> None:
    answer = Client().post(link, {"text": "x" * 4001})
    assert answer.status_code == 400
    assert "x" * 4001 in answer.content.decode()
    assert Client().post(link, {"text": " "}).status_code == 400


def test_it_is_closed_once_the_person_has_left(link: str, table: Table, bruno: Any) -> None:
    services.leave(table.seats.get(user=bruno))
    assert Client().get(link).status_code == 404
    assert Client().post(link, {"text": "Hello"}).status_code == 404
    services.take_seat(table, bruno)  # another seat: the old email's link stays private
    assert Client().post(link, {"text": "Hello"}).status_code == 404
    assert Message.objects.count() == 1


def test_it_is_closed_once_the_table_is_called_off(link: str, table: Table) -> None:
    services.cancel(table)
    answer = Client().get(link)
    assert answer.status_code == 200
    assert "no one can write here" in answer.content.decode()
    assert "<form" not in main_of(answer.content.decode())
    assert Client().post(link, {"text": "Hello"}).status_code == 409
    assert Message.objects.count() == 1


def test_it_is_closed_once_the_account_is(link: str, bruno: Any) -> None:
    bruno.is_active = False
    bruno.save()
    assert Client().post(link, {"text": "Hello"}).status_code == 404


def test_its_page_is_private(link: str) -> None:
    answer = Client().get(link)
    assert "no-store" in answer["Cache-Control"]
    assert answer["Referrer-Policy"] == "same-origin"
    assert "noindex" in answer["X-Robots-Tag"]


@pytest.mark.parametrize("access", ["answer", "invitation", "seat"])
def test_it_opens_no_other_door(link: str, access: str) -> None:
    token = link.strip("/").split("/")[1]
    assert Client().get(f"/{access}/{token}/").status_code == 404
    assert Client().get(f"/chat/{token[:-2]}/").status_code == 404


def test_other_links_do_not_open_it(link: str, table: Table) -> None:
    from games.links import seat_token

    token = seat_token(table.seats.select_related("user").first())
    assert Client().get(f"/chat/{token}/").status_code == 404


def test_someone_who_has_a_namesake_reads_under_which_name_they_write(
    table: Table, people: list[Any]
) -> None:
    people[1].name = "Anna"
    people[1].save()
    page = Client().get(f"/chat/{chat_token(table.seats.get(user=people[1]))}/").content.decode()
    assert "You read and write as Anna (2)." in page


# Other channels than the table's


@pytest.fixture
def private_link(table: Table, people: list[Any]) -> str:
    """Bruno's link from the email about what Anna wrote to Bruno and Carla."""
    seats = [table.seats.select_related("user", "table").get(user=person) for person in people]
    write(seats[0], "The public word")
    channel = begin_channel(seats[0], seats[1:])
    write(seats[0], "The private word", channel=channel)
    emails = [email for email in chat_emails() if email.to == ["bruno@example.org"]]
    return answer_path(next(email for email in emails if "The private word" in email.body))


def test_a_private_ones_link_opens_that_channel_alone(private_link: str, table: Table) -> None:
    page = Client().get(private_link).content.decode()
    assert "The private word" in page
    assert "The public word" not in page
    assert main_of(page).count("<form") == 1
    assert "chat-emails" not in page
    answer = Client().post(private_link, hidden_fields(page) | {"text": "I agree."})
    assert answer.status_code == 302
    assert Message.objects.get(text="I agree.").channel.kind == "private"


def test_a_private_ones_link_changes_nothing_when_it_is_opened(private_link: str) -> None:
    before = all_rows()
    for method in ("get", "head"):
        assert getattr(Client(), method)(private_link).status_code == 200
    assert all_rows() == before


def test_it_is_closed_once_its_person_left_the_channel(private_link: str, bruno: Any) -> None:
    Member.objects.filter(user=bruno).delete()
    assert Client().get(private_link).status_code == 404
    assert Client().post(private_link, {"text": "Hello"}).status_code == 404


def test_it_is_closed_once_its_person_is_deleted(private_link: str, bruno: Any) -> None:
    erase(bruno)
    assert Client().get(private_link).status_code == 404


def test_it_is_closed_once_the_seat_is_someone_elses(private_link: str, bruno: Any, dario: Any) -> None:
    Seat.objects.filter(user=bruno).update(user=dario)
    assert Client().get(private_link).status_code == 404


def test_an_epilogues_link_opens_the_epilogue(people: list[Any]) -> None:
    game = begin_game(people)
    seat = game.table.seats.select_related("user", "table").get(user=people[0])
    write(seat, "While we played")
    Table.objects.filter(pk=game.table_id).update(state=Table.State.FINISHED)
    write(seat, "Well played")
    emails = [email for email in chat_emails() if email.to == ["bruno@example.org"]]
    link = answer_path(next(email for email in emails if "Well played" in email.body))
    page = Client().get(link).content.decode()
    assert "Well played" in page
    assert "While we played" not in page
    assert Client().post(link, hidden_fields(page) | {"text": "You too."}).status_code == 302
    assert Message.objects.get(text="You too.").channel.kind == "epilogue"


def test_its_times_are_its_readers(link: str, people: list[Any]) -> None:
    people[1].time_zone = "Asia/Tokyo"
    people[1].save()
    written = Message.objects.get().written_at
    assert f">{moment(written, people[1].zone)}</time>" in Client().get(link).content.decode()
