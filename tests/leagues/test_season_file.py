"""Results that travel: a season's file, its ZIP, and standings inside pages of other sites."""

from __future__ import annotations

import json
import subprocess
import sys
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Any
from zipfile import ZipFile

import pytest
from django.db import transaction
from django.test import Client

from games.leagues.models import LeagueTable, Registration, Season
from games.leagues.results.stored_facts import facts_json
from games.leagues.scoring.scoring_methods import USUAL_TIE_BREAKS, TieBreak
from games.leagues.scoring.table_facts import Holder, SeatFacts, TableEnding, TableFacts, places_of
from games.leagues.services.awards import award
from games.models import Table
from tests import recompute_season
from tests.clocks.passing import Wall
from tests.leagues import world
from tests.leagues.league_pages import division_path, path_of, read, rows_of
from tests.leagues.test_standings_from_files import PLANS, eventful
from tests.recompute_season import recomputed, stated
from tests.servers import HANGS

pytestmark = pytest.mark.django_db


def file_of(season: Season, client: Client | None = None) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(read(client or Client(), path_of("season_json", season)))
    return data


def test_anyone_recomputes_a_season_from_its_file(wall: Wall) -> None:
    season = eventful()
    for plan in PLANS:
        with transaction.atomic():
            Season.objects.filter(pk=season.pk).update(**plan)
            file = file_of(season)
            transaction.set_rollback(True)
        (division,) = file["divisions"]
        assert len(division["standing"]) == 11
        assert recomputed(file, division) == stated(division), plan


def test_the_script_alone_does_it(wall: Wall, tmp_path: Path) -> None:
    """It is short, imports nothing of the site, and finds a changed number."""
    script = Path(recompute_season.__file__)
    lines = script.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 200
    assert not [line for line in lines if line.startswith(("from games", "from tests", "import django"))]
    file, path = file_of(eventful()), tmp_path / "season.json"
    path.write_text(json.dumps(file), encoding="utf-8")
    right = _run(script, path)
    assert right.returncode == 0, right.stderr
    assert "Anna" in right.stdout
    assert _run(script, path, "--as-played").stdout != right.stdout  # an award changed points
    file["divisions"][0]["standing"][0]["points"]["exact"] = "99"
    path.write_text(json.dumps(file), encoding="utf-8")
    assert _run(script, path).returncode == 1


