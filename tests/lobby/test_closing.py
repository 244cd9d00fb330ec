"""Tables no one fills: stated when they close, an email before, one after, and a way to go on looking."""

from datetime import datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from accounts.mail.delivery import deliver_due
from accounts.mail.models import CapturedEmail, OutgoingEmail
from games import services
from games.links import seat_token
from games.models import Seat, Table
from games.services.expiry import close_unfilled
from games.tasks import close_unfilled as hourly
from tests.games.playing import begin_game, seat_table

pytestmark = pytest.mark.django_db


@pytest.fixture
def table(anna: Any, bruno: Any) -> Table:
    """Anna and Bruno have seats, two are free, Carla and a person without an account are invited."""
    table = seat_table([anna, bruno], name="Friday table", size=4)
    for address in ("carla@example.org", "nobody-yet@example.org"):
        services.invite(table, address)
    OutgoingEmail.objects.all().delete()
    return table


def after(table: Table, days: float) -> datetime:
    return table.created_at + timedelta(days=days)


def told(kind: str) -> set[str]:
    return set(OutgoingEmail.objects.filter(kind=kind).values_list("to_address", flat=True))


def state_of(table: Table) -> str:
    return Table.objects.get(pk=table.pk).state


def test_the_page_states_when_the_table_closes(
    table: Table, anna: Any, stranger: Any, signed_in: Any
) -> None:
    day = table.closes_at.strftime("%Y")
    assert abs(table.closes_at - table.created_at - timedelta(days=21)) < timedelta(seconds=5)
    for person in (anna, stranger):
        page = signed_in(person).get(f"/tables/{table.pk}/").content.decode()
        assert "If the game has not started by then, the table closes" in page
    assert "The table closes on" in signed_in(anna).get(f"/tables/{table.pk}/").content.decode()
    assert "Closes:" in signed_in(stranger).get("/tables/").content.decode()
    assert day in signed_in(stranger).get("/tables/").content.decode()


def test_a_full_table_no_longer_looks_for_players(table: Table, anna: Any, signed_in: Any) -> None:
    looking = ("Looking for players", "Send invitations", "Keep the table open until", "can take a seat:")
    host, path = signed_in(anna), f"/tables/{table.pk}/"
    Table.objects.filter(pk=table.pk).update(closes_at=table.closes_at - timedelta(days=2))
    page = host.get(path).content.decode()
    assert [words for words in looking if words not in page] == []
    while table.seats.count() < table.size:
        services.seat_bot(table, "recruit", table.seats.count())
    page = host.get(path).content.decode()
    assert [words for words in looking if words in page] == []
    assert "Waiting for everyone to confirm" in page
    assert "If the game has not started by then, the table closes" in page


def test_no_button_keeps_a_table_open_until_the_day_on_which_it_closes_anyway(
    table: Table, anna: Any, signed_in: Any
) -> None:
    seat = table.seats.get(user=anna)
    for days, is_offered in ((0, False), (2, True)):
        closes_at = table.created_at + timedelta(days=21 - days)
        Table.objects.filter(pk=table.pk).update(closes_at=closes_at)
        for page in (signed_in(anna).get(f"/tables/{table.pk}/"), Client().get(f"/seat/{seat_token(seat)}/")):
            assert "The table closes on" in page.content.decode()
            assert ("Keep the table open" in page.content.decode()) == is_offered


def test_how_long_a_table_lasts_is_a_setting(anna: Any, settings: Any) -> None:
    settings.TABLE_LASTS = timedelta(days=5)
    made = seat_table([anna], size=3)
    assert abs(made.closes_at - timezone.now() - timedelta(days=5)) < timedelta(seconds=5)


def test_the_host_is_warned_three_days_before_and_once(table: Table) -> None:
    close_unfilled(after(table, 17.9))
    assert told("closing_soon") == set()
    for _beat in range(2):
        assert close_unfilled(after(table, 18.01)) == 0
    close_unfilled(after(table, 20))
    assert OutgoingEmail.objects.filter(kind="closing_soon").count() == 1
    assert told("closing_soon") == {"anna@example.org"}
    assert state_of(table) == "gathering"


def test_two_beats_close_it_once_and_everyone_seated_or_invited_is_told(table: Table) -> None:
    close_unfilled(after(table, 18.01))
    assert [close_unfilled(after(table, 21.01)), close_unfilled(after(table, 21.01))] == [1, 0]
    assert state_of(table) == "closed"
    assert told("closed") == {f"{who}@example.org" for who in ("anna", "bruno", "carla", "nobody-yet")}
    assert OutgoingEmail.objects.filter(kind="closed").count() == 4


def test_no_table_is_closed_without_the_warning_and_its_three_days(table: Table) -> None:
    """Nothing ran for weeks: the warning comes late, together with the end."""
    late = after(table, 40)
    assert close_unfilled(late) == 0
    table.refresh_from_db()
    assert (state_of(table), table.closes_at) == ("gathering", late + timedelta(days=3))
    assert close_unfilled(late + timedelta(days=2, hours=23)) == 0
    assert close_unfilled(late + timedelta(days=3)) == 1


