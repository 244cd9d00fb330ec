"""Rounds, tables and players as their pages tell them."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from games.leagues.models import Bye, LeagueTable, Rating, Season
from games.leagues.scoring.table_facts import TableEnding
from games.leagues.services.awards import award
from games.leagues.services.offer_answers import accept
from games.leagues.services.result_collection import collect
from games.models import LogEntry, Table
from tests.clocks.passing import Wall
from tests.leagues import league_pages, world
from tests.leagues.absent import give_up, help_in, the_ask, tick
from tests.leagues.league_pages import path_of, read, words_of
from tests.leagues.tables_by_hand import seat, table
from tests.tidy import tidy

pytestmark = pytest.mark.django_db

TERMS = world.TERMS | {"watch": "anyone"}


@pytest.fixture
def players(db: None) -> list[User]:
    return [world.person(name) for name in ("Anna", "Bruno", "Carla", "Dario")]


@pytest.fixture
def season(wall: Wall, players: list[User]) -> Season:
    return world.a_running_season(world.person("Olga"), players, rounds=2, terms=TERMS)


@pytest.fixture
def played(season: Season, players: list[User]) -> LeagueTable:
    """A table of the first round, at which they play."""
    (row,) = world.seat_by_hand(season.divisions.get().rounds.get(number=1), players)
    return row


def page_of(row: LeagueTable, client: Client | None = None) -> str:
    season = row.round.division.season
    return tidy(read(client or Client(), path_of("league_table", season, 1, row.round.number, row.number)))


def round_page(row: LeagueTable, client: Client | None = None) -> str:
    season = row.round.division.season
    return read(client or Client(), path_of("round", season, 1, row.round.number))


def finished(row: LeagueTable, *seats: Any, **more: Any) -> None:
    people = dict(enumerate([assignment.entry.user for assignment in row.assignments.all()], start=1))
    league_pages.is_over(row, league_pages.with_accounts(table(1, 1, *seats, **more), people))


def test_a_round_tells_who_sits_where_and_how_far_it_is(played: LeagueTable) -> None:
    words = words_of(round_page(played))
    assert "It ends on Friday 1 May, 12:00 at the latest. A Anna B Bruno C Carla D Dario" in words


def test_a_round_tells_results_and_who_sits_out(played: LeagueTable, players: list[User]) -> None:
    finished(played, seat(1, 5), seat(2, 4, 2), seat(3, 4, 2), seat(4, 1, 4))
    Bye.objects.create(round=played.round, entry=played.round.division.season.entries.get(user=players[3]))
    words = words_of(round_page(played))
    assert "Table 1 Anna won. A Anna 6 B Bruno 2 C Carla 2 D Dario 0" in words
    assert "Byes Dario" in words


def test_a_round_to_come_shows_its_tables_once_drawn(season: Season) -> None:
    words = words_of(read(Client(), path_of("round", season, 1, 2)))
    assert "This round has not been drawn yet." in words
    world.begin(season)
    words = words_of(read(Client(), path_of("round", season, 1, 2)))
    assert "Table 1 Not begun yet. It begins once all its players are free." in words


def test_a_table_names_the_first_condottiere_and_every_points_reason(played: LeagueTable) -> None:
    finished(played, seat(1, 5), seat(2, 4, 2), seat(3, 4, 2), seat(4, 1, 4))
    words = words_of(page_of(played))
    assert "A Anna first Condottiere · 5 regions 1st place: 6 points" in words
    assert "B Bruno 4 regions 2nd place, shared by 2 players: 2 points" in words
    assert words.count("first Condottiere") == 1


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ("rules", "Anna won."),
        ("agreement", "Anna won. The players agreed to end the game."),
        ("adjudicated", "Anna won. The table was adjudicated because it was late."),
        ("abandoned", "The table was abandoned: no player was left."),
    ],
)
def test_a_table_says_how_it_ended(played: LeagueTable, how: str, sentence: str) -> None:
    finished(played, seat(1, 5), seat(2, 4, 2), seat(3, 4, 2), seat(4, 1, 4), how=TableEnding(how))
    assert f'<p class="lead">{sentence}</p>' in page_of(played)


def test_a_winner_reads_you_won(played: LeagueTable, players: list[User], signed_in: Any) -> None:
    finished(played, seat(1, 5), seat(2, 5), seat(3, 4, 3), seat(4, 1, 4))
    assert '<p class="lead">You won, together with Bruno.</p>' in page_of(played, signed_in(players[0]))
    assert '<p class="lead">Anna and Bruno won.</p>' in page_of(played, signed_in(players[2]))
    finished(played, seat(1, 5), seat(2, 4, 2), seat(3, 4, 2), seat(4, 1, 4))
    assert '<p class="lead">You won.</p>' in page_of(played, signed_in(players[0]))


def test_it_leads_to_ones_own_game_to_watching_or_nowhere(
    played: LeagueTable, players: list[User], signed_in: Any
) -> None:
    watching = reverse("watch", args=[played.table.watch_key])
    assert f'href="{watching}"' in page_of(played)
    game = reverse("game", args=[world.game_at(played).pk])
    assert f'href="{game}"' in page_of(played, signed_in(players[0]))
    Table.objects.update(watch="link")
    assert watching not in page_of(played)
    assert game not in page_of(played)


def test_a_seat_that_changed_hands_says_who_plays_there_and_who_earned_what(
    season: Season, played: LeagueTable, players: list[User]
) -> None:
    helper = world.person("Helga")
    help_in(season, helper)
    give_up(played, players[1])
    tick()
    words = words_of(page_of(played))
    assert "B Bruno Montefeltro (bot) plays here now." in words
    assert "The seat of Bruno needs a substitute." in words
    accept(the_ask(helper))
    assert "B Bruno Helga plays here now." in words_of(page_of(played))
    world.finish(played)
    assert collect(played, season.begins_at)
    words = words_of(page_of(played))
    assert re.search(r"Bruno, \d+ turns? · .* Helga, \d+ turns · ", words)
    assert "Points of substitutes" in words_of(read(Client(), path_of("division", season, 1)))


def test_only_the_leagues_people_read_why_points_were_awarded(
    played: LeagueTable, players: list[User], signed_in: Any
) -> None:
    finished(played, seat(1, 5), seat(2, 4, 2), seat(3, 4, 2), seat(4, 1, 4))
    award(played, world.person("Olga"), [0, 0, 0, 9], "A wrong deal.")
    assert "A wrong deal." not in page_of(played)
    assert "Corrected by Olga on" in words_of(page_of(played))
    assert "A wrong deal." in page_of(played, signed_in(players[0]))


# Players


def player_page(user: User, client: Client | None = None) -> str:
    return words_of(read(client or Client(), reverse("player", args=[user.pk])))


@pytest.mark.sqlite
def test_a_player_has_their_seasons_and_tables(played: LeagueTable, players: list[User]) -> None:
    words = player_page(players[0])
    assert "Autumn League, season 1 Playing" in words
    assert "Round 1, table 1" in words
    assert "Anna, Bruno, Carla and Dario" in words


def test_a_players_results_and_rivals(season: Season, played: LeagueTable, players: list[User]) -> None:
    finished(played, seat(1, 5), seat(2, 4, 2), seat(3, 4, 2), seat(4, 1, 4))
    (second,) = world.seat_by_hand(season.divisions.get().rounds.get(number=2), players)
    assert "Tables played 1" in player_page(players[1])
    helped = seat(3, 2, 3, then=[(4, 5)])
    finished(second, seat(1, 3, 2), seat(2, 6), helped, seat(4, 0, 4), how=TableEnding.AGREEMENT)
    html = read(Client(), reverse("player", args=[players[1].pk]))
    words = words_of(html)
    assert "Tables played 2 Victories 1 Average rank 1.5" in words
    assert "Anna, Bruno, Carla and Dario 2nd place, shared by 2 players: 2 points" in words
    rivals = [["Anna", "2", "1", "1", "0"], ["Dario", "2", "2", "0", "0"], ["Carla", "1", "0", "0", "1"]]
    assert league_pages.rows_of(html) == rivals


def test_results_of_a_private_league_show_to_its_people_alone(
    season: Season, played: LeagueTable, players: list[User], signed_in: Any
) -> None:
    finished(played, seat(1, 5), seat(2, 4, 2), seat(3, 4, 2), seat(4, 1, 4))
    open_league = world.a_running_season(world.person("Olga"), [players[1], world.person("Zoe")], size=2)
    season.league.is_private = True
    season.league.save()
    told = player_page(players[1])
    assert open_league.league.name in told
    assert "Anna" not in told
    assert "Tables played" not in told
    assert "Tables played 1" in player_page(players[1], signed_in(players[0]))


def test_answers_are_counted_once_a_table_is_over(
    played: LeagueTable, players: list[User], season: Season
) -> None:
    assert "Moves in time No finished table yet" in player_page(players[0])
    world.finish(played)
    game = world.game_at(played)
    mine = LogEntry.objects.filter(game=game, seat=0)
    late = mine.first()
    assert late is not None
    LogEntry.objects.filter(pk=late.pk).update(via=LogEntry.Via.CLOCK)
    assert collect(played, season.begins_at)
    count = mine.count()
    percent = 100 * (count - 1) // count
    assert f"Moves in time {count - 1} of {count} ({percent} %)" in player_page(players[0])
    assert f"{mine.model.objects.filter(game=game, seat=1).count()} of" in player_page(players[1])


@pytest.mark.long
def test_what_is_asked_in_a_running_game_changes_no_players_page(
    played: LeagueTable, players: list[User]
) -> None:
    """Else it would tell who was asked in secret (R17)."""
    from tests.games.playing import play_until

    before = player_page(players[0])
    play_until(world.game_at(played), lambda state, decision: state.ply > 40)
    assert player_page(players[0]) == before


@pytest.mark.long
def test_answers_belong_to_someone_who_held_the_seat(
    season: Season, played: LeagueTable, players: list[User]
) -> None:
    helper = world.person("Helga")
    help_in(season, helper)
    give_up(played, players[1])
    tick()
    accept(the_ask(helper))
    world.finish(played)
    assert collect(played, season.begins_at)
    assert "Moves in time No finished table yet" in player_page(players[1])
    assert re.search(r"Moves in time (\d+) of \1 \(100 %\)", player_page(helper))
    assert "Seats given up 1" in player_page(players[1])
    assert "Seats taken over as a substitute 1" in player_page(helper)


def test_no_one_is_told_of_someone_who_plays_in_no_league_or_left_the_site(
    wall: Wall, played: LeagueTable
) -> None:
    for user in (world.person("Nobody"), world.person("Olga")):
        read(Client(), reverse("player", args=[user.pk]), 404)
    anna = world.person("Anna")
    anna.deleted_at = wall.now
    anna.save()
    read(Client(), reverse("player", args=[anna.pk]), 404)
    assert reverse("player", args=[anna.pk]) not in page_of(played)
    assert "A former player" in page_of(played) or "a former player" in page_of(played)


def test_ratings_are_listed_by_what_players_are_almost_surely_worth(played: LeagueTable) -> None:
    for name, mu, sigma, tables in (
        ("Anna", 30.0, 4.0, 9),
        ("Bruno", 33.0, 8.0, 1),
        ("Carla", 20.0, 1.0, 30),
    ):
        Rating.objects.create(user=world.person(name), edition="2007", mu=mu, sigma=sigma, tables=tables)
    rows = league_pages.rows_of(read(Client(), "/leagues/ratings/2007/"))
    numbers = [("Anna", "1700 ± 160", "9"), ("Carla", "1300 ± 40", "30"), ("Bruno", "1820 ± 320", "1")]
    assert rows == [[str(place), *row] for place, row in enumerate(numbers, start=1)]
    page = tidy(read(Client(), "/leagues/ratings/2007/"))
    assert re.findall(r">(\w+)</a> <span class=\"small soft\">provisional", page) == ["Bruno"]
    assert "Anna" not in words_of(read(Client(), "/leagues/ratings/1995/"))
    assert "1700 ± 160 after 9 tables" in player_page(world.person("Anna"))


def test_an_edition_that_is_none_has_no_ratings() -> None:
    read(Client(), "/leagues/ratings/1066/", 404)
