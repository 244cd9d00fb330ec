"""Stored data: described in words, exported as a file, listed without content, deleted when old."""

import json
import re
from datetime import UTC, datetime, timedelta
from importlib import import_module
from typing import Any

import pytest
import time_machine
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from accounts import personal_data
from accounts.mail.delivery import deliver_due
from accounts.mail.models import CapturedEmail, OutgoingEmail, Unsubscription
from accounts.mail.outbox import not_reached, queue
from accounts.mail.tasks import delete_old_emails
from accounts.mail.unsubscribe_links import unsubscribe_path
from accounts.models import User
from accounts.personal_data import PersonalData
from accounts.tasks import delete_ended_sessions
from condottiere_site.privacy import MOST_EXPORTS, erase
from games import services
from games.chat.services import write
from games.models import Invitation, LogEntry, Note
from tests.games.playing import begin_game, play_until, seat_table

pytestmark = pytest.mark.django_db

ANNA = "anna@example.org"
PREFERENCES = "/me/emails/preferences/"


def test_everyone_can_read_what_is_stored(anna: User, signed_in: Any) -> None:
    for client in (Client(), signed_in(anna)):
        answer = client.get("/privacy/")
        assert answer.status_code == 200
        page = answer.content.decode()
        for words in ("for how long", "What others see", "Cookies", "Delete your account"):
            assert words in page
    assert Client().post("/privacy/").status_code == 405
    assert 'href="/privacy/"' in Client().get("/").content.decode()


def test_every_app_with_personal_data_registers_it_and_upper_apps_come_first() -> None:
    names = [f"{name}.privacy" for name in settings.INSTALLED_APPS if name.startswith(("games", "accounts"))]
    modules = [import_module(name) for name in names]
    expected = [
        PersonalData(
            module.export,
            module.erase,
            *(getattr(module, name, None) for name in ("redact", "leave", "prepare")),
        )
        for module in modules
    ]
    assert personal_data._registered == expected
    order = ["games.leagues", "games.chat", "games", "accounts.mail", "accounts.push", "accounts"]
    assert names == [f"{name}.privacy" for name in order]


def test_kept_emails_are_mentioned_only_where_emails_are_kept(settings: Any) -> None:
    words = "the operator can read them"
    settings.EMAIL_BACKEND = "accounts.mail.capture.CaptureBackend"
    assert words in Client().get("/privacy/").content.decode()
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    assert words not in Client().get("/privacy/").content.decode()


def download(client: Client) -> Any:
    answer = client.post("/me/export/")
    assert answer.status_code == 200
    assert answer["Content-Disposition"].startswith("attachment; filename=")
    assert "no-store" in answer["Cache-Control"]
    return json.loads(answer.content)


def test_anna_downloads_what_is_hers_and_nothing_else(
    anna: User, bruno: User, sign_in_by_code: Any, smtp_sink: Any
) -> None:
    client = sign_in_by_code(ANNA)
    game = begin_game([bruno, anna])
    play_until(game, lambda state, _decision: state.ply > 12)
    Note.objects.create(game=game, user=anna, text="Bruno saves his ten")
    Note.objects.create(game=game, user=bruno, text="a secret of Bruno")
    write(game.table.seats.get(user=anna), "Hello")
    Unsubscription.objects.create(address=ANNA, list_id="game-7", list_name="Table 7")
    file = download(client)
    assert file["account"]["email"] == ANNA
    assert file["account"]["name"] == "Anna"
    assert [row["verified"] for row in file["addresses"]] == [True]
    assert len(file["sessions"]) == 1
    assert {"kind", "state", "created_at", "sent_at", "to_address", "subject"} == set(file["emails"][0])
    assert file["emails_turned_off"][0]["list_name"] == "Table 7"
    assert file["notes"] == [{"game": game.pk, "text": "Bruno saves his ten"}]
    assert file["messages"][0]["text"] == "Hello"
    mine = LogEntry.objects.filter(game=game, seat=1).order_by("ply").values_list("move", flat=True)
    assert [move for move, _at, _via in file["games"][0]["my_moves"]] == list(mine)
    text = json.dumps(file)
    assert bruno.email not in text
    assert "a secret of Bruno" not in text
    assert bytes(game.table.secret).hex() not in text
    assert client.session.session_key not in text
    assert "secret" not in text.replace("a secret of", "")


