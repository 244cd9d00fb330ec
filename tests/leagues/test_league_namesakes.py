"""Players of the same name are told apart wherever a league names them: on pages, in files, in emails and in
the log, by the number of their page."""

from __future__ import annotations

import csv
import json
from io import StringIO
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.mail.models import OutgoingEmail
from accounts.models import User
from games.leagues.emails.registration_emails import league_begins
from games.leagues.emails.season_emails import league_closed, league_table
from games.leagues.models import LeagueTable, Registration, Season, Standing
from games.leagues.services.withdrawals import expel
from tests.clocks.passing import Wall
from tests.leagues import league_pages, world
from tests.leagues.league_pages import division_path, path_of, read, text_of, words_of
from tests.leagues.tables_by_hand import seat, table
from tests.people import proven

pytestmark = pytest.mark.django_db


@pytest.fixture
def annas(wall: Wall) -> tuple[User, User]:
    """Anna, and another ANNA."""
    other = proven("another@example.org", "ANNA")
    return world.person("Anna"), other


@pytest.fixture
def season(annas: tuple[User, User]) -> Season:
    """The Annas play in two divisions, each at a table of her own that is over; a substitute called Anna has
    held a seat."""
    anna, other = annas
    third = proven("third@example.org", "Anna")
    bruno, carla = world.person("Bruno"), world.person("Carla")
    season = world.a_running_season(
        world.person("Olga"), [anna, bruno], [other, carla], size=2, rounds=1, most_divisions=2
    )
    for division, players in zip(season.divisions.all(), ([anna, bruno], [other, carla]), strict=True):
        (row,) = world.seat_by_hand(division.rounds.get(), players)
        held = [(third.pk, 2)] if players[0] == anna else []
        facts = table(row.pk, 1, seat(players[0].pk, 5, turns=6, then=held), seat(players[1].pk, 2, 2))
        league_pages.is_over(row, facts)
    return season


def third(season: Season) -> User:
    return User.objects.get(email="third@example.org")


def called(person: User) -> str:
    return f"{person.name} ({person.pk})"


def file_of(season: Season, level: int, name: str) -> bytes:
    return Client().get(division_path(season.divisions.get(level=level), name)).content


def test_a_standing_names_the_number_of_each(season: Season, annas: tuple[User, User]) -> None:
    for division, anna in zip(season.divisions.all(), annas, strict=True):
        rows = league_pages.rows_of(read(Client(), division_path(division)))
        assert called(anna) in [row[1] for row in rows]
        assert "Bruno" in [row[1] for row in rows] or "Carla" in [row[1] for row in rows]
    assert f"{called(third(season))} · Seat of {called(annas[0])}" in text_of(
        Client(), division_path(season.divisions.get(level=1))
    )


def test_so_do_rounds_and_tables_with_one_of_them_alone(season: Season, annas: tuple[User, User]) -> None:
    for level, anna in enumerate(annas, start=1):
        for path in (path_of("round", season, level, 1), path_of("league_table", season, level, 1, 1)):
            assert called(anna) in text_of(Client(), path)


def test_someone_whose_name_only_looks_the_same_is_told_apart_too(
    season: Season, annas: tuple[User, User]
) -> None:
    User.objects.filter(pk=third(season).pk).update(name="Tanja")
    User.objects.filter(pk=annas[1].pk).update(name="\u1d00nna")
    for level, anna in enumerate(annas, start=1):
        anna.refresh_from_db()
        assert called(anna) in text_of(Client(), path_of("round", season, level, 1))
    User.objects.filter(pk=annas[1].pk).update(name="Antonia")
    assert called(annas[0]) not in text_of(Client(), path_of("round", season, 1, 1))


def test_every_file_has_the_numbers_of_players(season: Season, annas: tuple[User, User]) -> None:
    anna = annas[0]
    lines = list(csv.DictReader(StringIO(file_of(season, 1, "division_csv").decode("utf-8-sig"))))
    assert [line["Player"] for line in lines if line["Player number"] == str(anna.pk)] == [called(anna)]
    found = json.loads(file_of(season, 1, "division_json"))
    assert [line["player"] for line in found["standing"] if line["number"] == anna.pk] == [called(anna)]
    (helped,) = found["helped"]
    assert (helped["number"], helped["in_the_seat_of_number"]) == (third(season).pk, anna.pk)
    seating = json.loads(file_of(season, 1, "division_seating"))
    assert {"number": anna.pk, "name": called(anna)} in seating["players"]


def test_an_organiser_sees_whom_is_expelled(season: Season, annas: tuple[User, User], signed_in: Any) -> None:
    desk = signed_in(world.person("Olga"))
    people = words_of(read(desk, path_of("season_players", season)))
    for anna in annas:
        assert called(anna) in people
        entry = season.entries.get(user=anna)
        page = read(desk, reverse("entry_expel", args=[season.league_id, entry.pk]))
        assert f"Expel {called(anna)} from season 1" in words_of(page)


def test_the_log_says_who_was_expelled(season: Season, annas: tuple[User, User]) -> None:
    expel(season.entries.get(user=annas[1]), world.person("Olga"), "They are rude.")
    log = text_of(Client(), reverse("league_log", args=[season.league_id]))
    assert called(annas[1]) in log


def test_emails_tell_them_apart(season: Season, annas: tuple[User, User]) -> None:
    bruno = season.entries.get(user__name="Bruno")
    table = season.divisions.get(level=1).rounds.get().tables.get()
    assert bruno.division is not None
    Standing.objects.create(
        division=bruno.division, entry=season.entries.get(user=annas[0]), place=1, points="6"
    )
    email = OutgoingEmail(to_user=bruno.user, context={"tables": [table.pk], "entry": bruno.pk})
    LeagueTable.objects.update(collected_at=None)
    begins, begun = league_begins(email), league_table(email)
    Season.objects.update(state=Season.State.CLOSED)
    closed = league_closed(email)
    assert begins is not None
    assert begun is not None
    assert closed is not None
    assert begins.context["listed"] == [called(annas[0])]
    assert called(annas[0]) in begun.context["listed"][0]
    assert [row[1] for row in closed.context["rows"]] == [called(annas[0])]


def test_a_league_names_the_numbers_of_winner_and_organisers(
    season: Season, annas: tuple[User, User]
) -> None:
    season.league.organisers.create(user=annas[1])
    winner = season.entries.get(user=annas[0])
    assert winner.division is not None
    Standing.objects.create(division=winner.division, entry=winner, place=1, points="6")
    Season.objects.update(state=Season.State.CLOSED, closed_at=season.begins_at)
    page = text_of(Client(), reverse("league", args=[season.league_id]))
    assert f"Winner: {called(annas[0])}" in page
    assert f"Olga, {called(annas[1])}" in page
    feed = Client().get(reverse("league_feed", args=[season.league_id])).content.decode()
    assert f"{called(annas[0])} won" in feed


def test_someone_who_shares_no_name_has_no_number(season: Season) -> None:
    page = read(Client(), division_path(season.divisions.get(level=1)))
    assert f"Bruno ({world.person('Bruno').pk})" not in words_of(page)
    assert Registration.objects.filter(season=season, user__name="Bruno").exists()
