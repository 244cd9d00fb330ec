"""What an organiser decides: awards, more time, adjudication, moves, free places. Always with a reason."""

from __future__ import annotations

from datetime import timedelta
from fractions import Fraction
from typing import Any

import pytest
from django.urls import reverse

from accounts import clock
from accounts.mail.email_kinds import EMAIL_KINDS
from accounts.mail.models import OutgoingEmail
from games import services
from games.leagues.models import AuditEvent, Award, LeagueTable, Registration, Season
from games.leagues.results.division_standings import division_standings
from games.leagues.results.stored_facts import facts_of
from games.leagues.scoring.table_facts import TableEnding
from games.leagues.services import (
    adjudication,
    awards,
    division_moves,
    left_places,
    table_deadlines,
    withdrawals,
)
from games.leagues.services.result_collection import collect
from games.models import Game, Table
from games.services import Refused
from tests.games.playing import play_to_the_end, play_until
from tests.leagues import absent, world

pytestmark = pytest.mark.django_db

State = Registration.State
NO_REASONS = ["", "  \n", "\u200b", "x" * 1001, "x" * 100_000]


@pytest.fixture
def season(wall: Any, anna: Any, bruno: Any, carla: Any) -> Season:
    """Anna organises it, and plays; Dario organises it, and does not."""
    return world.a_running_season(anna, [anna, bruno, carla], size=3, rounds=2)


@pytest.fixture
def table(season: Season, anna: Any, bruno: Any, carla: Any) -> LeagueTable:
    round_ = season.divisions.get().rounds.get(number=1)
    return world.seat_by_hand(round_, [anna, bruno, carla])[0]


def over(table: LeagueTable, wall: Any) -> LeagueTable:
    """The table is played out and collected."""
    world.finish(table)
    assert collect(table, wall.now)
    return LeagueTable.objects.select_related("round").get(pk=table.pk)


def points(season: Season) -> dict[int, Fraction]:
    rows = division_standings(season.divisions.get()).standings.rows
    return {row.player: row.points for row in rows}


# Awards


def test_awarded_points_stand_instead_of_those_that_were_played(
    wall: Any, season: Season, table: LeagueTable, anna: Any, bruno: Any, carla: Any
) -> None:
    table = over(table, wall)
    awards.award(table, anna, [4, 2, 0], "The wrong player was seated")
    facts = facts_of(table)
    assert (facts.how, facts.reason) == (TableEnding.AWARDED, "The wrong player was seated")
    assert points(season) == {anna.pk: 4, bruno.pk: 2, carla.pk: 0}
    event = AuditEvent.objects.get(kind=AuditEvent.Kind.AWARDED)
    assert (event.by, event.facts, event.table) == (anna, {"points": [4, 2, 0]}, table)
    assert set(event.touched.all()) == {anna, bruno, carla}
    assert sorted(person.name for person in absent.emails("league_event") if person) == ["Bruno", "Carla"]


def test_nobodys_points_but_those_named_are_changed(
    wall: Any, season: Season, table: LeagueTable, anna: Any, bruno: Any
) -> None:
    table = over(table, wall)
    before = points(season)
    awards.award(table, anna, [None, 9, None], "A broken link")
    assert points(season) == before | {bruno.pk: Fraction(9)}
    assert facts_of(table).how == TableEnding.RULES


def test_the_last_award_counts_and_each_stays_in_the_log(
    wall: Any, season: Season, table: LeagueTable, anna: Any, bruno: Any, dario: Any
) -> None:
    season.league.organisers.create(user=dario)
    table = over(table, wall)
    awards.award(table, anna, [4, 2, 0], "First thought")
    awards.award(table, dario, [0, 9, 0], "Second thought")
    assert points(season)[bruno.pk] == 9
    assert list(Award.objects.values_list("reason", flat=True)) == ["First thought", "Second thought"]
    assert AuditEvent.objects.filter(kind=AuditEvent.Kind.AWARDED).count() == 2