def test_the_file_is_had_by_its_owner_alone_and_by_pressing_a_button(anna: User, signed_in: Any) -> None:
    assert Client().post("/me/export/")["Location"] == "/accounts/login/?next=/me/export/"
    assert signed_in(anna).get("/me/export/").status_code == 405


@pytest.mark.long
def test_so_many_downloads_a_day(anna: User, bruno: User, signed_in: Any) -> None:
    client = signed_in(anna)
    answers = [client.post("/me/export/").status_code for _ in range(MOST_EXPORTS + 2)]
    assert answers == [200] * MOST_EXPORTS + [429] * 2
    assert "today. Try again tomorrow." in client.post("/me/export/").content.decode()
    assert signed_in(bruno).post("/me/export/").status_code == 200


def test_emails_are_listed_with_their_fate_and_without_their_content(
    anna: User, bruno: User, signed_in: Any
) -> None:
    game = begin_game([anna, bruno])
    queue("account", to=ANNA, key="code", context={"code": "QQQQQQ"})
    queue("invitation", to=bruno, key="his", context={})
    for state in OutgoingEmail.State:
        email = queue("your_turn", to=anna, key=f"{state}", context={"game": game.pk})
        OutgoingEmail.objects.filter(pk=email.pk).update(state=state)
    page = signed_in(anna).get("/me/emails/").content.decode()
    for fate in ("On its way", "Sent", "No longer needed", "Turned off", "Failed", "Bounced"):
        assert f"<td>{fate}<" in page
    assert "Signing in" in page
    assert "It’s your turn" in page
    assert "Invitation" not in page
    assert "QQQQQQ" not in page


def test_an_email_in_the_list_says_what_it_was_about_to_its_reader_alone(
    anna: User, bruno: User, signed_in: Any
) -> None:
    begin_game([anna, bruno], name="Lake & Como")
    deliver_due(timezone.now() + timedelta(minutes=5))
    bruno.email, anna.email = ANNA, "anna.new@example.org"  # her old address is their now
    anna.save()
    bruno.save()
    for reader in (anna, bruno):
        page = signed_in(reader).get("/me/emails/").content.decode()
        subjects = (
            OutgoingEmail.objects.filter(to_user=reader).exclude(subject="").values_list("subject", flat=True)
        )
        assert any("Lake & Como" in subject for subject in subjects)
        assert page.count("Lake &amp; Como") == len(subjects)
        assert {row["subject"] for row in download(signed_in(reader))["emails"]} >= set(subjects)


def test_no_subject_is_kept_that_holds_a_code_or_the_name_of_someone_who_left(
    anna: User, bruno: User, smtp_sink: Any
) -> None:
    Client().post("/accounts/login/", {"login": ANNA})
    table = seat_table([anna], size=2)
    services.invite(table, bruno.email)
    deliver_due(timezone.now() + timedelta(minutes=5))
    assert OutgoingEmail.objects.get(kind="account").subject == ""
    assert "Anna" in OutgoingEmail.objects.get(kind="invitation").subject
    erase(anna)
    assert not OutgoingEmail.objects.filter(subject__contains="Anna").exists()


def test_the_list_of_emails_shows_the_time_it_is_sorted_by(anna: User, signed_in: Any) -> None:
    written = datetime(2026, 3, 1, 12, tzinfo=UTC)
    for number, sent in enumerate((9, 5, 7)):
        email = queue("your_turn", to=anna, key=f"email {number}", context={})
        times = {"created_at": written + timedelta(days=number), "sent_at": written + timedelta(days=sent)}
        OutgoingEmail.objects.filter(pk=email.pk).update(**times)
    page = signed_in(anna).get("/me/emails/").content.decode()
    assert re.findall(r'datetime="2026-03-(\d\d)', page) == ["03", "02", "01"]


