"""An account the operator closed: no link in its emails opens anything, and bots play on in its seats."""

from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from games.chat.links import chat_url
from games.chat.models import Channel
from games.chat.services.messages import write
from games.leagues.links import ask_url, entry_url, invited_url
from games.leagues.models import Invitation, OpenSeat, Registration, SubstituteOffer
from games.leagues.services import registration, substitutes, withdrawals
from games.leagues.services.sign_up_opening import open_sign_up
from games.leagues.services.substitute_offers import offer_to_next
from games.links import LinkedDecision, answer_url, chronicle_url, invitation_url, seat_url
from games.models import Game, Table
from tests.games.gathering import invitation_to
from tests.games.playing import begin_game, decision_of, play_to_the_end, seat_table
from tests.games.polls import poll
from tests.leagues.world import a_league, a_running_season, a_season, invite, people, person, seat_by_hand

pytestmark = pytest.mark.django_db


def path_of(url: str) -> str:
    return "/" + url.split("/", 3)[3]


def close(user: User) -> None:
    User.objects.filter(pk=user.pk).update(is_active=False)


def answer_link(game: Game) -> tuple[str, User]:
    decision = decision_of(game)
    seat = game.table.seats.get(number=decision.seat)
    linked = LinkedDecision(game.pk, decision.seat, seat.person.pk, decision.decision_step)
    return path_of(answer_url(linked)), seat.person


@pytest.fixture
def links(anna: User, bruno: User, carla: User) -> list[str]:
    """Return every kind of link in emails to a person whose account is now closed."""
    game = begin_game([anna, bruno, carla])
    answer, asked = answer_link(game)
    seat = game.table.seats.get(user=carla)
    write(game.table.seats.get(user=anna), "What do you think?")
    channel = Channel.objects.get(table=game.table, slug="")
    finished = begin_game([anna, bruno, carla])
    play_to_the_end(finished)
    invitation, _path = invitation_to(seat_table([anna]), bruno.email)

    season = a_season(a_league(anna), size=3, division_size=3, min_players=3)
    open_sign_up(season, None, season.opens_at)
    season.refresh_from_db()
    registration.sign_up(season, bruno)
    invite(season, anna, carla.email)
    players = people(3)
    running = a_running_season(anna, players, size=3, rounds=1)
    (league_table,) = seat_by_hand(running.divisions.get().rounds.get(), players)
    substitutes.volunteer(running, person("Helper"))
    withdrawals.withdraw(running.entries.get(user=players[0]))
    open_seat = OpenSeat.objects.get(table=league_table)
    ask = offer_to_next(open_seat, open_seat.opened_at) or SubstituteOffer.objects.get(open_seat=open_seat)

    paths = [
        answer,
        path_of(seat_url(seat)),
        path_of(chat_url(seat, channel)),
        path_of(chronicle_url(finished, carla.pk)),
        path_of(invitation_url(invitation)),
        path_of(entry_url(Registration.objects.get(season=season, user=bruno))),
        path_of(invited_url(Invitation.objects.get(season=season, email=carla.email))),
        path_of(ask_url(ask)),
    ]
    assert {Client().get(path).status_code for path in paths} == {200}
    for someone in (asked, bruno, carla, person("Helper")):
        close(someone)
    return paths


def test_no_link_opens_anything_for_a_closed_account(links: list[str]) -> None:
    seen = {path: Client().get(path).status_code for path in links}
    assert seen == dict.fromkeys(links, 404)
    done = {path: Client().post(path, {"action": "accept"}).status_code for path in links}
    assert {path: status for path, status in done.items() if status not in (404, 405)} == {}


def test_no_move_is_played_by_the_link_of_a_closed_account(anna: User, bruno: User, carla: User) -> None:
    game = begin_game([anna, bruno, carla])
    path, asked = answer_link(game)
    close(asked)
    assert Client().post(path + "move/", {"move": "place roma"}).status_code == 404
    assert game.log.count() == 1


def test_a_live_page_opened_before_shows_no_hand_afterwards(anna: User, bruno: User, carla: User) -> None:
    game = begin_game([anna, bruno, carla])
    path, asked = answer_link(game)
    client = Client()
    page = client.get(path).content.decode()
    assert poll(client, page).status_code == 304
    close(asked)
    answer = poll(client, page)
    assert answer.status_code in (304, 404)
    assert b"Your hand" not in answer.content


@pytest.fixture
def operator(stranger: User, signed_in: Any) -> Client:
    User.objects.filter(pk=stranger.pk).update(is_staff=True, is_superuser=True)
    stranger.refresh_from_db()
    client: Client = signed_in(stranger)
    return client


def close_as(operator: Client, user: User) -> None:
    form = {"name": user.name, "language": "en", "chat_emails": "at once"}  # is_active is not ticked
    answer = operator.post(f"/operator/admin/accounts/user/{user.pk}/change/", form)
    assert answer.status_code == 302
    user.refresh_from_db()
    assert not user.is_active


def test_bots_play_on_in_the_seats_of_an_account_the_operator_closes(
    operator: Client, anna: User, bruno: User, carla: User, stranger: User
) -> None:
    game = begin_game([anna, bruno, carla])
    asked = answer_link(game)[1]
    number = game.table.seats.get(user=asked).number
    gathering = seat_table([asked, *({anna, bruno, carla} - {asked})])
    other = seat_table([stranger, asked], size=3)
    close_as(operator, asked)
    seat = game.table.seats.get(number=number)
    assert (seat.user, bool(seat.bot)) == (None, True)
    assert game.log.count() > 1  # what was asked of the seat is answered
    gathering.refresh_from_db()
    assert gathering.state == Table.State.CANCELLED  # its host has gone
    assert not other.seats.filter(user=asked).exists()


def test_an_account_the_operator_closes_leaves_its_leagues(operator: Client, anna: User) -> None:
    players = people(3)
    season = a_running_season(anna, players, size=3, rounds=1)
    seat_by_hand(season.divisions.get().rounds.get(), players)
    close_as(operator, players[0])
    assert season.entries.get(user=players[0]).state == Registration.State.WITHDRAWN
