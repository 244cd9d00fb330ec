"""A division's seating as a file, of seasons played by the real commands, and the command that seats every
round again from it: run as anyone would, by Python alone."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from games.leagues.models import LeagueTable, Registration, Season
from games.leagues.results.drawn_rounds import FirstDraw
from games.leagues.services.awards import award
from games.leagues.services.league_tick import run_seasons
from games.leagues.services.left_places import fill_gap
from games.leagues.services.withdrawals import withdraw
from tests.clocks.passing import Wall
from tests.leagues import world
from tests.leagues.league_pages import division_path, read
from tests.leagues.world import DAY
from tests.servers import HANGS
from tests.tidy import tidy

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.django_db

File = dict[str, Any]
Checked = tuple[int, list[str]]


def command(*arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run without anything that is installed, and without any setting."""
    line = [sys.executable, "-S", "-m", "games.leagues.seating", *arguments]
    return subprocess.run(
        line, cwd=ROOT, env={}, input=given, capture_output=True, timeout=HANGS, check=False
    )


def checked(file: object) -> Checked:
    """The exit status, and what is said of the rounds; the seed comes first."""
    done = command("-", given=json.dumps(file).encode())
    assert done.stderr == b""
    seed, *lines = done.stdout.decode().splitlines()
    assert seed.startswith("the seed is ")
    return done.returncode, lines


def file_of(season: Season) -> File:
    return dict(json.loads(read(Client(), division_path(season.divisions.get(), "division_seating"))))


def a_season(wall: Wall, count: int, **plan: Any) -> Season:
    """So many play, and the first round has begun."""
    season = world.a_running_season(world.person("Olga"), world.people(count), **plan)
    run_seasons(wall.now)
    return season


def play_on(season: Season, wall: Wall) -> None:
    """The tables that are played come to their ends, and the next begin."""
    world.finish_running(season)
    wall.now += DAY
    run_seasons(wall.now)


def entry(season: Season, name: str) -> Registration:
    return season.entries.get(user__name=name)


def as_drawn(*numbers: int) -> Checked:
    return 0, [f"round {number}: as drawn" for number in numbers]


# Seasons as they are played


def test_someone_who_leaves_a_balanced_season_changes_no_draw(wall: Wall) -> None:
    season = a_season(wall, 9, size=4, rounds=3)
    before = file_of(season)
    withdraw(entry(season, "Player05"))
    play_on(season, wall)
    assert file_of(season) == before
    assert checked(before) == as_drawn(1, 2, 3)


@pytest.mark.long
def test_a_swiss_season_that_someone_leaves_is_as_drawn(wall: Wall) -> None:
    season = a_season(wall, 9, size=4, rounds=3, format="swiss")
    gone = entry(season, "Player05")
    withdraw(gone)
    play_on(season, wall)
    file = file_of(season)
    assert [len(one["players"]) for one in file["rounds"]] == [9, 8]
    assert gone.user_id not in file["rounds"][1]["players"]
    play_on(season, wall)
    assert checked(file_of(season)) == as_drawn(1, 2, 3)


def test_a_season_that_someone_joins_late_is_as_drawn(wall: Wall) -> None:
    season = a_season(wall, 4, size=4, rounds=2, division_size=5)
    late = season.entries.create(user=world.person("Late"), state=Registration.State.WAITING)
    olga = season.league.organisers.get().user
    fill_gap(season.divisions.get(), olga, wall.now, "There is room.")
    play_on(season, wall)
    file = file_of(season)
    assert [late.user_id in one["players"] for one in file["rounds"]] == [False, True]
    assert checked(file) == as_drawn(1, 2)


@pytest.mark.parametrize("format_", [pytest.param("balanced", marks=pytest.mark.long), "swiss"])
def test_ten_in_fours_sit_at_smaller_tables_and_are_as_drawn(wall: Wall, format_: str) -> None:
    season = a_season(wall, 10, size=4, rounds=4, format=format_)
    play_on(season, wall)
    file = file_of(season)
    assert (file["file"], file["sized_for"]) == ("condottiere-seating-2", 4)
    assert {tuple(sorted(map(len, one["tables"]))) for one in file["rounds"]} == {(3, 3, 4)}
    assert checked(file) == as_drawn(*[one["round"] for one in file["rounds"]])