def test_the_list_of_emails_has_pages_and_is_no_one_elses(anna: User, bruno: User, signed_in: Any) -> None:
    for number in range(60):
        queue("your_turn", to=anna, key=f"email {number}", context={})
    client = signed_in(anna)
    assert client.get("/me/emails/").content.decode().count("<td>It’s your turn</td>") == 50
    assert client.get("/me/emails/?page=2").content.decode().count("<td>It’s your turn</td>") == 10
    assert client.get("/me/emails/?page=x").status_code == 200
    assert "We haven’t sent you any emails yet." in signed_in(bruno).get("/me/emails/").content.decode()
    assert Client().get("/me/emails/").status_code == 302
    assert client.post("/me/emails/").status_code == 405


def test_the_switch_for_all_invitations_is_that_of_the_emails_link(
    anna: User, bruno: User, signed_in: Any, smtp_sink: Any
) -> None:
    client = signed_in(anna)
    form = {"how": "at once", "chat_emails": "at once", "batch_minutes": "60", "digest_at": "08:00"}
    form["reminders"] = "24"
    client.post(PREFERENCES, {**form, "refuse_invitations": "on"})
    assert client.get(PREFERENCES).context["form"]["refuse_invitations"].value() is True
    assert "Emails you turned off" not in client.get(PREFERENCES).content.decode()
    invitation = services.invite(seat_table([bruno], size=2), ANNA)
    from accounts.mail.delivery import deliver_due

    deliver_due()
    assert smtp_sink.to(ANNA) == []
    key = f"invitation:{invitation.pk}:1"
    assert not_reached([key, "another"]) == {key}
    link = unsubscribe_path(anna, "invitations")
    page = client.get(link).content.decode()
    assert "You refuse all invitations, from everyone" in page
    assert f"No one can invite {ANNA} to a table or a league any more" in page
    Client().post(link, {"again": "1"})
    assert client.get(PREFERENCES).context["form"]["refuse_invitations"].value() is False
    Client().post(link, {"List-Unsubscribe": "One-Click"})
    client.post(PREFERENCES, form)
    assert "Stop all invitations?" in client.get(link).content.decode()


def test_emails_about_chat_are_a_choice(anna: User, signed_in: Any) -> None:
    assert anna.chat_emails == "at once"
    client = signed_in(anna)
    page = client.get(PREFERENCES).content.decode()
    assert "Emails about chat messages" in page
    form = {"how": "at once", "batch_minutes": "60", "digest_at": "08:00", "reminders": "24"}
    client.post(PREFERENCES, {**form, "chat_emails": "never"})
    anna.refresh_from_db()
    assert anna.chat_emails == "never"
    client.post(PREFERENCES, {**form, "chat_emails": "at once"})
    anna.refresh_from_db()
    assert anna.chat_emails == "at once"


def test_fates_of_emails_are_forgotten_after_ninety_days_and_kept_emails_after_thirty(
    anna: User,
) -> None:
    for key in ("sent", "waiting"):
        queue("your_turn", to=anna, key=key, context={})
    OutgoingEmail.objects.filter(key="sent").update(state=OutgoingEmail.State.SENT)
    CapturedEmail.objects.create(to=ANNA, subject="Your move", text="", source=b"")
    now = timezone.now()
    for days, emails, kept in ((29, 2, 1), (31, 2, 0), (89, 2, 0), (91, 1, 0)):
        with time_machine.travel(now + timedelta(days=days), tick=False):
            delete_old_emails()
        assert (OutgoingEmail.objects.count(), CapturedEmail.objects.count()) == (emails, kept)
    assert OutgoingEmail.objects.get().key == "waiting"


def test_sessions_that_have_ended_are_forgotten(anna: User, sign_in_by_code: Any, settings: Any) -> None:
    sign_in_by_code(ANNA)
    assert delete_ended_sessions() == 0
    assert (Session.objects.count(), UserSession.objects.count()) == (1, 1)
    with time_machine.travel(timezone.now() + timedelta(days=91), tick=False):
        assert delete_ended_sessions() == 2
    assert (Session.objects.count(), UserSession.objects.count()) == (0, 0)


def test_invitations_of_strangers_do_not_stay_with_a_host_who_left(
    anna: User, bruno: User, signed_in: Any
) -> None:
    seat_table([anna, bruno], size=3, invited=["dario@example.org"])
    client = signed_in(anna)
    client.post("/me/delete/", {"email": ANNA, "token": client.get("/me/delete/").context["token"]})
    assert Invitation.objects.count() == 0
