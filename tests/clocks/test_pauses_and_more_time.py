"""The clocks of a game are paused, resumed, or given more time: by everyone together, or by the host."""

from __future__ import annotations

import html
import re
from datetime import time, timedelta
from typing import Any

import pytest
from django.core import mail

from accounts import availability
from accounts.mail.models import OutgoingEmail
from accounts.working_hours import FARTHEST
from games import services
from games.models import Game, Proposal, Seat
from games.privacy import export
from games.services import Refused
from tests.clocks.passing import HOUR, MONDAY, Wall, asked_seat, emails, pass_once, seat_of, timed_game

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)
PAUSE, GO_ON, MORE_TIME = Proposal.What.PAUSE, Proposal.What.GO_ON, Proposal.What.MORE_TIME


def agree(game: Game, what: str, amount: int | None = None) -> None:
    proposal = services.propose_time(seat_of(game, 0), game, what, amount)
    for number in range(1, game.players):
        services.accept_proposal(seat_of(game, number), proposal)


def told(game: Game) -> list[tuple[str, Any]]:
    return [(event.kind, event.by) for event in game.time_events.select_related("by")]


def test_in_a_pause_nobodys_time_is_counted(wall: Wall, anna: Any, bruno: Any) -> None:
    game = timed_game([anna, bruno])
    wall.pass_by(10 * HOUR)
    agree(game, PAUSE, 7)
    seat = asked_seat(game)
    assert (seat.counted_from, seat.time_left) == (MONDAY + 10 * HOUR + 7 * DAY, 14 * HOUR)
    assert seat.due_at == MONDAY + 7 * DAY + 96 * HOUR
    assert wall.pass_to(seat.due_at - timedelta(seconds=1)) == 0
    assert wall.pass_to(seat.due_at) == 1
    assert told(game) == [("paused", None)]


def test_what_is_asked_in_a_pause_has_its_whole_time_after_it(wall: Wall, anna: Any, bruno: Any) -> None:
    game = timed_game([anna, bruno])
    agree(game, PAUSE, 3)
    wall.pass_by(1 * DAY)
    pass_once(game)
    seat = asked_seat(game)
    assert (seat.counted_from, seat.time_left) == (MONDAY + 3 * DAY, 24 * HOUR)


def test_a_pause_that_is_over_pauses_nothing(wall: Wall, anna: Any, bruno: Any) -> None:
    game = timed_game([anna, bruno])
    agree(game, PAUSE, 3)
    wall.pass_by(4 * DAY)
    pass_once(game)
    assert asked_seat(game).counted_from == wall.now
    with pytest.raises(Refused, match="isn’t paused"):
        services.propose_time(seat_of(game, 0), game, GO_ON)


def test_when_a_pause_is_ended_time_is_counted_from_then(wall: Wall, anna: Any, bruno: Any) -> None:
    game = timed_game([anna, bruno])
    wall.pass_by(10 * HOUR)
    agree(game, PAUSE, 7)
    wall.pass_by(2 * DAY)
    agree(game, GO_ON)
    seat = asked_seat(game)
    assert (seat.counted_from, seat.time_left) == (wall.now, 14 * HOUR)
    game.refresh_from_db()
    assert game.paused_until is None
    assert told(game) == [("paused", None), ("resumed", None)]


def test_more_time_is_open_time_for_what_is_asked_now(wall: Wall, anna: Any, bruno: Any) -> None:
    game = timed_game([anna, bruno])
    wall.pass_by(10 * HOUR)
    agree(game, MORE_TIME, 48)
    seat = asked_seat(game)
    assert (seat.time_left, seat.reserve) == (62 * HOUR, 72 * HOUR)
    assert seat.due_at == MONDAY + 96 * HOUR + 48 * HOUR
    pass_once(game)
    assert asked_seat(game).time_left == 24 * HOUR
    assert game.time_events.get().amount == 48 * HOUR


def test_nothing_is_done_before_the_last_has_agreed(wall: Wall, anna: Any, bruno: Any, carla: Any) -> None:
    game = timed_game([anna, bruno, carla])
    proposal = services.propose_time(seat_of(game, 0), game, PAUSE, 7)
    services.accept_proposal(seat_of(game, 1), proposal)
    assert told(game) == []
    assert {email.to_user for email in emails("time_proposed")} == {bruno, carla}
    services.accept_proposal(seat_of(game, 2), proposal)
    services.accept_proposal(seat_of(game, 2), proposal)
    assert told(game) == [("paused", None)]


def test_one_refusal_leaves_everything_as_it_is(wall: Wall, anna: Any, bruno: Any, carla: Any) -> None:
    game = timed_game([anna, bruno, carla])
    before = asked_seat(game).due_at
    proposal = services.propose_time(seat_of(game, 0), game, MORE_TIME, 24)
    services.refuse_proposal(seat_of(game, 1), proposal)
    with pytest.raises(Refused, match="refused or withdrawn"):
        services.accept_proposal(seat_of(game, 2), proposal)
    assert (asked_seat(game).due_at, told(game)) == (before, [])


