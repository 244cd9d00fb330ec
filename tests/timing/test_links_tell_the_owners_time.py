"""Pages opened by an email's link show times in the recipient's zone, as the email did."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from accounts import times
from games import services
from games.links import LinkedDecision, answer_token, invitation_token, seat_token
from games.models import Game, Seat, Table

FARTHEST = "Pacific/Kiritimati"  # fourteen hours before UTC, so that no moment has the same hour there


@pytest.fixture
def bystander(game: Game) -> Seat:
    """A player far from the site's own zone who is asked nothing."""
    seat = game.table.seats.filter(due_at=None).select_related("user").first()
    assert seat is not None
    seat.person.time_zone = FARTHEST
    seat.person.save()
    return seat


def _at_home(seat: Seat, at: Any) -> str:
    return times.moment(at, seat.person.zone)


def _closing(table: Table, person: Any) -> str:
    return times.moment(table.closes_at, person.zone)


def _due(game: Game) -> Any:
    return game.table.seats.exclude(due_at=None).get().due_at


def test_a_link_whose_decision_is_closed_tells_the_others_time_by_its_owners_clock(
    game: Game, bystander: Seat
) -> None:
    token = answer_token(LinkedDecision(game.pk, bystander.number, bystander.person.pk, 0))

    page = Client().get(f"/answer/{token}/").content.decode()

    assert _at_home(bystander, _due(game)) in page


def test_anyone_who_is_signed_in_is_told_the_time_by_their_own_clock(
    game: Game, bystander: Seat, stranger: Any, signed_in: Any
) -> None:
    token = answer_token(LinkedDecision(game.pk, bystander.number, bystander.person.pk, 0))

    page = signed_in(stranger).get(f"/answer/{token}/").content.decode()

    assert _at_home(bystander, _due(game)) not in page


@pytest.fixture
def far_away(bruno: Any) -> Any:
    bruno.time_zone = FARTHEST
    bruno.save()
    return bruno


def test_a_link_to_ones_seat_tells_when_the_table_closes_by_ones_own_clock(anna: Any, far_away: Any) -> None:
    table = services.make_table(anna, name="Far", size=3, entry="open")
    token = seat_token(services.take_seat(table, far_away))

    page = Client().get(f"/seat/{token}/").content.decode()

    assert _closing(table, far_away) in page


def test_an_invitation_tells_when_the_table_closes_by_the_clock_of_someone_who_is_invited(
    anna: Any, far_away: Any
) -> None:
    table = services.make_table(anna, name="Far", size=3, entry="invitation")
    services.invite(table, far_away.email)
    token = invitation_token(table.invitations.get())

    page = Client().get(f"/invitation/{token}/").content.decode()

    assert _closing(table, far_away) in page
