"""The ledger's pages: proposing and answering by them, and who reads what."""

import re
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client

from accounts.mail.models import OutgoingEmail
from games.chat.models import Deal, Following
from games.models import Game, Table
from tests.chat.bargaining import (
    TEXT,
    chooser,
    circle_of,
    no_attack,
    play,
    proposed_to,
    seat_of,
    standing,
    tick,
)
from tests.chat.talking import html_of, talk_letters
from tests.games.playing import begin_game, play_to_the_end

pytestmark = pytest.mark.django_db


@pytest.fixture
def game(people: list[Any]) -> Game:
    return begin_game(people)


def ledger(client: Client, table: Table) -> str:
    answer = client.get(f"/tables/{table.pk}/ledger/")
    assert answer.status_code == 200
    return str(answer.content.decode())


def press(client: Client, bargain: Deal, action: str) -> Any:
    """The button of the card, which must be there."""
    path = f"/tables/{bargain.circle.table_id}/ledger/{bargain.circle.slug or 'table'}/{bargain.number}/"
    page = ledger(client, bargain.circle.table)
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
    """Whoever chooses first promises the other not to fight for Siena, and does."""
    seat = chooser(game)
    me, other = people[seat], people[(seat + 1) % 3]
    mine, his = signed_in(me), signed_in(other)
    circle = circle_of(game.table, me, other)
    path = f"/tables/{game.table_id}/ledger/{circle.slug}/propose/"
    assert "Promises bind nobody" in mine.get(path).content.decode()
    row = {"who_1": str(seat), "kind_1": "no attack", "region_1": "siena"}
    number = seat_of(game.table, other).number
    answer = mine.post(path, fill(seats=[str(number)], until="battle", until_number="3", **row))
    assert answer.status_code == 302, answer.content.decode()
    assert answer["Location"] == f"/tables/{game.table_id}/ledger/#bargain-{circle.slug}-1"
    pledge = f"{me.name} starts no battle for Siena until the end of battle 3."
    page = ledger(his, game.table)
    assert pledge in page
    assert TEXT in page
    assert sections(page) == ["proposed"]
    assert "You have accepted it." in press(his, Deal.objects.get(), "accept").content.decode()
    assert sections(ledger(mine, game.table)) == ["standing"]
    play(game, "place siena")
    tick()
    page = ledger(mine, game.table)
    assert sections(page) == ["broken"]
    assert "Broken, as the table saw" in page
    talk = his.get(f"/tables/{game.table_id}/talk/{circle.slug}/").content.decode()
    assert "a former player" not in talk
    for told in (
        "<strong>The table</strong>",
        "proposes this to",
        "accepts. So all have accepted",
        f"Bargain 1: Broken: {pledge}",
    ):
        assert told in talk


def test_letters_tell_of_bargains_in_the_tables_own_words(game: Game, people: list[Any]) -> None:
    proposed_to(game.table, people[0], people[1], promises=[no_attack(0, "siena")])
    (letter,) = talk_letters()
    assert letter.to == [people[1].email]
    for body in (letter.body, html_of(letter)):
        words = " ".join(re.sub(r"^\| ", "", body, flags=re.M).split())
        assert "Bargain 1: Anna proposes this to Bruno." in words
        assert "Anna starts no battle for Siena until the end of the game." in words
        assert TEXT in words


@pytest.mark.parametrize("action", ["decline", "withdraw"])
def test_what_comes_to_nothing_is_told_so(game: Game, people: list[Any], signed_in: Any, action: str) -> None:
    bargain = proposed_to(game.table, people[0], people[1])
    client = signed_in(people[0 if action == "withdraw" else 1])
    press(client, bargain, action)
    page = ledger(client, game.table)
    assert sections(page) == ["void"]
    assert {"decline": "It was declined.", "withdraw": "It was withdrawn."}[action] in page


