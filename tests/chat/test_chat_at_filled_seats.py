"""Channels and deals at a table where someone left, a bot played, and another took its seat."""

from __future__ import annotations

from typing import Any

import pytest

from condottiere_site.privacy import erase, everything_about
from games import services
from games.chat import services as chat_services
from games.chat.models import Deal
from games.chat.services import deal_answers
from games.models import Game, Seat
from games.services import Refused
from tests.chat.dealing import channel_of, chooser, marks, no_attack, proposed_to, seat_of, standing, tick
from tests.games.playing import begin_game, play_to_the_end

pytestmark = pytest.mark.django_db


@pytest.fixture
def game(people: list[Any]) -> Game:
    return begin_game(people)


def filled(game: Game, leaver: Any, newcomer: Any) -> Seat:
    """A bot has played for the player who left; now another person has the seat."""
    seat = seat_of(game.table, leaver)
    services.give_up(seat)
    taken = services.fill_seat(Seat.objects.get(pk=seat.pk), newcomer)
    game.refresh_from_db()
    return taken


def path_of(channel: Any) -> str:
    return f"/tables/{channel.table_id}/chat/{channel.slug}/"


def test_the_newcomer_reads_the_whole_tables_chat_and_no_older_channel(
    game: Game, people: list[Any], dario: Any, signed_in: Any
) -> None:
    chat_services.write(seat_of(game.table, people[0]), "Good luck everybody")
    among = channel_of(game.table, people[0], people[1])
    chat_services.write(seat_of(game.table, people[0]), "Between us two", channel=among)
    filled(game, people[1], dario)
    client = signed_in(dario)
    assert "Good luck everybody" in client.get(f"/tables/{game.table_id}/chat/").content.decode()
    assert client.get(path_of(among)).status_code == 404
    assert signed_in(people[1]).get(path_of(among)).status_code == 404


def test_the_newcomer_begins_channels_of_their_own_with_the_same_people(
    game: Game, people: list[Any], dario: Any, signed_in: Any
) -> None:
    before = channel_of(game.table, people[0], people[1])
    taken = filled(game, people[1], dario)
    own = chat_services.begin_channel(taken, [seat_of(game.table, people[0])])
    assert own != before
    chat_services.write(taken, "I am new here", channel=own)
    assert "I am new here" in signed_in(people[0]).get(path_of(own)).content.decode()
    assert signed_in(people[2]).get(path_of(own)).status_code == 404


def test_what_stood_for_someone_who_left_binds_neither_bot_nor_newcomer(
    game: Game, people: list[Any], dario: Any
) -> None:
    number = chooser(game)
    mine = game.table.seats.get(number=number).user
    other = next(person for person in people if person != mine)
    deal = standing(game.table, mine, other, promises=[no_attack(number, "siena")])
    filled(game, mine, dario)
    play_to_the_end(game)
    tick()
    assert marks(deal)[0] == "void"


def test_what_was_proposed_to_someone_who_left_lapses_and_the_newcomer_answers_nothing(
    game: Game, people: list[Any], dario: Any
) -> None:
    deal = proposed_to(game.table, people[0], people[1])
    taken = filled(game, people[1], dario)
    with pytest.raises(Refused):
        deal_answers.answer(taken, deal.pk, accepts=True)
    play_to_the_end(game)
    tick()
    assert Deal.objects.get().state == "lapsed"


def test_the_newcomer_promises_for_themselves_and_what_the_bot_did_is_not_their(
    game: Game, people: list[Any], dario: Any
) -> None:
    number = chooser(game)
    mine = game.table.seats.get(number=number).user
    other = next(person for person in people if person != mine)
    taken = filled(game, mine, dario)
    deal = standing(game.table, dario, other, promises=[no_attack(taken.number, "siena")])
    tick()
    assert marks(deal)[0] == "open"
    play_to_the_end(game)
    tick()
    assert marks(deal)[0] in ("kept", "broken", "void")
    assert deal.parties.filter(user=dario).exists()


def test_an_adjudicated_game_judges_no_promise_as_broken(game: Game, people: list[Any]) -> None:
    number = chooser(game)
    mine = game.table.seats.get(number=number).user
    other = next(person for person in people if person != mine)
    deal = standing(game.table, mine, other, promises=[no_attack(number, "siena")])
    services.adjudicate(game.table, with_winner=False, now=game.moved_at)
    tick()
    assert marks(deal)[0] != "broken"
    assert marks(deal)[0] != "open"


def test_each_is_handed_out_their_own_words_and_forgotten_alone(
    game: Game, people: list[Any], dario: Any, signed_in: Any
) -> None:
    chat_services.write(seat_of(game.table, people[1]), "Mine, says Bruno")
    taken = filled(game, people[1], dario)
    chat_services.write(taken, "Mine, says the newcomer")
    assert [one["text"] for one in everything_about(dario)["messages"]] == ["Mine, says the newcomer"]
    assert [one["text"] for one in everything_about(people[1])["messages"]] == ["Mine, says Bruno"]
    for person in (people[1], dario):
        erase(person)
    page = signed_in(people[0]).get(f"/tables/{game.table_id}/chat/").content.decode()
    assert "Mine, says the newcomer" in page
    assert "Dario" not in page