def test_a_proposal_made_twice_is_one(wall: Wall, anna: Any, bruno: Any) -> None:
    game = timed_game([anna, bruno])
    first = services.propose_time(seat_of(game, 0), game, PAUSE, 7)
    assert services.propose_time(seat_of(game, 0), game, PAUSE, 7) == first
    with pytest.raises(Refused, match="already an open proposal"):
        services.propose_time(seat_of(game, 0), game, PAUSE, 8)


@pytest.mark.parametrize(
    ("what", "amount"),
    [(PAUSE, 0), (PAUSE, 31), (PAUSE, None), (MORE_TIME, 0), (MORE_TIME, 169), (GO_ON, None)],
)
def test_what_makes_no_sense_is_refused(
    wall: Wall, anna: Any, bruno: Any, what: str, amount: int | None
) -> None:
    game = timed_game([anna, bruno], time_by="host")
    with pytest.raises(Refused):
        services.propose_time(seat_of(game, 0), game, what, amount)
    with pytest.raises(Refused):
        {
            PAUSE: lambda: services.host_pauses(game, anna, amount or 0),
            MORE_TIME: lambda: services.host_gives_time(game, anna, amount or 0),
            GO_ON: lambda: services.host_resumes(game, anna),
        }[what]()


def test_where_no_clock_runs_nothing_is_paused(wall: Wall, anna: Any, bruno: Any) -> None:
    game = timed_game([anna, bruno], pace="none", time_by="host")
    with pytest.raises(Refused, match="has no time limit"):
        services.propose_time(seat_of(game, 0), game, PAUSE, 3)
    with pytest.raises(Refused, match="has no time limit"):
        services.host_pauses(game, anna, 3)


def test_the_host_alone_decides_where_the_terms_say_so(wall: Wall, anna: Any, bruno: Any) -> None:
    game = timed_game([anna, bruno], time_by="host")
    services.host_pauses(game, anna, 3)
    assert asked_seat(game).counted_from == MONDAY + 3 * DAY
    services.host_resumes(game, anna)
    assert asked_seat(game).counted_from == MONDAY
    services.host_gives_time(game, anna, 5)
    assert asked_seat(game).time_left == 29 * HOUR
    assert told(game) == [("paused", anna), ("resumed", anna), ("extended", anna)]


@pytest.mark.parametrize("time_by", ["host", "all"])
def test_no_one_else_decides_alone(wall: Wall, anna: Any, bruno: Any, time_by: str) -> None:
    game = timed_game([anna, bruno], time_by=time_by)
    person = bruno if time_by == "host" else anna
    for action in (
        lambda: services.host_pauses(game, person, 3),
        lambda: services.host_resumes(game, person),
        lambda: services.host_gives_time(game, person, 3),
    ):
        with pytest.raises(Refused, match="together"):
            action()
    assert told(game) == []


def test_a_button_pressed_twice_gives_time_once(wall: Wall, anna: Any, bruno: Any) -> None:
    game = timed_game([anna, bruno], time_by="host")
    services.host_gives_time(game, anna, 5)
    wall.now += timedelta(seconds=5)
    services.host_gives_time(game, anna, 5)
    assert asked_seat(game).due_at == MONDAY + 101 * HOUR
    wall.now += 2 * HOUR
    services.host_gives_time(game, anna, 5)
    assert asked_seat(game).due_at == MONDAY + 106 * HOUR


def hardly_open(person: Any) -> None:
    """Leave this person 28 open hours a week, and as many holidays as anyone may announce."""
    availability.change(person, quiet_from=time(7), quiet_until=time(3), days_off=[])
    for number in range(availability.MOST_HOLIDAYS):
        first = MONDAY.date() + (2 + 18 * number) * DAY
        availability.announce_holiday(person, first, first + 17 * DAY)


def test_time_that_is_given_again_and_again_is_refused_before_it_is_too_much(
    wall: Wall, anna: Any, bruno: Any, signed_in: Any
) -> None:
    game = timed_game([anna, bruno], pace="week", time_by="host", most_holidays=90)
    for person in (anna, bruno):
        hardly_open(person)
    page = f"/games/{game.pk}/time/"
    statuses = []
    for _press in range(8):
        answer = signed_in(anna).post(page, {"what": MORE_TIME, "hours": "168", "how": "decide"}, follow=True)
        statuses.append(answer.status_code)
        wall.now += timedelta(minutes=2)
    text = html.unescape(answer.content.decode())
    assert "A move can have 720 hours left at most. Nothing was changed. Choose fewer hours, or wait." in text
    assert statuses == [200] * 3 + [400] * 5
    assert [kind for kind, _by in told(game)] == ["extended"] * 3
    assert 600 * HOUR < asked_seat(game).time_left <= 720 * HOUR
    services.host_pauses(game, anna, 30)
    assert asked_seat(game).due_at < wall.now + FARTHEST


