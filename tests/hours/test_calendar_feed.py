"""The calendar of deadlines: what a program reads at its secret address, and how to revoke that."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from icalendar import Calendar

from accounts.models import User
from condottiere_site.logs import without_tokens
from games.models import Game, Seat, Table
from games.rules import Decision, State, pending
from tests.games.playing import answer, begin_game, decision_of, game_where, legal_texts, play_to_the_end

pytestmark = pytest.mark.django_db

MAKE, PROFILE = "/me/calendar/", "/me/"
DUE = datetime(2030, 1, 2, 3, 4, tzinfo=UTC)


def address_of(person: Any) -> str:
    """The address that its owner made, as they read it."""
    from django.conf import settings

    client = Client()
    client.force_login(person, backend=settings.AUTHENTICATION_BACKENDS[0])
    client.post(MAKE, {"action": "make"})
    found = re.search(r'href="http://testserver(/calendar/[^"]+\.ics)"', client.get(PROFILE).content.decode())
    assert found
    return found[1]


def fetched(path: str) -> Calendar:
    reply = Client().get(path)
    assert reply.status_code == 200
    assert reply["Content-Type"] == "text/calendar; charset=utf-8"
    return Calendar.from_ical(reply.content)


def due(game: Game, moment: datetime = DUE, **seats: Any) -> None:
    """Give the seats to move a deadline, whatever the table's time per move."""
    Seat.objects.filter(table=game.table_id, decision_step__isnull=False, **seats).update(due_at=moment)


@pytest.fixture
def game(anna: Any, bruno: Any, carla: Any) -> Game:
    """A game in which Anna is to move, and has a deadline."""
    found = begin_game([anna, bruno, carla])
    while decision_of(found).seat != 0:
        answer(found, legal_texts(found)[0])
    due(found)
    return found


def test_a_deadline_is_an_event_with_the_table_and_the_way_to_the_game(anna: Any, game: Game) -> None:
    calendar = fetched(address_of(anna))
    (event,) = calendar.events
    assert event["SUMMARY"] == "Your turn: Table 42"
    assert event.decoded("DTSTART") == DUE
    assert event["URL"] == f"http://testserver/games/{game.pk}/"
    assert {"UID", "DTSTAMP", "LAST-MODIFIED"} <= set(event)
    assert event["TRANSP"] == "TRANSPARENT"
    assert (calendar["VERSION"], "PRODID" in calendar) == ("2.0", True)


def test_every_line_is_as_the_format_wants_it(anna: Any, game: Game) -> None:
    name = "Tägliche, lange; Feldzüge\\ ohne Ende " * 3
    Table.objects.filter(pk=game.table_id).update(name=name[:60])
    body = Client().get(address_of(anna)).content
    assert body.endswith(b"END:VCALENDAR\r\n")
    assert b"\n" not in body.replace(b"\r\n", b"")
    assert all(len(line) <= 75 for line in body.split(b"\r\n"))
    assert Calendar.from_ical(body).events[0]["SUMMARY"] == f"Your turn: {name[:60]}"


def test_a_deadline_that_is_moved_is_the_same_event_and_the_next_decision_another(
    anna: Any, bruno: Any, game: Game
) -> None:
    path = address_of(anna)
    first = fetched(path).events[0]
    due(game, DUE + timedelta(hours=2))
    moved = fetched(path).events[0]
    assert (moved["UID"], moved.decoded("DTSTART")) == (first["UID"], DUE + timedelta(hours=2))
    while True:
        answer(game, legal_texts(game)[0])
        if decision_of(game).seat == 0:
            break
    due(game)
    assert fetched(path).events[0]["UID"] != first["UID"]


def test_an_answered_decision_is_gone(anna: Any, game: Game) -> None:
    path = address_of(anna)
    answer(game, legal_texts(game)[0])
    Seat.objects.filter(user=anna).update(due_at=None)
    assert fetched(path).events == []
    play_to_the_end(game)
    assert fetched(path).events == []