def test_the_host_keeps_it_open_as_long_as_a_new_one(table: Table, anna: Any, signed_in: Any) -> None:
    close_unfilled(after(table, 18.01))
    with time_machine.travel(after(table, 19), tick=False):
        client = signed_in(anna)
        for _click in range(2):
            page = client.post(f"/tables/{table.pk}/keep-open/", follow=True).content.decode()
            assert "The table stays open." in page
    table.refresh_from_db()
    assert table.closes_at == after(table, 40)
    assert close_unfilled(after(table, 22)) == 0
    assert OutgoingEmail.objects.filter(kind="closing_soon").count() == 1
    close_unfilled(after(table, 37.1))
    assert OutgoingEmail.objects.filter(kind="closing_soon").count() == 2
    assert close_unfilled(after(table, 40.1)) == 1


def test_only_the_host_keeps_it_open_and_only_while_it_gathers(
    table: Table, anna: Any, bruno: Any, stranger: Any, signed_in: Any, client: Any
) -> None:
    path = f"/tables/{table.pk}/keep-open/"
    for person in (bruno, stranger):
        assert signed_in(person).post(path).status_code == 404
    assert client.post(path)["Location"].startswith("/accounts/login/")
    assert signed_in(anna).get(path).status_code == 405
    services.cancel(table)
    page = signed_in(anna).post(path, follow=True).content.decode()
    assert "The host has cancelled this table." in page
    table.refresh_from_db()
    assert table.closes_at < after(table, 22)


def test_the_emails_say_what_happens(table: Table, signed_in: Any, anna: Any) -> None:
    with time_machine.travel(after(table, 18.01), tick=False):
        hourly()
        deliver_due()
    warning = CapturedEmail.objects.get(to="anna@example.org")
    assert warning.subject == "Closing soon: Friday table"
    assert "2 seats are free" in " ".join(warning.text.split())
    assert "Invite more people, or keep the table open:\nhttp://testserver/seat/" in warning.text
    with time_machine.travel(after(table, 21.01), tick=False):
        assert hourly() == 1
        deliver_due()
    last = CapturedEmail.objects.filter(to="carla@example.org").latest("pk")
    assert last.subject == "Table closed: Friday table"
    assert "its game didn’t start in time" in " ".join(last.text.split())


def test_a_warning_that_is_out_of_date_is_not_sent(table: Table) -> None:
    close_unfilled(after(table, 18.01))
    services.keep_open(table)
    deliver_due()
    assert OutgoingEmail.objects.get(kind="closing_soon").state == OutgoingEmail.State.OVERTAKEN


def test_at_a_closed_table_nothing_can_be_done_and_it_says_why(
    table: Table, anna: Any, bruno: Any, stranger: Any, signed_in: Any
) -> None:
    close_unfilled(after(table, 18.01))
    close_unfilled(after(table, 21.01))
    said = "This table was closed because the game did not start in time."
    assert said in signed_in(bruno).get(f"/tables/{table.pk}/").content.decode()
    assert "Friday table" not in signed_in(stranger).get("/tables/").content.decode()
    assert signed_in(stranger).post(f"/tables/{table.pk}/take/").status_code == 404
    for path in ("confirm", "cancel"):
        person = bruno if path == "confirm" else anna
        page = signed_in(person).post(f"/tables/{table.pk}/{path}/", follow=True).content.decode()
        assert said in page
    assert state_of(table) == "closed"


def test_a_table_that_fills_late_has_a_week_to_confirm(
    table: Table, carla: Any, dario: Any, anna: Any
) -> None:
    close_unfilled(after(table, 18.01))
    with time_machine.travel(after(table, 20.9), tick=False):
        for person in (carla, dario):
            services.take_seat(table, person)
    assert close_unfilled(after(table, 21.01)) == 0
    assert close_unfilled(after(table, 25)) == 0
    assert OutgoingEmail.objects.filter(kind="closing_soon").count() == 2
    assert close_unfilled(after(table, 28)) == 1


def test_games_that_have_begun_and_guests_tables_are_left_alone(anna: Any, bruno: Any) -> None:
    game = begin_game([anna, bruno])
    practice = Table.objects.create(
        host=None, name="Practice", size=2, entry="invitation", practice_key="x" * 22
    )
    Seat.objects.create(table=practice, number=0)
    OutgoingEmail.objects.all().delete()
    for days in (19, 22, 60):
        assert close_unfilled(timezone.now() + timedelta(days=days)) == 0
    assert state_of(game.table) == "playing"
    assert state_of(practice) == "gathering"
    assert not OutgoingEmail.objects.exists()


def test_beat_looks_every_hour(settings: Any) -> None:
    entries: list[dict[str, Any]] = list(settings.CELERY_BEAT_SCHEDULE.values())
    assert [e["schedule"] for e in entries if e["task"] == hourly.name] == [3600.0]


def test_the_lobby_shows_terms_in_pages_and_no_full_table(
    anna: Any, bruno: Any, stranger: Any, signed_in: Any, monkeypatch: Any
) -> None:
    from games.views import lobby

    monkeypatch.setattr(lobby, "TABLES_ON_A_PAGE", 2)
    seat_table([anna, bruno], name="Full table")
    seat_table([anna], name="By invitation", size=3, entry="invitation")
    for number in range(3):
        note = "Bring <b>wine</b>."
        seat_table([anna, bruno], name=f"Open {number}", size=5, note=note)
    client = signed_in(stranger)
    first, second = [client.get(path).content.decode() for path in ("/tables/", "/tables/?page=2")]
    assert "Open 0" in first
    assert "Open 2" not in first
    assert "Open 2" in second
    assert "Seats taken: 2 of 5" in first
    assert "Bring &lt;b&gt;wine&lt;/b&gt;." in first
    for hidden in ("Full table", "By invitation", "example.org"):
        assert hidden not in first + second
