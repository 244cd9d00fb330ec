"""The deals pages: proposing and answering on them, and who reads what."""

import re
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client

from accounts.mail.models import OutgoingEmail
from games.chat.models import ChannelReadMarker, Deal
from games.models import Game, Table
from tests.chat.chatting import chat_emails, html_of
from tests.chat.dealing import (
    TEXT,
    channel_of,
    chooser,
    no_attack,
    play,
    proposed_to,
    seat_of,
    standing,
    tick,
)
from tests.games.playing import begin_game, play_to_the_end

pytestmark = pytest.mark.django_db


@pytest.fixture
def game(people: list[Any]) -> Game:
    return begin_game(people)


def deals(client: Client, table: Table) -> str:
    answer = client.get(f"/tables/{table.pk}/deals/")
    assert answer.status_code == 200
    return str(answer.content.decode())


def press(client: Client, deal: Deal, action: str) -> Any:
    """Return the button of the card, which must be there."""
    path = f"/tables/{deal.channel.table_id}/deals/{deal.channel.slug or 'table'}/{deal.number}/"
    page = deals(client, deal.channel.table)
    form = re.search(rf'<form method="post" action="{path}".*?</form>', page, re.S)
    assert form, page
    assert f'value="{action}"' in form[0]
    return client.post(path, {"action": action}, follow=True)


def fill(**more: Any) -> dict[str, Any]:
    rows = {f"who_{n}": "0" for n in range(1, 5)}
    return {"seats": ["1"], "text": TEXT, "until": "game", "after": "0"} | rows | more


def sections(page: str) -> list[str]:
    return re.findall(r'<h2 id="(\w+)-title">', page.partition("<main")[2])


@pytest.mark.long
def test_from_proposing_by_page_to_a_broken_word(game: Game, people: list[Any], signed_in: Any) -> None:
    """The first to choose promises not to fight for Siena, and breaks that promise."""
    seat = chooser(game)
    me, other = people[seat], people[(seat + 1) % 3]
    mine, theirs = signed_in(me), signed_in(other)
    channel = channel_of(game.table, me, other)
    path = f"/tables/{game.table_id}/deals/{channel.slug}/propose/"
    assert "t enforce deals" in mine.get(path).content.decode()
    row = {"who_1": str(seat), "kind_1": "no attack", "region_1": "siena"}
    number = seat_of(game.table, other).number
    answer = mine.post(path, fill(seats=[str(number)], until="battle", until_number="3", **row))
    assert answer.status_code == 302, answer.content.decode()
    assert answer["Location"] == f"/tables/{game.table_id}/deals/#deal-{channel.slug}-1"
    promise = f"{me.name} will not attack Siena before battle 3 ends."
    page = deals(theirs, game.table)
    assert promise in page
    assert TEXT in page
    assert sections(page) == ["proposed"]
    waits, here = "1 deal waits for your answer", f"/games/{game.pk}/"
    assert [waits in client.get(here).content.decode() for client in (mine, theirs)] == [False, True]
    assert "You accepted the deal." in press(theirs, Deal.objects.get(), "accept").content.decode()
    assert waits not in theirs.get(here).content.decode()
    assert sections(deals(mine, game.table)) == ["standing"]
    play(game, "place siena")
    tick()
    page = deals(mine, game.table)
    assert sections(page) == ["broken"]
    assert "Broken (checked by the site)" in page
    chat = theirs.get(f"/tables/{game.table_id}/chat/{channel.slug}/").content.decode()
    assert "a former player" not in chat
    for told in (
        "<strong>The site</strong>",
        "proposed deal 1 to you",
        "Everyone has accepted",
        "A promise in deal 1 was broken:",
        promise,
    ):
        assert told in chat


def test_emails_tell_of_deals_in_the_tables_own_words(game: Game, people: list[Any]) -> None:
    proposed_to(game.table, people[0], people[1], promises=[no_attack(0, "siena")])
    (email,) = chat_emails()
    assert email.to == [people[1].email]
    for body in (email.body, html_of(email)):
        words = " ".join(re.sub(r"^\| ", "", body, flags=re.M).split())
        assert "Anna proposed deal 1 to you." in words
        assert "Anna will not attack Siena before the game ends." in words
        assert TEXT in words


@pytest.mark.parametrize("action", ["decline", "withdraw"])
def test_what_comes_to_nothing_is_told_so(game: Game, people: list[Any], signed_in: Any, action: str) -> None:
    deal = proposed_to(game.table, people[0], people[1])
    client = signed_in(people[0 if action == "withdraw" else 1])
    press(client, deal, action)
    page = deals(client, game.table)
    assert sections(page) == ["void"]
    assert {"decline": "The deal was declined.", "withdraw": "The deal was withdrawn."}[action] in page