def test_a_game_without_a_clock_has_nothing_to_tell_and_the_calendar_stays_one(anna: Any, game: Game) -> None:
    due(game, None)
    calendar = fetched(address_of(anna))
    assert calendar.events == []
    assert calendar.subcomponents  # RFC 5545, 3.6: a calendar has at least one component


def test_no_one_finds_anything_of_anothers(anna: Any, bruno: Any, stranger: Any, game: Game) -> None:
    for person in (bruno, stranger):
        body = Client().get(address_of(person)).content
        assert Calendar.from_ical(body).events == []
        assert b"Table 42" not in body


def test_a_secret_decision_is_in_the_calendar_of_someone_who_is_asked_and_in_no_others(
    anna: Any, bruno: Any, carla: Any
) -> None:
    def some_are_asked(state: State, decision: Decision) -> bool:
        return decision.kind == "hand" and len(pending(state)) < 3

    people = [anna, bruno, carla]
    game, state = game_where(people, some_are_asked)
    due(game)
    asked = {decision.seat for decision in pending(state)}
    found = {seat for seat, person in enumerate(people) if fetched(address_of(person)).events}
    assert found == asked


def test_nothing_else_of_the_game_stands_in_a_calendar(anna: Any, game: Game) -> None:
    path = address_of(anna)
    event = fetched(path).events[0]
    assert set(event) == {"UID", "DTSTAMP", "LAST-MODIFIED", "DTSTART", "TRANSP", "SUMMARY", "URL"}


# The address


def test_there_is_none_until_it_is_made(anna: Any, signed_in: Any) -> None:
    assert "/calendar/" not in signed_in(anna).get(PROFILE).content.decode().replace("/me/calendar/", "")
    assert Client().get("/calendar/None.ics").status_code == 404
    assert Client().get("/calendar/.ics").status_code == 404


def test_replacing_and_ending_it_work_at_once(anna: Any, signed_in: Any, game: Game) -> None:
    first = address_of(anna)
    second = address_of(anna)
    assert first != second
    assert Client().get(first).status_code == 404
    assert Client().get(second).status_code == 200
    signed_in(anna).post(MAKE, {"action": "end"})
    assert Client().get(second).status_code == 404
    assert User.objects.get(pk=anna.pk).feed_key is None


def test_it_cannot_be_guessed(anna: Any) -> None:
    keys = {address_of(anna).removeprefix("/calendar/").removesuffix(".ics") for _ in range(5)}
    assert len(keys) == 5
    assert all(len(key) >= 22 for key in keys)  # 128 bits


def test_someone_who_left_or_may_not_come_in_has_none(anna: Any, bruno: Any, signed_in: Any) -> None:
    annas, brunos = address_of(anna), address_of(bruno)
    signed_in(anna).post("/me/delete/", {"email": anna.email})
    User.objects.filter(pk=bruno.pk).update(is_active=False)
    assert Client().get(annas).status_code == 404
    assert Client().get(brunos).status_code == 404


def test_it_is_read_only_stored_by_no_one_and_in_no_log(anna: Any, game: Game) -> None:
    path = address_of(anna)
    reply = Client().get(path)
    assert Client().post(path).status_code == 405
    assert Client().head(path).status_code == 200
    assert reply["Cache-Control"] == "no-store, private"
    assert "noindex" in reply["X-Robots-Tag"]
    assert reply["Referrer-Policy"] == "same-origin"
    assert without_tokens(f"GET {path} 200") == "GET /calendar/... 200"
    assert not reply.cookies


def test_fetching_it_changes_nothing_and_costs_the_same_for_many_games(
    anna: Any, bruno: Any, carla: Any, game: Game, django_assert_num_queries: Any
) -> None:
    path = address_of(anna)
    with django_assert_num_queries(5):
        Client().get(path)
    for _more in range(3):
        due(begin_game([anna, bruno, carla]))
    with django_assert_num_queries(5):
        Client().get(path)
