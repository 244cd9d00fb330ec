"""The addresses a host typed are forgotten a month after their table stopped looking for players."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from accounts.mail.delivery import deliver_due
from accounts.mail.models import CapturedEmail, OutgoingEmail
from accounts.models import User
from games import services
from games.links import invitation_token
from games.models import Game, Invitation, Table
from games.services.expiry import close_unfilled
from games.tasks import forget_old_invitations as hourly
from tests.games.playing import begin_game, play_to_the_end, seat_table
from tests.people import proven

pytestmark = pytest.mark.django_db

INVITED = ["carla@example.org", "dario@example.org"]


def at(moment: datetime) -> Any:
    return time_machine.travel(moment, tick=False)


def left_after(days: float, ended: datetime) -> int:
    """Return how many invitations are left this long after a table stopped looking for players."""
    with at(ended + timedelta(days=days)):
        hourly()
    return Invitation.objects.count()


def begun(table: Table) -> datetime:
    table.seats.filter(number=1).delete()
    for address in INVITED[: table.size - 1]:
        person = proven(address)
        services.take_seat(table, person, table.invitations.get(email=address))
    with at(table.created_at + timedelta(days=12)):
        for seat in table.seats.all():
            services.confirm(seat)
    return Game.objects.get(table=table).started_at


def cancelled(table: Table) -> datetime:
    with at(table.created_at + timedelta(days=2)):
        services.cancel(table)
        return timezone.now()


def closed(table: Table) -> datetime:
    close_unfilled(table.created_at + timedelta(days=18.1))
    ended = table.created_at + timedelta(days=21, hours=1)
    assert close_unfilled(ended) == 1
    return ended


@pytest.mark.parametrize("end", [begun, cancelled, closed])
def test_they_go_a_month_after_the_table_stopped_looking_for_players(
    anna: User, bruno: User, end: Callable[[Table], datetime]
) -> None:
    table = seat_table([anna, bruno], size=3, invited=INVITED)
    ended = end(table)
    assert left_after(29.9, ended) == 2
    assert left_after(30.1, ended) == 0


def test_a_table_that_still_looks_for_players_keeps_them(anna: User) -> None:
    table = seat_table([anna], size=3, invited=INVITED)
    for _month in range(3):
        services.keep_open(table)
    assert left_after(400, table.created_at) == 2


def test_a_long_game_forgets_them_while_it_runs_and_only_its_own(anna: User, bruno: User) -> None:
    game = begin_game([anna, bruno])
    Invitation.objects.create(table=game.table, email="carla@example.org", state="withdrawn")
    seat_table([anna, bruno], size=3, invited=INVITED)
    assert left_after(30.1, game.started_at) == 2


def test_the_hosts_page_and_the_old_link_still_answer(anna: User, signed_in: Any) -> None:
    table = seat_table([anna], size=3, invited=INVITED)
    host = signed_in(anna)
    path = f"/tables/{table.pk}/"
    link = f"/invitation/{invitation_token(table.invitations.first())}/"
    ended = cancelled(table)
    assert left_after(31, ended) == 0
    assert host.get(path).status_code == 200
    answer = Client().get(link)
    assert answer.status_code == 404
    assert "This link does not work" in answer.content.decode()


def test_a_rematch_that_was_played_is_no_longer_offered_and_answers(
    finished: Game, people: list[Any], signed_in: Any
) -> None:
    anna, bruno, carla = people
    rematch = services.make_rematch(finished, anna)
    services.make_rematch(finished, bruno)
    services.seat_bot(rematch, "recruit", 2)
    for seat in rematch.seats.people():
        services.confirm(seat)
    play_to_the_end(Game.objects.get(table=rematch))
    assert left_after(31, Game.objects.get(table=rematch).started_at) == 0
    client = signed_in(carla)
    assert client.get(f"/games/{finished.pk}/").status_code == 200
    assert client.post(f"/games/{finished.pk}/rematch/", follow=True).status_code == 200


def test_emails_that_waited_a_month_do_not_fail(anna: User) -> None:
    """No email left for weeks: those about invitations are dropped, the others still arrive."""
    table = seat_table([anna], size=3, invited=INVITED)
    services.decline(table.invitations.first())
    ended = cancelled(table)
    assert left_after(31, ended) == 0
    deliver_due(ended + timedelta(days=31))
    states = dict(OutgoingEmail.objects.exclude(kind="invitation").values_list("kind", "state"))
    assert states == {"declined": OutgoingEmail.State.OVERTAKEN, "cancelled": OutgoingEmail.State.SENT}
    assert set(OutgoingEmail.objects.filter(kind="invitation").values_list("state", flat=True)) == {
        OutgoingEmail.State.OVERTAKEN
    }
    assert CapturedEmail.objects.get().to == INVITED[1]


def test_beat_looks_every_hour_and_the_privacy_page_says_so(settings: Any) -> None:
    entries: list[dict[str, Any]] = list(settings.CELERY_BEAT_SCHEDULE.values())
    assert [entry["schedule"] for entry in entries if entry["task"] == hourly.name] == [3600.0]
    page = Client().get("/privacy/").content.decode()
    assert "The email addresses that a host invites, and the names entered with them" in page
