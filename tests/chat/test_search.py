"""Searching in one's own messages: all that one may read, and nothing else."""

import re
from typing import Any

import pytest
from django.test import Client

from games import services
from games.chat.models import Message, Mute
from games.chat.search import excerpt
from games.chat.services import begin_channel, write
from games.chat.text import rendered
from games.models import Table
from tests.games.playing import begin_game, seat_table

pytestmark = [pytest.mark.django_db, pytest.mark.sqlite]
PATH = "/me/messages/"


@pytest.fixture
def talkative(people: list[Any]) -> Table:
    """A running table with messages in three channels."""
    table = begin_game(people).table
    anna, bruno, carla = table.seats.select_related("user").order_by("number")
    write(anna, "Let us share the **Lombard** cities: Milano for me")
    write(bruno, "No lombard city for you, says the <b>BISHOP</b> & co")
    write(anna, "A secret about Lombard cities", channel=begin_channel(anna, [bruno]))
    write(bruno, "Another secret about Lombard cities", channel=begin_channel(bruno, [carla]))
    return table


def texts(client: Client, query: str, **more: Any) -> list[str]:
    """Return the excerpts that are found, without marks."""
    answer = client.get(PATH, {"q": query, **more})
    assert answer.status_code == 200
    found = re.findall(r'<p class="chat-text" dir="auto">(.*?)</p>', answer.content.decode(), re.S)
    return [re.sub("</?mark>", "", one) for one in found]


def test_all_words_must_occur_in_whatever_case_and_the_newest_comes_first(
    talkative: Table, people: list[Any], signed_in: Any
) -> None:
    anna = signed_in(people[0])
    assert texts(anna, "LOMBARD") == [
        "A secret about Lombard cities",
        "No lombard city for you, says the &lt;b&gt;BISHOP&lt;/b&gt; &amp; co",
        "Let us share the Lombard cities: Milano for me",
    ]
    assert texts(anna, "cities milano") == ["Let us share the Lombard cities: Milano for me"]
    assert texts(anna, "cities nowhere") == []


def test_no_one_finds_what_they_may_not_read(
    talkative: Table, people: list[Any], stranger: Any, signed_in: Any
) -> None:
    assert texts(signed_in(people[0]), "another") == []
    assert len(texts(signed_in(people[1]), "secret")) == 2
    assert texts(signed_in(people[2]), "secret") == ["Another secret about Lombard cities"]
    assert texts(signed_in(stranger), "Lombard") == []
    Table.objects.update(watch="anyone")
    assert texts(signed_in(stranger), "Lombard") == []


def test_the_page_of_a_search_does_not_change_with_what_one_may_not_read(
    talkative: Table, people: list[Any], signed_in: Any
) -> None:
    anna = signed_in(people[0])
    hidden = Message.objects.get(text__startswith="Another")
    pages = []
    for text in ("Another secret", "Lombard Lombard Milano"):
        Message.objects.filter(pk=hidden.pk).update(text=text, html=rendered(text))
        page = anna.get(PATH, {"q": "lombard"}).content.decode()
        pages.append(re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", page))
    assert pages[0] == pages[1]


def test_someone_who_left_finds_nothing_of_that_table(people: list[Any], signed_in: Any) -> None:
    table = seat_table(people, size=4)
    write(table.seats.get(user=people[1]), "Before I go")
    client = signed_in(people[1])
    assert texts(client, "before") == ["Before I go"]
    services.leave(table.seats.get(user=people[1]))
    assert texts(client, "before") == []


def test_what_someone_wrote_whom_one_does_not_read_is_not_found(
    talkative: Table, people: list[Any], signed_in: Any
) -> None:
    Mute.objects.create(table=talkative, by=people[0], whom=people[1])
    assert [text[:8] for text in texts(signed_in(people[0]), "lombard")] == ["A secret", "Let us s"]
    assert len(texts(signed_in(people[1]), "lombard")) == 4


def test_a_hit_leads_to_its_place_with_its_channel_and_table(
    talkative: Table, people: list[Any], signed_in: Any
) -> None:
    anna = signed_in(people[0])
    page = anna.get(PATH, {"q": "secret"}).content.decode()
    assert "A <mark>secret</mark> about" in page
    found = re.search(r'<a href="([^"#]+)#(message-\d+)">Table 42 · Private channel: Bruno</a>', page)
    assert found, page
    assert f'id="{found[2]}"' in anna.get(found[1]).content.decode()


def test_wildcards_are_emails_like_others(talkative: Table, people: list[Any], signed_in: Any) -> None:
    client = signed_in(people[0])
    for wild in ("%", "_", "\\", "%%", "L_mbard", "Lom%", "*", ".*", "'; --", "\x00"):
        assert texts(client, f"lombard {wild}x") == [], wild


def test_signs_are_found_where_they_stand(people: list[Any], signed_in: Any) -> None:
    table = seat_table(people, size=4)
    for text in (r"100% sure", r"snake_case", r"back\\slash", "plain"):
        write(table.seats.get(user=people[0]), text)
    anna = signed_in(people[0])
    assert [texts(anna, sign) for sign in ("%", "_", "\\")] == [
        ["100% sure"],
        ["snake_case"],
        ["back\\slash"],
    ]


@pytest.mark.parametrize(
    ("typed", "looked_for"), [("ÉTÉ à Milano", "été"), ("привет", "ПРИВЕТ"), ("Straße", "straße")]
)
def test_emails_beyond_english_know_their_case_too(
    people: list[Any], signed_in: Any, typed: str, looked_for: str
) -> None:
    table = seat_table(people, size=4)
    write(table.seats.get(user=people[0]), typed)
    assert texts(signed_in(people[0]), looked_for[:5]) == [typed]


def test_nothing_typed_is_an_empty_page(talkative: Table, people: list[Any], signed_in: Any) -> None:
    for query in ("", "?q=", "?q=%20%20", "?page=2"):
        page = signed_in(people[0]).get(PATH + query)
        assert page.status_code == 200
        assert "found" not in page.content.decode().partition("<main")[2].replace("class", "")


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("x" * 10_000, "A search can have at most 200 characters. This one has 10000, so shorten it."),
        ("\u200b\u202e", "There was no visible text"),
    ],
)
def test_what_cannot_be_looked_for_is_refused_with_a_sentence(
    anna: Any, signed_in: Any, typed: str, sentence: str
) -> None:
    answer = signed_in(anna).get(PATH, {"q": typed})
    assert answer.status_code == 400
    assert sentence in answer.content.decode()
    assert len(answer.content) < 20_000