def test_time_that_all_agree_to_give_again_and_again_is_refused_too(
    wall: Wall, anna: Any, bruno: Any
) -> None:
    game = timed_game([anna, bruno])
    for _time in range(4):
        agree(game, MORE_TIME, 168)
        wall.now += timedelta(minutes=2)
    with pytest.raises(Refused, match="720 hours left at most"):
        agree(game, MORE_TIME, 168)
    assert asked_seat(game).time_left <= 720 * HOUR


def test_the_others_are_told_of_a_pause_and_of_its_end(wall: Wall, anna: Any, bruno: Any, carla: Any) -> None:
    game = timed_game([anna, bruno, carla], time_by="host")
    services.host_pauses(game, anna, 3)
    assert {email.to_user for email in emails("clocks_changed")} == {bruno, carla}
    wall.pass_by(HOUR)
    services.host_resumes(game, anna)
    wall.pass_by(HOUR)
    assert {email.state for email in emails("clocks_changed")} == {OutgoingEmail.State.SENT}
    assert len(emails("clocks_changed")) == 4


def test_reminders_follow_the_deadline_that_was_moved(wall: Wall, anna: Any, bruno: Any) -> None:
    game = timed_game([anna, bruno])
    wall.pass_by(73 * HOUR)
    asked = asked_seat(game)
    assert len(emails("reminder")) == 1
    agree(game, MORE_TIME, 48)
    assert asked_seat(game).remind_at == asked.due_at + 48 * HOUR - 24 * HOUR


def test_what_someone_did_to_clocks_is_in_what_is_stored_of_them(wall: Wall, anna: Any, bruno: Any) -> None:
    game = timed_game([anna, bruno], time_by="host")
    services.host_gives_time(game, anna, 5)
    (told,) = export(anna)["pauses_and_time_given_by_me"]
    assert (told["game"], told["kind"], told["amount"]) == (game.pk, "extended", 5 * HOUR)
    assert export(bruno)["pauses_and_time_given_by_me"] == []


def test_answers_are_taken_in_a_pause(wall: Wall, anna: Any, bruno: Any) -> None:
    game = timed_game([anna, bruno])
    agree(game, PAUSE, 3)
    seat = pass_once(game)
    assert game.log.filter(seat=seat.number, via="web").exists()


def left_emails(wall: Wall, kind: str, person: Any) -> list[Any]:
    """Return this person's emails of a kind that leave in the next minutes, as sent."""
    wall.pass_by(timedelta(minutes=10))
    ids = {email.message_id for email in emails(kind, person)}
    return [email for email in mail.outbox if email.extra_headers["Message-ID"] in ids]


def in_both(email: Any) -> list[str]:
    """Return the email as text and as HTML, each on one line."""
    return [" ".join(html.unescape(str(body)).split()) for body in (email.body, email.alternatives[0][0])]


def test_someone_who_is_asked_is_told_their_own_new_deadline_when_the_game_goes_on(
    wall: Wall, anna: Any, bruno: Any
) -> None:
    for person in (anna, bruno):
        person.time_zone = "Europe/Warsaw"
        person.save()
    game = timed_game([anna, bruno])
    wall.pass_by(10 * HOUR)
    agree(game, PAUSE, 7)
    asked = asked_seat(game).person
    other = bruno if asked == anna else anna
    for body in in_both(left_emails(wall, "clocks_changed", other)[0]):
        assert "until Monday 9 March, 23:00 (Warsaw)." in body
        assert "Move by" not in body
    agree(game, GO_ON)
    for body in in_both(left_emails(wall, "clocks_changed", asked)[-1]):
        assert "Move by Tuesday 3 March, 13:10" in body
        assert "until Friday 6 March, 13:10." in re.sub(r"<[^>]+>", "", body)
        assert "(Warsaw)" in body
    for body in in_both(left_emails(wall, "clocks_changed", other)[-1]):
        assert "Move by" not in body


def test_the_deadline_of_a_secret_decision_is_told_to_no_one_else(wall: Wall, anna: Any, bruno: Any) -> None:
    game = timed_game([anna, bruno])
    seat = asked_seat(game)
    Seat.objects.filter(pk=seat.pk).update(pending_decision="hand")
    agree(game, PAUSE, 7)
    other = bruno if seat.person == anna else anna
    assert all("Move by" in body for body in in_both(left_emails(wall, "clocks_changed", seat.person)[-1]))
    assert not any("Move by" in body for body in in_both(left_emails(wall, "clocks_changed", other)[-1]))