def test_an_award_that_is_withdrawn_leaves_the_points_as_played(
    wall: Any, season: Season, table: LeagueTable, anna: Any, signed_in: Any
) -> None:
    table = over(table, wall)
    before = points(season)
    awards.award(table, anna, [4, 2, 0], "The wrong player was seated")
    page, sent = reverse("table_award", args=[season.league_id, table.pk]), {"reason": "It was the right one"}
    for _press in range(2):
        told = signed_in(anna).post(page, sent, follow=True).content.decode()
    assert "Everything is as played." in told
    assert points(season) == before
    assert not Award.objects.exists()
    kinds = AuditEvent.objects.order_by("pk").values_list("kind", flat=True)
    assert list(kinds) == [AuditEvent.Kind.AWARDED, AuditEvent.Kind.UNAWARDED]


def test_awarding_the_same_twice_is_once(wall: Any, season: Season, table: LeagueTable, anna: Any) -> None:
    table = over(table, wall)
    for _time in range(2):
        awards.award(table, anna, [1, 1, 1], "A draw")
    assert (Award.objects.count(), AuditEvent.objects.filter(kind=AuditEvent.Kind.AWARDED).count()) == (1, 1)


def test_whose_seat_was_taken_over_is_told_and_so_is_who_took_it(
    wall: Any, season: Season, table: LeagueTable, anna: Any, bruno: Any, dario: Any
) -> None:
    absent.give_up(table, bruno)
    services.fill_seat(Table.objects.get(pk=table.table_id).seats.get(number=1), dario)
    awards.award(over(table, wall), anna, [0, 5, 0], "So be it")
    assert {bruno, dario} <= set(AuditEvent.objects.get(kind=AuditEvent.Kind.AWARDED).touched.all())


def test_what_are_no_points_is_refused(wall: Any, season: Season, table: LeagueTable, anna: Any) -> None:
    table = over(table, wall)
    no_points: list[Any] = [[], [1], [1, 2, 3, 4], [-1, 0, 0], [1001, 0, 0], [1.5, 0, 0], [True, 0, 0]]
    for given in (*no_points, ["3", 0, 0]):
        with pytest.raises(Refused):
            awards.award(table, anna, given, "Why not")
    assert not Award.objects.exists()


def test_nothing_is_awarded_while_the_table_plays_nor_after_the_season(
    wall: Any, season: Season, table: LeagueTable, anna: Any
) -> None:
    with pytest.raises(Refused, match="not over yet"):
        awards.award(table, anna, [1, 1, 1], "I cannot wait")
    table = over(table, wall)
    Season.objects.update(state=Season.State.CLOSED)
    with pytest.raises(Refused, match="final now"):
        awards.award(table, anna, [1, 1, 1], "I remember now")


# More time


def test_a_table_gets_days_and_is_extended_by_the_season_all_the_same(
    wall: Any, season: Season, table: LeagueTable, anna: Any, bruno: Any, carla: Any
) -> None:
    before = table.deadline
    table_deadlines.extend_by_hand(table, anna, 5, "The mail server was down")
    table_deadlines.extend_by_hand(table, anna, 5, "The mail server was down")
    table.refresh_from_db()
    assert (table.ends_at, table.is_extended) == (before + 5 * world.DAY, False)
    event = AuditEvent.objects.get()
    assert (event.kind, event.by, event.table) == (AuditEvent.Kind.EXTENDED, anna, table)
    assert set(event.touched.all()) == {anna, bruno, carla}


def test_a_table_whose_end_is_past_gets_its_days_from_now_on(
    wall: Any, season: Season, table: LeagueTable, anna: Any
) -> None:
    wall.now = table.deadline + 10 * world.DAY
    table = table_deadlines.extend_by_hand(table, anna, 3, "One more chance")
    assert table.ends_at == wall.now + 3 * world.DAY


