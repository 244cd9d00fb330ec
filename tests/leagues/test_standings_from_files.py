"""A standing recomputed from its public file alone, by docs/LEAGUES.md and nothing of the site's own code."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from django.db import transaction
from django.test import Client

from games.leagues.models import LeagueTable, Registration, Season
from games.leagues.results.stored_facts import facts_json, facts_of
from games.leagues.scoring.table_facts import Holder, TableEnding
from games.leagues.services.awards import award
from tests.clocks.passing import Wall
from tests.leagues import league_pages, world
from tests.leagues.league_pages import division_path
from tests.recompute_season import recomputed

pytestmark = pytest.mark.django_db
File = dict[str, Any]


def reckoned(file: File) -> list[tuple[int, Fraction]]:
    """Return the players in order with their points."""
    return recomputed(file, file | {"players": file["standing"]})


# Seasons in which all of it happened


def eventful(**plan: Any) -> Season:
    """The season of eight, in which one sat out without a table, one with, seats changed hands, points were
    awarded, a table was abandoned and someone left."""
    olga = world.person("Olga")
    season = league_pages.by_hand(olga, **plan)
    division = season.divisions.get()
    rounds = list(division.rounds.all())
    late = [
        season.entries.create(user=world.person(name), division=division, state=Registration.State.PLAYING)
        for name in ("Ivo", "Jana", "Karl")
    ]
    for entry in (*late, season.entries.get(user__name="Anna")):
        rounds[0].byes.create(entry=entry)
    helper = world.person("Helper")
    tables = list(LeagueTable.objects.filter(round__division=division).select_related("round").order_by("pk"))
    changes = {1: ((4, helper.pk), (6, None)), 3: ((2, helper.pk), (0, None)), 4: ((0, helper.pk), (0, None))}
    for at, turns in changes.items():
        facts = facts_of(tables[at])
        later = [Holder(number, count) for count, number in turns]
        seat = replace(facts.seats[1], holders=(*facts.seats[1].holders, *later))
        tables[at].facts = facts_json(replace(facts, seats=(facts.seats[0], seat, *facts.seats[2:])))
        tables[at].save()
    tables[5].facts = facts_json(replace(facts_of(tables[5]), how=TableEnding.ABANDONED))
    tables[5].save()
    award(tables[0], olga, [None, 5, None, 2], "So it was agreed.")
    season.entries.filter(user__name="Gina").update(state=Registration.State.WITHDRAWN)
    return season


PLANS: list[dict[str, Any]] = [
    {},
    {"scoring": "points", "tie_breaks": ["strength_of_schedule", "regions", "lot"]},
    {"scoring": "wins", "split": "starter", "tie_breaks": ["head_to_head", "lot"]},
    {"scoring": "wins", "tie_breaks": ["lot"]},
    {"scoring": "points", "split": "finisher", "bye_points": "nothing"},
    {
        "placement": [5, 5, 2, 0],
        "tie_breaks": ["regions", "wins", "head_to_head", "strength_of_schedule", "lot"],
    },
]


def test_anyone_recomputes_a_standing_from_its_file(wall: Wall) -> None:
    season = eventful()
    for plan in PLANS:
        with transaction.atomic():
            Season.objects.filter(pk=season.pk).update(**plan)
            answer = Client().get(division_path(season.divisions.get(), "division_json"))
            transaction.set_rollback(True)
        file = json.loads(answer.content)
        assert len(file["standing"]) == 11
        said = [(line["number"], Fraction(line["points"]["exact"])) for line in file["standing"]]
        assert reckoned(file) == said, plan


def test_places_at_a_table_follow_from_what_its_seats_came_to(wall: Wall) -> None:
    season = eventful()
    file = json.loads(Client().get(division_path(season.divisions.get(), "division_json")).content)
    for table in file["tables"]:
        scored = [(not seat["won"], not seat["won"] and -seat["regions"]) for seat in table["seats"]]
        places = [1 + sum(other < own for other in scored) for own in scored]
        assert [seat["place"] for seat in table["seats"]] == places


def test_each_eventful_season_decides_by_what_its_rules_name(wall: Wall) -> None:
    """Check that the season above has ties, so that more than points is compared."""
    season = eventful(scoring="wins", tie_breaks=["head_to_head", "strength_of_schedule", "lot"])
    file = json.loads(Client().get(division_path(season.divisions.get(), "division_json")).content)
    decided = {line["decided_by"]["by"] for line in file["standing"] if line["decided_by"]}
    assert {"lot", "strength_of_schedule"} <= decided
