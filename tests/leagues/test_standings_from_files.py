"""A standing recomputed from its public file alone, by docs/LEAGUES.md and nothing of the site's own code."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Callable, Sequence
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

pytestmark = pytest.mark.django_db
NONE = Fraction(0)
File = dict[str, Any]


# What anyone can do with the file


def mean(numbers: Sequence[Fraction]) -> Fraction:
    return sum(numbers, NONE) / len(numbers) if numbers else NONE


def points_of_seats(file: File, table: File) -> list[Fraction]:
    """Return each seat's points at a table, before holders share them."""
    seats, scoring, given = table["seats"], file["rules"]["scoring"], []
    scale = [Fraction(points) for points in file["rules"]["places"][str(len(seats))]]
    winners = sum(seat["won"] for seat in seats)
    for seat in seats:
        better = sum(other["place"] < seat["place"] for other in seats)
        among = sum(other["place"] == seat["place"] for other in seats)
        own = {
            "points": Fraction(seat["regions"] + seat["bonus"]),
            "placement": sum(scale[better : better + among], NONE) / among,
            "wins": Fraction(1, winners) if seat["won"] else NONE,
        }[scoring]
        played = NONE if table["how"] == "abandoned" else own
        given.append(played if seat["awarded"] is None else Fraction(seat["awarded"]))
    return given


def part_of_first(file: File, seat: File) -> Fraction:
    """Return the first holder's share of a seat."""
    first, last, split = seat["held_by"][0], seat["held_by"][-1], file["rules"]["split"]
    turns = sum(one["turns"] for one in seat["held_by"])
    if split == "finisher":
        return Fraction(first["number"] == last["number"])
    if split == "starter" or not turns:
        return Fraction(1)
    return Fraction(sum(one["turns"] for one in seat["held_by"] if one["number"] == first["number"]), turns)


def results(file: File) -> dict[int, list[File]]:
    """Return each player's points and opponents at each table."""
    found: dict[int, list[File]] = {line["number"]: [] for line in file["standing"]}
    for table in file["tables"]:
        seated = [seat["held_by"][0]["number"] for seat in table["seats"]]
        counts, winners = table["how"] != "abandoned", sum(seat["won"] for seat in table["seats"])
        for seat, points in zip(table["seats"], points_of_seats(file, table), strict=True):
            number, part = seat["held_by"][0]["number"], part_of_first(file, seat)
            result = {
                "points": points * part,
                "wins": part / winners if seat["won"] and counts else NONE,
                "regions": part * seat["regions"] * counts,
                "met": [other for other in seated if other != number and other in found],
            }
            found[number].append(result)
    return found


def totals(file: File, own: dict[int, list[Fraction]]) -> dict[int, Fraction]:
    """Return the points of each player, with byes."""
    seats = [points for table in file["tables"] for points in points_of_seats(file, table)]
    total = {number: sum(points, NONE) for number, points in own.items()}
    for bye in file["byes"]:
        if file["rules"]["bye"] == "average":
            typical = mean(seats)
            total[bye["number"]] += min(mean(own[bye["number"]] or seats), typical)
    return total


def reckoned(file: File) -> list[tuple[int, Fraction]]:
    """Return the players in order with their points."""
    found = results(file)
    own = {number: [one["points"] for one in found[number]] for number in found}
    total = totals(file, own)
    averages = {number: mean(points) for number, points in own.items()}

    def direct(group: set[int]) -> Callable[[int], Fraction]:
        met = {one: {other for result in found[one] for other in result["met"]} for one in group}
        if any(group - {one} - met[one] for one in group):
            return lambda _one: NONE
        return lambda one: mean([r["points"] for r in found[one] if group & set(r["met"])])

    values: dict[str, Callable[[int], Any]] = {
        "wins": lambda one: sum((result["wins"] for result in found[one]), NONE),
        "regions": lambda one: sum((result["regions"] for result in found[one]), NONE),
        "strength_of_schedule": lambda one: mean(
            [averages[met] for result in found[one] for met in result["met"]]
        ),
    }

    def lot(one: int) -> bytes:
        return hmac.digest(bytes.fromhex(file["seed"]), b"condottiere-lot-1 %d" % one, hashlib.sha256)

    def in_order(group: set[int], ties: Sequence[str]) -> list[int]:
        if len(group) < 2:
            return list(group)
        if ties[0] == "lot":
            return sorted(group, key=lot)
        value = direct(group) if ties[0] == "head_to_head" else values[ties[0]]
        parts = sorted({value(one) for one in group}, reverse=True)
        return [
            one for part in parts for one in in_order({one for one in group if value(one) == part}, ties[1:])
        ]

    order: list[int] = []
    out = {line["number"] for line in file["standing"] if line["state"] in ("withdrawn", "expelled")}
    for group in (set(found) - out, out):
        for points in sorted({total[one] for one in group}, reverse=True):
            order += in_order({one for one in group if total[one] == points}, file["rules"]["tie_breaks"])
    return [(one, total[one]) for one in order]


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