def test_the_parties_say_of_words_and_the_ledger_says_what_they_say(
    game: Game, people: list[Any], signed_in: Any
) -> None:
    bargain = standing(game.table, people[0], people[1])
    anna, bruno = signed_in(people[0]), signed_in(people[1])
    press(anna, bargain, "kept")
    assert sections(ledger(bruno, game.table)) == ["kept"]
    press(bruno, bargain, "broken")
    page = ledger(anna, game.table)
    assert sections(page) == ["standing"]
    assert "Anna says: kept" in page
    assert "Bruno says: broken" in page


def test_what_was_typed_stays_when_something_is_wrong(game: Game, people: list[Any], signed_in: Any) -> None:
    client = signed_in(people[0])
    path = f"/tables/{game.table_id}/ledger/table/propose/"
    wrong = [
        (fill(seats=[]), "Choose somebody to propose it to."),
        (fill(text=""), "the message is empty"),
        (fill(kind_1="no attack"), "Choose the region that is meant."),
        (fill(region_2="siena"), "Choose what is promised about this region."),
        (fill(until="battle"), "Say the number of the round or battle."),
    ]
    for form, why in wrong:
        answer = client.post(path, form)
        assert answer.status_code == 400
        page = answer.content.decode()
        assert why in page
        assert (TEXT in page) == bool(form["text"])
    answer = client.post(path, fill(kind_1="no attack", region_1="siena", who_1="2"))
    assert (answer.status_code, "must be asked too" in answer.content.decode()) == (409, True)
    assert not Deal.objects.exists()


def test_a_link_of_the_web_answers_nothing(game: Game, people: list[Any], signed_in: Any) -> None:
    bargain = proposed_to(game.table, people[0], people[1])
    path = f"/tables/{game.table_id}/ledger/{bargain.circle.slug}/1/"
    assert signed_in(people[1]).get(path, {"action": "accept"}).status_code == 405
    assert signed_in(people[1]).post(path, {"action": "burn"}).status_code == 400
    assert signed_in(people[2]).post(path, {"action": "accept"}).status_code == 404
    bargain.refresh_from_db()
    assert bargain.state == "proposed"


def everything_carla_gets(game: Game, carla: Any, signed_in: Any) -> list[bytes]:
    """Every page she may open about this game and its talk, and her letters, always at the same moment."""
    with time_machine.travel(game.started_at + timedelta(hours=1), tick=False):
        return read_everything(game, carla, signed_in)


def read_everything(game: Game, carla: Any, signed_in: Any) -> list[bytes]:
    client = signed_in(carla)
    table = game.table_id
    paths = (
        f"/games/{game.pk}/",
        f"/tables/{table}/",
        f"/tables/{table}/talk/",
        f"/tables/{table}/talk-with/",
        f"/tables/{table}/ledger/",
        f"/tables/{table}/ledger/table/propose/",
        "/games/",
    )
    pages = []
    for path in paths:
        answer = client.get(path, follow=True)
        text = re.sub(rb'(csrfmiddlewaretoken" value="|nonce="?|nonce-)[\w+/=-]+', b"", answer.content)
        pages.append(path.encode() + b" %d " % answer.status_code + text)
    letters = OutgoingEmail.objects.filter(to_user=carla).order_by("pk").values_list("kind", "key")
    assert all(b" 200 " in page[:60] for page in pages)
    return [*pages, repr(list(letters)).encode(), repr(list(Following.objects.filter(user=carla))).encode()]


@pytest.mark.long
def test_nobody_outside_its_circle_learns_that_there_is_a_bargain(
    game: Game, people: list[Any], signed_in: Any
) -> None:
    anna, bruno, carla = people
    circle = circle_of(game.table, anna, bruno)
    everything_carla_gets(game, carla, signed_in)  # from now on nothing is new to her
    before = everything_carla_gets(game, carla, signed_in)
    assert before == everything_carla_gets(game, carla, signed_in)
    first = standing(game.table, anna, bruno, promises=[no_attack(0, "siena"), no_attack(1, "roma")])
    proposed_to(game.table, bruno, anna, text="Another")
    press(signed_in(anna), first, "kept")
    assert everything_carla_gets(game, carla, signed_in) == before
    assert circle.slug.encode() not in b"".join(before)


