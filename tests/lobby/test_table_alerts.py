"""Emails about new open tables: for people who asked, about tables they could join, one a day."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from accounts import clock
from accounts.blocking import block
from accounts.mail.delivery import deliver_due
from accounts.mail.models import CapturedEmail, OutgoingEmail
from accounts.mail.unsubscribe_links import unsubscribe_path
from games import privacy as games_privacy
from games import services
from games.models import TableAlert
from games.tasks import tell_of_open_tables
from tests.clocks.passing import Wall
from tests.games.playing import seat_table

pytestmark = pytest.mark.django_db

PRESS = "/tables/email-me/"
HOUR = timedelta(hours=1)


@pytest.fixture
def wall() -> Iterator[Wall]:
    wall = Wall()
    with clock.use_clock(wall):
        yield wall


def open_table(wall: Wall, people: list[Any], name: str, **terms: Any) -> Any:
    """Open a table, let an hour pass, and send what the site has to say about it."""
    wall.now += HOUR
    table = seat_table(people, **{"size": 4, "entry": "open", "name": name, **terms})
    pass_time(wall, HOUR)
    return table


def pass_time(wall: Wall, time: timedelta) -> None:
    wall.now += time
    tell_of_open_tables()
    deliver_due()


def told() -> list[str]:
    """Return the subjects of the emails about open tables that left."""
    return [
        email.subject
        for email in OutgoingEmail.objects.filter(kind="open_tables", state="sent").order_by("pk")
    ]


def test_one_press_asks_and_the_email_leads_to_the_table(
    wall: Wall, anna: Any, bruno: Any, signed_in: Any
) -> None:
    open_table(wall, [anna], "Before")
    page = signed_in(bruno).post(PRESS, follow=True).content.decode()
    assert "We’ll email you when someone opens a table." in page
    assert "Stop these emails" in page
    open_table(wall, [bruno], "My own")
    seat_table([anna], size=4, entry="link", name="By link")
    table = open_table(wall, [anna], "Friday")
    assert told() == ["A new open table: Friday"]
    email = CapturedEmail.objects.get(to=bruno.email)
    assert f"/join/{table.join_key}/" in email.text
    assert "By link" not in email.text


def test_several_tables_of_a_day_come_in_one_email_a_day_later(
    wall: Wall, anna: Any, bruno: Any, signed_in: Any
) -> None:
    signed_in(bruno).post(PRESS)
    for name in ("One", "Two", "Three"):
        open_table(wall, [anna], name)
    assert told() == ["A new open table: One"]
    pass_time(wall, 24 * HOUR)
    pass_time(wall, 24 * HOUR)
    assert told() == ["A new open table: One", "2 new open tables: Two and more"]


def test_a_table_they_could_not_join_is_not_told_and_costs_no_email_of_that_day(
    wall: Wall, anna: Any, bruno: Any, carla: Any, signed_in: Any
) -> None:
    signed_in(bruno).post(PRESS)
    block(anna, bruno)
    open_table(wall, [anna], "Anna’s")
    open_table(wall, [carla, anna], "Carla's with Anna")
    open_table(wall, [carla, anna], "Full", size=2)
    assert not OutgoingEmail.objects.filter(kind="open_tables").exists()
    open_table(wall, [carla], "Carla's")
    assert told() == ["A new open table: Carla's"]


def test_they_end_with_a_seat_and_when_pressed_off(
    wall: Wall, anna: Any, bruno: Any, carla: Any, signed_in: Any
) -> None:
    for person in (bruno, carla):
        signed_in(person).post(PRESS)
    signed_in(carla).post(PRESS, {"stop": "1"})
    services.take_seat(open_table(wall, [anna], "First"), bruno)
    OutgoingEmail.objects.all().delete()
    open_table(wall, [anna], "Second")
    assert told() == []
    assert "Email me when someone opens a table" in signed_in(bruno).get("/tables/").content.decode()


def test_the_emails_own_link_ends_them_and_the_lobby_says_so(
    wall: Wall, anna: Any, bruno: Any, signed_in: Any
) -> None:
    signed_in(bruno).post(PRESS)
    open_table(wall, [anna], "First")
    assert unsubscribe_path(bruno, "tables") in CapturedEmail.objects.get(to=bruno.email).text
    page = Client().post(unsubscribe_path(bruno, "tables")).content.decode()
    assert "we don’t tell you when someone opens a table" in page
    pass_time(wall, 24 * HOUR)
    open_table(wall, [anna], "Second")
    assert told() == ["A new open table: First"]
    assert "Email me when someone opens a table" in signed_in(bruno).get("/tables/").content.decode()
    signed_in(bruno).post(PRESS)
    pass_time(wall, 24 * HOUR)
    open_table(wall, [anna], "Third")
    assert told()[-1] == "A new open table: Third"


def test_a_guest_signs_in_first(anna: Any) -> None:
    assert "Sign in to get these emails" in Client().get("/tables/").content.decode()
    answer = Client().post(PRESS)
    assert (answer.status_code, answer["Location"]) == (302, "/accounts/login/?next=/tables/")


def test_the_wish_is_exported_and_erased(anna: Any, signed_in: Any) -> None:
    signed_in(anna).post(PRESS)
    assert [set(row) for row in games_privacy.export(anna)["emails_about_open_tables"]] == [
        {"since", "seen_until"}
    ]
    games_privacy.erase(anna)
    assert not TableAlert.objects.exists()
