"""Standings as files: the numbers of the page, harmless to spreadsheets; and what feed readers and calendar
programs fetch."""

from __future__ import annotations

import csv
import json
import re
from fractions import Fraction
from io import StringIO
from typing import Any
from xml.etree import ElementTree

import pytest
from django.test import Client
from django.utils import translation
from icalendar import Calendar

from condottiere_site.logs import without_tokens
from games.leagues.file_addresses import calendar_path, feed_key, feed_path, league_by_key
from games.leagues.models import League, LeagueTable, Season
from games.leagues.selectors.exact_numbers import as_people_read
from games.leagues.selectors.league_files import harmless
from games.leagues.services.season_end import close_season
from tests.clocks.passing import Wall
from tests.leagues import league_pages, world
from tests.leagues.league_pages import division_path, read, standing_of
from tests.leagues.world import DAY
from tests.shared import built_once

pytestmark = pytest.mark.sqlite
ATOM = "{http://www.w3.org/2005/Atom}"


built, db = built_once(lambda: league_pages.by_hand(world.person("Olga")), Wall())


@pytest.fixture
def season(wall: Wall, built: Season) -> Season:
    return Season.objects.get(pk=built.pk)


def lines_of(season: Season) -> list[dict[str, str]]:
    answer = Client().get(division_path(season.divisions.get(), "division_csv"))
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    assert answer["Content-Disposition"].startswith("attachment;")
    assert answer.content.startswith(b"\xef\xbb\xbf")
    return list(csv.DictReader(StringIO(answer.content.decode("utf-8-sig"), newline="")))


def json_of(season: Season) -> dict[str, Any]:
    answer = Client().get(division_path(season.divisions.get(), "division_json"))
    assert answer["Content-Type"] == "application/json"
    return dict(json.loads(answer.content))


def page_rows(season: Season) -> list[list[str]]:
    return standing_of(read(Client(), division_path(season.divisions.get())))


def test_a_spreadsheet_gets_the_numbers_of_the_page(season: Season) -> None:
    names = ("Place", "Player", "Points", "Round 1", "Round 2", "Round 3")
    assert [[line[name] for name in names] for line in lines_of(season)] == page_rows(season)
    assert [line["Points"] for line in lines_of(season)][4:6] == ["7.5", "7.5"]


@pytest.mark.parametrize("language", ["pl", "ru"])
def test_a_spreadsheet_that_writes_decimals_with_a_comma_gets_semicolons(
    season: Season, language: str
) -> None:
    client = Client(headers={"accept-language": language})
    answer = client.get(division_path(season.divisions.get(), "division_csv"))
    rows = list(csv.reader(StringIO(answer.content.decode("utf-8-sig"), newline=""), delimiter=";"))
    assert {len(row) for row in rows} == {len(lines_of(season)[0])}
    assert [row[4] for row in rows][5:7] == ["7,5", "7,5"]


def test_a_program_gets_the_numbers_of_the_page(season: Season) -> None:
    found = json_of(season)
    lines = [
        [
            str(line["place"]),
            line["player"],
            as_people_read(Fraction(line["points"]["exact"])),
            *(as_people_read(Fraction(one["points"]["exact"])) for one in line["rounds"]),
        ]
        for line in found["standing"]
    ]
    assert lines == page_rows(season)
    assert found["standing"][4]["points"] == {"exact": "15/2", "decimal": 7.5}
    assert found["standing"][3]["decided_by"] == {
        "by": "head_to_head",
        "value": {"exact": "1", "decimal": 1.0},
        "above": {"exact": "6", "decimal": 6.0},
    }


def test_both_files_have_the_same_numbers(season: Season) -> None:
    names = ("Player", "Points", "Regions", "Strength of schedule")
    of_csv = [tuple([line[name] for name in names]) for line in lines_of(season)]
    of_json = [
        (
            line["player"],
            *(
                as_people_read(Fraction(line[name]["exact"]))
                for name in ("points", "regions", "strength_of_schedule")
            ),
        )
        for line in json_of(season)["standing"]
    ]
    assert of_csv == of_json