@pytest.mark.long
def test_the_ticks_marks_change_nothing_for_who_does_not_read_them(
    game: Game, people: list[Any], signed_in: Any
) -> None:
    seat = chooser(game)
    me, other, outside = (people[(seat + n) % 3] for n in range(3))
    bargain = standing(game.table, me, other, promises=[no_attack(seat, "siena")])
    play(game, "place siena")
    everything_carla_gets(game, outside, signed_in)  # from now on nothing is new to her
    before = everything_carla_gets(game, outside, signed_in)
    tick()
    bargain.refresh_from_db()
    assert bargain.pledges.filter(state="broken").exists()
    assert everything_carla_gets(game, outside, signed_in) == before


def test_after_the_game_the_whole_table_reads_all_of_it(
    game: Game, people: list[Any], signed_in: Any
) -> None:
    standing(game.table, people[0], people[1])
    carla = signed_in(people[2])
    assert TEXT not in ledger(carla, game.table)
    play_to_the_end(game)
    page = ledger(carla, game.table)
    assert TEXT in page
    assert "Anna to Bruno" in page
    assert Deal.objects.get().circle.slug + "/" not in page  # no way into their talk


def test_everybody_reads_it_when_all_its_parties_agree(people: list[Any], signed_in: Any) -> None:
    game = begin_game(people, watch="anyone")
    bargain = standing(game.table, people[0], people[1])
    play_to_the_end(game)
    pages = [f"/tables/{game.table_id}/ledger/", f"/watch/{game.table.watch_key}/ledger/"]
    press(signed_in(people[0]), bargain, "publish")
    assert all(TEXT not in Client().get(page).content.decode() for page in pages)
    assert "these have agreed" in ledger(signed_in(people[1]), game.table)
    press(signed_in(people[1]), bargain, "publish")
    assert all(TEXT in Client().get(page).content.decode() for page in pages)


def test_who_is_gone_agrees_to_nothing(people: list[Any], signed_in: Any) -> None:
    game = begin_game(people, watch="anyone")
    bargain = standing(game.table, people[0], people[1])
    play_to_the_end(game)
    bargain.parties.filter(user=people[1]).update(user=None)
    page = ledger(signed_in(people[0]), game.table)
    assert "cannot be asked" in page
    assert 'value="publish"' not in page
    path = f"/tables/{game.table_id}/ledger/{bargain.circle.slug}/1/"
    assert signed_in(people[0]).post(path, {"action": "publish"}).status_code == 409
    bargain.refresh_from_db()
    assert not bargain.is_public


def test_words_are_marked_up_as_messages_are(game: Game, people: list[Any], signed_in: Any) -> None:
    proposed_to(game.table, people[0], people[1], text="**Never** <script>alert(1)</script>")
    page = ledger(signed_in(people[1]), game.table)
    assert "<strong>Never</strong>" in page
    assert "<script>alert" not in page


def test_where_the_terms_forbid_talk_the_page_says_so(game: Game, people: list[Any], signed_in: Any) -> None:
    Table.objects.filter(pk=game.table_id).update(talk="none")
    path = f"/tables/{game.table_id}/ledger/table/propose/"
    client = signed_in(people[0])
    page = client.get(path).content.decode()
    assert "The terms of this table allow no talk while it plays." in page
    assert "Propose it</button>" not in page
    assert client.post(path, fill()).status_code == 409


@pytest.mark.long
def test_a_ledger_of_many_promises_asks_no_more_than_one_of_few(
    people: list[Any], signed_in: Any, django_assert_max_num_queries: Any
) -> None:
    game = begin_game(people, watch="anyone")
    for n in range(6):
        standing(game.table, people[0], people[1], text=f"Number {n}", promises=[no_attack(0, "siena")])
    play_to_the_end(game)
    anna = signed_in(people[0])
    ledger(anna, game.table)
    with django_assert_max_num_queries(14):
        ledger(anna, game.table)
