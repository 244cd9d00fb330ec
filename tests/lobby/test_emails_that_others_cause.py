"""Whatever someone repeats, others get only a few emails by it in a day."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest

from accounts.bots import make_bot
from accounts.mail.models import OutgoingEmail
from accounts.models import User
from games import services
from games.services import Refused
from games.services.lobby import TABLES_A_DAY
from games.services.table_invitations import INVITATIONS_A_DAY
from tests.games.playing import begin_game, seat_table

pytestmark = pytest.mark.django_db

TIMES, MOST_EMAILS = 50, 30

Repeated = Iterator[None]


def sits_down_and_leaves(anna: User, bruno: User, carla: User) -> Repeated:
    table = seat_table([anna, carla], size=3)
    while True:
        yield services.leave(services.take_seat(table, bruno))


def seats_bots_and_removes_them(anna: User, bruno: User, carla: User) -> Repeated:
    table = seat_table([anna, bruno], size=3)
    while True:
        yield services.remove(services.seat_bot(table, "captain", roster=2))


def pauses_for_another_time(anna: User, bruno: User, carla: User) -> Repeated:
    game = begin_game([anna, bruno, carla], pace="day", time_by="host")
    while True:
        yield services.host_pauses(game, anna, 2)
        yield services.host_pauses(game, anna, 3)


def pauses_and_goes_on(anna: User, bruno: User, carla: User) -> Repeated:
    game = begin_game([anna, bruno, carla], pace="day", time_by="host")
    while True:
        yield services.host_pauses(game, anna, 2)
        yield services.host_resumes(game, anna)


def proposes_and_withdraws(anna: User, bruno: User, carla: User) -> Repeated:
    game = begin_game([anna, bruno, carla])
    seat = game.table.seats.get(user=anna)
    while True:
        yield services.refuse_proposal(seat, services.propose_end(seat, game, "none"))


def invites_and_withdraws(anna: User, bruno: User, carla: User) -> Repeated:
    table = seat_table([anna], size=3)
    while True:
        yield services.withdraw(services.invite_person(table, bruno))


def invites_to_many_tables(anna: User, bruno: User, carla: User) -> Repeated:
    while True:
        yield services.invite(seat_table([anna], size=3), bruno.email)


def offers_a_seat_and_withdraws_it(anna: User, bruno: User, carla: User) -> Repeated:
    game = begin_game([anna, carla])
    seat = game.table.seats.get(user=anna)
    while True:
        yield services.close_offer(services.hand_over(seat, bruno.email), "withdrawn")


ALL = [
    sits_down_and_leaves,
    seats_bots_and_removes_them,
    pauses_for_another_time,
    pauses_and_goes_on,
    proposes_and_withdraws,
    invites_and_withdraws,
    invites_to_many_tables,
    offers_a_seat_and_withdraws_it,
]


@pytest.mark.parametrize("deed", ALL, ids=lambda deed: deed.__name__)
def test_what_someone_repeats_brings_others_few_emails(
    deed: Callable[..., Repeated], people: list[Any]
) -> None:
    repeated, refusals = deed(*people), 0
    for _ in range(TIMES):
        try:
            next(repeated)
        except (Refused, StopIteration):
            refusals += 1
    for person in people:
        assert OutgoingEmail.objects.filter(to_address=person.email).count() <= MOST_EMAILS
    assert refusals


def test_a_person_shares_a_days_invitations_with_their_bots(anna: User) -> None:
    bots, sent = [make_bot(anna, f"Bot {number}") for number in range(3)], 0
    for turn in range(INVITATIONS_A_DAY):
        host = [anna, *filter(None, bots)][turn % 4]
        with suppress(Refused):
            table = services.make_table(host, name="Friday", size=3, entry="open")
            for number in range(2):
                services.invite(table, f"person{turn}.{number}@example.org")
                sent += 1
    assert sent == INVITATIONS_A_DAY


def test_nobody_fills_the_list_of_open_tables(anna: User) -> None:
    bot, made = make_bot(anna, "Robin"), 0
    for turn in range(2 * TABLES_A_DAY):
        with suppress(Refused):
            services.make_table(bot if turn % 3 else anna, name="Friday", size=3, entry="open")
            made += 1
    assert made == TABLES_A_DAY
