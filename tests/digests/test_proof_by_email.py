"""The fair shuffle by email: the commitment in the first of a game, the secret and the record in the last."""

import hashlib
import json
import re
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.core import mail
from django.test import Client

from accounts.mail.models import OutgoingEmail
from games import services
from games.links import chronicle_token
from games.models import Game, Table
from games.rules import read_record, verify
from games.services.expiry import close_unfilled
from tests.digests.days import DAY, HOUR, Days, asked, of_kind, play_on, play_until_asked, to, wants
from tests.games.playing import begin_game, play_to_the_end

pytestmark = pytest.mark.django_db
WORDS = "  Zwei  Wörter! "
COMMITMENT = re.compile("Fair shuffles?: keep th(is|ese) commitments?")


@pytest.fixture
def game(days: Days, people: list[Any]) -> Game:
    """Anna added words of her own to the shuffle, the others none."""
    anna, bruno, carla = people
    table = services.make_table(anna, name="Three", size=3, entry="open", secret=b"s" * 32)
    for person in (bruno, carla):
        services.take_seat(table, person)
    services.give_words(table.seats.get(user=anna), WORDS)
    for seat in table.seats.people():
        services.confirm(seat)
    return Game.objects.select_related("table").get(table=table)


def texts(email: Any) -> list[str]:
    html = re.sub(r"<[^>]+>", "", str(email.alternatives[0][0]))
    return [" ".join(text.split()) for text in (email.body, html)]


def test_the_first_email_each_player_gets_has_the_commitment_and_the_hash_of_their_words(
    game: Game, days: Days, people: list[Any]
) -> None:
    emails = days.pass_by(HOUR)
    first = asked(game)
    secret = hashlib.sha256(b"s" * 32).hexdigest()
    words = hashlib.sha256(WORDS.encode()).hexdigest()[:32]
    for person in people:
        kind = "your_turn" if person == first else "started"
        (email,) = of_kind(kind, to(person, emails))
        for text in texts(email):
            assert COMMITMENT.search(text)
            assert secret in text
            assert (words in text) == (person == people[0])
    play_until_asked(game, first)
    later = of_kind("your_turn", days.pass_by(HOUR))
    assert later
    assert [email for email in later if COMMITMENT.search(email.body)] == []


@pytest.mark.parametrize("frequency", ["batched", "digest"])
def test_it_is_in_the_email_that_collects_if_that_comes_first(
    days: Days, people: list[Any], frequency: str
) -> None:
    for person in people:
        wants(person, frequency=frequency)
    games = [begin_game(people, name=name) for name in ("One", "Two")]
    person = asked(games[0])
    (email,) = of_kind("waiting", to(person, days.pass_by(2 * DAY)))
    mine = [game for game in games if asked(game) == person]
    for text in texts(email):
        assert len(COMMITMENT.findall(text)) == 1
        assert [one.table.commitment_of(one.number) in text for one in mine] == [True] * len(mine)
    play_until_asked(games[0], person)
    (email,) = of_kind("waiting", to(person, days.pass_by(2 * DAY)))
    assert not COMMITMENT.search(email.body)


def test_a_player_whose_first_turn_needed_no_email_finds_it_in_the_next(game: Game, days: Days) -> None:
    first = asked(game)
    play_on(game)
    play_until_asked(game, first)
    email = to(first, days.pass_by(HOUR))[0]
    assert COMMITMENT.search(email.body)


def test_the_last_email_has_the_secret_and_leads_without_signing_in_to_proof_and_record(
    game: Game, days: Days, people: list[Any]
) -> None:
    play_to_the_end(game)
    emails = of_kind("game_over", days.pass_by(HOUR))
    assert len(emails) == 3
    for email in emails:
        for text in texts(email):
            for value in ((b"s" * 32).hex(), game.table.commitment, "python -m games.rules verify"):
                assert value in text
        paths = {urlsplit(link).path for link in re.findall(r"http://testserver/chronicle/\S+", email.body)}
        (record,) = [path for path in paths if path.endswith("record.json")]
        (proof,) = [path for path in paths if path.endswith("/proof/")]
        checked = verify(read_record(json.loads(Client().get(record).content)))
        assert (checked.ok, checked.proved) == (True, True)
        assert "The secret matches the commitment: correct" in " ".join(
            Client().get(proof).content.decode().split()
        )


def test_every_link_of_the_chronicle_opens_without_signing_in(game: Game, days: Days) -> None:
    play_to_the_end(game)
    email = of_kind("game_over", days.pass_by(HOUR))[0]
    (path,) = set(re.findall(r"http://testserver(/chronicle/[^/\s]+/)\s", email.body))
    seen, ahead = set[str](), [path]
    while ahead and len(seen) < 12:
        found = ahead.pop()
        seen.add(found)
        page = Client().get(found)
        assert page.status_code == 200, found
        main = page.content.decode().partition("<main")[2].partition("</main>")[0]
        links = {urlsplit(link).path for link in re.findall(r'href="(/[^"]+)"', main)}
        assert [link for link in links if not link.startswith((path, "/static/", "/rules/"))] == []
        ahead += sorted(link for link in links - seen if link.startswith(path))
    assert f"{path}record.json" in seen | set(ahead)


def test_the_links_open_nothing_while_the_game_runs_nor_with_a_wrong_token(
    game: Game, people: list[Any]
) -> None:
    for page in ("", "record.json", "proof/", "history/0/"):
        token = chronicle_token(game, people[0].pk)
        assert Client().get(f"/chronicle/{token}/{page}").status_code == 404
        assert Client().get(f"/chronicle/{token[:-2]}xx/{page}").status_code == 404


def test_every_email_of_a_game_and_of_a_table_leads_somewhere_without_signing_in(
    game: Game, days: Days, people: list[Any]
) -> None:
    """Every email with a link to a page that needs sign-in has another link too."""
    days.pass_by(HOUR)
    play_to_the_end(game)
    table = services.make_table(people[0], name="Four", size=4, entry="open")
    seat = services.take_seat(table, people[1])
    services.leave(seat)
    Table.objects.filter(pk=table.pk).update(closes_at=days.now + 2 * DAY)
    close_unfilled(days.now)
    days.pass_by(DAY)
    kinds = set(OutgoingEmail.objects.filter(state="sent").values_list("kind", flat=True))
    assert kinds >= {"started", "your_turn", "game_over", "left", "closing_soon"}
    for email in mail.outbox:
        body = email.body.partition("\n-- \n")[0]
        links = re.findall(r"http://testserver(/\S*)", body)
        opened = [Client().get(link) for link in links]
        assert not links or [answer for answer in opened if answer.status_code == 200], email.body
