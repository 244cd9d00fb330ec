"""Nothing shows whose time runs for a secret decision (R17): others see the same, no matter who is asked."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, time, timedelta
from functools import cache
from typing import Any

import pytest

from accounts import availability
from accounts.mail.models import OutgoingEmail
from games import services
from games.models import Game, Proposal, Seat
from games.rules import Options, new_game, parse_move, pending
from games.services import tick
from games.services.continue_game import continue_game
from games.services.progress import Progress
from tests.clocks.passing import HOUR, MONDAY, Wall, asked_seat, emails, pass_once, seat_of, timed_game
from tests.games.playing import _random_log, submit
from tests.simulation.games.resampling import resampled

pytestmark = pytest.mark.django_db

SPECTATOR = 2
Log = list[tuple[int | None, str]]


def asked_by(log: Log) -> set[int]:
    state = new_game(Options(), 3, 0)
    progress = Progress(state)
    for seat, move in log:
        progress.play(Game(), seat, parse_move(move), MONDAY)
    return {decision.seat for decision in pending(progress.state)}


@cache
def two_worlds() -> tuple[Log, Log]:
    """Return two logs that look the same to the last seat, after which different others decide in secret."""
    rng = random.Random(17)
    for _ in range(400):
        state, played = _random_log(rng, 3, lambda state, decision: decision.kind == "hand")
        log = [(seat, str(move)) for seat, move in played]
        asked = {decision.seat for decision in pending(state)}
        if not asked or SPECTATOR in asked:
            continue
        for _try in range(5):
            other = resampled(Options(), 3, 0, log, SPECTATOR, rng)
            if asked_by(other) != asked:
                return log, other
    raise AssertionError("no two such worlds")


def stored(people: list[Any], log: Log, **terms: Any) -> Game:
    """A game with a clock that has just reached this position."""
    game = timed_game(people, **terms)
    game.log.all().delete()
    game.first_condottiere = 0
    game.save()
    Seat.objects.filter(table=game.table_id).update(misses=1)
    progress = Progress(new_game(Options(), len(people), 0))
    for seat, move in log:
        progress.play(game, seat, parse_move(move), MONDAY)
    continue_game(game, progress, MONDAY)
    OutgoingEmail.objects.all().delete()
    return Game.objects.select_related("table").get(pk=game.pk)


@dataclass(frozen=True)
class Seen:
    """Return what a player without a decision can see of a game's clocks, at one moment."""

    step: int
    moved_at: Any
    phase: str
    paused_until: Any
    seats: tuple[Any, ...]
    events: tuple[Any, ...]
    emails: tuple[Any, ...]


def seen(game: Game, spectator: Any) -> Seen:
    fresh = Game.objects.get(pk=game.pk)
    seats = Seat.objects.filter(table=game.table_id).order_by("number")
    in_public = fresh.phase != "hand"
    deadline = ("due_at", "counted_from", "time_left") if in_public else ()
    events = fresh.time_events.values_list("kind", "seat", "by", "until", "amount", "at", "ply")
    to_spectator = OutgoingEmail.objects.filter(to_user=spectator).order_by("pk")
    return Seen(
        fresh.step,
        fresh.moved_at,
        fresh.phase,
        fresh.paused_until,
        tuple(seats.values_list("reserve", "misses", "played_by_bot", *deadline)),
        tuple(events),
        tuple(to_spectator.values_list("kind", "created_at", "not_before", "sent_at")),
    )


def nothing(wall: Wall, game: Game, people: list[Any]) -> None:
    """Let time pass without any move."""


def common_pause(wall: Wall, game: Game, people: list[Any]) -> None:
    proposal = services.propose_time(seat_of(game, 0), game, Proposal.What.PAUSE, 3)
    for number in (1, 2):
        services.accept_proposal(seat_of(game, number), proposal)


def more_time(wall: Wall, game: Game, people: list[Any]) -> None:
    services.host_gives_time(game, people[0], 10)


def an_outage(wall: Wall, game: Game, people: list[Any]) -> None:
    wall.now += 5 * HOUR
    tick.run_tick(wall.now)


def somebodys_holiday(wall: Wall, game: Game, people: list[Any]) -> None:
    availability.announce_holiday(people[0], date(2026, 3, 4), date(2026, 3, 9))


def somebodys_nights(wall: Wall, game: Game, people: list[Any]) -> None:
    availability.change(people[1], quiet_from=time(20), quiet_until=time(9), days_off=[1])


ACTIONS: list[Callable[[Wall, Game, list[Any]], None]] = [
    nothing,
    common_pause,
    more_time,
    an_outage,
    somebodys_holiday,
    somebodys_nights,
]


