"""Games outside leagues that are rated: how a host chooses it, what it changes, and what pages show of it."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts import clock
from accounts.models import User
from games.leagues.models import RatedTable, Rating, RatingChange
from games.leagues.selectors.rating_chart import rating_chart
from games.leagues.selectors.rating_history import rating_histories
from games.leagues.services.league_ratings import rate_new
from games.leagues.services.league_tick import run_seasons
from games.leagues.services.rated_tables import read_results
from games.links import person_path
from games.models import Game, Seat, Table
from games.services import Refused
from games.services.lobby import seat_bot
from games.services.rematch import make_rematch
from games.services.seat_changes import fill_seat, give_up
from tests.clocks.passing import HOUR, Wall
from tests.games.playing import begin_game, play_to_the_end, seat_table
from tests.leagues import world
from tests.players.games_of_a_year import played

pytestmark = pytest.mark.django_db

RATED: dict[str, Any] = {"is_rated": True, "watch": Table.Watch.ANYONE}
NEW_TABLE = {"name": "Friday", "size": "2", "entry": "open"}

Ratings = dict[str, tuple[float, float, int]]


def ratings() -> Ratings:
    return {one.user.name: (one.mu, one.sigma, one.tables) for one in Rating.objects.select_related("user")}


def changes() -> list[tuple[int, int, float, float]]:
    return list(
        RatingChange.objects.order_by("at", "table", "user").values_list("table", "user", "mu", "sigma")
    )


def rate() -> int:
    read_results(clock.now())
    return rate_new(clock.now())


def rated(people: list[User], wall: Wall, **settings: Any) -> Game:
    """Return a rated game that ended an hour after the one before."""
    wall.now += HOUR
    return played(people, **RATED | settings)


def test_a_host_chooses_a_rated_game_which_anyone_can_watch(anna: User, signed_in: Any) -> None:
    client = signed_in(anna)
    refused = client.post("/tables/new/", NEW_TABLE | {"is_rated": "on"})
    assert refused.status_code == 400
    assert "Anyone can watch a rated game." in refused.content.decode()
    client.post("/tables/new/", NEW_TABLE | {"is_rated": "on", "watch": "anyone"})
    client.post("/tables/new/", NEW_TABLE | {"watch": "anyone"})
    tables = Table.objects.order_by("pk")
    assert [table.is_rated for table in tables] == [True, False]
    pages = [client.get(f"/tables/{table.pk}/").content.decode() for table in tables]
    assert ["This game is rated" in page for page in pages] == [True, False]
    assert "<b>rated</b>" in Client().get("/tables/").content.decode()


def test_no_bot_gets_a_seat_in_a_rated_game(anna: User, signed_in: Any) -> None:
    table = seat_table([anna], size=2, **RATED)
    with pytest.raises(Refused):
        seat_bot(table, Seat.Bot.CAPTAIN, 1)
    assert f"/tables/{table.pk}/bot/" not in signed_in(anna).get(f"/tables/{table.pk}/").content.decode()


def test_a_rated_game_changes_ratings_once_and_no_other_game_does(
    wall: Wall, anna: User, bruno: User, carla: User
) -> None:
    played([anna, carla], watch=Table.Watch.ANYONE)
    game = rated([anna, bruno], wall)
    run_seasons(wall.now)
    found = ratings()
    assert found.keys() == {"Anna", "Bruno"}
    winner = (anna, bruno)[game.result["winners"][0]]  # type: ignore[index]  # it has ended
    assert max(found, key=lambda name: found[name][0]) == winner.name
    run_seasons(wall.now)
    assert ratings() == found
    assert RatingChange.objects.count() == 2


def test_a_game_without_a_winner_changes_no_rating(wall: Wall, anna: User, bruno: User) -> None:
    game = begin_game([anna, bruno], **RATED)
    for person in (anna, bruno):
        give_up(Seat.objects.get(table=game.table, user=person))
    assert rate() == 1
    assert ratings() == {}


def test_someone_who_leaves_is_rated_as_last_and_who_helps_never_falls(
    wall: Wall, anna: User, bruno: User, carla: User, elena: User
) -> None:
    game = begin_game([anna, bruno, carla], **RATED)
    seat = Seat.objects.get(table=game.table, user=bruno)
    give_up(seat)
    fill_seat(Seat.objects.get(pk=seat.pk), elena)
    play_to_the_end(game)
    rate()
    found = ratings()
    assert found["Bruno"][0] < 25
    assert found["Bruno"][1] == pytest.approx(25 / 3)
    assert found.get("Elena", (26,))[0] > 25
    assert {"Anna", "Carla"} <= found.keys()


def test_a_bot_that_took_over_has_no_rating(wall: Wall, anna: User, bruno: User, carla: User) -> None:
    game = begin_game([anna, bruno, carla], **RATED)
    give_up(Seat.objects.get(table=game.table, user=bruno))
    play_to_the_end(game)
    rate()
    assert ratings().keys() == {"Anna", "Bruno", "Carla"}


def test_ratings_added_one_by_one_are_those_computed_at_once(
    wall: Wall, anna: User, bruno: User, carla: User
) -> None:
    for people in ([anna, bruno], [bruno, carla], [anna, bruno, carla]):
        rated(people, wall)
        assert rate() == 1
    found, course = ratings(), changes()
    RatedTable.objects.update(rated_at=None)
    assert rate() == 3
    assert (ratings(), changes()) == (found, course)
    assert len(course) == 7


def test_a_result_that_comes_late_is_rated_in_its_place(wall: Wall, anna: User, bruno: User) -> None:
    first, _second = rated([anna, bruno], wall), rated([anna, bruno], wall)
    rate()
    found, course = ratings(), changes()
    RatingChange.objects.filter(table=first.table).delete()
    RatedTable.objects.filter(table=first.table).update(rated_at=None, facts=None)
    assert rate() == 1
    assert (ratings(), changes()) == (found, course)


def test_leagues_and_other_games_are_on_one_scale(wall: Wall, anna: User, bruno: User, carla: User) -> None:
    rated([anna, bruno, carla], wall)
    season = world.a_running_season(anna, [anna, bruno, carla], size=3, rounds=1)
    wall.now += HOUR
    (table,) = world.seat_by_hand(season.divisions.get().rounds.get(), [anna, bruno, carla])
    world.finish(table)
    run_seasons(wall.now)
    assert {tables for _mu, _sigma, tables in ratings().values()} == {2}
    assert RatedTable.objects.count() == 1


def test_editions_have_scales_of_their_own(wall: Wall, anna: User, bruno: User) -> None:
    rated([anna, bruno], wall)
    rated([anna, bruno], wall, options_json={"edition": "1995", "variants": []})
    rate()
    assert sorted(Rating.objects.values_list("edition", flat=True)) == ["1995", "1995", "2007", "2007"]


def test_a_rematch_is_rated_again_unless_a_bot_plays_in_it(
    wall: Wall, anna: User, bruno: User, carla: User
) -> None:
    assert make_rematch(rated([anna, bruno], wall), anna).is_rated
    game = begin_game([anna, bruno, carla], **RATED)
    give_up(Seat.objects.get(table=game.table, user=bruno))
    play_to_the_end(game)
    assert not make_rematch(game, anna).is_rated


def test_a_broken_log_does_not_stop_the_others(wall: Wall, anna: User, bruno: User) -> None:
    broken, _whole = rated([anna, bruno], wall), rated([anna, bruno], wall)
    broken.log.filter(ply=2).update(move="nonsense")
    assert rate() == 1
    assert len(ratings()) == 2


def test_a_page_has_a_chart_and_the_same_ratings_as_a_table(wall: Wall, anna: User, bruno: User) -> None:
    for _ in range(3):
        rated([anna, bruno], wall)
    rate()
    html = Client().get(person_path(anna.pk)).content.decode()
    chart = re.search(r"<svg class=\"rating-chart\".*?</svg>", html, re.DOTALL)
    assert chart
    assert "style=" not in chart[0]
    assert 'role="img"' in chart[0]
    (history,) = rating_histories(anna)
    course = re.search(r'class="course" points="([^"]*)"', chart[0])
    assert course
    assert len(course[1].split()) == len(history.moments) == 3
    assert history.moments[-1].value.shown == history.now.value.shown
    assert sum([one.change for one in history.moments]) == history.now.value.shown - 1500
    rows = re.findall(r"<td class=\"number\">(\d+\xa0±\xa0\d+)</td>", html)
    assert rows == [one.value.text for one in history.latest_first]


def test_the_line_of_a_chart_stays_inside_it(wall: Wall, anna: User, bruno: User) -> None:
    at = clock.now()
    table = seat_table([anna, bruno])
    for number, mu in enumerate((25.0, 90.0, -20.0, 25.5)):
        copy = seat_table([anna, bruno])
        RatingChange.objects.create(
            user=anna, edition="2007", table=copy, at=at + timedelta(days=number), mu=mu, sigma=8.0
        )
    Rating.objects.create(user=anna, edition="2007", mu=25.5, sigma=8.0, tables=4)
    assert table
    (history,) = rating_histories(anna)
    points = re.findall(r"(\d+|-\d+),(-?\d+)", str(rating_chart(history)))
    assert len(points) == 4 + 8
    assert all(0 <= int(x) <= 360 and 0 <= int(y) <= 190 for x, y in points)


def test_one_rating_is_a_number_without_a_chart(wall: Wall, anna: User, bruno: User) -> None:
    rated([anna, bruno], wall)
    rate()
    (history,) = rating_histories(anna)
    assert rating_chart(history) == ""


def test_people_who_hide_their_page_are_not_in_the_list_of_ratings(
    wall: Wall, anna: User, bruno: User
) -> None:
    rated([anna, bruno], wall)
    rate()
    User.objects.filter(pk=bruno.pk).update(hides_page=True)
    page = Client().get("/leagues/ratings/2007/").content.decode()
    assert person_path(anna.pk) in page
    assert "Bruno" not in page


def test_ratings_cost_a_page_as_many_queries_however_many_there_are(
    wall: Wall, anna: User, bruno: User
) -> None:
    asked = []
    for _ in range(2):
        for _ in range(3):
            rated([anna, bruno], wall)
        rate()
        with CaptureQueriesContext(connection) as queries:
            Client().get(person_path(anna.pk))
        asked.append(len(queries))
    assert asked[0] == asked[1]


def test_an_export_has_the_ratings_of_its_person(wall: Wall, anna: User, bruno: User, signed_in: Any) -> None:
    game = rated([anna, bruno], wall)
    rate()
    (change,) = signed_in(anna).post("/me/export/").json()["leagues"]["rating_changes"]
    assert change["table"] == game.table_id
