"""One click on "Unsubscribe" in an email about turns: fewer emails, one confirmation, and no stalled game."""

import hashlib
import re
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.test import Client

from accounts.mail.receiving import receive
from games.models import Game, Seat
from games.models.replay import replayed
from games.rules import legal_moves, parse_move, pending
from games.services.tick import run_tick
from tests.digests.days import (
    DAY,
    HOUR,
    MINUTE,
    Days,
    asked,
    fresh,
    games_of,
    of_kind,
    play_until_asked,
    to,
    wants,
)
from tests.games.playing import begin_game, submit
from tests.journeys.tactics import Tactician

pytestmark = pytest.mark.django_db

SHORT_GAME = hashlib.sha256(b"A whole game by email 2886").digest()
ONE_CLICK = {"List-Unsubscribe": "One-Click"}
PREFERENCES = "/me/emails/preferences/"
NO_EMAILS = "has turned off turn emails"


def click(email: Any) -> str:
    """Return what a mail program gets when it presses Unsubscribe without a cookie."""
    assert email.extra_headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    path = urlsplit(email.extra_headers["List-Unsubscribe"].partition(">")[0].strip("<")).path
    response = Client(enforce_csrf_checks=True).post(path, ONE_CLICK)
    assert response.status_code == 200
    return response.content.decode()


def undo_path(email: Any) -> str:
    found = re.search(r"http://testserver(/mail/undo/\S+)", email.body)
    assert found, email.body
    return found[1]


def first_turn(days: Days, people: list[Any], **terms: Any) -> tuple[Game, Any, Any]:
    """A new game, the person with the first decision, and the email about it."""
    game = begin_game(people, **terms)
    person = asked(game)
    (email,) = of_kind("your_turn", to(person, days.pass_by(HOUR)))
    return game, person, email


def in_digest(days: Days, people: list[Any], **terms: Any) -> tuple[Game, Any, Any]:
    """The same, a day after a click on Unsubscribe turned the emails into one a day."""
    game, person, email = first_turn(days, people, **terms)
    click(email)
    play_until_asked(game, person)
    (digest,) = of_kind("waiting", to(person, days.pass_by(DAY)))
    return game, person, digest


def test_a_click_on_a_turn_email_makes_one_a_day_of_them(days: Days, people: list[Any]) -> None:
    game, person, email = first_turn(days, people)
    wants(person, every_move=True)
    assert "one email a day" in click(email)
    assert (fresh(person).frequency, fresh(person).every_move) == ("digest", False)
    (confirming,) = days.pass_by(MINUTE)
    assert confirming.to == [person.email]
    assert confirming.subject == "You now get one email a day about your games"
    assert "The other players don’t see this" in " ".join(confirming.body.split())
    play_until_asked(game, person)
    emails = to(person, days.pass_by(DAY))
    assert len(of_kind("your_turn", emails)) == 0
    assert len(of_kind("waiting", emails)) == 1


def test_reminders_still_come_after_it(days: Days, people: list[Any]) -> None:
    game, person, email = first_turn(days, people, pace="week")
    click(email)
    play_until_asked(game, person)
    due = Seat.objects.get(table=game.table, user=person).due_at
    assert due is not None
    days.until(due - HOUR)
    assert len(of_kind("reminder", to(person, [email for _, email in days.sent]))) == 2


def test_a_click_repeated_is_one_click(days: Days, people: list[Any]) -> None:
    _game, person, email = first_turn(days, people)
    for _time in range(3):
        click(email)
    assert len(days.pass_by(MINUTE)) == 1
    assert fresh(person).frequency == "digest"


def test_no_one_else_learns_of_the_first_click(days: Days, people: list[Any], signed_in: Any) -> None:
    game, person, email = first_turn(days, people)
    others = [one for one in people if one != person]
    paths = (f"/games/{game.pk}/", f"/tables/{game.table_id}/")
    click(email)
    assert to(others[0], days.pass_by(DAY)) == to(others[1], days.pass_by(DAY)) == []
    for path in paths:
        for other in others:
            assert NO_EMAILS not in signed_in(other).get(path).content.decode()


def test_a_message_to_the_address_in_a_turn_email_does_what_the_click_does(
    days: Days, people: list[Any], settings: Any
) -> None:
    settings.REPLY_ADDRESS = "reply@testserver"
    _game, person, email = first_turn(days, people)
    found = re.search(r"<mailto:([^>]+)>", email.extra_headers["List-Unsubscribe"])
    assert found
    for _ in range(2):
        receive(found[1], b"Subject: unsubscribe\r\n\r\n")
    assert fresh(person).frequency == "digest"
    (told,) = of_kind("fewer_emails", to(person, days.pass_by(HOUR)))
    assert undo_path(told)


