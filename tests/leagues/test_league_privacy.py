"""What no one else may learn: of a private league, and who sits in which seat of an anonymous table. Pages
are compared byte by byte."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from games.leagues.file_addresses import feed_path
from games.leagues.models import League, LeagueTable, Rating, Season, SeatAssignment
from games.leagues.services.result_collection import collect
from games.leagues.services.substitutes import volunteer
from games.models import Seat, Table
from tests.clocks.passing import Wall
from tests.games.playing import play_until
from tests.leagues import league_pages, world
from tests.leagues.absent import give_up, stay_away, tick
from tests.leagues.league_pages import text_of

pytestmark = pytest.mark.django_db

# Random in every form
TOKEN = re.compile(rb'name="(?:csrfmiddlewaretoken|form_key)" value="[^"]+"')
NAMES = ("Anna", "Bruno", "Carla")


@pytest.fixture
def players(wall: Wall) -> list[User]:
    return [world.person(name) for name in NAMES]


def season_of(league: League, players: list[User], **plan: Any) -> Season:
    size = len(players)
    return world.running(world.a_season(league, size=size, rounds=2, division_size=size, **plan), players)


def table_of(season: Season, players: list[User], number: int = 1) -> LeagueTable:
    (row,) = world.seat_by_hand(season.divisions.get().rounds.get(number=number), players)
    return row


def addresses_of(season: Season) -> Iterator[str]:
    """Everything that people can read about a season and its league."""
    base = f"/leagues/{season.league_id}/"
    of_season = f"{base}season/{season.number}/"
    division = f"{of_season}division/1/"
    yield from (base, f"{base}news.atom", f"{base}dates.ics", of_season)
    yield from (division, f"{division}standing.csv", f"{division}standing.json")
    yield from (f"{division}round/1/", f"{division}round/1/table/1/")


def shared_addresses(players: list[User]) -> Iterator[str]:
    """What people can read about all leagues together, and about people."""
    yield from ("/leagues/", "/leagues/?page=2", "/leagues/ratings/2007/", "/leagues/ratings/1995/")
    yield from ("/watch/", "/tables/")
    yield from [reverse("player", args=[user.pk]) for user in players]


def bytes_at(addresses: Iterator[str], client: Client | None = None) -> dict[str, tuple[int, bytes]]:
    answers = {path: (client or Client()).get(path) for path in addresses}
    return {path: (one.status_code, TOKEN.sub(b"", one.content)) for path, one in answers.items()}


# A private league


@pytest.fixture
def public(players: list[User]) -> Season:
    """A league that everyone may read, in which these people play too."""
    season = season_of(world.a_league(world.person("Olga"), "Public"), players)
    world.finish(table_of(season, players))
    return season


def a_club(players: list[User], wall: Wall) -> Season:
    """Someone else's private league in which much happens."""
    club = world.a_league(world.person("Ugo"), "Night club", is_private=True)
    season = season_of(club, players)
    first = table_of(season, players)
    world.finish(first)
    collect(first, wall.now)
    second = table_of(season, players, 2)
    volunteer(season, world.person("Helga"))
    give_up(second, players[0])
    tick()
    play_until(world.game_at(second), lambda state, decision: state.ply > 30)
    return season


def outsiders(signed_in: Callable[[User], Client]) -> list[Client]:
    return [Client(), signed_in(world.person("Olga")), signed_in(world.person("Somebody"))]


def test_outsiders_read_the_same_whether_there_is_a_private_league_or_not(
    wall: Wall, players: list[User], public: Season, signed_in: Any, long: bool
) -> None:
    readers = outsiders(signed_in)[: None if long else 2]

    def everything() -> list[dict[str, tuple[int, bytes]]]:
        paths = [*addresses_of(public), *shared_addresses([*players, world.person("Helga")])]
        return [bytes_at(iter(paths), client) for client in readers]

    before = everything()
    a_club(players, wall)
    after = everything()
    assert before == after
    assert before[0][reverse("player", args=[players[0].pk])][0] == 200


@pytest.mark.long
def test_outsiders_find_at_its_addresses_what_they_find_where_nothing_is(
    wall: Wall, players: list[User], signed_in: Any
) -> None:
    season = a_club(players, wall)
    nowhere = f"/leagues/{season.league_id + 999}/"
    for client in outsiders(signed_in):
        for path in addresses_of(season):
            found = client.get(path)
            other = client.get(path.replace(f"/leagues/{season.league_id}/", nowhere))
            status = 404 if "sessionid" in client.cookies else 302
            assert (found.status_code, other.status_code) == (status, status), path
            if status == 302:
                assert found["Location"] == f"/accounts/login/?next={path}"
                assert other["Location"] == found["Location"].replace(
                    f"/leagues/{season.league_id}/", nowhere
                )
            assert TOKEN.sub(b"", found.content) == TOKEN.sub(b"", other.content), path


@pytest.mark.long
def test_no_one_outside_changes_anything_in_it(wall: Wall, players: list[User], signed_in: Any) -> None:
    season = a_club(players, wall)
    before = season.entries.count(), season.substitutes.count()
    for client in outsiders(signed_in):
        for name in ("sign_up", "confirm", "leave", "withdraw", "volunteer", "stop_volunteering"):
            answer = client.post(reverse(f"season_{name}", args=[season.league_id, 1]))
            assert answer.status_code == 404 or answer["Location"].startswith("/accounts/login/")
    assert (season.entries.count(), season.substitutes.count()) == before