def test_the_parties_say_of_words_and_the_deals_says_what_they_say(
    game: Game, people: list[Any], signed_in: Any
) -> None:
    deal = standing(game.table, people[0], people[1])
    anna, bruno = signed_in(people[0]), signed_in(people[1])
    press(anna, deal, "kept")
    assert sections(deals(bruno, game.table)) == ["kept"]
    press(bruno, deal, "broken")
    page = deals(anna, game.table)
    assert sections(page) == ["standing"]
    assert "You said the deal was kept." in page
    assert "Bruno says the deal was broken." in page


def test_what_was_typed_stays_when_something_is_wrong(game: Game, people: list[Any], signed_in: Any) -> None:
    client = signed_in(people[0])
    path = f"/tables/{game.table_id}/deals/table/propose/"
    wrong = [
        (fill(seats=[]), "Choose at least one player to propose it to."),
        (fill(text=""), "The message is empty"),
        (fill(kind_1="no attack"), "This promise needs a region. Choose one."),
        (fill(region_2="siena"), "Choose a promise for this region, or clear the region."),
    ]
    for form, why in wrong:
        answer = client.post(path, form)
        assert answer.status_code == 400
        page = answer.content.decode()
        assert why in page
        assert (TEXT in page) == bool(form["text"])
    answer = client.post(path, fill(kind_1="no attack", region_1="siena", who_1="2"))
    assert (answer.status_code, "must be in the deal" in answer.content.decode()) == (409, True)
    assert not Deal.objects.exists()


def test_without_a_number_a_deal_holds_for_the_current_battle(
    game: Game, people: list[Any], signed_in: Any
) -> None:
    path = f"/tables/{game.table_id}/deals/table/propose/"
    assert signed_in(people[0]).post(path, fill(until="battle")).status_code == 302
    assert Deal.objects.get().until_number == 1


def test_a_link_of_the_web_answers_nothing(game: Game, people: list[Any], signed_in: Any) -> None:
    deal = proposed_to(game.table, people[0], people[1])
    path = f"/tables/{game.table_id}/deals/{deal.channel.slug}/1/"
    assert signed_in(people[1]).get(path, {"action": "accept"}).status_code == 405
    assert signed_in(people[1]).post(path, {"action": "burn"}).status_code == 400
    assert signed_in(people[2]).post(path, {"action": "accept"}).status_code == 404
    deal.refresh_from_db()
    assert deal.state == "proposed"


def everything_carla_gets(game: Game, carla: Any, signed_in: Any) -> list[bytes]:
    """Return every page she may open about this game and its chat, and her emails, at one moment."""
    with time_machine.travel(game.started_at + timedelta(hours=1), tick=False):
        return read_everything(game, carla, signed_in)


def read_everything(game: Game, carla: Any, signed_in: Any) -> list[bytes]:
    client = signed_in(carla)
    table = game.table_id
    paths = (
        f"/games/{game.pk}/",
        f"/tables/{table}/",
        f"/tables/{table}/chat/",
        f"/tables/{table}/chat-with/",
        f"/tables/{table}/deals/",
        f"/tables/{table}/deals/table/propose/",
        "/games/",
    )
    pages = []
    for path in paths:
        answer = client.get(path, follow=True)
        text = re.sub(rb'(csrfmiddlewaretoken" value="|nonce="?|nonce-)[\w+/=-]+', b"", answer.content)
        pages.append(path.encode() + b" %d " % answer.status_code + text)
    emails = OutgoingEmail.objects.filter(to_user=carla).order_by("pk").values_list("kind", "key")
    assert all(b" 200 " in page[:60] for page in pages)
    return [
        *pages,
        repr(list(emails)).encode(),
        repr(list(ChannelReadMarker.objects.filter(user=carla))).encode(),
    ]


@pytest.mark.long
def test_no_one_outside_its_channel_learns_that_there_is_a_deal(
    game: Game, people: list[Any], signed_in: Any
) -> None:
    anna, bruno, carla = people
    channel = channel_of(game.table, anna, bruno)
    everything_carla_gets(game, carla, signed_in)  # from now on nothing is new to her
    before = everything_carla_gets(game, carla, signed_in)
    assert before == everything_carla_gets(game, carla, signed_in)
    first = standing(game.table, anna, bruno, promises=[no_attack(0, "siena"), no_attack(1, "roma")])
    proposed_to(game.table, bruno, anna, text="Another")
    press(signed_in(anna), first, "kept")
    assert everything_carla_gets(game, carla, signed_in) == before
    assert channel.slug.encode() not in b"".join(before)


