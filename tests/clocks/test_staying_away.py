"""A bot plays for a player who misses too many turns, until they come back or are replaced."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail

from games import services
from games.links import seat_url
from games.models import Game, LogEntry, Proposal, Seat, SeatChange, TimeEvent
from games.models.replay import replayed
from games.services import Refused
from tests.clocks.passing import (
    HOUR,
    TICK,
    Wall,
    asked_seat,
    emails,
    pass_once,
    seat_of,
    timed_game,
    who_is_asked,
)

pytestmark = pytest.mark.django_db


def let_one_stay_away(game: Game, wall: Wall, number: int) -> Seat:
    """Everyone but this seat plays, until a bot plays for it."""
    for _ in range(400):
        game.refresh_from_db()
        assert not game.is_over
        if seat_of(game, number).played_by_bot:
            return seat_of(game, number)
        if number in who_is_asked(game):
            wall.pass_to(seat_of(game, number).due_at)
        else:
            pass_once(game)
    raise AssertionError("nobody stood in")


def kinds(game: Game) -> list[str]:
    return list(game.time_events.values_list("kind", flat=True))


@pytest.mark.long
def test_after_so_many_misses_in_a_row_a_bot_plays(wall: Wall, anna: Any, bruno: Any, carla: Any) -> None:
    game = timed_game([anna, bruno, carla], pace="hours", most_misses=2)
    seat = let_one_stay_away(game, wall, 1)
    assert (seat.played_by_bot, seat.misses, seat.decision_step, seat.due_at) == ("captain", 2, None, None)
    assert LogEntry.objects.filter(game=game, seat=1, via="clock").exclude(move="keep hand").count() == 2
    event = game.time_events.get()
    assert (event.kind, event.seat) == ("stood in", 1)
    assert LogEntry.objects.get(game=game, ply=event.ply - 1).via == "clock"


@pytest.mark.long
def test_the_bot_answers_at_once_and_the_player_is_asked_nothing(
    wall: Wall, anna: Any, bruno: Any, carla: Any
) -> None:
    game = timed_game([anna, bruno, carla], pace="hours", most_misses=1)
    let_one_stay_away(game, wall, 1)
    asked_before = len(emails("your_turn", bruno))
    for _ in range(12):
        if game.is_over:
            break
        pass_once(game)
        game.refresh_from_db()
    assert LogEntry.objects.filter(game=game, seat=1, via="bot").exists()
    assert len(emails("your_turn", bruno)) == asked_before


@pytest.mark.long
def test_an_answer_of_ones_own_begins_the_count_again(wall: Wall, anna: Any, bruno: Any) -> None:
    game = timed_game([anna, bruno], pace="hours", most_misses=2)
    seat = asked_seat(game)
    wall.pass_to(seat.due_at)
    assert seat_of(game, seat.number).misses == 1
    while asked_seat(game).number != seat.number or asked_seat(game).pending_decision == "hand":
        pass_once(game)
    pass_once(game)
    assert seat_of(game, seat.number).misses == 0


@pytest.mark.long
def test_everyone_is_told_who_stays_away_and_they_how_to_come_back(
    wall: Wall, anna: Any, bruno: Any, carla: Any
) -> None:
    game = timed_game([anna, bruno, carla], pace="hours", most_misses=1)
    let_one_stay_away(game, wall, 1)
    assert [email.to_user for email in emails("stood_in")] == [bruno]
    assert {email.to_user for email in emails("seat_away")} == {anna, carla}
    assert emails("time_out", bruno) == []


@pytest.mark.long
def test_the_host_is_told_that_they_may_offer_the_seat_where_the_terms_say_so(
    wall: Wall, anna: Any, bruno: Any, carla: Any
) -> None:
    told = "offer this seat to someone by email"
    for absent, is_told in (("offer", True), ("bot", False)):
        game = timed_game([anna, bruno, carla], pace="hours", most_misses=1, absent=absent)
        let_one_stay_away(game, wall, 1)
        wall.pass_by(timedelta(minutes=1))
        sent = {email.to[0]: email for email in mail.outbox if "A bot plays for" in email.subject}
        mail.outbox.clear()
        for body in (sent[anna.email].body, str(sent[anna.email].alternatives[0][0])):
            assert (told in " ".join(body.split())) is is_told
            assert (f"/games/{game.pk}/arrangements/%23absent" in body) is is_told
            assert seat_url(seat_of(game, 0)) in body
        assert told not in " ".join(sent[carla.email].body.split())


@pytest.mark.long
def test_someone_who_is_back_plays_themselves(wall: Wall, anna: Any, bruno: Any, carla: Any) -> None:
    game = timed_game([anna, bruno, carla], pace="hours", most_misses=1)
    services.come_back(let_one_stay_away(game, wall, 1))
    seat = seat_of(game, 1)
    assert (seat.played_by_bot, seat.misses) == ("", 0)
    assert kinds(game) == ["stood in", "back"]
    assert {email.to_user for email in emails("seat_back")} == {anna, carla}
    while 1 not in who_is_asked(game):
        pass_once(game)
    seat = seat_of(game, 1)
    assert seat.due_at is not None
    assert (seat.counted_from, seat.time_left) == (wall.now, 6 * HOUR)


@pytest.mark.long
def test_being_back_twice_is_once(wall: Wall, anna: Any, bruno: Any, carla: Any) -> None:
    game = timed_game([anna, bruno, carla], pace="hours", most_misses=1)
    seat = let_one_stay_away(game, wall, 1)
    services.come_back(seat)
    services.come_back(seat)
    assert kinds(game) == ["stood in", "back"]


@pytest.mark.long
def test_when_the_last_one_stays_away_the_game_is_abandoned(wall: Wall, anna: Any, bruno: Any) -> None:
    """No game is played to its end by bots alone."""
    game = timed_game([anna, bruno], pace="hours", most_misses=1)
    let_one_stay_away(game, wall, 1)
    assert asked_seat(game).due_at is not None, "who is here goes on being waited for: the other may be back"
    wall.pass_by(timedelta(days=10))
    game.refresh_from_db()
    assert (game.ended, replayed(game).error) == ("abandoned", None)


@pytest.mark.long
def test_when_the_last_present_player_gives_up_the_game_is_abandoned(
    wall: Wall, anna: Any, bruno: Any
) -> None:
    game = timed_game([anna, bruno], pace="hours", most_misses=1)
    let_one_stay_away(game, wall, 1)
    services.give_up(seat_of(game, 0))
    game.refresh_from_db()
    assert game.ended == "abandoned"


@pytest.mark.long
def test_giving_up_while_away_leaves_a_bot_for_good(wall: Wall, anna: Any, bruno: Any, carla: Any) -> None:
    game = timed_game([anna, bruno, carla], pace="hours", most_misses=1)
    services.give_up(let_one_stay_away(game, wall, 1))
    seat = Seat.objects.get(table=game.table_id, number=1)
    assert (seat.user, seat.bot, seat.played_by_bot, seat.misses) == (None, "captain", "", 0)


@pytest.mark.long
def test_someone_who_stays_away_is_not_waited_for_by_a_proposal(
    wall: Wall, anna: Any, bruno: Any, carla: Any
) -> None:
    game = timed_game([anna, bruno, carla], pace="hours", most_misses=1)
    away = let_one_stay_away(game, wall, 1)
    with pytest.raises(Refused, match="Come back first"):
        services.propose_end(away, game, Proposal.What.NONE)
    proposal = services.propose_end(seat_of(game, 0), game, Proposal.What.NONE)
    with pytest.raises(Refused, match="Come back first"):
        services.refuse_proposal(away, proposal)
    services.accept_proposal(seat_of(game, 2), proposal)
    game.refresh_from_db()
    assert game.ended == "agreement"


@pytest.mark.long
def test_a_proposal_that_waited_for_someone_who_stays_away_alone_is_carried_out(
    wall: Wall, anna: Any, bruno: Any, carla: Any
) -> None:
    game = timed_game([anna, bruno, carla], pace="hours", most_misses=1)
    asked = asked_seat(game)
    others = [number for number in range(3) if number != asked.number]
    proposal = services.propose_end(seat_of(game, others[0]), game, Proposal.What.NONE)
    services.accept_proposal(seat_of(game, others[1]), proposal)
    wall.pass_to(asked.due_at)
    game.refresh_from_db()
    assert game.ended == "agreement"


OFFERED = {"pace": "hours", "most_misses": 1, "absent": "offer"}


@pytest.mark.long
def test_an_offered_seat_is_taken_with_a_fresh_decision(
    wall: Wall, anna: Any, bruno: Any, carla: Any, dario: Any
) -> None:
    game = timed_game([anna, bruno, carla], **OFFERED)
    away = let_one_stay_away(game, wall, 1)
    taken = services.take_absent_seat(away, dario)
    assert (taken.user, taken.played_by_bot, taken.misses, taken.reserve) == (dario, "", 0, 24 * HOUR)
    change = SeatChange.objects.get(game=game)
    assert (change.seat, change.before, change.after) == (1, bruno, dario)
    assert [email.to_user for email in emails("seat_taken")] == [bruno]
    assert {email.to_user for email in emails("seat_changed")} == {anna, carla}
    assert services.take_absent_seat(away, dario) == taken
    with pytest.raises(Refused):
        services.come_back(away)


@pytest.mark.long
def test_the_story_tells_who_stayed_away_and_not_who_took_their_seat(
    wall: Wall, anna: Any, bruno: Any, carla: Any, dario: Any, signed_in: Any
) -> None:
    game = timed_game([anna, bruno, carla], **OFFERED)
    services.take_absent_seat(let_one_stay_away(game, wall, 1), dario)
    page = signed_in(anna).get(f"/games/{game.pk}/").content.decode()
    story = page[page.index("What happened") :]
    assert "Bruno is away, so a bot plays for now." in story
    assert "Bruno was away, so Dario took the seat." in story
    assert re.search("Bruno ran out of time", story)
    assert not re.search("Dario was away|Dario ran out of time", story)


def test_a_seat_whose_player_is_here_is_not_to_be_had(
    wall: Wall, anna: Any, bruno: Any, carla: Any, dario: Any
) -> None:
    game = timed_game([anna, bruno, carla], **OFFERED)
    with pytest.raises(Refused, match="no longer free"):
        services.take_absent_seat(seat_of(game, 1), dario)
    services.come_back(let_one_stay_away(game, wall, 1))
    with pytest.raises(Refused, match="no longer free"):
        services.take_absent_seat(seat_of(game, 1), dario)


@pytest.mark.parametrize("terms", [{"absent": "bot"}, {"entry": "invitation"}])
@pytest.mark.long
def test_where_the_terms_say_so_no_seat_is_to_be_had(
    wall: Wall, anna: Any, bruno: Any, carla: Any, dario: Any, terms: dict[str, str]
) -> None:
    game = timed_game([anna, bruno, carla], **(OFFERED | terms))
    away = let_one_stay_away(game, wall, 1)
    with pytest.raises(Refused, match="no longer free"):
        services.take_absent_seat(away, dario)


def test_no_one_takes_two_seats_at_a_table(wall: Wall, anna: Any, bruno: Any, carla: Any) -> None:
    game = timed_game([anna, bruno, carla], **OFFERED)
    away = let_one_stay_away(game, wall, 1)
    with pytest.raises(Refused, match="already"):
        services.take_absent_seat(away, anna)
    assert seat_of(game, 1).user == bruno


@pytest.mark.long
def test_the_host_offers_the_seat_of_someone_who_stays_away_to_an_address(
    wall: Wall, anna: Any, bruno: Any, carla: Any, dario: Any
) -> None:
    game = timed_game([anna, bruno, carla], **(OFFERED | {"entry": "invitation"}))
    with pytest.raises(Refused):
        services.offer_absent_seat(seat_of(game, 1), anna, dario.email)
    away = let_one_stay_away(game, wall, 1)
    with pytest.raises(Refused, match="host"):
        services.offer_absent_seat(away, carla, dario.email)
    offer = services.offer_absent_seat(away, anna, dario.email)
    assert services.offer_absent_seat(away, anna, dario.email) == offer
    seat = services.take_over(offer, dario)
    assert (seat.user, seat.played_by_bot, seat.reserve) == (dario, "", 24 * HOUR)
    assert [email.to_user for email in emails("seat_taken")] == [bruno]


@pytest.mark.long
def test_an_offer_ends_when_the_player_is_back(
    wall: Wall, anna: Any, bruno: Any, carla: Any, dario: Any
) -> None:
    game = timed_game([anna, bruno, carla], **OFFERED)
    away = let_one_stay_away(game, wall, 1)
    offer = services.offer_absent_seat(away, anna, dario.email)
    services.come_back(away)
    with pytest.raises(Refused):
        services.take_over(offer, dario)


@pytest.mark.long
def test_absence_lasts_into_the_next_game_of_a_match_and_is_not_waited_for(
    wall: Wall, anna: Any, bruno: Any, carla: Any
) -> None:
    terms = {
        "options_json": {"edition": "2007", "variants": ["playing-for-points"]},
        "target": 40,
        "chain": 100,
    }
    game = timed_game([anna, bruno, carla], pace="hours", most_misses=1, **terms)
    let_one_stay_away(game, wall, 1)
    for _ in range(2000):
        game.refresh_from_db()
        if game.is_over:
            break
        pass_once(game)
    for number in (0, 2):
        services.be_ready(seat_of(game, number), 2)
    after = Game.objects.get(table=game.table_id, number=2)
    assert seat_of(after, 1).played_by_bot == "captain"
    services.come_back(seat_of(after, 1))
    assert seat_of(after, 1).played_by_bot == ""


@pytest.mark.long
def test_someone_who_left_their_account_is_not_come_back_for(
    wall: Wall, anna: Any, bruno: Any, carla: Any
) -> None:
    from condottiere_site.privacy import erase

    game = timed_game([anna, bruno, carla], pace="hours", most_misses=1)
    let_one_stay_away(game, wall, 1)
    erase(bruno)
    seat = Seat.objects.get(table=game.table_id, number=1)
    assert (seat.user, seat.bot, seat.played_by_bot, seat.due_at) == (None, "captain", "", None)
    assert TimeEvent.objects.filter(kind="back").count() == 0


@pytest.mark.long
def test_the_emails_about_absence_can_be_read(
    wall: Wall, anna: Any, bruno: Any, carla: Any, settings: Any
) -> None:
    from accounts.mail.models import CapturedEmail

    settings.EMAIL_BACKEND = "accounts.mail.capture.CaptureBackend"
    game = timed_game([anna, bruno, carla], pace="hours", most_misses=2)
    seat = let_one_stay_away(game, wall, 1)
    wall.pass_by(TICK)
    to_bruno = " ".join(
        CapturedEmail.objects.filter(to=bruno.email).order_by("pk").values_list("text", flat=True)
    )
    assert "If you miss the next turn too, a bot plays for you until you’re back." in " ".join(
        to_bruno.split()
    )
    assert "so a bot now plays for you" in " ".join(to_bruno.split())
    told = CapturedEmail.objects.filter(to=anna.email).latest("pk")
    assert "Bruno is away, so a bot plays for now." in told.text
    services.come_back(seat)
    wall.pass_by(TICK)
    assert "Bruno is back and plays again." in CapturedEmail.objects.filter(to=carla.email).latest("pk").text
