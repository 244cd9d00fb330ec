"""Four people negotiate over a game, by pages and by the links of their letters: two circles, cards that are
shown, a promise that is kept and one that is broken, and a sealed letter.
"""

import hashlib
import html
import re
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.test import Client

from games.models import Game
from games.models.replay import replayed
from games.rules import BattleCompared, BattleStopped, legal_moves, observe, pending, region_name
from games.tasks import judge_bargains, open_seals
from tests.chat.bargaining import chooser, play
from tests.chat.talking import html_of, talk_letters
from tests.games.playing import begin_game, play_to_the_end, play_until
from tests.journeys.visiting import Form, Page, page_of

pytestmark = pytest.mark.django_db

NORTH = "Shall we share **the north**, you and I?"
YES = "Yes. But Carla must not hear of it."
THREE = "Bruno has the ten, I believe."
TO_ALL = "May the best one win."
SEALED = "I knew from the first\nthat *nobody* would dare."


class Person:
    """Somebody with a browser and a mail box."""

    def __init__(self, user: Any, client: Client) -> None:
        self.user, self.client = user, client

    def open(self, path: str) -> Page:
        return page_of(self.client, path)

    def send(self, page: Page, form: Form, **typed: Any) -> Page:
        """Presses the form's button; the page that comes of it."""
        sent: dict[str, Any] = {**form.fields, **typed}
        answer = self.client.post(urlsplit(form.action).path, sent, follow=True)
        assert answer.status_code == 200, answer.content.decode()
        return page_of(self.client, answer.request["PATH_INFO"])


@pytest.fixture
def table_of_four(
    anna: Any, bruno: Any, carla: Any, dario: Any, signed_in: Any, settings: Any
) -> tuple[Game, list[Person]]:
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    settings.TALK_HOLD = timedelta(minutes=5)
    people = [anna, bruno, carla, dario]
    game = begin_game(people, watch="anyone")
    return game, [Person(one, signed_in(one)) for one in people]


def test_four_people_negotiate(table_of_four: tuple[Game, list[Person]]) -> None:
    game, (anna, bruno, carla, dario) = table_of_four
    talk_letters()  # those of the beginning are out

    # Anna writes to Bruno alone; he answers by his letter's link, in a browser that is signed in nowhere.
    north = _begin_circle(game, anna, [bruno], NORTH)
    letters = _letters()
    assert set(letters) == {"bruno@example.org"}
    assert NORTH in letters["bruno@example.org"].body
    assert "Only Anna and you read what is written here." in _flat(letters["bruno@example.org"].body)
    link = re.search(r"http://testserver(/talk/\S+)", letters["bruno@example.org"].body)
    assert link
    stranger = Person(None, Client())
    page = stranger.open(link[1])
    assert len(page.forms) == 1
    stranger.send(page, page.forms[0], text=YES)
    letters = _letters()
    assert set(letters) == {"anna@example.org"}
    assert YES in letters["anna@example.org"].body

    # Another circle, and the whole table.
    others = _begin_circle(game, carla, [anna, dario], THREE)
    assert set(_letters()) == {"anna@example.org", "dario@example.org"}
    page = dario.open(f"/games/{game.pk}/")
    dario.send(page, page.form("talk/"), text=TO_ALL)
    assert set(_letters()) == {"anna@example.org", "bruno@example.org", "carla@example.org"}
    _each_reads_his_own(game, {"north": north, "others": others}, anna, bruno, carla, dario)

    # Bruno shows Anna two of his cards.
    hand = list(observe(replayed(game).state, _seat(game, bruno)).hand or ())
    page = bruno.open(f"/tables/{game.table_id}/show/?circle={north}")
    page = _post(bruno, f"/tables/{game.table_id}/show/", card=hand[:2], to=north)
    assert "cannot be taken back" in page
    page = _post(bruno, f"/tables/{game.table_id}/show/", card=hand[:2], to=north, sure="yes")
    step = replayed(game).state.step
    attested = f"Held in the hand at step {step}"
    assert attested in page
    assert attested in anna.open(_circle(game, north)).words
    letters = _letters()
    assert set(letters) == {"anna@example.org"}
    assert "The table attests" in _flat(letters["anna@example.org"].body)

    # Whoever chooses where to fight breaks one word and keeps another.
    people = {_seat(game, one): one for one in (anna, bruno, carla, dario)}
    fighter = people[chooser(game)]
    regions = [move.region for move in legal_moves(replayed(game).state, chooser(game)) if move.region]
    broken, kept = regions[0], regions[1]
    for region in (broken, kept):
        _promise(game, fighter, region)
        for one in people.values():
            if one is not fighter:
                _answer_in_ledger(game, one, "accept")
    _letters()

    # Dario seals a letter for the end of the battle.
    page = dario.open(f"/tables/{game.table_id}/seal/")
    page = dario.send(page, page.form("opens"), text=SEALED, to="table", opens="battle", region="")
    digest = re.search(r"SHA-256\s+([0-9a-f]{64})", page.words)
    assert digest
    assert "nobody" not in anna.open(f"/tables/{game.table_id}/talk/").words
    assert SEALED.split("\n", maxsplit=1)[0] not in _letters()["anna@example.org"].body

    play(game, f"place {broken}")
    judge_bargains()
    open_seals()
    letters = _letters()
    assert f"Broken: {_name(fighter)} starts no battle for {region_name(broken)}" in _flat_all(letters)
    assert "I knew from the first" not in _flat_all(letters)
    _play_the_battle(game)
    judge_bargains()
    open_seals()
    judge_bargains()
    open_seals()  # twice is once
    letters = _letters()
    told = _flat_all(letters)
    assert f"Kept: {_name(fighter)} starts no battle for {region_name(kept)}" in told
    assert "I knew from the first" in told
    page = anna.open(f"/tables/{game.table_id}/talk/")
    assert "I knew from the first" in page.words
    assert page.words.count("These are the words that were sealed, unchanged:") == 1
    salt = re.search(r"printf '%s\\n' ([0-9a-f]+)", html.unescape(page.html))
    assert salt
    assert hashlib.sha256(f"{salt[1]}\n{SEALED}".encode()).hexdigest() == digest[1]

    # After the end: the ledger is the table's, the circles stay closed until all in them open them.
    play_to_the_end(game)
    game.refresh_from_db()
    page = anna.open(_circle(game, north))
    assert "Checked against the record: so it was." in page.words
    assert carla.client.get(_circle(game, north)).status_code == 404
    page = carla.open(f"/tables/{game.table_id}/talk/epilogue/")
    carla.send(page, page.form("talk/epilogue/"), text="Well played, all of you.")
    for one in (anna, bruno):
        assert carla.client.get(_circle(game, north)).status_code == 404
        page = one.open(_circle(game, north))
        one.send(page, next(form for form in page.forms if form.action.endswith("/open/")))
    assert "the north" in carla.open(_circle(game, north)).words
    assert carla.client.get(_circle(game, others)).status_code == 200
    assert bruno.client.get(_circle(game, others)).status_code == 404