def test_a_season_that_an_older_release_began_keeps_its_sizes(
    wall: Wall, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as older:
        older.setattr(
            "games.leagues.services.round_draws.FirstDraw", lambda away, _rounds: FirstDraw(away, 1)
        )
        season = a_season(wall, 10, size=4, rounds=4, format="swiss")
    first = season.divisions.get().rounds.get(number=1)
    del first.draw["sized_for"]
    first.save()
    play_on(season, wall)
    file = file_of(season)
    assert [[len(table) for table in one["tables"]] for one in file["rounds"]] == [[5, 5], [5, 5]]
    assert file["file"] == "condottiere-seating-1"
    assert checked(file) == as_drawn(1, 2)


@pytest.mark.long
def test_swiss_rounds_are_as_drawn_by_what_everyone_had_then(wall: Wall) -> None:
    season = a_season(wall, 9, size=4, rounds=3, format="swiss", scoring="points")
    for _round in range(2):
        play_on(season, wall)
    file = file_of(season)
    assert set(file["rounds"][0]["scores"].values()) == {"0"}
    assert len(set(file["rounds"][1]["scores"].values())) > 2
    assert checked(file) == as_drawn(1, 2, 3)
    file["rounds"][1]["scores"][str(file["rounds"][1]["players"][0])] = "1000"
    assert checked(file)[0] == 1


@pytest.mark.long
def test_what_is_awarded_afterwards_changes_no_seating(wall: Wall) -> None:
    season = a_season(wall, 8, size=4, rounds=2, format="swiss", scoring="points")
    play_on(season, wall)
    before = file_of(season)
    table = season.divisions.get().rounds.get(number=1).tables.get(number=1)
    award(table, season.league.organisers.get().user, [90, 0, 50, 0], "It was agreed.")
    assert file_of(season) == before
    assert checked(before) == as_drawn(1, 2)


@pytest.mark.long
def test_duels_of_everyone_with_everyone_are_as_drawn(wall: Wall) -> None:
    season = a_season(wall, 4, size=2, rounds=3, format="all")
    for _round in range(2):
        play_on(season, wall)
    file = file_of(season)
    assert len({frozenset(table) for one in file["rounds"] for table in one["tables"]}) == 6
    assert checked(file) == as_drawn(1, 2, 3)


@pytest.mark.long
def test_too_few_for_a_table_of_the_seasons_size_are_seated_as_drawn(wall: Wall) -> None:
    season = a_season(wall, 4, size=4, rounds=3, format="swiss")
    for left, name in ((3, "Player02"), (2, "Player03")):
        withdraw(entry(season, name))
        play_on(season, wall)
        assert len(file_of(season)["rounds"][-1]["players"]) == left
    assert checked(file_of(season)) == as_drawn(1, 2, 3)


def test_the_draw_of_anonymous_tables_is_shown_and_betrays_no_seat(wall: Wall) -> None:
    season = a_season(wall, 4, size=4, rounds=4, terms=world.TERMS | {"is_anonymous": True})
    for _round in range(3):
        play_on(season, wall)
    file = file_of(season)
    seats = [
        list(row.game_table.seats.order_by("number").values_list("user", flat=True))
        for row in LeagueTable.objects.filter(table__isnull=False).order_by("round__number")
    ]
    assert [one["tables"][0] for one in file["rounds"]] != seats
    assert checked(file) == as_drawn(1, 2, 3, 4)


# What was changed is found


@pytest.fixture
def file(wall: Wall) -> File:
    """Nine in fours, two rounds."""
    season = a_season(wall, 9, size=4, rounds=2)
    return file_of(season)


def other_seat(file: File) -> None:
    table = file["rounds"][1]["tables"][0]
    table[1], table[2] = table[2], table[1]


def other_table(file: File) -> None:
    one, other = file["rounds"][1]["tables"]
    one[0], other[0] = other[0], one[0]


def other_bye(file: File) -> None:
    round_ = file["rounds"][1]
    round_["byes"].append(round_["tables"][0].pop())


def other_player(file: File) -> None:
    round_ = file["rounds"][1]
    stranger, gone = max(round_["players"]) + 1, round_["tables"][1][3]
    round_["tables"][1][3] = stranger
    round_["players"] = [stranger if player == gone else player for player in round_["players"]]


def other_players_listed(file: File) -> None:
    file["rounds"][1]["players"].pop()


def one_table_less(file: File) -> None:
    file["rounds"][1]["tables"].pop()


@pytest.mark.parametrize(
    "changed",
    [
        other_seat,
        other_bye,
        other_table,
        other_player,
        other_players_listed,
        one_table_less,
    ],
)
@pytest.mark.long
def test_a_round_that_is_another_is_told(file: File, changed: Callable[[File], None]) -> None:
    assert checked(file) == as_drawn(1, 2)
    changed(file)
    status, lines = checked(file)
    assert status == 1
    assert lines[0] == "round 1: as drawn"
    assert all(line.startswith("round 2: ") and ", but the seed draws " in line for line in lines[1:])


@pytest.mark.long
def test_it_is_told_who_sits_where_and_who_should(file: File) -> None:
    names = {one["number"]: one["name"] for one in file["players"]}
    drawn = file["rounds"][1]["tables"][0][:]
    other_seat(file)
    found = file["rounds"][1]["tables"][0]
    one, other = (", ".join(f"{names[who]} ({who})" for who in table) for table in (found, drawn))
    assert checked(file)[1][1:] == [f"round 2: table 1 has {one}, but the seed draws {other}"]


@pytest.mark.long
def test_another_seed_seats_others(file: File) -> None:
    file["seed"] = "0" * 64
    status, lines = checked(file)
    assert status == 1
    assert "round 1: as drawn" not in lines


def test_swiss_rounds_without_scores_are_not_called_as_drawn(file: File) -> None:
    file["format"] = "swiss"
    status, lines = checked(file)
    assert status == 1
    assert lines[1] == "round 2: not checked, for the file does not say what everybody had before it"


# What cannot be read


def broken(change: Callable[[File], object]) -> Callable[[File], bytes]:
    def made(file: File) -> bytes:
        change(copy := deepcopy(file))
        return json.dumps(copy).encode()

    return made


UNREADABLE: list[Callable[[File], bytes]] = [
    lambda _file: b"",
    lambda _file: b"\xff\xfe\xfd",
    lambda _file: b"[" * 200_000,
    lambda _file: b"[]",
    broken(lambda file: file.update(file="other")),
    broken(lambda file: file.pop("rounds")),
    broken(lambda file: file.update(seed="x")),
    broken(lambda file: file.update(size=7)),
    broken(lambda file: file.update(rounds_planned=1)),
    broken(lambda file: file["rounds"][0].update(players=[1, 1, 2])),
    broken(lambda file: file["rounds"][0].update(tables=[[]])),
    broken(lambda file: file.update(file="condottiere-seating-2", sized_for="4")),
    broken(lambda file: file.update(file="condottiere-seating-2", sized_for=None)),
    broken(lambda file: file["rounds"][0].update(scores={"1": "1/0"})),
]


@pytest.mark.long
def test_what_cannot_be_read_is_said_in_a_sentence(file: File) -> None:
    for make in UNREADABLE:
        done = command("-", given=make(file))
        said = done.stderr.decode()
        assert (done.returncode, done.stdout) == (2, b""), said
        assert said.startswith("cannot read '-' as a seating file (condottiere-seating-2): ")
        assert said.count("\n") == 1


def test_a_file_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    done = command(str(tmp_path / "none.json"))
    assert done.returncode == 2
    assert done.stderr.startswith(b"cannot read ")
    assert done.stderr.count(b"\n") == 1


@pytest.mark.long
def test_a_file_is_read_by_its_name(file: File, tmp_path: Path) -> None:
    (tmp_path / "seating.json").write_text(json.dumps(file))
    assert command(str(tmp_path / "seating.json")).returncode == 0


@pytest.mark.long
def test_no_name_commands_the_terminal(file: File) -> None:
    file["players"][0]["name"] = "\x1b[2J\nround 9: as drawn"
    other_seat(file)
    other_table(file)
    status, lines = checked(file)
    assert status == 1
    assert not any("\x1b" in line or line.startswith("round 9") for line in lines)


# Where it is found


def test_its_pages_lead_to_it(wall: Wall) -> None:
    season = a_season(wall, 4, rounds=1)
    division = season.divisions.get()
    words = "Download the seating as a file"
    link = f'<a href="{division_path(division, "division_seating")}">{words}</a>'
    season_page = f"/leagues/{season.league_id}/season/{season.number}/"
    for path in (division_path(division), season_page):
        page = tidy(read(Client(), path))
        assert link in page
        assert "<code>python -m games.leagues.seating FILE</code>" in page
    assert "attachment" in Client().get(division_path(division, "division_seating"))["Content-Disposition"]


def test_a_season_of_divisions_leads_to_each(wall: Wall) -> None:
    players = world.people(8)
    season = world.a_running_season(
        world.person("Olga"), players[:4], players[4:], rounds=1, most_divisions=2
    )
    page = tidy(read(Client(), f"/leagues/{season.league_id}/season/{season.number}/"))
    for division in season.divisions.all():
        path = division_path(division, "division_seating")
        assert f'<a href="{path}">Division {division.letter}</a>' in page
        assert json.loads(read(Client(), path))["division"] == division.letter


def test_of_a_private_league_no_one_outside_gets_it(wall: Wall) -> None:
    season = a_season(wall, 4, rounds=1)
    season.league.is_private = True
    season.league.save()
    path = division_path(season.divisions.get(), "division_seating")
    assert Client().get(path)["Location"].startswith("/accounts/login/")
    member = Client()
    member.force_login(entry(season, "Player01").user)
    assert "no-store" in member.get(path)["Cache-Control"]


def test_it_asks_as_often_for_many_rounds_and_players_as_for_few(wall: Wall) -> None:
    counts = []
    for players, rounds in ((3, 1), (9, 3)):  # in both someone sits out
        season = a_season(wall, players, rounds=rounds, size=2)
        path = division_path(season.divisions.get(), "division_seating")
        with CaptureQueriesContext(connection) as captured:
            assert len(json.loads(read(Client(), path))["rounds"]) == rounds
        counts.append(len(captured))
    assert counts[0] == counts[1] <= 14