def _run(script: Path, path: Path, *more: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-I", str(script), str(path), *more]
    return subprocess.run(command, capture_output=True, text=True, timeout=HANGS, check=False)


def test_a_corrected_table_is_there_as_played_and_as_corrected(wall: Wall) -> None:
    season = eventful()
    tables = file_of(season)["divisions"][0]["tables"]
    (corrected,) = [one for one in tables if one["as_played"]]
    assert [seat["awarded"] for seat in corrected["seats"]] == [None, "5", None, "2"]
    assert [seat["awarded"] for seat in corrected["as_played"]["seats"]] == [None] * 4
    assert corrected["winners"] == [
        seat["held_by"][0]["number"] for seat in corrected["seats"] if seat["won"]
    ]
    assert "So it was agreed." not in json.dumps(tables)  # for the league's people only


def _some_facts(row: LeagueTable, rng: Random, substitute: int) -> TableFacts:
    """Return a random result of a table, in which seats change hands and players tie."""
    seated = list(row.assignments.order_by("position").values_list("entry__user_id", flat=True))
    winners = sorted(rng.sample(range(len(seated)), rng.choice([0, 1, 1, 1, 2])))
    regions = [rng.randrange(6) for _seat in seated]
    bonus = 5 if len(winners) == 1 and rng.random() < 0.5 else 0
    scores = [held + bonus * (seat in winners) for seat, held in enumerate(regions)]
    places, seats = places_of(scores, winners), []
    for seat, player in enumerate(seated):
        holders = [Holder(player, rng.randrange(9))]
        if rng.random() < 0.2:
            holders.append(Holder(rng.choice([None, substitute]), rng.randrange(9)))
        won = seat in winners
        seats.append(SeatFacts(tuple(holders), regions[seat], bonus if won else 0, won, places[seat]))
    how = rng.choice([*[TableEnding.RULES] * 5, TableEnding.ABANDONED, TableEnding.ADJUDICATED])
    return TableFacts(row.pk, row.round.number, tuple(seats), how)


def _simulated(rng: Random, wall: Wall, number: int) -> Season:
    """Return a season that the site drew, with random rules, results, awards, byes and people who leave."""
    olga, substitute = world.person(f"Olga{number}"), world.person(f"Sub{number}")
    size, divisions = rng.choice([2, 3, 4, 5]), rng.choice([1, 2])
    ties = rng.sample(USUAL_TIE_BREAKS[:-1], rng.randrange(5))
    players = [
        world.people(rng.randrange(size * 2, size * 2 + 4), f"P{number}{level}") for level in range(divisions)
    ]
    season = world.a_running_season(
        olga,
        *players,
        size=size,
        rounds=3,
        tables_at_once=4,
        division_size=20,
        most_divisions=divisions,
        format=rng.choice([Season.Format.BALANCED, Season.Format.SWISS]),
        scoring=rng.choice(list(Season.Scoring)),
        placement=rng.choice([[], list(range(2 * size, size, -1))]),
        tie_breaks=[*ties, TieBreak.LOT],
        split=rng.choice(list(Season.Split)),
        bye_points=rng.choice(list(Season.ByePoints)),
    )
    for _round in range(3):
        world.begin(season)
        running = LeagueTable.objects.running().filter(round__division__season=season)
        for row in running.select_related("round"):
            row.facts, row.collected_at = facts_json(_some_facts(row, rng, substitute.pk)), wall.now
            row.save()
            Table.objects.filter(pk=row.table_id).update(state=Table.State.FINISHED)
            if rng.random() < 0.2:
                points = [rng.choice([None, rng.randrange(9)]) for _seat in row.assignments.all()]
                award(LeagueTable.objects.get(pk=row.pk), olga, points, "So it was agreed.")
        if rng.random() < 0.3:
            leaving = season.entries.filter(state=Registration.State.PLAYING).order_by("pk").first()
            season.entries.filter(pk=leaving and leaving.pk).update(state=Registration.State.WITHDRAWN)
    return season


@pytest.mark.parametrize("seasons", [1, pytest.param(10, marks=pytest.mark.long)])
def test_simulated_seasons_of_different_rules_are_recomputed_exactly(wall: Wall, seasons: int) -> None:
    rng, tables = Random(42), 0
    for number in range(seasons):
        season = _simulated(rng, wall, number)
        file = file_of(season)
        for division in file["divisions"]:
            tables += len(division["tables"])
            assert recomputed(file, division) == stated(division), file["rules"]
    assert tables >= 6 * seasons


def test_the_zip_has_all_files_of_the_season_and_the_same_bytes_each_time(wall: Wall) -> None:
    season = eventful()
    client = Client()
    archive = ZipFile(BytesIO(client.get(path_of("season_zip", season)).content))
    assert archive.namelist() == ["season.json", "A/standing.csv", "A/seating.json"]
    assert json.loads(archive.read("season.json")) == file_of(season)
    division = season.divisions.get()
    assert archive.read("A/standing.csv") == client.get(division_path(division, "division_csv")).content
    assert (
        json.loads(archive.read("A/seating.json"))
        == client.get(division_path(division, "division_seating")).json()
    )
    assert (
        client.get(path_of("season_zip", season)).content == client.get(path_of("season_zip", season)).content
    )


def test_pages_of_other_sites_may_read_public_files_and_no_private_ones(wall: Wall) -> None:
    season, anna = eventful(), Client()
    anna.force_login(season.entries.get(user__name="Anna").user)
    division = season.divisions.get()
    paths = [
        path_of("season_json", season),
        path_of("season_zip", season),
        *[division_path(division, name) for name in ("division_csv", "division_json", "division_seating")],
        f"/leagues/{season.league_id}/news.atom",
        f"/leagues/{season.league_id}/dates.ics",
    ]
    for path in paths:
        answer = Client().get(path)
        assert (answer.status_code, answer["Access-Control-Allow-Origin"]) == (200, "*"), path
    assert "Access-Control-Allow-Origin" not in Client().get(division_path(division))
    season.league.is_private = True
    season.league.save()
    for path in paths:
        answer = anna.get(path)
        assert answer.status_code == 200, path
        assert "Access-Control-Allow-Origin" not in answer, path
        assert "private" in answer["Cache-Control"], path


def test_only_the_embedded_standings_may_be_framed_elsewhere(wall: Wall) -> None:
    season, anna = eventful(), Client()
    anna.force_login(season.entries.get(user__name="Anna").user)
    division = season.divisions.get()
    path = division_path(division, "division_embed")
    answer = anna.get(path)
    assert "frame-ancestors *" in answer["Content-Security-Policy"]
    assert "X-Frame-Options" not in answer
    assert answer.content == Client().get(path).content  # the same for everyone
    assert b"<form" not in answer.content
    assert rows_of(answer.content.decode()) == rows_of(read(Client(), division_path(division)))
    assert "Punkty" in read(Client(), f"{path}?in=pl")
    page = anna.get(division_path(division))
    assert "frame-ancestors 'none'" in page["Content-Security-Policy"]
    assert page["X-Frame-Options"] == "DENY"
    season.league.is_private = True
    season.league.save()
    assert anna.get(path).status_code == 404
    assert "embed" not in read(anna, division_path(division))
