"""When a player runs out of time, the clock plays the default move: never early, and once."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from accounts.mail.models import OutgoingEmail
from games import services
from games.models import Game, LogEntry, Seat
from games.models.replay import replayed
from games.rules import legal_moves, parse_move
from games.services import tick
from tests.clocks.passing import (
    HOUR,
    MONDAY,
    TICK,
    Wall,
    answer,
    asked_seat,
    emails,
    pass_once,
    seat_of,
    timed_game,
)
from tests.games.playing import play_until

pytestmark = [pytest.mark.django_db, pytest.mark.sqlite]

WHOLE = timedelta(hours=96)  # the pace "day": 24 hours for the decision and 72 in reserve


def clock_entries(game: Game) -> list[LogEntry]:
    return list(LogEntry.objects.filter(game=game, via=LogEntry.Via.CLOCK))


def test_anyone_who_is_asked_has_the_time_of_the_pace(wall: Wall, anna: Any, bruno: Any) -> None:
    game = timed_game([anna, bruno])
    seat = asked_seat(game)
    assert (seat.counted_from, seat.time_left, seat.reserve) == (MONDAY, 24 * HOUR, 72 * HOUR)
    assert seat.due_at == MONDAY + WHOLE
    assert seat_of(game, 1 - seat.number).due_at is None


def test_the_clock_answers_when_all_time_is_out_and_not_before(wall: Wall, anna: Any, bruno: Any) -> None:
    game = timed_game([anna, bruno])
    asked = asked_seat(game)
    assert wall.pass_to(MONDAY + WHOLE - timedelta(seconds=1)) == 0
    assert asked_seat(game).decision_step == asked.decision_step
    assert wall.pass_to(MONDAY + WHOLE) == 1
    entry = clock_entries(game)[0]
    assert (entry.seat, entry.decision_step, entry.at) == (asked.number, asked.decision_step, MONDAY + WHOLE)


@pytest.mark.long
def test_a_region_is_drawn_from_the_games_key(wall: Wall, anna: Any, bruno: Any) -> None:
    drawn = []
    for number in range(2):
        game = timed_game([anna, bruno], name=f"Table {number}")
        before = replayed(game).state
        regions = [str(move) for move in legal_moves(before, asked_seat(game).number)]
        wall.pass_by(WHOLE)
        drawn.append(clock_entries(game)[0].move)
        assert drawn[-1] in regions
        Seat.objects.update(due_at=None, remind_at=None)
    assert drawn[0] == drawn[1], "the same secret and entry draw the same region"


@pytest.mark.long
def test_in_a_battle_the_clock_passes(wall: Wall, anna: Any, bruno: Any) -> None:
    game = timed_game([anna, bruno])
    play_until(game, lambda state, decision: decision.kind == "battle")
    wall.pass_by(WHOLE)
    assert [entry.move for entry in clock_entries(game)][:1] == ["pass"]


def test_the_clock_keeps_the_two_highest_cards(wall: Wall, anna: Any, bruno: Any) -> None:
    from games.services.default_moves import default_move
    from tests.games.playing import game_where

    def has_many(state: Any, decision: Any) -> bool:
        return decision.kind == "keep" and len(legal_moves(state, decision.seat)) > 6

    game, state = game_where([anna, bruno], has_many)
    seat = asked_seat(game).number
    kept = default_move(game, state, seat).cards
    held = [move.cards for move in legal_moves(state, seat) if len(move.cards) == 1]
    mercenaries = sorted((int(card) for (card,) in held if card.isdigit()), reverse=True)
    assert len(kept) == 2
    assert int(kept[-1]) == mercenaries[0] if mercenaries else not kept[0].isdigit()


def test_an_answer_given_in_time_stops_the_clock(wall: Wall, anna: Any, bruno: Any) -> None:
    game = timed_game([anna, bruno])
    wall.pass_by(20 * HOUR)
    seat = pass_once(game)
    after = seat_of(game, seat.number)
    if after.decision_step is None:
        assert (after.due_at, after.counted_from, after.time_left) == (None, None, None)
    assert after.reserve == 72 * HOUR
    assert clock_entries(game) == []


def test_an_answer_after_the_decisions_own_time_takes_from_the_reserve(
    wall: Wall, anna: Any, bruno: Any
) -> None:
    game = timed_game([anna, bruno])
    wall.pass_by(30 * HOUR)
    seat = pass_once(game)
    assert seat_of(game, seat.number).reserve == 66 * HOUR


def test_once_the_reserve_is_gone_a_decision_has_its_own_time_alone(
    wall: Wall, anna: Any, bruno: Any
) -> None:
    game = timed_game([anna, bruno])
    absent = asked_seat(game)
    wall.pass_by(WHOLE)
    while asked_seat(game).number != absent.number:
        pass_once(game)
    again = asked_seat(game)
    assert again.reserve == timedelta(0)
    assert again.due_at == wall.now + 24 * HOUR


@pytest.mark.long
def test_someone_who_let_the_clock_answer_is_told_by_email_and_no_one_else(
    wall: Wall, anna: Any, bruno: Any
) -> None:
    game = timed_game([anna, bruno])
    asked = asked_seat(game)
    wall.pass_by(WHOLE)
    assert [email.to_user_id for email in emails("time_out")] == [asked.user_id]
    wall.pass_by(TICK)
    assert emails("time_out")[0].state == OutgoingEmail.State.SENT


def test_an_answer_that_comes_after_the_clocks_is_told_so(wall: Wall, anna: Any, bruno: Any) -> None:
    game = timed_game([anna, bruno])
    asked = asked_seat(game)
    regions = legal_moves(replayed(game).state, asked.number)
    wall.pass_by(WHOLE)
    other = next(str(move) for move in regions if str(move) != clock_entries(game)[0].move)
    with pytest.raises(services.AlreadyPlayed):
        answer(game, asked, other)


def test_an_answer_that_comes_before_the_tick_counts_though_time_is_out(
    wall: Wall, anna: Any, bruno: Any
) -> None:
    game = timed_game([anna, bruno])
    wall.pass_to(MONDAY + WHOLE - TICK)
    wall.now = MONDAY + WHOLE + HOUR
    pass_once(game)
    assert clock_entries(game) == []
    assert wall.tick() == 0


def test_a_tick_looks_at_the_calendar_again_before_it_plays(wall: Wall, anna: Any, bruno: Any) -> None:
    """A row with too early a moment is corrected, not acted on."""
    game = timed_game([anna, bruno])
    Seat.objects.filter(due_at__isnull=False).update(due_at=MONDAY + HOUR)
    wall.now = MONDAY + 2 * HOUR
    assert tick.play_overdue(wall.now) == 0
    assert asked_seat(game).due_at == MONDAY + WHOLE


@pytest.mark.long
def test_a_second_tick_at_the_same_moment_plays_nothing(wall: Wall, anna: Any, bruno: Any) -> None:
    game = timed_game([anna, bruno])
    wall.pass_by(WHOLE)
    assert tick.play_overdue(wall.now) == 0
    assert len(clock_entries(game)) == 1


@pytest.mark.long
def test_a_game_that_cannot_be_played_stops_no_other(
    wall: Wall, anna: Any, bruno: Any, carla: Any, dario: Any
) -> None:
    broken, sound = timed_game([anna, bruno]), timed_game([carla, dario], name="Another")
    wall.pass_to(MONDAY + WHOLE - TICK)
    LogEntry.objects.filter(game=broken).update(move="shuffle")
    assert wall.pass_by(TICK) == 1
    assert len(clock_entries(sound)) == 1


def test_without_a_clock_no_one_has_a_deadline(wall: Wall, anna: Any, bruno: Any) -> None:
    game = timed_game([anna, bruno], pace="none")
    seat = asked_seat(game)
    assert (seat.due_at, seat.counted_from, seat.reserve) == (None, None, None)
    assert wall.pass_by(timedelta(days=400)) == 0
    assert asked_seat(game).decision_step == seat.decision_step


def test_someone_who_plays_with_bots_alone_lets_no_one_wait(wall: Wall, anna: Any, bruno: Any) -> None:
    table = services.make_table(anna, name="Alone", size=2, entry="open", pace="hours")
    services.seat_bot(table, "recruit", 1)
    services.confirm(table.seats.get(user=anna))
    game = Game.objects.get(table=table)
    assert asked_seat(game).due_at is None


def test_the_clock_stops_when_the_last_other_person_has_left(wall: Wall, anna: Any, bruno: Any) -> None:
    game = timed_game([anna, bruno])
    asked = asked_seat(game)
    services.give_up(seat_of(game, 1 - asked.number))
    after = asked_seat(game)
    assert (after.decision_step, after.due_at, after.counted_from) == (asked.decision_step, None, None)


def test_a_seat_that_was_handed_over_has_a_fresh_deadline(
    wall: Wall, anna: Any, bruno: Any, carla: Any
) -> None:
    game = timed_game([anna, bruno])
    asked = asked_seat(game)
    offer = services.hand_over(asked, carla.email)
    wall.pass_by(40 * HOUR)
    services.take_over(offer, carla)
    after = asked_seat(game)
    assert after.user == carla
    assert (after.counted_from, after.time_left, after.reserve) == (wall.now, 24 * HOUR, 56 * HOUR)


@pytest.mark.long
def test_a_finished_game_has_no_deadlines(wall: Wall, anna: Any, bruno: Any) -> None:
    game = timed_game([anna, bruno])
    play_until(game, lambda state, decision: False)
    assert not Seat.objects.filter(due_at__isnull=False).exists()
    assert wall.pass_by(timedelta(days=30)) == 0


@pytest.mark.long
def test_a_whole_game_that_no_one_plays_is_abandoned(wall: Wall, anna: Any, bruno: Any, carla: Any) -> None:
    game = timed_game([anna, bruno, carla])
    wall.pass_by(timedelta(days=60))
    game.refresh_from_db()
    assert (game.ended, game.result) == ("abandoned", {"winners": [], "reason": None})
    assert replayed(game).error is None


@pytest.mark.long
def test_the_next_game_of_a_match_begins_with_the_whole_reserve(wall: Wall, anna: Any, bruno: Any) -> None:
    terms = {
        "options_json": {"edition": "2007", "variants": ["playing-for-points"]},
        "target": 40,
        "chain": 100,
    }
    game = timed_game([anna, bruno], **terms)
    wall.pass_by(30 * HOUR)
    pass_once(game)
    play_until(game, lambda state, decision: False)
    assert Seat.objects.filter(table=game.table_id, reserve=72 * HOUR).count() == 1
    for seat in game.table.seats.all():
        services.be_ready(seat, 2)
    assert Game.objects.filter(table=game.table_id).count() == 2
    assert Seat.objects.filter(table=game.table_id, reserve=72 * HOUR).count() == 2


def test_parse_of_what_the_clock_played_is_exact(wall: Wall, anna: Any, bruno: Any) -> None:
    game = timed_game([anna, bruno])
    wall.pass_by(WHOLE)
    entry = clock_entries(game)[0]
    assert str(parse_move(entry.move)) == entry.move