def test_pages_are_turned_and_made_up_numbers_lead_nowhere(people: list[Any], signed_in: Any) -> None:
    table = seat_table(people, size=4)
    first = write(table.seats.get(user=people[0]), "Number 00 of many")
    words = {number: f"Number {number:02} of many" for number in range(1, 45)}
    Message.objects.bulk_create(
        Message(channel=first.channel, number=number + 1, author=people[0], text=text, html=rendered(text))
        for number, text in words.items()
    )
    anna = signed_in(people[0])
    assert [len(texts(anna, "many", page=page)) for page in (1, 2, 3, 4)] == [20, 20, 5, 0]
    assert texts(anna, "many")[0] == "Number 44 of many"
    assert 'href="?q=many&amp;page=2"' in anna.get(PATH, {"q": "many"}).content.decode()
    for page in ("x", "-1", "0", "9" * 30, "²"):
        assert len(texts(anna, "many", page=page)) == 20


def test_the_statements_to_the_database_do_not_grow(
    people: list[Any], signed_in: Any, django_assert_max_num_queries: Any, long: bool
) -> None:
    anna = signed_in(people[0])
    for _table in range(4 if long else 2):
        table = seat_table(people, size=4)
        for seat in table.seats.select_related("user"):
            for _message in range(3):
                write(seat, "Grow")
            if seat.user != people[0]:
                write(seat, "Grow", channel=begin_channel(seat, [table.seats.get(user=people[0])]))
    with django_assert_max_num_queries(8):
        assert len(texts(anna, "grow")) == 20


@pytest.mark.long
def test_ten_thousand_messages_are_searched(people: list[Any], signed_in: Any) -> None:
    table = seat_table(people, size=4)
    first = write(table.seats.get(user=people[0]), "the needle")
    Message.objects.bulk_create(
        Message(
            channel=first.channel, number=number, author=people[1], text="été " * 50, html="<p>été</p>" * 50
        )
        for number in range(2, 9_000)
    )
    anna = signed_in(people[0])
    anna.get(PATH)
    assert texts(anna, "needle") == ["the needle"]
    assert texts(anna, "ш") == []  # a letter that the database is not asked about


def test_an_excerpt_shows_the_first_hit_in_its_place() -> None:
    shown = excerpt("a " * 200 + "<needle> " + "b " * 200, ["needle"])
    assert "&lt;<mark>needle</mark>&gt;" in shown
    assert shown.startswith("…")
    assert shown.endswith("…")
    assert len(shown) < 300
    assert "<mark>&lt;b&gt;</mark>" in excerpt("a <b> c", ["<b>"])
