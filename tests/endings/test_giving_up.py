"""A player gives up a seat: a bot plays on at once, and the others get an email (R49)."""

from typing import Any

import pytest

from accounts.mail.models import OutgoingEmail
from condottiere_site.privacy import erase
from games import services
from games.models import Game, Proposal, Seat, SeatChange, Table
from games.rules import MOST_GAMES, verify
from games.selectors.integrity import differences
from games.selectors.records import record_of
from games.services import Refused
from tests.games.playing import begin_game, decision_of, play_to_the_end

pytestmark = pytest.mark.django_db

POINTS = {"options_json": {"edition": "2007", "variants": ["playing-for-points"]}, "chain": MOST_GAMES + 1}


def seat(game: Game, number: int) -> Seat:
    return Seat.objects.get(table=game.table_id, number=number)


def give_up(game: Game, *numbers: int) -> None:
    for number in numbers:
        services.give_up(seat(game, number))
    game.refresh_from_db()


def test_a_bot_answers_at_once_for_someone_who_was_asked(game: Game) -> None:
    asked = decision_of(game).seat
    entries = game.log.count()
    give_up(game, asked)
    assert game.log.get(ply=entries).via == "bot"
    assert decision_of(game).seat != asked
    left = seat(game, asked)
    assert (left.user, left.bot, left.asked_since) == (None, Seat.Bot.CAPTAIN, None)
    assert SeatChange.objects.get().ply == entries
    assert differences(game.pk) == []


def test_the_others_are_told(game: Game) -> None:
    give_up(game, 0)
    emails = OutgoingEmail.objects.filter(kind="seat_changed")
    assert {email.to_address for email in emails} == {"bruno@example.org", "carla@example.org"}


def test_someone_who_stays_plays_to_the_end(game: Game) -> None:
    give_up(game, 0, 2)
    play_to_the_end(game)
    game.refresh_from_db()
    assert game.ended == ""
    assert verify(record_of(game, ("A", "B", "C"))).ok


def test_with_no_one_left_the_game_is_abandoned(game: Game) -> None:
    give_up(game, 0, 1)
    assert not game.is_over
    give_up(game, 2)
    assert game.ended == Game.Ended.ABANDONED
    assert game.result == {"winners": [], "reason": None}
    assert Table.objects.get().state == Table.State.FINISHED
    assert verify(record_of(game, ("A", "B", "C"))).ok
    assert differences(game.pk) == []


def test_giving_up_twice_is_once(game: Game) -> None:
    mine = seat(game, 0)
    services.give_up(mine)
    with pytest.raises(Refused):
        services.give_up(Seat(pk=mine.pk, table=mine.table, number=0, user=Seat.objects.people()[0].user))
    assert SeatChange.objects.count() == 1


def test_a_proposal_that_waited_for_them_is_looked_at_again(game: Game) -> None:
    proposal = services.propose_end(seat(game, 0), game, Proposal.What.NONE)
    services.accept_proposal(seat(game, 1), proposal)
    give_up(game, 2)
    assert game.ended == Game.Ended.AGREEMENT


def test_nothing_is_given_up_when_the_game_is_over(game: Game) -> None:
    play_to_the_end(game)
    with pytest.raises(Refused, match="The game is over"):
        services.give_up(seat(game, 0))


def test_between_two_games_of_a_match_the_bot_is_ready(people: list[Any]) -> None:
    game = begin_game(people, target=50, **POINTS)
    play_to_the_end(game)
    give_up(game, 0)
    assert Game.objects.count() == 1
    services.be_ready(seat(game, 1), 2)
    assert services.be_ready(seat(game, 2), 2) is not None


def test_someone_who_leaves_last_lets_those_begin_who_were_ready(people: list[Any]) -> None:
    game = begin_game(people, target=50, **POINTS)
    play_to_the_end(game)
    services.be_ready(seat(game, 1), 2)
    services.be_ready(seat(game, 2), 2)
    give_up(game, 0)
    following = Game.objects.get(number=2)
    assert [differences(one.pk) for one in (game, following)] == [[], []]


def test_a_match_without_anyone_begins_no_further_game(people: list[Any]) -> None:
    game = begin_game(people, target=50, **POINTS)
    play_to_the_end(game)
    give_up(game, 0, 1, 2)
    table = Table.objects.get()
    assert (table.state, table.next_game_at) == (Table.State.FINISHED, None)
    assert Game.objects.count() == 1


def test_someone_who_deletes_their_account_leaves_a_bot(game: Game, people: list[Any]) -> None:
    asked = decision_of(game).seat
    erase(people[asked])
    assert seat(game, asked).bot == Seat.Bot.CAPTAIN
    assert decision_of(game).seat != asked
    assert OutgoingEmail.objects.filter(kind="seat_changed").count() == 2
    for person in people:
        erase(person)
    assert Game.objects.get().ended == Game.Ended.ABANDONED
