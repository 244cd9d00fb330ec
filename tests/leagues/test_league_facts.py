"""The results of a table's games: holders and turns, regions, places, and how it ended."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from games import services
from games.leagues.models import LeagueTable
from games.leagues.results import stored_facts, table_results
from games.leagues.scoring.scoring_methods import ScoringMethod, ScoringRules
from games.leagues.scoring.table_facts import TableEnding
from games.leagues.scoring.table_points import scores_of
from games.models import Seat
from games.rules import MOST_GAMES
from tests.games.playing import play_to_the_end, play_until
from tests.leagues import world

pytestmark = pytest.mark.django_db

MATCH = {
    "options_json": {"edition": "2007", "variants": ["playing-for-points"]},
    "target": 12,
    "chain": MOST_GAMES + 1,
    "pace": "none",
}


def a_table(people: list[Any], **plan: Any) -> LeagueTable:
    season = world.a_running_season(people[0], people, size=len(people), rounds=1, **plan)
    return world.seat_by_hand(season.divisions.get().rounds.get(), people)[0]


def test_a_table_that_is_played_at_has_no_facts(anna: Any, bruno: Any, carla: Any) -> None:
    with pytest.raises(table_results.NotOver):
        table_results.facts_of_table(a_table([anna, bruno, carla]))


def test_the_facts_are_what_the_game_says(anna: Any, bruno: Any, carla: Any) -> None:
    table = a_table([anna, bruno, carla])
    game = world.finish(table)
    facts = table_results.facts_of_table(table)
    assert facts.how == TableEnding.RULES
    assert [seat.seated for seat in facts.seats] == [anna.pk, bruno.pk, carla.pk]
    assert [seat.won for seat in facts.seats] == [seat in game.result["winners"] for seat in range(3)]
    assert [seat.place for seat in facts.seats if seat.won] == [1]
    for number, seat in enumerate(facts.seats):
        assert seat.holders[0].turns == game.log.filter(seat=number).count()


def test_stored_and_read_again_facts_are_the_same(anna: Any, bruno: Any, carla: Any) -> None:
    table = a_table([anna, bruno, carla])
    world.finish(table)
    facts = table_results.facts_of_table(table)
    table.facts = stored_facts.facts_json(facts)
    table.save()
    assert stored_facts.facts_of(LeagueTable.objects.get(pk=table.pk)) == facts


def test_someone_who_takes_a_seat_has_their_own_turns_and_the_bot_between_its(
    anna: Any, bruno: Any, carla: Any, dario: Any
) -> None:
    table = a_table([anna, bruno, carla])
    game = world.game_at(table)
    play_until(game, lambda state, _decision: state.ply >= 20)
    services.give_up(world.seat_at(table, anna))
    play_until(game, lambda state, _decision: state.ply >= 40)
    services.fill_seat(Seat.objects.get(table=table.table_id, number=0), dario)
    world.finish(table)
    facts = table_results.facts_of_table(table)
    holders = facts.seats[0].holders
    assert [holder.player for holder in holders] == [anna.pk, None, dario.pk]
    assert sum(holder.turns for holder in holders) == game.log.filter(seat=0).count()
    assert holders[1].turns == game.log.filter(seat=0, via="bot").count() > 0
    left, taken = game.seat_changes.order_by("pk")
    assert holders[0].turns == game.log.filter(seat=0, ply__lt=left.ply).count() > 0
    assert holders[2].turns == game.log.filter(seat=0, ply__gte=taken.ply).count()


def test_what_the_clock_or_a_stand_in_answers_is_nobodys_turn(anna: Any, bruno: Any, carla: Any) -> None:
    table = a_table([anna, bruno, carla])
    game = world.finish(table)
    entries = list(game.log.filter(seat=1).order_by("ply"))
    for entry, via in zip(entries, ("clock", "bot"), strict=False):
        entry.via = via
        entry.save()
    facts = table_results.facts_of_table(table)
    assert [holder.turns for holder in facts.seats[1].holders] == [len(entries) - 2]


def test_an_adjudicated_table_is_won_by_most_regions(wall: Any, anna: Any, bruno: Any, carla: Any) -> None:
    table = a_table([anna, bruno, carla])
    state = play_until(
        world.game_at(table),
        lambda state, _decision: sorted(held.bit_count() for held in state.holdings)[1:] == [1, 2],
    )
    held = [holding.bit_count() for holding in state.holdings]
    assert services.adjudicate(table.table, with_winner=True, now=wall.now)
    facts = table_results.facts_of_table(table)
    assert facts.how == TableEnding.ADJUDICATED
    assert [seat.regions for seat in facts.seats] == held
    assert [seat.won for seat in facts.seats] == [regions == 2 for regions in held]
    assert sorted(seat.place for seat in facts.seats) == [1, 2, 3]


def test_an_adjudicated_table_where_no_one_holds_a_region_is_won_by_no_one(
    wall: Any, anna: Any, bruno: Any, carla: Any, dario: Any
) -> None:
    table = a_table([anna, bruno, carla, dario])
    assert services.adjudicate(table.table, with_winner=True, now=wall.now)
    facts = table_results.facts_of_table(table)
    assert [(seat.won, seat.place) for seat in facts.seats] == [(False, 1)] * 4
    places, wins = ScoringRules(ScoringMethod.PLACEMENT), ScoringRules(ScoringMethod.WINS)
    assert [score.points for score in scores_of(facts, places)] == [Fraction(10, 4)] * 4
    assert [score.points for score in scores_of(facts, wins)] == [0] * 4


def test_an_adjudicated_match_goes_to_most_points_though_no_one_holds_a_region_now(
    wall: Any, anna: Any, bruno: Any, carla: Any
) -> None:
    table = a_table([anna, bruno, carla], terms=MATCH | {"target": 100})
    play_to_the_end(world.game_at(table))
    for seat in Seat.objects.filter(table=table.table_id):
        services.be_ready(seat, 2)
    game = world.game_at(table)
    assert game.number == 2
    assert services.adjudicate(table.table, with_winner=True, now=wall.now)
    most = max(game.points_before)
    won = [seat.won for seat in table_results.facts_of_table(table).seats]
    assert won == [points == most for points in game.points_before]


def test_where_no_one_wins_all_share_the_first_place_and_no_region_counts(
    wall: Any, anna: Any, bruno: Any, carla: Any
) -> None:
    table = a_table([anna, bruno, carla])
    play_until(world.game_at(table), lambda state, _decision: any(state.holdings))
    assert services.adjudicate(table.table, with_winner=False, now=wall.now)
    facts = table_results.facts_of_table(table)
    assert [(seat.regions, seat.won, seat.place) for seat in facts.seats] == [(0, False, 1)] * 3


def test_a_table_that_all_have_left_is_abandoned(anna: Any, bruno: Any, carla: Any) -> None:
    table = a_table([anna, bruno, carla])
    for user in (anna, bruno, carla):
        services.give_up(world.seat_at(table, user))
    assert table_results.facts_of_table(table).how == TableEnding.ABANDONED


def test_a_match_adds_up_all_its_games(anna: Any, bruno: Any, carla: Any) -> None:
    table = a_table([anna, bruno, carla], terms=MATCH)
    world.finish(table)
    games = [game for game in table.table.games.all() if game.final_battle is None]
    assert len(games) > 1
    facts = table_results.facts_of_table(table)
    points = [sum(game.result["points"][seat] for game in games) for seat in range(3)]
    assert [seat.regions + seat.bonus for seat in facts.seats] == points
    assert max(points) >= 12
    assert [seat.won for seat in facts.seats].count(True) == 1
    turns = [seat.holders[0].turns for seat in facts.seats]
    assert sum(turns) == sum(game.log.exclude(seat=None).count() for game in table.table.games.all())


def test_a_match_that_all_have_left_between_two_games_is_abandoned(anna: Any, bruno: Any, carla: Any) -> None:
    from tests.games.playing import play_to_the_end

    table = a_table([anna, bruno, carla], terms=MATCH | {"target": 30})
    play_to_the_end(world.game_at(table))
    for user in (anna, bruno, carla):
        services.give_up(world.seat_at(table, user))
    assert table_results.facts_of_table(table).how == TableEnding.ABANDONED


def test_at_an_anonymous_table_everyone_is_found_in_the_seat_they_drew(
    anna: Any, bruno: Any, carla: Any
) -> None:
    terms = world.TERMS | {"is_anonymous": True}
    table = a_table([anna, bruno, carla], terms=terms)
    world.finish(table)
    seats = {seat.number: seat.user_id for seat in table.table.seats.all()}
    assert {
        number: seat.seated for number, seat in enumerate(table_results.facts_of_table(table).seats)
    } == seats