def test_opening_the_link_changes_nothing_and_says_what_the_button_does(
    days: Days, people: list[Any]
) -> None:
    _game, person, email = first_turn(days, people)
    path = urlsplit(email.extra_headers["List-Unsubscribe"].partition(">")[0].strip("<")).path
    for method in (Client().get, Client().head):
        method(path)
    assert "one email a day" in Client().get(path).content.decode()
    assert fresh(person).frequency == "at once"


@pytest.mark.parametrize("kind", ["waiting", "reminder"])
def test_a_click_on_a_digest_or_its_reminder_stops_both_and_says_so_plainly(
    days: Days, people: list[Any], kind: str
) -> None:
    game, person, _digest = in_digest(days, people, pace="week")
    due = Seat.objects.get(table=game.table, user=person).due_at
    assert due is not None
    days.until(due - 20 * HOUR)
    email = of_kind(kind, to(person, [email for _, email in days.sent]))[-1]
    assert "Nothing will tell you when it’s your turn" in click(email)
    (confirming,) = to(person, days.pass_by(MINUTE))
    assert confirming.subject == "You get no more emails about your turns"
    assert "Nothing will tell you when it’s your turn" in " ".join(confirming.body.split())
    days.until(due - MINUTE)
    play_until_asked(game, person)
    due = Seat.objects.get(table=game.table, user=person).due_at
    assert due is not None
    assert [one for one in days.pass_by(due - days.now) if one.to == [person.email]] == []


def test_the_table_sees_who_gets_no_emails(days: Days, people: list[Any], signed_in: Any) -> None:
    game, person, digest = in_digest(days, people)
    click(digest)
    for path in (f"/games/{game.pk}/", f"/tables/{game.table_id}/"):
        for other in people:
            page = signed_in(other).get(path).content.decode()
            assert (f"{person.name} {NO_EMAILS}" in page) == (other != person)
    own = signed_in(person).get(f"/games/{game.pk}/").content.decode()
    play_until_asked(game, next(one for one in people if one != person))
    own = signed_in(person).get(f"/games/{game.pk}/").content.decode()
    assert "You have turned off turn emails, so remember to look at the game." in own


def test_where_no_one_knows_who_is_who_the_table_sees_nothing(
    days: Days, people: list[Any], signed_in: Any
) -> None:
    game = begin_game(people, is_anonymous=True)
    wants(people[1], frequency="never")
    for person in people:
        page = signed_in(person).get(f"/games/{game.pk}/").content.decode()
        assert NO_EMAILS not in page


def test_a_click_on_a_reminder_leaves_the_email_of_each_turn(days: Days, people: list[Any]) -> None:
    game, person, _email = first_turn(days, people, pace="week")
    due = Seat.objects.get(table=game.table, user=person).due_at
    assert due is not None
    days.until(due - 20 * HOUR)
    (reminder,) = of_kind("reminder", to(person, [email for _, email in days.sent]))
    assert "no more reminders" in click(reminder)
    (confirming,) = to(person, days.pass_by(MINUTE))
    assert confirming.subject == "You get no more reminders"
    assert "You still get an email when it’s your turn" in " ".join(confirming.body.split())
    assert (fresh(person).frequency, fresh(person).reminders) == ("at once", [])
    play_until_asked(game, person)
    assert len(of_kind("your_turn", to(person, days.pass_by(HOUR)))) == 1


def test_the_link_that_undoes_it_shows_a_button_and_brings_back_what_was(
    days: Days, people: list[Any]
) -> None:
    game, person, email = first_turn(days, people)
    wants(person, frequency="batched", batch_minutes=30, reminders=[12])
    click(email)
    (confirming,) = days.pass_by(MINUTE)
    path = undo_path(confirming)
    assert Client().get(path).status_code == 200
    assert fresh(person).frequency == "digest"
    assert "Undone" in Client(enforce_csrf_checks=True).post(path).content.decode()
    assert (fresh(person).frequency, fresh(person).reminders) == ("batched", [12])
    assert days.pass_by(MINUTE) == []
    assert Client().post(f"{path[:-3]}xx/").status_code == 404
    assert game.is_over is False


def test_after_the_undoing_of_silence_what_was_asked_meanwhile_is_told(days: Days, people: list[Any]) -> None:
    game, person, digest = in_digest(days, people)
    click(digest)
    (confirming,) = to(person, days.pass_by(MINUTE))
    play_until_asked(game, person)
    assert to(person, days.pass_by(2 * DAY)) == []
    Client().post(undo_path(confirming))
    assert len(of_kind("waiting", to(person, days.pass_by(DAY)))) == 1
    assert to(person, days.pass_by(2 * DAY)) == []


