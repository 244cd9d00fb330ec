"""A server that refuses everyone: emails wait, go out after the repair, and the operator reads why."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.mail.delivery import deliver_due
from accounts.mail.models import MailServerHealth, OutgoingEmail, SuppressedAddress
from accounts.models import User
from tests.mail.moody import Moody

pytestmark = pytest.mark.django_db

State = OutgoingEmail.State
PAUSED = "554 5.7.1 Sending paused for this account"
TOLD = "The mail server has accepted no emails since"
PEOPLE = [f"player{number}@example.org" for number in range(6)]


class Ticks:
    """A clock that tests put forward, and what the server accepts until then."""

    def __init__(self) -> None:
        self.now = timezone.now()

    def run(self, seconds: int, step: int = 10) -> int:
        """Let this time pass, with a tick now and then; return how many emails were accepted."""
        accepted = 0
        for _tick in range(0, seconds, step):
            accepted += deliver_due(self.now)
            self.now += timedelta(seconds=step)
        return accepted


@pytest.fixture
def ticks() -> Ticks:
    return Ticks()


def states() -> set[str]:
    return set(OutgoingEmail.objects.values_list("state", flat=True))


def refuse_at(moody: Moody, step: str, answer: str) -> None:
    """Answer so at this step of the chat, to all recipients; "" accepts."""
    moody.at[step] = answer


@pytest.mark.parametrize(
    ("step", "answer"),
    [
        ("RCPT", PAUSED),
        ("DATA", PAUSED),
        ("RCPT", "550 Administrative prohibition"),
        ("RCPT", "550 5.7.1 Relaying denied"),
        ("DATA", "552 5.2.0 this account may not send as this sender"),
        ("RCPT", "451 4.3.0 Temporary lookup failure"),
        ("DATA", "452 4.3.1 Insufficient system storage"),
        ("RCPT", "421 4.7.0 Too much mail"),
        ("MAIL", "553 5.7.1 Sender address rejected: not owned by user"),
        ("MAIL", "451 4.7.1 try later"),
    ],
)
def test_emails_wait_while_everyone_is_refused_and_go_out_after_the_repair(
    greet: Any, moody: Moody, ticks: Ticks, step: str, answer: str
) -> None:
    for name in PEOPLE:
        greet(name)
    refuse_at(moody, step, answer)
    assert ticks.run(seconds=120) == 0
    assert states() == {State.QUEUED}
    assert not SuppressedAddress.objects.exists()
    assert answer[4:] in MailServerHealth.objects.get().last_error
    refuse_at(moody, step, "")
    ticks.run(seconds=60)
    assert states() == {State.SENT}
    assert sorted(moody.taken) == PEOPLE
    assert not MailServerHealth.objects.exists()


def test_emails_that_come_one_by_one_wait_too(greet: Any, moody: Moody, ticks: Ticks) -> None:
    refuse_at(moody, "RCPT", PAUSED)
    for name in PEOPLE:
        greet(name)
        ticks.run(seconds=60, step=60)
    assert states() == {State.QUEUED}
    refuse_at(moody, "RCPT", "")
    ticks.run(seconds=60)
    assert sorted(moody.taken) == PEOPLE


def test_two_people_are_enough_to_see_that_it_is_not_them(greet: Any, moody: Moody, ticks: Ticks) -> None:
    refuse_at(moody, "DATA", PAUSED)
    for name in ("anna@example.org", "bruno@example.org", "anna@example.org"):
        greet(name)
    ticks.run(seconds=30)
    assert states() == {State.QUEUED}


def test_a_server_that_knows_no_address_any_more_gives_up_none_for_good(
    greet: Any, moody: Moody, ticks: Ticks
) -> None:
    people = [f"player{number}@example.org" for number in range(12)]
    for name in people:
        greet(name)
    refuse_at(moody, "RCPT", "550 5.1.1 User unknown in local recipient table")
    ticks.run(seconds=120)
    assert states() == {State.QUEUED}
    assert not SuppressedAddress.objects.exists()
    refuse_at(moody, "RCPT", "")
    ticks.run(seconds=120)
    assert sorted(moody.taken) == sorted(people)


def test_an_outage_of_hours_costs_few_tries_and_no_email(
    greet: Any, moody: Moody, ticks: Ticks, long: bool
) -> None:
    for name in PEOPLE:
        greet(name)
    refuse_at(moody, "RCPT", PAUSED)
    ticks.run(seconds=(6 if long else 2) * 3600, step=30)
    assert states() == {State.QUEUED}
    assert moody.asked < 120
    refuse_at(moody, "RCPT", "")
    ticks.run(seconds=600)
    assert states() == {State.SENT}


def test_one_refused_address_fails_however_often_it_is_written_to(greet: Any, moody: Moody) -> None:
    moody.refused["anna@example.org"] = "550 5.7.1 Recipient wants no email"
    for _ in range(5):
        greet("anna@example.org")
    assert deliver_due() == 0
    assert states() == {State.FAILED}
    assert not MailServerHealth.objects.exists()


@pytest.mark.parametrize("answer", ["550 5.1.1 no such user", "550 5.7.1 not wanted", "451 4.7.1 greylisted"])
def test_a_mix_holds_up_no_one(greet: Any, moody: Moody, ticks: Ticks, answer: str) -> None:
    bad = [f"bad{number}@example.org" for number in range(5)]
    moody.refused |= dict.fromkeys(bad, answer)
    for name in [*bad, *PEOPLE]:
        greet(name)
    assert ticks.run(seconds=120) == len(PEOPLE)
    greet("anna@example.org")
    ticks.run(seconds=120)
    fates = set(OutgoingEmail.objects.filter(to_address__in=bad).values_list("state", flat=True))
    assert fates == {State.QUEUED if answer.startswith("4") else State.FAILED}
    assert SuppressedAddress.objects.count() == (5 if "no such" in answer else 0)
    moody.refused.clear()
    ticks.run(seconds=4000, step=300)
    assert states() <= {State.SENT, State.FAILED}


def test_bad_emails_are_given_up_once_the_server_has_accepted_another(
    greet: Any, moody: Moody, ticks: Ticks
) -> None:
    bad = [f"bad{number}@example.org" for number in range(3)]
    moody.refused |= dict.fromkeys(bad, "554 5.6.0 not like this")
    for name in bad:
        greet(name)
    ticks.run(seconds=60)
    assert states() == {State.QUEUED}
    greet("anna@example.org")
    ticks.run(seconds=180)
    assert set(OutgoingEmail.objects.filter(to_address__in=bad).values_list("state", flat=True)) == {
        State.FAILED
    }
    asked = moody.asked
    ticks.run(seconds=3600, step=60)
    assert moody.asked == asked


def test_a_server_that_fails_twice_loses_few_emails(greet: Any, moody: Moody, ticks: Ticks) -> None:
    people = [f"player{number}@example.org" for number in range(20)]
    for name in people:
        greet(name)
    refuse_at(moody, "RCPT", PAUSED)
    ticks.run(seconds=300)
    refuse_at(moody, "RCPT", "")
    OutgoingEmail.objects.exclude(pk=OutgoingEmail.objects.earliest("not_before", "pk").pk).update(
        not_before=ticks.now + timedelta(seconds=30)
    )
    ticks.run(seconds=20)
    refuse_at(moody, "RCPT", PAUSED)
    ticks.run(seconds=300)
    refuse_at(moody, "RCPT", "")
    ticks.run(seconds=120)
    assert len(moody.taken) >= len(people) - 3


def test_a_secret_that_is_deleted_once_its_email_failed_is_not_sent_without_it(
    greet: Any, moody: Moody, ticks: Ticks
) -> None:
    for name in PEOPLE:
        email = greet(name)
        OutgoingEmail.objects.filter(pk=email.pk).update(forgets=True)
    refuse_at(moody, "RCPT", PAUSED)
    ticks.run(seconds=60)
    refuse_at(moody, "RCPT", "")
    ticks.run(seconds=60)
    assert sorted(moody.taken) == PEOPLE[2:]
    assert OutgoingEmail.objects.filter(state=State.FAILED, context={}).count() == 2


@pytest.mark.parametrize("way", ["greeting", "AUTH"])
def test_a_server_that_lets_this_site_in_no_more_costs_no_email(
    greet: Any, settings: Any, smtp_sink: Any, refusing_server: Any, ticks: Ticks, way: str
) -> None:
    for name in PEOPLE:
        greet(name)
    working, settings.EMAIL_PORT = settings.EMAIL_PORT, refusing_server(way)
    settings.EMAIL_HOST_USER, settings.EMAIL_HOST_PASSWORD = ("site", "secret") if way == "AUTH" else ("", "")
    ticks.run(seconds=60)
    assert set(OutgoingEmail.objects.values_list("state", "attempts")) == {(State.QUEUED, 0)}
    settings.EMAIL_PORT = working
    settings.EMAIL_HOST_USER = settings.EMAIL_HOST_PASSWORD = ""
    ticks.run(seconds=60)
    assert len(smtp_sink.messages) == len(PEOPLE)


def test_the_operator_is_told_and_no_one_else(
    greet: Any, moody: Moody, ticks: Ticks, anna: User, bruno: User, signed_in: Any
) -> None:
    User.objects.filter(pk=anna.pk).update(is_staff=True, is_superuser=True)
    anna.refresh_from_db()
    operator: Client = signed_in(anna)
    assert TOLD not in operator.get("/").content.decode()
    for name in PEOPLE:
        greet(name)
    refuse_at(moody, "RCPT", "554 5.7.1 <b>paused</b>")
    ticks.run(seconds=30)
    for path in ("/", "/games/", "/operator/emails/"):
        page = operator.get(path).content.decode()
        assert TOLD in page
        assert "554 5.7.1 &lt;b&gt;paused&lt;/b&gt;" in page
    assert TOLD not in signed_in(bruno).get("/").content.decode()
    assert TOLD not in Client().get("/").content.decode()
    refuse_at(moody, "RCPT", "")
    ticks.run(seconds=60)
    assert TOLD not in operator.get("/").content.decode()
