"""A small simulated season comes to its end and keeps what leagues promise; a broken promise is named."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
from django.conf import settings
from django.db import transaction

from games.leagues.models import LeagueTable, Registration, Season, Standing
from games.models import LogEntry, Seat, SeatChange
from tests.simulation.leagues import checks, habits
from tests.simulation.leagues.habits import Plan
from tests.simulation.leagues.report import printed
from tests.simulation.leagues.world import World

pytestmark = [pytest.mark.django_db, pytest.mark.once]

SMALL = Plan(players=16, divisions=2, rounds=2, size=4, seed=1)


def everything(world: World) -> list[str]:
    rounds = checks.over(world.league).select_related("division__season")
    at_closes = [told for round_ in rounds for told in checks.of_round(round_)]
    return [*at_closes, *checks.of_everything(world.league, world.delivered)]


def a_closed_table() -> LeagueTable:
    """One at which no one left their seat."""
    closed = LeagueTable.objects.filter(collected_at__isnull=False, awards=None)
    return closed.filter(table__games__seat_changes=None).order_by("pk")[0]


def alter_a_fact(world: World) -> None:
    table = a_closed_table()
    table.facts["seats"][0]["regions"] += 1
    table.save()


def give_a_place_twice(world: World) -> None:
    table = a_closed_table()
    table.facts["seats"][0]["place"] = table.facts["seats"][1]["place"] = 1
    table.facts["seats"][2]["place"] = 2
    table.facts["seats"][3]["place"] = 2
    table.save()


def seat_somebody_twice_in_a_round(world: World) -> None:
    one, other = a_closed_table().round.tables.all()[:2]
    entry = one.assignments.get(position=0).entry
    other.assignments.filter(position=0).update(entry=entry)


def take_players_out(world: World) -> None:
    a_closed_table().assignments.all().delete()


def seat_who_had_left(world: World) -> None:
    assignment = a_closed_table().assignments.get(position=0)
    began = assignment.table.begins_at
    Registration.objects.filter(pk=assignment.entry_id).update(
        state=Registration.State.WITHDRAWN, out_at=began - habits.DAY
    )


def keep_a_seat(world: World) -> None:
    table = LeagueTable.objects.running().order_by("pk")[0]
    out = Registration.objects.filter(pk=table.assignments.get(position=0).entry_id)
    out.update(state=Registration.State.EXPELLED)
    assert Seat.objects.filter(table=table.table_id, user=out.get().user_id).exists()


def play_on_after_leaving(world: World) -> None:
    table = a_closed_table()
    entry, game = table.assignments.get(position=0).entry, table.table.games.get()
    SeatChange.objects.create(game=game, seat=0, ply=0, before=entry.user, at=game.started_at)
    LogEntry.objects.filter(game=game, seat=0).update(via=LogEntry.Via.LINK)
    Registration.objects.filter(pk=entry.pk).update(
        state=Registration.State.WITHDRAWN, out_at=game.started_at
    )


def alter_points(world: World) -> None:
    Standing.objects.filter(place=1).update(points=str(Fraction(100)))


def write_twice(world: World) -> None:
    league = [one for one in world.delivered if one.kind == "league_table"]
    world.delivered.append(league[0]._replace(message_id="<another@example.org>"))


def send_twice(world: World) -> None:
    world.delivered.append(world.delivered[0])


def place_somebody_lower(world: World) -> None:
    season = Season.objects.get(number=2)
    upper, lower = season.divisions.order_by("level")
    kept = lower.entries.order_by("pk")[0]
    Registration.objects.filter(pk=kept.pk).update(reserved=1)
    upper.entries.update(reserved=None)


BROKEN: dict[Callable[[World], None], str] = {
    alter_a_fact: "its games say",
    give_a_place_twice: "its games say",
    seat_somebody_twice_in_a_round: "is in it 2 times",
    take_players_out: "people sit in 4 seats",
    seat_who_had_left: "plays after they have left",
    keep_a_seat: "still has a seat after they have left",
    play_on_after_leaving: "played on after they have left",
    alter_points: "its places are not those",
    write_twice: "league_table about",
    send_twice: "was sent 2 times",
    place_somebody_lower: "plays lower than the place that was kept for them",
}


@pytest.mark.long
def test_a_small_season_ends_keeps_its_promises_and_broken_ones_are_named() -> None:
    world = World(SMALL)
    world.live()
    assert world.problems == []
    report = "\n".join(printed(world.league, world.delivered, world.problems))
    assert "season 2 is running" in report
    assert "FAILED" not in report
    assert Season.objects.get(number=1).state == Season.State.CLOSED
    assert Registration.objects.filter(state=Registration.State.NO_SHOW).exists()
    delivered = list(world.delivered)
    for breaks, words in BROKEN.items():
        with transaction.atomic():
            breaks(world)
            assert [told for told in everything(world) if words in told], words
            transaction.set_rollback(True)
        world.delivered = list(delivered)
    assert everything(world) == []
    assert "FAILED: something broke" in "\n".join(printed(world.league, [], ["something broke"]))


def test_the_same_seed_gives_the_same_people() -> None:
    assert habits.drawn(SMALL) == habits.drawn(SMALL)
    assert habits.drawn(SMALL) != habits.drawn(Plan(players=16, seed=2))


@pytest.mark.parametrize(
    "wrong",
    [("--size", "2"), ("--rounds", "0"), ("--divisions", "0"), ("--players", "11"), ("--players", "999")],
)
@pytest.mark.long
def test_what_no_league_can_plan_is_refused(wrong: tuple[str, str], tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.simulation", "--league", *wrong],
        cwd=settings.BASE_DIR,
        env=os.environ | {"STATE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "at least" in done.stderr.lower() or "seats" in done.stderr