def test_the_page_of_ones_choices_shows_and_changes_the_same(
    days: Days, people: list[Any], signed_in: Any
) -> None:
    game, person, digest = in_digest(days, people)
    client = signed_in(person)
    assert re.search(r'value="digest"[^>]* checked', client.get(PREFERENCES).content.decode())
    click(digest)
    assert re.search(r'value="never"[^>]* checked', client.get(PREFERENCES).content.decode())
    days.pass_by(MINUTE)
    play_until_asked(game, person)
    days.pass_by(DAY)
    choices = {"how": "at once", "batch_minutes": "60", "digest_at": "08:00", "reminders": ["24"]}
    client.post(PREFERENCES, choices)
    assert len(of_kind("your_turn", to(person, days.pass_by(HOUR)))) == 1
    client.post(PREFERENCES, choices | {"how": "never", "reminders": []})
    assert (fresh(person).frequency, fresh(person).reminders) == ("never", [])
    other = next(one for one in people if one != person)
    page = signed_in(other).get(f"/games/{game.pk}/").content.decode()
    assert f"{person.name} {NO_EMAILS}" in page


def test_other_news_of_a_game_is_turned_off_alone(days: Days, people: list[Any]) -> None:
    game = begin_game(people)
    person = next(one for one in people if one != asked(game))
    (started,) = of_kind("started", to(person, days.pass_by(HOUR)))
    assert "still come" in click(started)
    play_until_asked(game, person)
    assert len(of_kind("your_turn", to(person, days.pass_by(HOUR)))) == 1


def test_someone_who_wants_no_reminders_is_told_before_the_deadline(days: Days, people: list[Any]) -> None:
    """A decision that is due before the digest's hour is sent at once."""
    game = begin_game(people, pace="hours")
    person = asked(game)
    wants(person, frequency="digest", reminders=[], digest_at=(days.now + 20 * MINUTE).time())
    days.clear()
    days.now += HOUR
    play_until_asked(game, person)
    due = Seat.objects.get(table=game.table, user=person).due_at
    assert due is not None
    assert to(person, days.pass_by(due - days.now - MINUTE))


@pytest.mark.long
def test_a_whole_game_goes_on_to_its_end_after_one_click(days: Days, people: list[Any]) -> None:
    """The others play on the page; the player who clicked acts on emails alone, with a running clock."""
    game, person, email = first_turn(days, people, pace="week", secret=SHORT_GAME)
    click(email)
    own = Seat.objects.get(table=game.table, user=person).number
    tacticians, by_email = [Tactician() for _person in people], 0
    tacticians_play(game, tacticians, own, is_told=True)
    while not Game.objects.get(pk=game.pk).is_over:
        told = [email for email in to(person, days.pass_by(4 * HOUR)) if "/answer/" in email.body]
        run_tick(days.now)
        by_email += len(told)
        tacticians_play(game, tacticians, own, is_told=bool(told))
    days.pass_by(MINUTE)
    sent = [email for _, email in days.sent]
    assert by_email > 5
    assert not game.log.filter(via="clock").exists()
    assert [one.to for one in of_kind("fewer_emails", sent)] == [[person.email]]
    assert sorted(one.to[0] for one in of_kind("game_over", sent)) == [one.email for one in people]
    assert len(of_kind("your_turn", to(person, sent))) == 1


def tacticians_play(game: Game, tacticians: list[Tactician], waits: int, *, is_told: bool) -> None:
    """Everyone makes their decisions; the seat that waits for an email makes one, if it was notified."""
    while decisions := pending(state := replayed(Game.objects.get(pk=game.pk)).state):
        decision = next((one for one in decisions if one.seat != waits or is_told), None)
        if decision is None:
            return
        is_told = is_told and decision.seat != waits
        offered = [str(move) for move in legal_moves(state, decision.seat)]
        move = parse_move(tacticians[decision.seat].chosen(offered))
        submit(game, decision.seat, move, decision.decision_step, "web")


def test_games_at_other_tables_follow_the_same_click(days: Days, people: list[Any]) -> None:
    games = games_of(people, 2)
    person = asked(games[0])
    emails = of_kind("your_turn", to(person, days.pass_by(HOUR)))
    click(emails[0])
    days.pass_by(MINUTE)
    for game in games:
        play_until_asked(game, person)
    told = to(person, days.pass_by(DAY))
    assert [len(of_kind(kind, told)) for kind in ("your_turn", "waiting")] == [0, 1]
