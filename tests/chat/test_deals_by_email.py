"""A deal is answered from its email: by a link for each answer, without signing in."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone

from accounts.mail.delivery import deliver_due
from accounts.models import User
from games.chat.emails.channel_news import _EVENTS
from games.chat.models import Deal, Member, Message
from games.chat.promises import BROKEN, KEPT, VOID
from games.chat.services.deal_answers import answer, withdraw
from games.chat.services.deals import announce
from games.chat.services.messages import write
from games.chat.system_messages.deal_event_text import _DONE
from games.models import Game, Seat, Table
from tests.chat.chatting import answer_path, chat_emails, hidden_fields, html_of
from tests.chat.dealing import TEXT, chooser, no_attack, proposed_to, seat_of, tick
from tests.games.playing import begin_game, play_to_the_end
from tests.journeys.rows import all_rows
from tests.tidy import tidy

pytestmark = pytest.mark.django_db


@pytest.fixture
def game(people: list[Any]) -> Game:
    """A game of Anna, Bruno and Carla, which anyone may watch."""
    return begin_game(people, watch=Table.Watch.ANYONE)


@pytest.fixture
def deal(game: Game, people: list[Any]) -> Deal:
    """A deal that Anna proposes to Bruno in their channel."""
    return proposed_to(game.table, people[0], people[1])


def email_to(address: str) -> Any:
    return next(email for email in chat_emails() if email.to == [address])


def deal_paths(email: Any) -> list[str]:
    """Return where Accept and Decline lead, in this order."""
    return re.findall(r"http://testserver(/deal/\S+)", email.body)


def press(client: Client, path: str) -> Any:
    """Open the page, press its one button, and follow."""
    page = tidy(client.get(path).content.decode())
    buttons = re.findall(r'<button [^>]*name="answer" value="(\w+)"', page)
    assert len(buttons) == 1, page
    return client.post(path, {"answer": buttons[0]}, follow=True)


def test_its_email_says_who_proposes_and_has_a_link_for_each_answer(deal: Deal) -> None:
    email = email_to("bruno@example.org")
    assert email.subject == f"Anna proposes a deal: {deal.game.table.name}"
    assert TEXT in email.body.replace("\n    ", " ")
    accept, decline = deal_paths(email)
    for path, word in ((accept, "Accept"), (decline, "Decline")):
        link = re.search(rf'href="http://testserver{re.escape(path)}"[^>]*>([^<]+)</a>', html_of(email))
        assert link
        assert link[1].startswith(word)


@pytest.mark.parametrize(("which", "state"), [(0, "standing"), (1, "declined")])
def test_each_link_opens_a_page_with_one_button_that_answers(deal: Deal, which: int, state: str) -> None:
    path = deal_paths(email_to("bruno@example.org"))[which]
    client = Client()
    page = press(client, path).content.decode()
    deal.refresh_from_db()
    assert deal.state == state
    assert ("You accepted the deal." if state == "standing" else "You declined the deal.") in page
    assert 'name="answer"' not in page
    assert "_auth_user_id" not in client.session


def test_its_page_says_as_whom_one_answers(deal: Deal, signed_in: Any, carla: Any) -> None:
    path = deal_paths(email_to("bruno@example.org"))[0]
    for client in (Client(), signed_in(carla)):
        assert "You answer as Bruno." in client.get(path).content.decode()
    assert "You answer as" not in press(Client(), path).content.decode()


def test_opening_the_links_changes_nothing(deal: Deal, signed_in: Any, carla: Any) -> None:
    paths = deal_paths(email_to("bruno@example.org"))
    clients = (Client(), signed_in(carla))
    before = all_rows()
    for client in clients:
        for path in paths:
            for method in ("get", "head"):
                assert getattr(client, method)(path).status_code == 200
    assert all_rows() == before


def test_the_page_that_the_emails_main_link_opens_leads_to_both_answers(deal: Deal) -> None:
    client = Client()
    page = tidy(client.get(answer_path(email_to("bruno@example.org"))).content.decode())
    assert f"/tables/{deal.game.table_id}/deals/" not in page
    accept, decline = re.findall(r'href="(/deal/[^"]+)">(?:Accept|Decline)', page)
    assert "decline" in decline
    assert "You accepted the deal." in press(client, accept).content.decode()
    deal.refresh_from_db()
    assert deal.state == "standing"


def test_the_page_of_a_deal_without_an_answer_in_its_address_has_both_buttons(deal: Deal) -> None:
    path = deal_paths(email_to("bruno@example.org"))[0].partition("?")[0]
    page = tidy(Client().get(path).content.decode())
    assert re.findall(r'name="answer" value="(\w+)"', page) == ["accept", "decline"]
    assert TEXT in page


def test_sending_the_answer_twice_answers_once(deal: Deal) -> None:
    accept, _decline = deal_paths(email_to("bruno@example.org"))
    for _ in range(2):
        assert Client().post(accept, {"answer": "accept"}).status_code == 302
    assert list(deal.parties.values_list("answer", flat=True)) == ["accepted", "accepted"]


def test_someone_who_has_answered_reads_so_and_cannot_answer_otherwise(game: Game, people: list[Any]) -> None:
    deal = proposed_to(game.table, *people)  # it waits for Carla
    accept, decline = deal_paths(email_to("bruno@example.org"))
    press(Client(), accept)
    page = Client().get(decline).content.decode()
    assert "You accepted this deal. It comes into force when everyone has accepted." in page
    assert 'name="answer"' not in page
    refused = Client().post(decline, {"answer": "decline"})
    assert refused.status_code == 409
    assert "You accepted this deal." in refused.content.decode()
    deal.refresh_from_db()
    assert deal.state == "proposed"


def test_a_withdrawn_deal_says_so(deal: Deal, game: Game, people: list[Any]) -> None:
    accept, _decline = deal_paths(email_to("bruno@example.org"))
    withdraw(seat_of(game.table, people[0]), deal.pk)
    said = "Anna withdrew this deal. There is nothing left to answer."
    assert said in Client().get(accept).content.decode()
    refused = Client().post(accept, {"answer": "accept"})
    assert refused.status_code == 409
    assert said in refused.content.decode()


def test_a_deal_that_another_declined_says_so(game: Game, people: list[Any]) -> None:
    deal = proposed_to(game.table, *people)
    accept, _decline = deal_paths(email_to("bruno@example.org"))
    answer(seat_of(game.table, people[2]), deal.pk, accepts=False)
    page = Client().get(accept).content.decode()
    assert "This deal was declined. There is nothing left to answer." in page
    assert 'name="answer"' not in page


def test_a_deal_of_a_finished_game_says_that_it_was_not_accepted_in_time(deal: Deal, game: Game) -> None:
    accept, _decline = deal_paths(email_to("bruno@example.org"))
    play_to_the_end(game)
    told = "This deal was not accepted in time. There is nothing left to answer."
    assert told in Client().get(accept).content.decode()
    tick()
    assert told in Client().get(accept).content.decode()


def test_an_email_that_leaves_after_the_deal_was_withdrawn_asks_no_one(
    deal: Deal, game: Game, people: list[Any]
) -> None:
    withdraw(seat_of(game.table, people[0]), deal.pk)
    email = email_to("bruno@example.org")
    assert "proposes a deal" not in email.subject
    assert "/deal/" not in html_of(email).replace("See it", "")


def test_a_reader_who_is_not_asked_gets_no_links_to_answer(game: Game, people: list[Any]) -> None:
    seats = [seat_of(game.table, person) for person in people]
    write(seats[0], "Hello")
    public = game.table.channels.get(slug="")
    proposed_to(game.table, people[0], people[1], channel=public)
    email = next(one for one in chat_emails() if one.to == ["carla@example.org"])
    assert deal_paths(email) == []
    assert "proposes a deal" not in email.subject
    page = Client().get(answer_path(email)).content.decode()
    assert ">Accept" not in page


def test_a_daily_email_has_the_links_too(game: Game, people: list[Any]) -> None:
    people[1].chat_emails = User.ChatEmails.DIGEST
    people[1].save()
    proposed_to(game.table, people[0], people[1])
    mail.outbox.clear()
    deliver_due(timezone.now() + timedelta(days=2))
    email = next(one for one in mail.outbox if "/deal/" in one.body and one.to == ["bruno@example.org"])
    assert email.subject.startswith("Anna proposes a deal")
    assert len(deal_paths(email)) == 2


def test_the_link_opens_nothing_once_its_person_may_not_read_there(
    deal: Deal, game: Game, people: list[Any], dario: Any
) -> None:
    accept, _decline = deal_paths(email_to("bruno@example.org"))
    member = Member.objects.get(user=people[1])
    Member.objects.filter(pk=member.pk).delete()
    assert Client().get(accept).status_code == 404
    member.save(force_insert=True)
    User.objects.filter(pk=people[1].pk).update(is_active=False)
    assert Client().get(accept).status_code == 404
    assert Client().post(accept, {"answer": "accept"}).status_code == 404
    User.objects.filter(pk=people[1].pk).update(is_active=True)
    Seat.objects.filter(table=game.table, user=people[1]).update(user=dario)
    assert Client().post(accept, {"answer": "accept"}).status_code == 404
    deal.refresh_from_db()
    assert deal.state == "proposed"


def test_the_link_opens_no_other_door(deal: Deal) -> None:
    token = deal_paths(email_to("bruno@example.org"))[0].split("/")[2]
    for access in ("answer", "invitation", "seat", "chat", "chronicle"):
        assert Client().get(f"/{access}/{token}/").status_code == 404
    assert Client().get(f"/deal/{token[:-2]}/").status_code == 404


def test_the_page_is_private_and_leads_back_to_the_chat_without_signing_in(deal: Deal) -> None:
    response = Client().get(deal_paths(email_to("bruno@example.org"))[0])
    assert "no-store" in response["Cache-Control"]
    assert "noindex" in response["X-Robots-Tag"]
    back = re.search(r'href="(/chat/[^"]+)"', response.content.decode())
    assert back
    page = Client().get(back[1]).content.decode()
    assert hidden_fields(page)
    assert TEXT in page


def test_a_visitor_without_anything_to_read_is_told_to_sign_in(deal: Deal, game: Game) -> None:
    page = Client().get(f"/tables/{game.table_id}/deals/").content.decode()
    assert "There is nothing to read here." not in page
    assert f"/accounts/login/?next=/tables/{game.table_id}/deals/" in page


def test_what_becomes_of_a_deal_is_in_the_subject(game: Game, people: list[Any]) -> None:
    promises = [no_attack(chooser(game), "siena")]
    deal = proposed_to(game.table, people[0], people[1], promises=promises)
    accept, _decline = deal_paths(email_to("bruno@example.org"))
    mail.outbox.clear()
    press(Client(), accept)
    assert [one.subject for one in chat_emails()] == [f"A deal is in force: {game.table.name}"]
    mail.outbox.clear()
    announce(deal, "broken 1", None)
    assert {one.subject for one in chat_emails()} == {f"A promise was broken: {game.table.name}"}


def test_a_subject_exists_for_every_event_of_a_deal() -> None:
    told = {event for kind, event in _EVENTS if kind == Message.Kind.DEAL}
    assert told == {"proposed", "lapsed", *_DONE, KEPT, BROKEN, VOID}