def test_the_reasons_in_the_file_are_those_of_the_page(season: Season) -> None:
    page = read(Client(), division_path(season.divisions.get()))
    reasons = [one["why"] for line in json_of(season)["standing"] for one in line["rounds"]]
    assert len(reasons) == 24
    assert all(reason in page for reason in reasons)


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(A1)", "＝1+1", " =1+1"])
def test_no_name_becomes_a_formula(season: Season, name: str) -> None:
    anna = world.person("Anna")
    anna.name = name
    anna.save()
    (field,) = [
        line["Player"] for line in lines_of(season) if line["Player"].strip("' ").startswith(name.strip())
    ]
    assert field == f"'{name}"


@pytest.mark.parametrize(
    "name", ["Al;=1+1;", "Al,=1+1", "Al\t=1+1", "Al|@SUM(A1)", 'Al";=1+1', 'Al"=1+1', "Al; -1"]
)
def test_no_name_becomes_a_formula_whatever_separates_the_cells(season: Season, name: str) -> None:
    anna = world.person("Anna")
    anna.name = name
    anna.save()
    answer = Client().get(division_path(season.divisions.get(), "division_csv"))
    text = answer.content.decode("utf-8-sig")

    for quoting in (csv.QUOTE_MINIMAL, csv.QUOTE_NONE):
        for separator in ",;\t|":
            rows = csv.reader(StringIO(text, newline=""), delimiter=separator, quoting=quoting)
            cells = [cell.strip(' "') for row in rows for cell in row]
            assert [cell for cell in cells if cell.startswith(tuple("=+-@"))] == []
    assert '"Player"' in text


def test_files_have_no_places_before_the_first_result(wall: Wall) -> None:
    season = world.a_running_season(world.person("Olga"), world.people(4))
    assert {line["Place"] for line in lines_of(season)} == {""}
    assert [line["place"] for line in json_of(season)["standing"]] == [None] * 4


def test_other_fields_stay_as_they_are() -> None:
    fields = ["Anna", 'An"na, x', "", "7"]
    assert [harmless(field) for field in fields] == fields


def test_no_fraction_becomes_a_date() -> None:
    assert [harmless(Fraction(*one)) for one in ((15, 2), (161, 22))] == ["7.5", "7.32"]


def test_names_with_commas_quotes_and_lines_stay_in_their_field(season: Season) -> None:
    anna = world.person("Anna")
    anna.name = 'Anna, "the First" é'
    anna.save()
    assert anna.name in [line["Player"] for line in lines_of(season)]


# The feed


def entries_of(path: str) -> list[ElementTree.Element]:
    answer = Client().get(path)
    assert answer["Content-Type"] == "application/atom+xml; charset=utf-8"
    feed = ElementTree.fromstring(answer.content)
    assert feed.find(f"{ATOM}id") is not None
    assert feed.find(f"{ATOM}updated") is not None
    (self_link,) = [one.get("href") for one in feed.findall(f"{ATOM}link") if one.get("rel") == "self"]
    assert self_link == f"http://testserver{path}"
    return feed.findall(f"{ATOM}entry")


def titles_of(path: str) -> list[str]:
    return [str(entry.findtext(f"{ATOM}title")) for entry in entries_of(path)]


def close_all(season: Season, wall: Wall) -> None:
    for row in LeagueTable.objects.filter(round__division__season=season).order_by("round__number", "number"):
        wall.now += DAY
        row.collected_at = wall.now
        row.save()


def test_a_feed_tells_of_seasons_and_results_the_newest_first(season: Season, wall: Wall) -> None:
    close_all(season, wall)
    wall.now += DAY
    close_season(season, wall.now)
    path = feed_path(season.league)
    assert titles_of(path)[:4] == [
        "Season 1 has finished",
        "Season 1, round 3: table 2 is over",
        "Season 1, round 3: table 1 is over",
        "Season 1, round 2: table 2 is over",
    ]
    over = entries_of(path)[2]
    assert "Players: Anna, Carla, Elsa and Gina. Elsa won." in str(over.findtext(f"{ATOM}summary"))
    assert entries_of(path)[0].findtext(f"{ATOM}summary") == "Fabio won."


def test_each_entry_keeps_its_own_name_for_ever(season: Season, wall: Wall) -> None:
    path = feed_path(season.league)
    before = [entry.findtext(f"{ATOM}id") for entry in entries_of(path)]
    wall.now += DAY
    close_season(season, wall.now)
    after = [entry.findtext(f"{ATOM}id") for entry in entries_of(path)]
    assert set(before) < set(after)
    assert len(after) == len(set(after))


def test_a_league_of_which_nothing_is_to_be_told_has_a_feed(wall: Wall) -> None:
    assert titles_of(feed_path(world.a_league(world.person("Olga")))) == ["The league was created."]


