"""The lobby says how reliable people are, and a host may ask for it."""

from __future__ import annotations

from html import unescape
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from games import services
from games.models import Seat, Table
from games.presenters.settings_text import settings_of
from games.services import Refused
from tests.games.playing import begin_game, play_to_the_end, seat_table
from tests.people import all_proven

pytestmark = [pytest.mark.django_db, pytest.mark.sqlite]


def finish(people: list[Any], away: Any = None, **terms: Any) -> None:
    """Play a game to its end; a bot plays for `away` then."""
    game = begin_game(people, **{"watch": "anyone"} | terms)
    play_to_the_end(game)
    Seat.objects.filter(table=game.table, user=away).update(played_by_bot="recruit" if away else "")


def open_table(people: list[Any], **terms: Any) -> Table:
    return seat_table(people, size=4, entry="open", **terms)


def lobby(client: Client) -> str:
    return " ".join(unescape(client.get("/tables/").content.decode()).split())


def test_the_lobby_says_how_many_games_its_people_saw_to_the_end(people: list[Any]) -> None:
    anna, bruno, carla = people
    finish([anna, bruno])
    finish([anna, bruno], away=bruno)
    finish([anna, carla], watch="nobody")  # known only to those two
    open_table(people)
    page = lobby(Client())
    assert "Anna</a> 2 of 2 ·" in page
    assert "Bruno</a> 1 of 2" in page
    assert "Carla</a>" not in page


def test_it_says_nothing_at_anonymous_tables_or_of_people_who_hide_their_page(people: list[Any]) -> None:
    anna, bruno, _carla = people
    finish([anna, bruno])
    table = open_table([anna, bruno], is_anonymous=True)
    assert "Games seen to the end" not in lobby(Client())
    Table.objects.filter(pk=table.pk).update(is_anonymous=False)
    User.objects.filter(pk=anna.pk).update(hides_page=True)
    page = lobby(Client()).partition("Games seen to the end")[2].partition("</p>")[0]
    assert "Bruno" in page
    assert "Anna" not in page


def test_more_tables_in_the_lobby_need_no_more_queries(people: list[Any]) -> None:
    finish(people)
    open_table(people)
    counts = []
    for _time in range(2):
        with CaptureQueriesContext(connection) as captured:
            Client().get("/tables/")
        counts.append(len(captured))
        for person in people:
            open_table([person])
    assert counts[0] == counts[1]


def test_players_who_leave_games_do_not_get_a_seat_where_the_host_asks(
    people: list[Any], signed_in: Any
) -> None:
    anna, bruno, carla = people
    finish([anna, bruno, carla])
    finish([anna, bruno], away=bruno, watch="nobody")
    table = open_table([anna], least_seen=9)
    assert "at least 9 of 10 games seen to the end" in lobby(Client())
    answer = signed_in(bruno).post(f"/tables/{table.pk}/take/", follow=True)
    assert "you saw 1 of 2 to the end" in answer.content.decode()
    joined = signed_in(bruno).post(f"/join/{table.join_key}/", {"action": "take"}, follow=True)
    assert joined.status_code == 200
    assert not table.seats.filter(user=bruno).exists()
    services.take_seat(table, carla)  # saw their one game to the end
    (newcomer,) = all_proven({"dario@example.org": "Dario"})
    services.take_seat(table, newcomer)
    invitation = services.invite_person(table, bruno)
    services.take_seat(table, bruno, invitation)


def test_running_games_do_not_count(people: list[Any]) -> None:
    anna, bruno, _carla = people
    game = begin_game([anna, bruno])
    game.table.seats.filter(user=bruno).update(played_by_bot="recruit")
    assert services.take_seat(open_table([anna], least_seen=10), bruno)


def test_at_an_anonymous_table_no_one_is_asked(people: list[Any]) -> None:
    anna, bruno, _carla = people
    finish([anna, bruno], away=bruno)
    table = open_table([anna], least_seen=10, is_anonymous=True)
    assert services.take_seat(table, bruno)
    assert "to the end" not in str(settings_of(table))


def test_an_away_players_seat_is_asked_for_in_the_same_way(people: list[Any]) -> None:
    anna, bruno, carla = people
    finish([anna, carla], away=carla)
    game = begin_game([anna, bruno], absent="offer", entry="open", least_seen=8)
    seat = game.table.seats.get(user=bruno)
    Seat.objects.filter(pk=seat.pk).update(played_by_bot="recruit")
    with pytest.raises(Refused, match="at least 8 of 10"):
        services.take_absent_seat(seat, carla)
