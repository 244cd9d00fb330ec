"""Simulated people: who they are is drawn once, and they act only when they are awake and there."""

from datetime import UTC, datetime, timedelta
from random import Random

from accounts.working_hours import open_time
from tests.simulation.games.people import KINDS, RANDOM, SHARES, Levers, Person, drawn

START = datetime(2026, 3, 2, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


def crowd(count: int, pace: str = "day") -> list[Person]:
    return [drawn(number, START, pace, "Europe/Rome", Random(f"crowd {number}")) for number in range(count)]


def test_the_same_lot_draws_the_same_people() -> None:
    assert [repr(person) for person in crowd(20)] == [repr(person) for person in crowd(20)]


def test_no_one_answers_asleep_or_away() -> None:
    for person in crowd(60):
        for hours in range(0, 400, 7):
            told = START + timedelta(hours=hours)
            moment = person.answers_at(told)
            assert moment >= told
            assert open_time(person.awake, moment, moment + MINUTE) > timedelta(0)


def test_there_are_all_kinds_of_people() -> None:
    people = crowd(400)
    assert {person.kind for person in people} == set(KINDS)
    for of_it in ("scans", "refuses", "bounces", "comes_back", "every_move"):
        assert 0 < sum(getattr(person, of_it) for person in people) < 80
    assert {person.frequency for person in people} == {"at once", "batched", "digest"}
    assert all(0 < share < 100 for share in SHARES.values())


def test_someone_who_plays_a_slower_table_answers_later() -> None:
    waits = {}
    for pace in ("hours", "week"):
        waits[pace] = sum((person.answers_at(START) - START).total_seconds() for person in crowd(200, pace))
    assert waits["hours"] < waits["week"]


def test_someone_who_is_reminded_hurries() -> None:
    usual = sum((person.answers_at(START) - START).total_seconds() for person in crowd(200))
    hurried = sum((person.answers_at(START, reminded=True) - START).total_seconds() for person in crowd(200))
    assert hurried < usual


def test_someone_who_vanished_is_gone_until_they_come_back() -> None:
    gone = [person for person in crowd(400) if person.gone]
    assert {person.comes_back for person in gone} == {True, False}
    for person in gone:
        assert person.gone
        since, until = person.gone
        assert person.is_gone(since)
        assert not person.is_gone(since - MINUTE)
        assert not person.is_gone(until)


def pulled(levers: Levers) -> list[Person]:
    return [levers.pulled(person, Random(f"levers {person.number}")) for person in crowd(400)]


def test_more_users_of_standing_orders_are_those_of_a_smaller_share_and_others() -> None:
    few, many, most = (
        {person.number for person in pulled(Levers(orders=share)) if person.uses_orders}
        for share in (20, 60, 100)
    )
    assert set() < few < many < most
    assert most == {person.number for person in crowd(400) if person.strategy != RANDOM}


def test_all_who_do_not_play_at_random_may_be_captains() -> None:
    assert {person.strategy for person in pulled(Levers(captains=True))} == {"captain", RANDOM}