def test_its_page_names_the_feed(season: Season) -> None:
    page = read(Client(), f"/leagues/{season.league_id}/")
    assert f'type="application/atom+xml" title="Autumn League" href="{feed_path(season.league)}"' in page


def test_a_name_with_marks_makes_no_broken_feed(wall: Wall) -> None:
    league = world.a_league(world.person("Olga"), "<b>&\"'")
    assert titles_of(feed_path(league)) == ["The league was created."]


# The calendar


def events_of(path: str) -> dict[str, Any]:
    answer = Client().get(path)
    assert answer["Content-Type"] == "text/calendar; charset=utf-8"
    events = Calendar.from_ical(answer.content).events
    assert len({event["UID"] for event in events}) == len(events)
    return {str(event["SUMMARY"]): event for event in events}


def test_a_calendar_has_the_last_end_of_the_tables_that_are_played(wall: Wall) -> None:
    season = world.a_running_season(
        world.person("Olga"), world.people(4), rounds=3, table_days=10, tables_at_once=2
    )
    world.begin(season)
    events = events_of(calendar_path(season.league))
    assert set(events) == {
        "Autumn League · Season 1 · First tables begin",
        "Autumn League · Season 1 · Last tables of round 1 end",
        "Autumn League · Season 1 · Last tables of round 2 end",
    }
    ends = events["Autumn League · Season 1 · Last tables of round 2 end"]
    assert ends.decoded("DTSTART") == wall.now + 10 * DAY
    assert ends["URL"] == f"http://testserver/leagues/{season.league_id}/season/1/"


def test_before_the_draw_a_calendar_has_the_days_of_signing_up(wall: Wall) -> None:
    season = world.a_season(world.a_league(world.person("Olga")))
    assert set(events_of(f"/leagues/{season.league_id}/dates.ics")) == {
        "Autumn League · Season 1 · Sign-up opens",
        "Autumn League · Season 1 · Sign-up ends",
        "Autumn League · Season 1 · Last day to confirm",
        "Autumn League · Season 1 · First tables begin",
    }


# By a key


@pytest.fixture
def club(wall: Wall) -> League:
    league = world.a_league(world.person("Olga"), "Night club", is_private=True)
    world.a_season(league)
    return league


def test_a_private_league_is_read_by_its_key(club: League) -> None:
    assert feed_key(club) in feed_path(club)
    assert titles_of(feed_path(club))
    assert len(events_of(calendar_path(club))) == 4


def test_files_are_in_the_language_of_the_page_that_named_them(club: League) -> None:
    with translation.override("ru"):
        feed, calendar = feed_path(club), calendar_path(club)
    assert all(re.search("[а-я]", title) for title in [*titles_of(feed), *events_of(calendar)])


def test_without_it_no_one_gets_its_feed_or_calendar(club: League) -> None:
    for name in ("news.atom", "dates.ics"):
        assert Client().get(f"/leagues/{club.pk}/{name}")["Location"].startswith("/accounts/login/")


def test_a_key_opens_its_own_league_alone(club: League) -> None:
    key = feed_key(club)
    other = world.a_league(world.person("Olga"), "Other club", is_private=True)
    assert league_by_key(key) == club
    stolen = f"{other.pk}-{key.partition('-')[2]}"
    for wrong in (stolen, f"{club.pk}-", f"{club.pk}", key[:-1], "x-y", f"{10**30}-x", club.join_key):
        assert league_by_key(wrong) is None
        assert Client().get(f"/leagues/feed/{wrong}.atom").status_code == 404


def test_the_key_is_not_the_joining_links_and_goes_with_it(club: League) -> None:
    key = feed_key(club)
    assert club.join_key not in key
    club.join_key = "another-key"
    assert feed_key(club) != key


def test_what_a_key_opens_is_stored_nowhere_and_the_key_is_not_logged(club: League) -> None:
    answer = Client().get(feed_path(club))
    assert "no-store" in answer["Cache-Control"]
    assert feed_key(club) not in without_tokens(f"GET {feed_path(club)} 200")
    assert feed_key(club) not in without_tokens(f"GET {calendar_path(club)} 200")


def test_what_everyone_gets_may_be_kept_for_a_while(season: Season) -> None:
    assert "public" in Client().get(feed_path(season.league))["Cache-Control"]