@pytest.mark.parametrize("days", [0, -1, 91, 10**9])
def test_a_table_gets_one_to_ninety_days(season: Season, table: LeagueTable, anna: Any, days: int) -> None:
    with pytest.raises(Refused):
        table_deadlines.extend_by_hand(table, anna, days, "Why not")


def test_a_table_never_ends_later_than_in_two_years_however_often_it_is_extended(
    wall: Any, season: Season, table: LeagueTable, anna: Any
) -> None:
    now = wall.now
    for _press in range(7):
        wall.now += timedelta(minutes=2)
        table_deadlines.extend_by_hand(table, anna, 90, "One more chance")
    with pytest.raises(Refused, match=r"within two years from now\. Nothing was changed\. Choose fewer"):
        table_deadlines.extend_by_hand(table, anna, 90, "One more day")
    table.refresh_from_db()
    assert now + 600 * world.DAY < table.deadline < wall.now + 733 * world.DAY
    table_deadlines.extend_by_hand(table, anna, 1, "Only one more day")


def test_a_table_that_is_not_played_gets_no_days(
    wall: Any, season: Season, table: LeagueTable, anna: Any
) -> None:
    table = over(table, wall)
    with pytest.raises(Refused, match="in progress"):
        table_deadlines.extend_by_hand(table, anna, 3, "Too late")


# Adjudication


@pytest.mark.parametrize("with_winner", [True, False])
@pytest.mark.long
def test_a_late_table_is_ended_as_it_stands(
    wall: Any, season: Season, table: LeagueTable, anna: Any, bruno: Any, with_winner: bool
) -> None:
    play_until(world.game_at(table), lambda state, _decision: state.ply > 80)
    wall.now = table.deadline
    adjudication.adjudicate_by_hand(table, anna, with_winner, "It was enough")
    game = world.game_at(table)
    assert game.ended == Game.Ended.ADJUDICATED
    assert bool(game.result["winners"]) is with_winner
    event = AuditEvent.objects.get(kind=AuditEvent.Kind.ADJUDICATED)
    assert (event.by, event.table, event.reason) == (anna, table, "It was enough")
    assert bruno in event.touched.all()
    with pytest.raises(Refused, match="already over"):
        adjudication.adjudicate_by_hand(table, anna, with_winner, "Again")
    assert collect(table, wall.now)


def test_a_players_result_says_who_ended_the_table_and_why(
    wall: Any, season: Season, table: LeagueTable, anna: Any, bruno: Any, carla: Any
) -> None:
    Registration.objects.filter(user=carla).update(state=State.WITHDRAWN)
    wall.now = table.deadline
    adjudication.adjudicate_by_hand(table, anna, True, "It was enough")
    assert collect(table, wall.now)
    decisions, results = (emails_with_text(kind) for kind in ("league_event", "league_result"))
    assert decisions == {bruno: None, carla: decisions[carla]}
    assert "Reason: It was enough" in decisions[carla]
    assert results.keys() == {anna, bruno}
    assert all("Decided by Anna. Reason: It was enough" in text for text in results.values())


def emails_with_text(kind: str) -> dict[Any, Any]:
    """What each email of this kind says, by its reader; None if it is not sent."""
    queued = OutgoingEmail.objects.filter(kind=kind)
    built = {email.to_user: EMAIL_KINDS[kind].build(email) for email in queued}
    return {reader: content and str(content.context) for reader, content in built.items()}


def test_no_one_is_cut_off_before_their_time(
    wall: Any, season: Season, table: LeagueTable, anna: Any
) -> None:
    with pytest.raises(Refused, match="not late"):
        adjudication.adjudicate_by_hand(table, anna, True, "I lead")
    assert not world.game_at(table).is_over