@pytest.mark.parametrize(
    "action",
    [pytest.param(action, marks=[] if action is common_pause else pytest.mark.long) for action in ACTIONS],
)
def test_others_see_the_same_no_matter_who_is_asked(
    wall: Wall, anna: Any, bruno: Any, carla: Any, action: Callable[[Wall, Game, list[Any]], None]
) -> None:
    people = [anna, bruno, carla]
    anna.days_off = [5, 6]
    anna.save()
    bruno.quiet_from, bruno.quiet_until = time(22), time(6)
    bruno.save()
    stories = []
    for log in two_worlds():
        wall.now = MONDAY
        availability.change(bruno, quiet_from=time(22), quiet_until=time(6), days_off=[])
        anna.holidays.all().delete()
        game = stored(people, log, time_by="host", most_misses=2)
        told = []
        for hours in range(0, 24 * 30, 6):
            wall.pass_to(MONDAY + hours * HOUR)
            if hours == 12:
                action(wall, game, people)
            told.append(seen(game, carla))
            if told[-1].phase != "hand":
                break
        stories.append(told)
        assert told[0].phase == "hand"
        assert told[-1].phase != "hand", "the table goes on without an answer"
        Seat.objects.update(
            due_at=None, remind_at=None, decision_step=None, pending_decision=None, asked_since=None
        )
    for one, other in zip(*stories, strict=True):
        assert one == other


def test_more_time_is_not_refused_because_someone_is_asked_in_secret_and_they_never_have_too_much(
    wall: Wall, anna: Any, bruno: Any, carla: Any
) -> None:
    game = stored([anna, bruno, carla], two_worlds()[0], time_by="host")
    for _press in range(20):
        services.host_gives_time(game, anna, 168)
        wall.now += timedelta(minutes=2)
    assert [event.kind for event in game.time_events.all()] == ["extended"] * 20
    asked = Seat.objects.filter(table=game.table_id, pending_decision="hand")
    assert {seat.time_left > 719 * HOUR for seat in asked} == {True}
    assert all(seat.time_left <= 720 * HOUR for seat in asked)


def test_a_secret_decision_has_at_least_its_time_by_everybodys_hours(
    wall: Wall, anna: Any, bruno: Any, carla: Any
) -> None:
    carla.days_off = [1, 2, 3]  # Tuesday to Thursday
    carla.save()
    for log in two_worlds():
        game = stored([anna, bruno, carla], log)
        due = set(Seat.objects.filter(table=game.table_id, due_at__isnull=False).values_list("due_at"))
        assert due == {(MONDAY + 24 * HOUR + timedelta(days=3),)}


@pytest.mark.long
def test_others_who_change_their_hours_again_and_again_take_nobodys_time_and_give_none(
    wall: Wall, anna: Any, bruno: Any, carla: Any
) -> None:
    game = stored([anna, bruno, carla], two_worlds()[0])
    availability.change(carla, quiet_from=None, quiet_until=None, days_off=[0, 1, 2, 3, 4])
    (put_off,) = set(Seat.objects.filter(table=game.table_id, due_at__isnull=False).values_list("due_at"))
    assert put_off > (MONDAY + 24 * HOUR,)
    for days_off in ([0, 1], [2, 3, 4], [0, 1, 2, 3, 4, 5], []):
        wall.pass_by(HOUR)
        availability.change(bruno, quiet_from=None, quiet_until=None, days_off=days_off)
        assert Game.objects.get(pk=game.pk).phase == "hand"
    assert set(Seat.objects.filter(table=game.table_id, due_at__isnull=False).values_list("due_at")) == {
        put_off
    }
    assert wall.pass_to(put_off[0]) > 0


def test_a_secret_answer_of_the_clock_is_no_miss_and_takes_no_reserve(
    wall: Wall, anna: Any, bruno: Any, carla: Any
) -> None:
    game = stored([anna, bruno, carla], two_worlds()[0], most_misses=2)
    asked = Seat.objects.filter(table=game.table_id, pending_decision="hand")
    people = {seat.user for seat in asked}
    wall.pass_to(MONDAY + 24 * HOUR)
    assert {email.to_user for email in emails("time_out")} == people
    assert set(Seat.objects.filter(table=game.table_id).values_list("misses", "reserve")) == {(1, 72 * HOUR)}


def test_a_secret_answer_of_ones_own_forgives_no_miss(wall: Wall, anna: Any, bruno: Any, carla: Any) -> None:
    game = stored([anna, bruno, carla], two_worlds()[0])
    for seat in Seat.objects.filter(table=game.table_id, pending_decision="hand"):
        submit(game, seat.number, parse_move("keep hand"), seat.decision_step, "web")
    assert set(Seat.objects.filter(table=game.table_id).values_list("misses", flat=True)) == {1}
    seat = pass_once(game)
    assert seat_of(game, seat.number).misses == 0


def test_the_email_about_it_counts_nothing(
    wall: Wall, anna: Any, bruno: Any, carla: Any, settings: Any
) -> None:
    from accounts.mail.models import CapturedEmail

    settings.EMAIL_BACKEND = "accounts.mail.capture.CaptureBackend"
    game = stored([anna, bruno, carla], two_worlds()[0], most_misses=2)
    person = Seat.objects.filter(table=game.table_id, pending_decision="hand")[0].user
    wall.pass_to(MONDAY + 24 * HOUR)
    wall.pass_by(HOUR / 60)
    told = CapturedEmail.objects.filter(to=person.email, subject__contains="ran out of time").get().text
    assert "the site kept your hand" in " ".join(told.split())
    assert "If you miss the next" not in " ".join(told.split())
    assert asked_seat(game).pending_decision != "hand"
