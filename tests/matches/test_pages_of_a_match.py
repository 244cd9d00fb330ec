"""A match on pages and in emails: standings, the pause, who fights, who won, and the whole record."""

import random
import re
from itertools import pairwise
from typing import Any

import pytest
from django.core import mail
from django.test import Client

from accounts.mail.delivery import deliver_due
from games import services
from games.models import Game, Seat, Table
from games.models.matches import last_game, points_after
from games.rules import does_not_follow, read_record, verify
from games.services import Refused
from tests.games.playing import legal_texts
from tests.matches.playing import begin_against_bots, begin_match, ended, ready

pytestmark = pytest.mark.django_db
NEXT = "The next game starts once everyone is ready"
SEAT = re.compile(r"http://testserver(/seat/\S+)")


@pytest.fixture(autouse=True)
def emails_in_memory(settings: Any) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    settings.EMAIL_HOLD = settings.EMAIL_HOLD * 0


@pytest.fixture
def pair(anna: Any, bruno: Any) -> list[Any]:
    return [anna, bruno]


def read(client: Client, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200, path
    return " ".join(re.sub(r"<[^>]+>", " ", answer.content.decode()).split())


def words_of(email: Any) -> str:
    """Return an email's text on one line, whatever its line breaks."""
    return " ".join(email.body.split())


def emails_to(person: Any) -> list[Any]:
    mail.outbox.clear()
    deliver_due()
    return [email for email in mail.outbox if email.to == [person.email]]


def test_pages_tell_the_points_and_wait_for_everyone(pair: list[Any], signed_in: Any) -> None:
    game = ended(begin_match(pair, 50, watch="anyone"))
    anna, bruno = (signed_in(person) for person in pair)
    assert game.result is not None
    told = [f"+{score}, total {score}" for score in game.result["points"]]
    places = {
        f"/games/{game.pk}/": anna,
        f"/tables/{game.table_id}/": bruno,
        f"/watch/{game.table.watch_key}/": Client(),
    }
    for path, client in places.items():
        page = read(client, path)
        assert all(words in page for words in told), path
        assert NEXT in page
        assert "Waiting for Anna and Bruno." in page
        assert "Create a rematch" not in page
    assert "See how the game ended and go on to the next" in read(anna, "/games/")
    for _click in range(2):
        anna.post(f"/games/{game.pk}/go-on/", {"number": "2"})
    assert "Waiting for Bruno." in read(bruno, f"/games/{game.pk}/")
    assert "go on to the next" not in read(anna, "/games/")
    answers = [bruno.post(f"/games/{game.pk}/go-on/", {"number": "2"}) for _click in range(2)]
    following = last_game(game.table)
    assert following is not None
    assert {answer["Location"] for answer in answers} == {f"/games/{following.pk}/"}
    assert Game.objects.count() == 2
    assert "Open Game 2" in read(anna, f"/games/{game.pk}/")
    assert "Current game: Game 2" in read(anna, f"/games/{following.pk}/")


def test_a_strange_number_begins_nothing_and_says_so(pair: list[Any], signed_in: Any) -> None:
    game = ended(begin_match(pair, 50))
    for number, told in (
        ("", "Nothing was changed"),
        ("x", "Nothing was changed"),
        ("9999", "This match has no further game"),
        ("7", "This match has no further game"),
    ):
        answer = signed_in(pair[0]).post(f"/games/{game.pk}/go-on/", {"number": number}, follow=True)
        assert told in answer.content.decode()
    assert not Seat.objects.filter(ready_for__gt=0).exists()


def test_a_spectator_finds_every_game_of_the_match(pair: list[Any], signed_in: Any) -> None:
    first = ended(begin_match(pair, 50, watch="link"))
    ready(first.table, 2)
    room, spectator = f"/watch/{first.table.watch_key}/", Client()
    assert "Waiting for" in read(spectator, room)
    assert f"{room}game/1/history/0/" in spectator.get(f"{room}game/1/").content.decode()
    read(spectator, f"{room}game/1/history/1/")
    read(spectator, f"{room}game/1/proof/")
    assert verify(read_record(spectator.get(f"{room}game/1/record.json").json())).ok
    for path in ("game/2/record.json", "game/2/history/0/", "game/3/", "game/0/"):
        assert spectator.get(room + path).status_code == 404, path


def play_by_link(client: Client, link: str, game: Game) -> None:
    """Make every decision of the game through the links that each answer leads to."""
    rng = random.Random(game.number)
    while not Game.objects.get(pk=game.pk).is_over:
        answer = client.post(f"{link}move/", {"move": rng.choice(legal_texts(game))})
        assert answer.status_code == 302
        link = answer["Location"].removesuffix("#ask")


def go_on_by_link(client: Client, email: Any, number: int) -> None:
    """Follow the email's link to the seat and press its button; pressing twice changes nothing more."""
    (path,) = set(SEAT.findall(email.body))
    assert "Waiting for Anna." in read(client, path)
    for _click in range(2):
        assert client.post(path, {"action": "go_on", "number": str(number)}).status_code == 302
    assert Game.objects.count() == number
    assert "The next game has started." in read(client, path)


@pytest.mark.long
def test_a_whole_match_by_the_links_of_emails(anna: Any, signed_in: Any) -> None:
    game, client = begin_against_bots(anna, 12, 1), Client()
    while True:
        turn = next(email for email in emails_to(anna) if "/answer/" in email.body)
        play_by_link(client, re.findall(r"http://testserver(/answer/[^/\s]+/)", turn.body)[0], game)
        game = Game.objects.select_related("table").get(pk=game.pk)
        (over,) = [email for email in emails_to(anna) if "over" in email.subject]
        if game.final_battle is None:
            assert re.search(rf"  Anna +(\+\d+ +)+{points_after(game)[0]}\n", over.body)
        if over.subject.startswith("Match over"):
            break
        assert over.subject.startswith("Game over")
        assert "a rematch" not in over.body
        go_on_by_link(client, over, game.number + 1)
        game = Game.objects.select_related("table").get(number=game.number + 1)
    assert Table.objects.get().state == Table.State.FINISHED
    assert "The match is over. " in words_of(over)
    assert "Play a rematch (no sign-in needed):" in over.body
    assert game.number > 1
    page = read(signed_in(anna), f"/games/{game.pk}/")
    assert "The match is over. " in page
    assert "Play a rematch" in page
    games = Game.objects.order_by("number")
    records = [read_record(signed_in(anna).get(f"/games/{one.pk}/record.json").json()) for one in games]
    assert len(records) == game.number
    assert all(verify(record).ok for record in records)
    assert {does_not_follow(*two) for two in pairwise(records)} == {None}


def test_a_rematch_waits_for_the_end_of_the_match_and_keeps_its_terms(pair: list[Any]) -> None:
    game = ended(begin_match(pair, 50))
    with pytest.raises(Refused, match="when the match is over"):
        services.make_rematch(game, pair[0])
    Game.objects.filter(pk=game.pk).update(result=game.result | {"points": [50, 0]})
    Table.objects.update(state=Table.State.FINISHED, next_game_at=None)
    again = services.make_rematch(game, pair[0])
    assert (again.target, again.chain, again.options) == (50, game.table.chain, game.table.options)


@pytest.mark.long
def test_the_third_looks_on_in_a_final_battle(anna: Any, bruno: Any, carla: Any, signed_in: Any) -> None:
    people = [anna, bruno, carla]
    game = ended(begin_match(people, 20))
    Game.objects.update(result={"winners": [0], "reason": "most regions", "points": [20, 3, 20]})
    decides = "A final battle decides the match. Players in it: Anna and Carla."
    page = read(signed_in(bruno), f"/games/{game.pk}/")
    assert f"{decides} You are not in it, so you have nothing to do." in page
    assert "Waiting for Anna and Carla." in page
    assert "Go on to the next game" not in page
    assert "go on to the next" not in read(signed_in(bruno), "/games/")
    assert "go on to the next" in read(signed_in(carla), "/games/")
    (over,) = [email for email in emails_to(bruno) if "over" in email.subject]
    assert "You are not in it, so you have nothing to do." in words_of(over)
    assert not SEAT.findall(over.body)
    begun = [services.be_ready(game.table.seats.get(number=number), 2) for number in (0, 2)]
    assert begun[0] is None
    battle = begun[1]
    assert battle is not None
    (told,) = emails_to(bruno)
    assert "You are not in it, so you have nothing to do." in words_of(told)
    page = read(signed_in(bruno), f"/games/{battle.pk}/")
    assert f"{decides} You are not in it, so you have nothing to do." in page
    assert "We’ll email you when" not in page
    ended(battle)
    (last,) = emails_to(bruno)
    assert last.subject.startswith("Match over, ")
    assert "The match is over. " in words_of(last)
    assert "The match is over. " in read(signed_in(bruno), f"/games/{battle.pk}/")