def test_between_two_games_of_a_match_nothing_is_ended(wall: Any, anna: Any, bruno: Any, carla: Any) -> None:
    points = {"edition": "2007", "variants": ["playing-for-points"]}
    terms = world.TERMS | {"options_json": points, "target": 30, "chain": 101}
    season = world.a_running_season(anna, [anna, bruno, carla], size=3, rounds=1, terms=terms)
    table = world.seat_by_hand(season.divisions.get().rounds.get(), [anna, bruno, carla])[0]
    play_to_the_end(world.game_at(table))
    wall.now = table.deadline
    with pytest.raises(Refused, match="between two games"):
        adjudication.adjudicate_by_hand(table, anna, True, "Enough")
    assert not AuditEvent.objects.exists()


# Moves and free places


@pytest.fixture
def two_divisions(wall: Any, dario: Any) -> Season:
    upper, lower = world.people(4, "Upper"), world.people(3, "Lower")
    return world.a_running_season(dario, upper, lower, size=3, rounds=2, most_divisions=2, division_size=4)


def entry(name: str) -> Registration:
    return Registration.objects.get(user__email=f"{name.lower()}@example.org")


def test_before_the_first_round_someone_is_moved(two_divisions: Season, dario: Any) -> None:
    moved = division_moves.move_entry(entry("Upper04"), dario, 2, "They asked for it")
    assert entry("Upper04").division.level == 2
    assert division_moves.move_entry(entry("Upper04"), dario, 2, "They asked for it") == moved
    event = AuditEvent.objects.get()
    assert (event.kind, event.facts, event.reason) == (
        AuditEvent.Kind.MOVED,
        {"from": 1, "to": 2},
        "They asked for it",
    )
    assert absent.emails("league_event") == [moved.user]


def test_no_division_is_made_too_small_or_too_large(two_divisions: Season, dario: Any) -> None:
    with pytest.raises(Refused, match="full"):
        division_moves.move_entry(entry("Lower01"), dario, 1, "They are good")
    withdrawals.expel(entry("Upper04"), dario, "They are rude")
    with pytest.raises(Refused, match="Too few"):
        division_moves.move_entry(entry("Lower01"), dario, 1, "They are good")
    with pytest.raises(Refused, match="no such division"):
        division_moves.move_entry(entry("Upper01"), dario, 3, "Far away")
    with pytest.raises(Refused, match="only players of a season in progress"):
        division_moves.move_entry(entry("Upper04"), dario, 2, "They are rude there")


def test_once_a_round_has_begun_no_one_is_moved(two_divisions: Season, dario: Any) -> None:
    lower = two_divisions.divisions.get(level=2)
    world.seat_by_hand(lower.rounds.get(number=1), [one.user for one in lower.entries.all()])
    with pytest.raises(Refused, match="first round has begun"):
        division_moves.move_entry(entry("Upper04"), dario, 2, "They asked for it")


def test_a_place_given_by_an_organiser_comes_in_one_email(
    season: Season, table: LeagueTable, anna: Any, bruno: Any, elena: Any
) -> None:
    season.entries.create(user=elena, state=State.WAITING)
    withdrawals.withdraw(season.entries.get(user=bruno))
    left_places.fill_gap(season.divisions.get(), anna, clock.now(), "There is room.")
    (email,) = OutgoingEmail.objects.filter(to_user=elena)
    content = EMAIL_KINDS[email.kind].build(email)
    assert content is not None
    assert content.context["action"].label == "Open the season"
    assert "Reason: There is room." in content.context["sentences"]


