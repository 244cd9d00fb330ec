"""Private notes: kept for oneself, seen by no one else, and what is typed is never lost."""

from html import unescape
from typing import Any

import pytest
from django.test import Client

from games.links import LinkedDecision, answer_token
from games.models import Game, Note
from tests.games.playing import begin_game, decision_of, play_to_the_end

pytestmark = pytest.mark.django_db

SECRET = "Bruno always keeps his <Bishop> & waits"


def write(client: Client, game: Game, text: str) -> Any:
    return client.post(f"/games/{game.pk}/note/", {"text": text})


def page(client: Client, game: Game) -> str:
    return unescape(client.get(f"/games/{game.pk}/").content.decode())


def test_a_note_is_kept_and_seen_by_no_one_else_also_after_the_end(people: list[Any], signed_in: Any) -> None:
    game = begin_game(people)
    anna, bruno = signed_in(people[0]), signed_in(people[1])
    for _click in range(2):
        assert write(anna, game, SECRET)["Location"] == f"/games/{game.pk}/"
    assert SECRET in page(anna, game)
    assert "<Bishop>" not in anna.get(f"/games/{game.pk}/").content.decode()
    assert SECRET not in page(bruno, game)
    play_to_the_end(game)
    assert SECRET in page(anna, game)
    for path in ("", "history/0/", "proof/", "record.json"):
        assert SECRET not in unescape(bruno.get(f"/games/{game.pk}/{path}").content.decode())
    assert Note.objects.count() == 1


def test_an_emails_link_neither_shows_nor_takes_a_note(people: list[Any], signed_in: Any) -> None:
    game = begin_game(people)
    decision = decision_of(game)
    person = people[decision.seat]
    write(signed_in(person), game, SECRET)
    token = answer_token(LinkedDecision(game.pk, decision.seat, person.pk, decision.decision_step))
    seen = unescape(Client().get(f"/answer/{token}/").content.decode())
    assert SECRET not in seen
    assert "Your notes" not in seen
    assert Client().post(f"/answer/{token}/note/", {"text": "x"}).status_code == 404


def test_strangers_write_nothing(people: list[Any], stranger: Any, signed_in: Any) -> None:
    game = begin_game(people)
    assert write(signed_in(stranger), game, "x").status_code == 404
    assert write(Client(), game, "x")["Location"].startswith("/accounts/login/")
    assert signed_in(people[0]).get(f"/games/{game.pk}/note/").status_code == 405
    assert signed_in(people[0]).post("/games/999999/note/", {"text": "x"}).status_code == 404
    assert not Note.objects.exists()


def test_an_over_long_note_is_refused_and_stays_in_the_form(people: list[Any], signed_in: Any) -> None:
    game, client = begin_game(people), signed_in(people[0])
    write(client, game, "what stood before")
    answer = write(client, game, "x" * 10_001)
    assert answer.status_code == 400
    assert "x" * 10_001 in answer.content.decode()
    assert "too long: 10,001 characters" in answer.content.decode()
    assert Note.objects.get().text == "what stood before"
    lines = "\r\n".join(["x" * 9] * 1000)
    assert len(lines) > 10_000
    assert write(client, game, lines + "x").status_code == 302  # 10,000 as the browser counts
    assert write(client, game, "y" * 1_000_000).status_code == 400


def test_a_nul_is_refused_and_other_odd_text_is_kept_as_it_is(people: list[Any], signed_in: Any) -> None:
    game, client = begin_game(people), signed_in(people[0])
    assert write(client, game, "before\x00after").status_code == 400
    assert not Note.objects.exists()
    for odd in ("  indented\n\n- list", "<script>alert(1)</script>", "\u202egnp 🦊", "{{ table.secret }}"):
        assert write(client, game, odd).status_code == 302
        assert Note.objects.get().text == odd
        assert odd in page(client, game)
        assert "<script>alert" not in client.get(f"/games/{game.pk}/").content.decode()


def test_an_emptied_note_is_deleted(people: list[Any], signed_in: Any) -> None:
    game, client = begin_game(people), signed_in(people[0])
    write(client, game, "x")
    write(client, game, "  \n")
    assert not Note.objects.exists()
    assert client.post(f"/games/{game.pk}/note/").status_code == 302


def test_the_page_with_a_note_is_never_stored(people: list[Any], signed_in: Any) -> None:
    game = begin_game(people)
    answer = write(signed_in(people[0]), game, "x" * 10_001)
    assert "no-store" in answer["Cache-Control"]
