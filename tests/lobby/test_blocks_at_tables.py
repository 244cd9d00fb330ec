"""Blocks apply when seats are offered, and reveal nothing to anyone."""

from typing import Any

import pytest

from accounts.blocking import block
from accounts.mail.models import OutgoingEmail
from games import services
from games.models import Invitation, Seat, Table
from games.services import Refused
from tests.games.playing import begin_game, seat_table

pytestmark = pytest.mark.django_db

REFUSED = "You can’t take a seat at this table."


def listed(client: Any) -> list[str]:
    """Return the open tables that this visitor sees."""
    return [table.name for table in client.get("/tables/").context["page"]]


def open_table(people: list[Any], name: str, **terms: Any) -> Table:
    table = seat_table(people, size=4, entry="open", **terms)
    Table.objects.filter(pk=table.pk).update(name=name)
    table.name = name
    return table


@pytest.mark.parametrize("blocker", [0, 1])
def test_whom_the_host_or_someone_seated_blocks_gets_no_seat(
    anna: Any, bruno: Any, carla: Any, signed_in: Any, blocker: int
) -> None:
    table = open_table([anna, bruno], "Friday")
    block([anna, bruno][blocker], carla)
    page = signed_in(carla).post(f"/tables/{table.pk}/take/", follow=True).content.decode()
    assert REFUSED in page
    assert not table.seats.filter(user=carla).exists()


def test_nor_do_they_by_an_invitation(anna: Any, bruno: Any, carla: Any) -> None:
    table = seat_table([anna, bruno], size=3)
    invitation = services.invite(table, carla.email)
    block(bruno, carla)
    with pytest.raises(Refused, match=REFUSED):
        services.take_seat(table, carla, invitation)


def test_someone_who_blocks_may_sit_down_themselves(anna: Any, bruno: Any) -> None:
    table = open_table([anna], "Friday")
    block(bruno, anna)
    assert services.take_seat(table, bruno).user == bruno


def test_open_tables_of_either_are_not_listed_to_the_other(
    anna: Any, bruno: Any, carla: Any, signed_in: Any
) -> None:
    open_table([anna, carla], "Anna’s")
    open_table([bruno], "Bruno’s")
    open_table([carla], "Carla's")
    block(anna, bruno)
    assert listed(signed_in(bruno)) == ["Bruno’s", "Carla's"]
    assert listed(signed_in(anna)) == ["Anna’s", "Carla's"]
    assert listed(signed_in(carla)) == ["Anna’s", "Bruno’s", "Carla's"]


def test_a_table_with_a_blocker_is_not_listed_either(
    anna: Any, bruno: Any, carla: Any, signed_in: Any
) -> None:
    open_table([carla, anna], "Carla's")
    block(anna, bruno)
    assert listed(signed_in(bruno)) == []
    assert "Carla&#x27;s" not in signed_in(bruno).get("/").content.decode()
    assert not signed_in(bruno).get("/tables/").context["page"].rows


def test_blocking_one_after_the_other_does_not_tell_who_sits_at_an_anonymous_table(
    anna: Any, bruno: Any, carla: Any, signed_in: Any
) -> None:
    open_table([carla, bruno], "Masks", is_anonymous=True)
    block(anna, bruno)
    block(anna, carla)
    assert listed(signed_in(anna)) == ["Masks"]


def test_an_invitation_of_someone_blocked_reaches_no_one_and_they_see_no_difference(
    anna: Any, bruno: Any, carla: Any, signed_in: Any
) -> None:
    block(bruno, anna)
    table = seat_table([anna], size=3)
    client = signed_in(anna)
    page = client.post(
        f"/tables/{table.pk}/invite/", {"invited": f"{bruno.email}, {carla.email}"}, follow=True
    )
    told = page.content.decode()
    assert f"You invited {bruno.email}." in told
    assert f"You invited {carla.email}." in told
    assert set(table.invitations.values_list("state", flat=True)) == {Invitation.State.SENT}
    assert [email.to_address for email in OutgoingEmail.objects.filter(kind="invitation")] == [carla.email]
    assert table.name not in signed_in(bruno).get("/games/").content.decode()
    assert table.name in signed_in(carla).get("/games/").content.decode()
    services.cancel(table)
    assert [email.to_address for email in OutgoingEmail.objects.filter(kind="cancelled")] == [carla.email]


def test_a_block_made_after_an_invitation_changes_nothing_about_it(
    anna: Any, bruno: Any, signed_in: Any
) -> None:
    table = seat_table([anna], size=3)
    services.invite(table, bruno.email)
    block(bruno, anna)
    assert table.name in signed_in(bruno).get("/games/").content.decode()


def test_a_seat_handed_over_goes_to_no_one_whom_the_others_block(
    anna: Any, bruno: Any, carla: Any, dario: Any
) -> None:
    game = begin_game([anna, bruno, carla])
    seat = game.table.seats.get(user=carla)
    offer = services.hand_over(seat, dario.email)
    block(bruno, dario)
    with pytest.raises(Refused, match=REFUSED):
        services.take_over(offer, dario)
    assert Seat.objects.get(pk=seat.pk).user == carla


def test_an_offer_of_someone_blocked_is_not_delivered(anna: Any, bruno: Any, carla: Any, dario: Any) -> None:
    game = begin_game([anna, bruno, carla])
    block(dario, carla)
    offer = services.hand_over(game.table.seats.get(user=carla), dario.email)
    assert offer.state == Invitation.State.SENT
    assert not OutgoingEmail.objects.filter(kind="hand_over").exists()


def test_an_absent_seat_is_neither_shown_nor_given_to_whom_someone_there_blocks(
    anna: Any, bruno: Any, carla: Any, dario: Any, signed_in: Any
) -> None:
    game = begin_game([anna, bruno, carla], entry="open", absent=Table.Absent.OFFER)
    Seat.objects.filter(table=game.table, user=carla).update(played_by_bot=Seat.Bot.RECRUIT)
    assert len(signed_in(dario).get("/tables/").context["absent"]) == 1
    block(bruno, dario)
    assert len(signed_in(dario).get("/tables/").context["absent"]) == 0
    with pytest.raises(Refused, match=REFUSED):
        services.take_absent_seat(game.table.seats.get(user=carla), dario)


def test_who_sits_already_stays(anna: Any, bruno: Any, carla: Any) -> None:
    table = open_table([anna, bruno], "Friday")
    block(anna, bruno)
    services.take_seat(table, carla)
    assert table.seats.filter(user=bruno).exists()
    assert services.take_seat(table, bruno).user == bruno
