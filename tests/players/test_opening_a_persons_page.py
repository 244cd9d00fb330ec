"""Opening a person's page: what leads to it, when it is hidden, and which games it counts."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from games.links import person_path
from games.models import Game, Seat, Table
from games.selectors.counted_tables import counted_games
from games.services.seat_changes import give_up
from games.templatetags.person_links import linked_person, linked_seat
from tests.games.playing import begin_game, play_to_the_end, seat_table

pytestmark = pytest.mark.django_db


def played(people: list[User], **settings: Any) -> Game:
    game = begin_game(people, **settings)
    play_to_the_end(game)
    return game


def counted(person: User, reader: User | None) -> int:
    return counted_games(person, reader).count()


def test_a_page_opens_for_everyone_until_its_person_hides_it(
    anna: User, stranger: User, signed_in: Any
) -> None:
    path = person_path(anna.pk)
    own, others = signed_in(anna), (signed_in(stranger), Client())
    assert [client.get(path).status_code for client in (own, *others)] == [200] * 3
    answer = own.post(
        "/me/", {"name": "Anna", "language": "en", "time_zone": "Europe/Rome", "hides_page": "on"}
    )
    assert answer.status_code == 302
    assert [client.get(path).status_code for client in (own, *others)] == [200, 404, 404]
    assert "only you can open it" in own.get(path).content.decode()
    assert own.get("/players/me/").url == path


def test_a_page_closes_with_its_account(anna: User) -> None:
    User.objects.filter(pk=anna.pk).update(is_active=False)
    assert Client().get(person_path(anna.pk)).status_code == 404


@pytest.mark.parametrize("key", ["1", "1A", "1" + "0" * 17, "x" * 99])
def test_pages_are_not_found_by_counting(anna: User, key: str) -> None:
    assert Client().get(f"/players/{key}/").status_code == 404


def test_games_count_for_those_who_may_know_them(
    anna: User, bruno: User, carla: User, stranger: User
) -> None:
    played([anna, bruno])
    played([anna, carla], watch=Table.Watch.ANYONE)
    played([anna, carla], watch=Table.Watch.LINK)
    begin_game([anna, bruno], watch=Table.Watch.ANYONE)
    readers = (anna, bruno, carla, stranger, None)
    assert [counted(anna, reader) for reader in readers] == [3, 2, 2, 1, 1]


def test_games_at_an_anonymous_table_count_once_names_are_shown(anna: User, bruno: User) -> None:
    game = played([anna, bruno], watch=Table.Watch.ANYONE, is_anonymous=True)
    assert counted(anna, None) == 1
    Table.objects.filter(pk=game.table_id).update(state=Table.State.PLAYING)
    assert counted(anna, anna) == 0


def test_someone_who_gave_up_their_seat_still_played_there(anna: User, bruno: User, carla: User) -> None:
    game = begin_game([anna, bruno, carla])
    give_up(Seat.objects.get(table=game.table, user=bruno))
    play_to_the_end(game)
    assert [counted(bruno, reader) for reader in (bruno, anna, None)] == [1, 1, 0]


def test_names_lead_to_pages(anna: User, bruno: User, django_assert_num_queries: Any) -> None:
    table = seat_table([anna, bruno], size=3)
    Seat.objects.create(table=table, number=2, bot=Seat.Bot.CAPTAIN)
    User.objects.filter(pk=bruno.pk).update(hides_page=True)
    first, second, bot = Seat.objects.filter(table=table).select_related("user", "table")
    with django_assert_num_queries(0):
        assert linked_seat(first) == f'<a href="{person_path(anna.pk)}">Anna</a>'
        assert linked_seat(first, "Anna (1)").endswith(">Anna (1)</a>")
        assert linked_seat(second) == "Bruno"
        assert "<a" not in linked_seat(bot)
    anna.name = "<Anna>"
    assert "&lt;Anna&gt;</a>" in linked_person(anna)


def test_names_at_an_anonymous_table_lead_nowhere(anna: User, bruno: User) -> None:
    table = seat_table([anna, bruno], is_anonymous=True)
    for state in (Table.State.GATHERING, Table.State.PLAYING):
        Table.objects.filter(pk=table.pk).update(state=state)
        seats = Seat.objects.filter(table=table).select_related("user", "table")
        assert not [seat for seat in seats if "<a" in linked_seat(seat) or "Anna" in linked_seat(seat)]
    Table.objects.filter(pk=table.pk).update(state=Table.State.FINISHED)
    assert all("<a" in linked_seat(seat) for seat in Seat.objects.filter(table=table))
