"""Four people negotiate over a game, by pages and by the links of their emails: two channels, cards that are
shown, a promise that is kept and one that is broken, and a sealed note.
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
from games.tasks import judge_deals, open_seals
from tests.chat.chatting import chat_emails, html_of
from tests.chat.dealing import chooser, play
from tests.games.playing import begin_game, play_to_the_end, submit_until
from tests.journeys.visiting import Form, Page, page_of

pytestmark = pytest.mark.django_db

NORTH = "Shall we share **the north**, you and I?"
YES = "Yes. But Carla must not hear of it."
THREE = "Bruno has the ten, I believe."
TO_ALL = "May the best one win."
SEALED = "I knew from the first\nthat *nobody* would dare."


class Person:
    """A person with a browser and a mailbox."""

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
    settings.CHAT_HOLD = timedelta(minutes=5)
    people = [anna, bruno, carla, dario]
    game = begin_game(people, watch="anyone")
    return game, [Person(one, signed_in(one)) for one in people]


@pytest.mark.long
def test_four_people_negotiate(table_of_four: tuple[Game, list[Person]]) -> None:
    game, (anna, bruno, carla, dario) = table_of_four
    chat_emails()  # those of the beginning are out

    # Anna writes to Bruno alone; they answer by their email's link, in a browser that is signed in nowhere.
    north = _begin_channel(game, anna, [bruno], NORTH)
    emails = _emails()
    assert set(emails) == {"bruno@example.org"}
    assert NORTH in emails["bruno@example.org"].body
    assert "Only you and Anna can read this channel." in _flat(emails["bruno@example.org"].body)
    link = re.search(r"http://testserver(/chat/\S+)", emails["bruno@example.org"].body)
    assert link
    stranger = Person(None, Client())
    page = stranger.open(link[1])
    (form,) = [form for form in page.forms if not form.action.endswith("/language/")]
    stranger.send(page, form, text=YES)
    emails = _emails()
    assert set(emails) == {"anna@example.org"}
    assert YES in emails["anna@example.org"].body

    # Another channel, and the whole table.
    others = _begin_channel(game, carla, [anna, dario], THREE)
    assert set(_emails()) == {"anna@example.org", "dario@example.org"}
    page = dario.open(f"/games/{game.pk}/")
    dario.send(page, page.form("chat/"), text=TO_ALL)
    assert set(_emails()) == {"anna@example.org", "bruno@example.org", "carla@example.org"}
    _each_reads_their_own(game, {"north": north, "others": others}, anna, bruno, carla, dario)

    # Bruno shows Anna two of their cards.
    hand = list(observe(replayed(game).state, _seat(game, bruno)).hand or ())
    page = bruno.open(f"/tables/{game.table_id}/show/?channel={north}")
    page = _post(bruno, f"/tables/{game.table_id}/show/", card=hand[:2], to=north)
    assert "You can’t undo this." in page
    page = _post(bruno, f"/tables/{game.table_id}/show/", card=hand[:2], to=north, sure="yes")
    step = replayed(game).state.step
    attested = f"in the hand at step {step}"
    assert attested in page
    assert attested in anna.open(_channel(game, north)).words
    emails = _emails()
    assert set(emails) == {"anna@example.org"}
    assert "The site confirms" in _flat(emails["anna@example.org"].body)

    # Anyone who chooses where to fight breaks one word and keeps another.
    people = {_seat(game, one): one for one in (anna, bruno, carla, dario)}
    fighter = people[chooser(game)]
    regions = [move.region for move in legal_moves(replayed(game).state, chooser(game)) if move.region]
    broken, kept = regions[0], regions[1]
    for region in (broken, kept):
        _promise(game, fighter, region)
        for one in people.values():
            if one is not fighter:
                _answer_in_deals(game, one, "accept")
    _emails()

    # Dario seals a note for the end of the battle.
    page = dario.open(f"/tables/{game.table_id}/seal/")
    page = dario.send(page, page.form("opens"), text=SEALED, to="table", opens="battle", region="")
    digest = re.search(r"SHA.256\s+([0-9a-f]{64})", page.words)
    assert digest
    assert "nobody" not in anna.open(f"/tables/{game.table_id}/chat/").words
    assert SEALED.split("\n", maxsplit=1)[0] not in _emails()["anna@example.org"].body

    play(game, f"place {broken}")
    judge_deals()
    open_seals()
    emails = _emails()
    assert "was broken:" in _flat_all(emails)
    assert f"will not attack {region_name(broken)} before" in _flat_all(emails)
    assert "I knew from the first" not in _flat_all(emails)
    _play_the_battle(game)
    judge_deals()
    open_seals()
    judge_deals()
    open_seals()  # twice is once
    emails = _emails()
    told = _flat_all(emails)
    assert "was kept:" in told
    assert f"will not attack {region_name(kept)} before" in told
    assert "I knew from the first" in told
    page = anna.open(f"/tables/{game.table_id}/chat/")
    assert "I knew from the first" in page.words
    assert page.words.count("This is the text that was sealed, unchanged:") == 1
    salt = re.search(r"printf '%s\\n' ([0-9a-f]+)", html.unescape(page.html))
    assert salt
    assert hashlib.sha256(f"{salt[1]}\n{SEALED}".encode()).hexdigest() == digest[1]

    # After the end: the deals is the table's, the channels stay closed until all in them open them.
    play_to_the_end(game)
    game.refresh_from_db()
    page = anna.open(_channel(game, north))
    assert "The game’s record confirms it." in page.words
    assert carla.client.get(_channel(game, north)).status_code == 404
    page = carla.open(f"/tables/{game.table_id}/chat/epilogue/")
    carla.send(page, page.form("chat/epilogue/"), text="Well played, all of you.")
    for one in (anna, bruno):
        assert carla.client.get(_channel(game, north)).status_code == 404
        page = one.open(_channel(game, north))
        one.send(page, next(form for form in page.forms if form.action.endswith("/open/")))
    assert "the north" in carla.open(_channel(game, north)).words
    assert carla.client.get(_channel(game, others)).status_code == 200
    assert bruno.client.get(_channel(game, others)).status_code == 404


def _begin_channel(game: Game, who: Person, others: list[Person], text: str) -> str:
    page = who.open(f"/tables/{game.table_id}/chat-with/")
    seats = [str(_seat(game, one)) for one in others]
    page = who.send(page, page.form("seats"), seats=seats, text=text)
    found = re.search(r"/chat/(\w+)/$", page.url)
    assert found, page.url
    return found[1]


def _each_reads_their_own(
    game: Game, channels: dict[str, str], anna: Person, bruno: Person, carla: Person, dario: Person
) -> None:
    """Check that no page shows a person a message of a channel they are not in."""
    readers = {"north": (anna, bruno), "others": (anna, carla, dario)}
    said = {"north": ("Shall we share", "must not hear"), "others": ("has the ten",)}
    for one in (anna, bruno, carla, dario):
        shown = " ".join(
            one.open(path).words
            for path in (
                "/games/",
                f"/games/{game.pk}/",
                f"/tables/{game.table_id}/chat/",
                "/me/messages/?q=the",
            )
        )
        assert TO_ALL in shown
        for name, slug in channels.items():
            answer = one.client.get(_channel(game, slug))
            assert answer.status_code == (200 if one in readers[name] else 404)
            if one not in readers[name]:
                assert not any(words in shown for words in said[name])
    watched = page_of(Client(), f"/tables/{game.table_id}/chat/").words
    assert TO_ALL in watched
    assert not any(words in watched for words in (*said["north"], *said["others"]))


def _promise(game: Game, who: Person, region: str) -> None:
    page = who.open(f"/tables/{game.table_id}/deals/table/propose/")
    form = page.form("who_1")
    mine = str(_seat(game, who))
    others = [seat for seat in form.choices["seats"] if seat != mine]
    typed = {"who_1": mine, "kind_1": "no attack", "region_1": region}
    text = f"I leave {region_name(region)} alone."
    who.send(page, form, seats=others, text=text, until="battle", until_number="1", **typed)


def _answer_in_deals(game: Game, who: Person, action: str) -> None:
    page = who.open(f"/tables/{game.table_id}/deals/")
    (form,) = [form for form in page.forms if any(button.value == action for button in form.buttons)]
    who.send(page, form, action=action)


def _play_the_battle(game: Game) -> None:
    """Play until the first battle is over."""

    def is_over(state: Any, decision: Any) -> bool:
        return any(
            isinstance(event, BattleCompared | BattleStopped)
            for ply in replayed(game).plies
            for event in ply.events
        )

    submit_until(game, is_over)
    assert pending(replayed(game).state)


def _emails() -> dict[str, Any]:
    """Send the chat emails that are due; return them by address, one for each at most."""
    found = chat_emails()
    by_address = {email.to[0]: email for email in found}
    assert len(by_address) == len(found)
    return by_address


def _flat_all(emails: dict[str, Any]) -> str:
    assert all(html_of(email) for email in emails.values())
    return " ".join(_flat(email.body.replace("\n| ", " ")) for email in emails.values())


def _flat(text: str) -> str:
    return " ".join(text.split())


def _post(who: Person, path: str, **typed: Any) -> str:
    answer = who.client.post(path, typed, follow=True)
    assert answer.status_code == 200
    return _flat(re.sub(r"<[^>]+>", " ", html.unescape(answer.content.decode())))


def _channel(game: Game, slug: str) -> str:
    return f"/tables/{game.table_id}/chat/{slug}/"


def _seat(game: Game, who: Person) -> int:
    return int(game.table.seats.get(user=who.user).number)


def _name(who: Person) -> str:
    return str(who.user.shown_name)