@pytest.mark.long
def test_its_people_read_all_of_it_and_no_one_keeps_it(
    wall: Wall, players: list[User], signed_in: Any
) -> None:
    season = a_club(players, wall)
    for user in (players[1], world.person("Ugo"), world.person("Helga")):
        for path in addresses_of(season):
            answer = signed_in(user).get(path)
            assert answer.status_code == 200, path
            assert "no-store" in answer["Cache-Control"]
            assert "noindex" in answer["X-Robots-Tag"]
        assert "Night club" in text_of(signed_in(user), reverse("player", args=[players[1].pk]))
    assert "Night club" in text_of(signed_in(players[1]), "/leagues/")


def test_someone_who_came_by_its_link_reads_it_and_finds_nobodys_page(
    wall: Wall, players: list[User], signed_in: Any
) -> None:
    season = a_club(players, wall)
    client = signed_in(world.person("Somebody"))
    client.get(reverse("join_league", args=[season.league.join_key]))
    page = league_pages.read(client, f"/leagues/{season.league_id}/season/1/division/1/")
    assert "Anna" in page
    assert "/leagues/players/" not in page
    assert client.get(reverse("player", args=[players[0].pk])).status_code == 404


def test_a_rating_is_no_way_to_somebodys_page(wall: Wall, players: list[User]) -> None:
    Rating.objects.create(user=players[0], edition="2007", mu=30, sigma=3, tables=9)
    assert Client().get(reverse("player", args=[players[0].pk])).status_code == 404


def test_a_public_leagues_feed_says_nothing_of_another(
    wall: Wall, players: list[User], public: Season
) -> None:
    before = Client().get(feed_path(public.league)).content
    a_club(players, wall)
    assert Client().get(feed_path(public.league)).content == before


# An anonymous table

MASKED = world.TERMS | {"is_anonymous": True, "watch": "anyone"}


@pytest.fixture
def masks(players: list[User]) -> Season:
    return season_of(world.a_league(world.person("Olga"), "Masks"), players, terms=MASKED)


def exchanged(row: LeagueTable) -> None:
    """The people of a table sit elsewhere than they sat: each has the seat of the next."""
    seats = list(row.table.seats.order_by("number"))
    people = [seat.user_id for seat in seats]
    entries = {
        assignment.entry.user_id: assignment.entry_id
        for assignment in row.assignments.select_related("entry")
    }
    Seat.objects.filter(table=row.table_id).update(user=None)
    SeatAssignment.objects.filter(table=row).delete()
    for seat, user in zip(seats, [*people[1:], people[0]], strict=True):
        Seat.objects.filter(pk=seat.pk).update(user=user)
        SeatAssignment.objects.create(table=row, position=seat.number, entry_id=entries[user])


def all_told(season: Season, players: list[User]) -> list[str]:
    return [*addresses_of(season), *shared_addresses(players)]


@pytest.mark.long
def test_no_page_tells_who_sits_in_which_seat_before_the_table_is_over(
    masks: Season, players: list[User], signed_in: Any
) -> None:
    row = table_of(masks, players)
    play_until(world.game_at(row), lambda state, decision: state.ply > 30)
    readers = [Client(), signed_in(world.person("Olga")), signed_in(world.person("Somebody"))]
    before = [bytes_at(iter(all_told(masks, players)), client) for client in readers]
    exchanged(row)
    after = [bytes_at(iter(all_told(masks, players)), client) for client in readers]
    assert before == after
    page = f"/leagues/{masks.league_id}/season/1/division/1/round/1/table/1/"
    assert re.findall(r">(Anna|Bruno|Carla)<", before[0][page][1].decode()) == ["Anna", "Bruno", "Carla"]


@pytest.mark.long
def test_a_fellow_player_is_told_no_more(masks: Season, players: list[User], signed_in: Any) -> None:
    """Their own seat stays where it is; the other two change theirs."""
    row = table_of(masks, players)
    mine = row.table.seats.get(user=players[0])
    others = list(row.table.seats.exclude(pk=mine.pk).order_by("number"))
    client = signed_in(players[0])
    paths = list(addresses_of(masks))
    before = bytes_at(iter(paths), client)
    assignments = [row.assignments.get(position=seat.number) for seat in others]
    people, entries = [seat.user_id for seat in others], [assignment.entry_id for assignment in assignments]
    Seat.objects.filter(pk__in=[seat.pk for seat in others]).update(user=None)
    SeatAssignment.objects.filter(pk__in=[assignment.pk for assignment in assignments]).delete()
    for seat, user, entry in zip(others, people[::-1], entries[::-1], strict=True):
        Seat.objects.filter(pk=seat.pk).update(user=user)
        SeatAssignment.objects.create(table=row, position=seat.number, entry_id=entry)
    assert bytes_at(iter(paths), client) == before


@pytest.mark.long
def test_a_seat_that_is_left_is_not_told_with_its_player(
    masks: Season, players: list[User], wall: Wall
) -> None:
    row = table_of(masks, players)
    before = bytes_at(iter(all_told(masks, players)))
    stay_away(row, players[1])
    tick()
    assert bytes_at(iter(all_told(masks, players))) == before


def test_when_it_is_over_everyone_is_named_with_their_seat(
    masks: Season, players: list[User], wall: Wall
) -> None:
    row = table_of(masks, players)
    world.finish(row)
    collect(row, wall.now)
    assert Table.objects.get(pk=row.table_id).state == Table.State.FINISHED
    words = text_of(Client(), f"/leagues/{masks.league_id}/season/1/division/1/round/1/table/1/")
    assert re.search(r"A (Anna|Bruno|Carla) .* B (Anna|Bruno|Carla) .* C (Anna|Bruno|Carla) ", words)