def test_someone_who_waits_gets_the_place_of_someone_who_left_from_the_next_round_on(
    wall: Any, season: Season, table: LeagueTable, bruno: Any, elena: Any, fabio: Any
) -> None:
    for one in (elena, fabio):
        season.entries.create(user=one, state=State.WAITING)
    assert left_places.fill_gaps(wall.now) == 0
    withdrawals.withdraw(season.entries.get(user=bruno))
    assert left_places.fill_gaps(wall.now) == 1
    assert left_places.fill_gaps(wall.now) == 0
    came = season.entries.get(user=elena)
    assert (came.state, came.division, came.from_round) == (State.PLAYING, season.divisions.get(), 2)
    assert came.in_place_of == season.entries.get(user=bruno)
    assert season.entries.get(user=fabio).state == State.WAITING
    assert absent.emails("league_place") == [elena]
    event = AuditEvent.objects.get(kind=AuditEvent.Kind.FILLED)
    assert (event.by, list(event.touched.all())) == (None, [elena])
    withdrawals.withdraw(came)
    assert left_places.fill_gaps(wall.now) == 1
    assert season.entries.get(user=fabio).state == State.PLAYING


def test_no_gap_is_filled_where_no_round_is_to_come(
    wall: Any, season: Season, table: LeagueTable, bruno: Any, elena: Any, anna: Any
) -> None:
    season.entries.create(user=elena, state=State.WAITING)
    withdrawals.withdraw(season.entries.get(user=bruno))
    division = season.divisions.get()
    division.rounds.filter(draw__isnull=True).delete()
    assert left_places.fill_gaps(wall.now) == 0
    with pytest.raises(Refused, match="No more tables"):
        left_places.fill_gap(division, anna, wall.now, "All the same")


def test_an_organiser_fills_a_free_place_though_no_one_left(
    wall: Any, season: Season, anna: Any, elena: Any
) -> None:
    division = season.divisions.get()
    with pytest.raises(Refused, match="No one is on the waiting list"):
        left_places.fill_gap(division, anna, wall.now, "There is room")
    season.entries.create(user=elena, state=State.WAITING)
    filled = left_places.fill_gap(division, anna, wall.now, "There is room")
    assert filled is not None
    assert (filled.user, filled.from_round, filled.in_place_of) == (elena, 1, None)
    event = AuditEvent.objects.get()
    assert (event.by, event.reason) == (anna, "There is room")


def test_a_full_division_is_filled_no_further(wall: Any, anna: Any, bruno: Any, carla: Any) -> None:
    season = world.a_running_season(anna, [anna, bruno], size=2, rounds=1, division_size=2)
    season.entries.create(user=carla, state=State.WAITING)
    with pytest.raises(Refused, match="no free place"):
        left_places.fill_gap(season.divisions.get(), anna, wall.now, "One more")


# By whom, and why


@pytest.mark.parametrize("reason", NO_REASONS)
@pytest.mark.long
def test_nothing_is_done_without_a_reason(
    wall: Any, season: Season, table: LeagueTable, anna: Any, bruno: Any, elena: Any, reason: str
) -> None:
    season.entries.create(user=elena, state=State.WAITING)
    table = over(table, wall)
    for event in everything(season, table, anna, reason):
        with pytest.raises(Refused, match=r"reason|characters"):
            event()
    assert not AuditEvent.objects.exists()


def test_no_one_but_an_organiser_of_this_very_league_does_any_of_it(
    wall: Any, season: Season, table: LeagueTable, bruno: Any, elena: Any
) -> None:
    world.a_league(elena, "Another League")
    for nobody in (bruno, elena):
        for event in everything(season, table, nobody, "I want it so"):
            with pytest.raises(Refused, match="organiser"):
                event()
    assert not AuditEvent.objects.exists()


def everything(season: Season, table: LeagueTable, by: Any, reason: str) -> list[Any]:
    division = season.divisions.get()
    someone = season.entries.get(user__email="bruno@example.org")
    now = table.begins_at
    return [
        lambda: awards.award(table, by, [1, 1, 1], reason),
        lambda: table_deadlines.extend_by_hand(table, by, 3, reason),
        lambda: adjudication.adjudicate_by_hand(table, by, True, reason),
        lambda: division_moves.move_entry(someone, by, 1, reason),
        lambda: left_places.fill_gap(division, by, now, reason),
        lambda: withdrawals.expel(someone, by, reason),
    ]