def _begin_circle(game: Game, who: Person, others: list[Person], text: str) -> str:
    page = who.open(f"/tables/{game.table_id}/talk-with/")
    seats = [str(_seat(game, one)) for one in others]
    page = who.send(page, page.form("seats"), seats=seats, text=text)
    found = re.search(r"/talk/(\w+)/$", page.url)
    assert found, page.url
    return found[1]


def _each_reads_his_own(
    game: Game, circles: dict[str, str], anna: Person, bruno: Person, carla: Person, dario: Person
) -> None:
    """Nobody finds on any page what was said where he is not."""
    readers = {"north": (anna, bruno), "others": (anna, carla, dario)}
    said = {"north": ("share", "must not hear"), "others": ("has the ten",)}
    for one in (anna, bruno, carla, dario):
        shown = " ".join(
            one.open(path).words
            for path in (
                "/games/",
                f"/games/{game.pk}/",
                f"/tables/{game.table_id}/talk/",
                "/me/messages/?q=the",
            )
        )
        assert TO_ALL in shown
        for name, slug in circles.items():
            answer = one.client.get(_circle(game, slug))
            assert answer.status_code == (200 if one in readers[name] else 404)
            if one not in readers[name]:
                assert not any(words in shown for words in said[name])
    watched = page_of(Client(), f"/tables/{game.table_id}/talk/").words
    assert TO_ALL in watched
    assert not any(words in watched for words in (*said["north"], *said["others"]))


def _promise(game: Game, who: Person, region: str) -> None:
    page = who.open(f"/tables/{game.table_id}/ledger/table/propose/")
    form = page.form("who_1")
    mine = str(_seat(game, who))
    others = [seat for seat in form.choices["seats"] if seat != mine]
    typed = {"who_1": mine, "kind_1": "no attack", "region_1": region}
    text = f"I leave {region_name(region)} alone."
    who.send(page, form, seats=others, text=text, until="battle", until_number="1", **typed)


def _answer_in_ledger(game: Game, who: Person, action: str) -> None:
    page = who.open(f"/tables/{game.table_id}/ledger/")
    (form,) = [form for form in page.forms if any(button.value == action for button in form.buttons)]
    who.send(page, form, action=action)


def _play_the_battle(game: Game) -> None:
    """Until the first battle is over."""

    def is_over(state: Any, question: Any) -> bool:
        return any(
            isinstance(event, BattleCompared | BattleStopped)
            for ply in replayed(game).plies
            for event in ply.events
        )

    play_until(game, is_over)
    assert pending(replayed(game).state)


def _letters() -> dict[str, Any]:
    """By address, the letters of talk that leave now; one to each at the most."""
    found = talk_letters()
    by_address = {letter.to[0]: letter for letter in found}
    assert len(by_address) == len(found)
    return by_address


def _flat_all(letters: dict[str, Any]) -> str:
    assert all(html_of(letter) for letter in letters.values())
    return " ".join(_flat(letter.body.replace("\n| ", " ")) for letter in letters.values())


def _flat(text: str) -> str:
    return " ".join(text.split())


def _post(who: Person, path: str, **typed: Any) -> str:
    answer = who.client.post(path, typed, follow=True)
    assert answer.status_code == 200
    return _flat(re.sub(r"<[^>]+>", " ", html.unescape(answer.content.decode())))


def _circle(game: Game, slug: str) -> str:
    return f"/tables/{game.table_id}/talk/{slug}/"


def _seat(game: Game, who: Person) -> int:
    return int(game.table.seats.get(user=who.user).number)


def _name(who: Person) -> str:
    return str(who.user.shown_name)