@pytest.mark.long
def test_the_ticks_marks_change_nothing_for_someone_who_does_not_read_them(
    game: Game, people: list[Any], signed_in: Any
) -> None:
    seat = chooser(game)
    me, other, outside = (people[(seat + n) % 3] for n in range(3))
    deal = standing(game.table, me, other, promises=[no_attack(seat, "siena")])
    play(game, "place siena")
    everything_carla_gets(game, outside, signed_in)  # from now on nothing is new to her
    before = everything_carla_gets(game, outside, signed_in)
    tick()
    deal.refresh_from_db()
    assert deal.promises.filter(state="broken").exists()
    assert everything_carla_gets(game, outside, signed_in) == before


def test_after_the_game_the_whole_table_reads_all_of_it(
    game: Game, people: list[Any], signed_in: Any
) -> None:
    standing(game.table, people[0], people[1])
    carla = signed_in(people[2])
    assert TEXT not in deals(carla, game.table)
    play_to_the_end(game)
    page = deals(carla, game.table)
    assert TEXT in page
    assert "Deal 1: Anna and Bruno" in page
    assert Deal.objects.get().channel.slug + "/" not in page  # no way into their chat


def test_everyone_reads_it_when_all_its_parties_agree(people: list[Any], signed_in: Any) -> None:
    game = begin_game(people, watch="anyone")
    deal = standing(game.table, people[0], people[1])
    play_to_the_end(game)
    pages = [f"/tables/{game.table_id}/deals/", f"/watch/{game.table.watch_key}/deals/"]
    press(signed_in(people[0]), deal, "publish")
    assert all(TEXT not in Client().get(page).content.decode() for page in pages)
    assert "Agreed to make it public" in deals(signed_in(people[1]), game.table)
    press(signed_in(people[1]), deal, "publish")
    assert all(TEXT in Client().get(page).content.decode() for page in pages)


def test_someone_who_is_gone_agrees_to_nothing(people: list[Any], signed_in: Any) -> None:
    game = begin_game(people, watch="anyone")
    deal = standing(game.table, people[0], people[1])
    play_to_the_end(game)
    deal.parties.filter(user=people[1]).update(user=None)
    page = deals(signed_in(people[0]), game.table)
    assert "has left and can" in page
    assert 'value="publish"' not in page
    path = f"/tables/{game.table_id}/deals/{deal.channel.slug}/1/"
    assert signed_in(people[0]).post(path, {"action": "publish"}).status_code == 409
    deal.refresh_from_db()
    assert not deal.is_public


def test_words_are_marked_up_as_messages_are(game: Game, people: list[Any], signed_in: Any) -> None:
    proposed_to(game.table, people[0], people[1], text="**Never** <script>alert(1)</script>")
    page = deals(signed_in(people[1]), game.table)
    assert "<strong>Never</strong>" in page
    assert "<script>alert" not in page


def test_the_page_leads_to_the_channels_where_private_deals_are_proposed(
    game: Game, people: list[Any], signed_in: Any
) -> None:
    anna, table = signed_in(people[0]), game.table
    new = f'href="/tables/{table.pk}/chat-with/"'
    assert new in deals(anna, table)
    channel = channel_of(table, people[0], people[1])
    assert f'href="/tables/{table.pk}/chat/{channel.slug}/"' in deals(anna, table)
    assert channel.slug not in deals(signed_in(people[2]), table)
    Table.objects.filter(pk=table.pk).update(chat="public")
    assert new not in deals(signed_in(people[2]), table)


def test_where_the_terms_forbid_chat_the_page_says_so(game: Game, people: list[Any], signed_in: Any) -> None:
    Table.objects.filter(pk=game.table_id).update(chat="none")
    path = f"/tables/{game.table_id}/deals/table/propose/"
    client = signed_in(people[0])
    page = client.get(path).content.decode()
    assert "allow chat during the game." in page
    assert "Propose the deal</button>" not in page
    assert client.post(path, fill()).status_code == 409


@pytest.mark.long
def test_a_deals_of_many_promises_asks_no_more_than_one_of_few(
    people: list[Any], signed_in: Any, django_assert_max_num_queries: Any
) -> None:
    game = begin_game(people, watch="anyone")
    for n in range(6):
        standing(game.table, people[0], people[1], text=f"Number {n}", promises=[no_attack(0, "siena")])
    play_to_the_end(game)
    anna = signed_in(people[0])
    deals(anna, game.table)
    with django_assert_max_num_queries(14):
        deals(anna, game.table)
