"""Deleting an account: what is erased, what stays, and that no one can tell afterwards who it was."""

import threading
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import pytest
import time_machine
from allauth.account.models import EmailAddress
from allauth.mfa.totp.internal.auth import TOTP
from allauth.usersessions.models import UserSession
from django.apps import apps
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.utils import timezone

from accounts.mail.delivery import deliver_due
from accounts.mail.models import CapturedEmail, OutgoingEmail, Unsubscription
from accounts.models import User
from accounts.rate_limits import hit
from accounts.tasks import delete_ended_sessions, delete_unconfirmed_accounts
from condottiere_site.operators import sign_in_url
from condottiere_site.privacy import erase
from games import services
from games.chat.models import Message
from games.chat.services import write
from games.models import Game, Invitation, Note, Seat, Table
from games.models.replay import replayed
from games.privacy import leave
from games.services import Refused
from tests.games.playing import begin_game, play_until, seat_table

pytestmark = pytest.mark.django_db

ANNA = "anna@example.org"
DELETED = "Your account is deleted."


def form_of(client: Client, typed: str = ANNA) -> dict[str, str]:
    """Return the page's form, filled in."""
    return {"email": typed, "token": client.get("/me/delete/").context["token"]}


def delete(client: Client) -> Any:
    return client.post("/me/delete/", form_of(client), follow=True)


def everything_stored() -> str:
    """Return every row of every table as text, with packed sessions and emails unpacked."""
    rows = []
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names():
            cursor.execute(f'SELECT * FROM "{table}"')
            rows += [f"{table}: " + " ".join(map(_readable, row)) for row in cursor.fetchall()]
    rows += [f"session: {session.get_decoded()}" for session in Session.objects.all()]
    return "\n".join(rows)


def _readable(value: object) -> str:
    if isinstance(value, memoryview | bytes):
        return bytes(value).decode("latin-1")
    return str(value)


def play_to_the_end(people: list[Any], **terms: Any) -> Game:
    game = begin_game(people, **terms)
    play_until(game, lambda _state, _decision: False)
    assert game.is_over
    return game


def test_the_page_says_what_is_deleted_and_what_stays(anna: User, signed_in: Any) -> None:
    page = signed_in(anna).get("/me/delete/").content.decode()
    assert "Your account is deleted right away. You can’t undo this." in page
    assert "What is deleted" in page
    assert "What stays" in page
    assert User.objects.get(pk=anna.pk).deleted_at is None


@pytest.mark.parametrize("typed", ["", "bruno@example.org", "anna@example.or", "x" * 100_000, "\0"])
def test_another_address_deletes_nothing_and_stays_in_the_form(
    anna: User, signed_in: Any, typed: str
) -> None:
    client = signed_in(anna)
    answer = client.post("/me/delete/", form_of(client, typed))
    assert answer.status_code == 422
    assert "Nothing was deleted." in answer.content.decode()
    assert f'value="{typed}"' in answer.content.decode()
    assert User.objects.get(pk=anna.pk).is_active


def test_looking_deletes_nothing_and_a_stranger_is_asked_to_sign_in(anna: User, signed_in: Any) -> None:
    for method in ("get", "head"):
        getattr(signed_in(anna), method)("/me/delete/", {"email": ANNA})
    assert signed_in(anna).put("/me/delete/").status_code == 405
    for answer in (Client().get("/me/delete/"), Client().post("/me/delete/", {"email": ANNA, "token": "x"})):
        assert (answer.status_code, answer["Location"]) == (302, "/accounts/login/?next=/me/delete/")
    assert User.objects.get(pk=anna.pk).is_active


def test_a_form_from_elsewhere_deletes_nothing(anna: User, signed_in: Any, settings: Any) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(anna, backend=settings.AUTHENTICATION_BACKENDS[0])
    assert client.post("/me/delete/", {"email": ANNA}).status_code == 403
    assert User.objects.get(pk=anna.pk).is_active


def test_another_persons_form_deletes_no_one(anna: User, bruno: User, signed_in: Any) -> None:
    hers = form_of(signed_in(anna))
    assert signed_in(bruno).post("/me/delete/", hers).status_code == 422
    assert User.objects.filter(deleted_at=None).count() == 2


def test_anna_deletes_her_account_and_is_signed_out_everywhere(anna: User, sign_in_by_code: Any) -> None:
    phone, desk = sign_in_by_code(ANNA), sign_in_by_code(ANNA)
    assert DELETED in delete(desk).content.decode()
    for client in (phone, desk):
        assert client.get("/me/").status_code == 302
    anna.refresh_from_db()
    assert (anna.is_active, anna.name, anna.shown_name) == (False, "", "a former player")
    assert Session.objects.count() == 0


def read_sessions(monkeypatch: pytest.MonkeyPatch, work: Any) -> int:
    """Return how many sessions are decoded in that time."""
    seen = []
    decode = Session.get_decoded

    def counted(session: Session) -> Any:
        seen.append(session.pk)
        return decode(session)

    with monkeypatch.context() as patched:
        patched.setattr(Session, "get_decoded", counted)
        work()
    return len(seen)


def test_deleting_an_account_reads_no_sessions_but_those_of_people_about_to_sign_in(
    anna: User, bruno: User, signed_in: Any, sign_in_by_code: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = sign_in_by_code(ANNA)
    for _ in range(20):
        signed_in(bruno)
    for _ in range(3):
        Client().post("/accounts/login/", {"login": bruno.email})
    stranger = SessionStore()
    stranger["seen"] = "a page"
    stranger.save()
    Client().post("/accounts/login/", {"login": ANNA})
    others = Session.objects.count() - 2  # one of Anna's, and one in which someone is about to sign in
    assert read_sessions(monkeypatch, lambda: delete(client)) == 4
    assert Session.objects.count() == others
    assert "anna" not in " ".join(str(session.get_decoded()) for session in Session.objects.all())


def test_a_session_in_which_no_one_finished_signing_in_ends_within_the_hour(anna: User) -> None:
    Client().post("/accounts/login/", {"login": ANNA})
    Client().post("/accounts/password/reset/", {"email": ANNA})
    Client().post("/accounts/signup/", {"email": "new@example.org"})
    anna.set_password("seventeen brown mules")
    anna.save()
    TOTP.activate(anna, "JBSWY3DPEHPK3PXP")
    before_the_second_step = Client()
    before_the_second_step.post("/accounts/login/", {"login": ANNA, "password": "seventeen brown mules"})
    assert before_the_second_step.get("/accounts/2fa/authenticate/").status_code == 200
    latest = max(Session.objects.values_list("expire_date", flat=True))
    assert (Session.objects.count(), latest <= timezone.now() + timedelta(hours=1)) == (4, True)
    with time_machine.travel(timezone.now() + timedelta(minutes=61), tick=False):
        delete_ended_sessions()
    assert not Session.objects.exists()


def test_whoever_signs_in_stays_signed_in_for_long(anna: User, sign_in_by_code: Any) -> None:
    sign_in_by_code(ANNA)
    assert Session.objects.get().expire_date > timezone.now() + timedelta(days=89)


def test_signing_in_by_a_link_of_the_operator_is_listed_among_the_sessions(anna: User) -> None:
    User.objects.filter(pk=anna.pk).update(is_staff=True)
    client = Client()
    client.post(urlsplit(sign_in_url(User.objects.get(pk=anna.pk))).path)
    assert "_auth_user_id" in client.session
    assert UserSession.objects.get().session_key == client.session.session_key
    erase(anna)
    assert not Session.objects.exists()


def test_pressing_twice_is_told_twice_that_it_is_done(anna: User, signed_in: Any) -> None:
    client = signed_in(anna)
    form = form_of(client)
    for _ in range(2):
        assert DELETED in client.post("/me/delete/", form, follow=True).content.decode()
    assert OutgoingEmail.objects.count() == 1


@pytest.mark.once  # SQLite has one writer
@pytest.mark.django_db(transaction=True)
def test_pressing_twice_at_once_deletes_once_and_both_are_told(
    anna: User, bruno: User, signed_in: Any
) -> None:
    seat_table([anna, bruno], size=3)
    clients = [signed_in(anna), signed_in(anna)]
    forms = [form_of(client) for client in clients]
    start, answers = threading.Barrier(2), []

    def press(client: Client, form: Any) -> None:
        start.wait()
        answers.append(client.post("/me/delete/", form))
        connection.close()

    threads = [threading.Thread(target=press, args=pair) for pair in zip(clients, forms, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [(answer.status_code, answer["Location"]) for answer in answers] == [(302, "/")] * 2
    assert OutgoingEmail.objects.filter(kind="account").count() == 1
    assert OutgoingEmail.objects.filter(kind="cancelled").count() == 1


def test_an_email_confirms_it_and_is_the_last_to_know_the_address(
    anna: User, signed_in: Any, email_to: Any
) -> None:
    delete(signed_in(anna))
    email = email_to(ANNA)
    assert email["Subject"] == "Your account is deleted"
    text = " ".join(email.get_body(("plain",)).get_content().split())
    assert "because this address belonged to an account at" in text
    assert "with “a former player” instead of your name" in text
    row = OutgoingEmail.objects.get()
    assert (row.state, row.to_address, row.context) == ("sent", "", {})


def test_a_confirmation_that_is_refused_forgets_the_address_too(
    anna: User, signed_in: Any, smtp_sink: Any
) -> None:
    smtp_sink.refusals[ANNA] = f"550 {ANNA} is not here"
    delete(signed_in(anna))
    deliver_due()
    row = OutgoingEmail.objects.get()
    assert (row.state, row.to_address, row.last_error) == ("failed", "", "")


def a_full_life(anna: User, bruno: User, carla: User, client: Client) -> None:
    """Store the address everywhere it could be left behind."""
    play_to_the_end([anna, bruno])
    begin_game([bruno, anna, carla])
    seat_table([anna, bruno], size=4, invited=["dario@example.org"], note="Write to anna@example.org")
    services.invite(seat_table([carla], size=3), ANNA)
    services.decline(Invitation.objects.get(email=ANNA))
    services.invite(seat_table([bruno], size=2), ANNA)
    for address in (ANNA, "other@example.org"):
        Client().post("/accounts/login/", {"login": address})
        CapturedEmail.objects.create(to=address, subject="Your move", text=f"to {address}", source=b"")
    Unsubscription.objects.create(address=ANNA, list_id="game-1")
    Note.objects.create(game=Game.objects.all()[0], user=anna, text="Mine: anna@example.org")
    hit("invitation to", ANNA, 5)
    client.post("/accounts/email/", {"action_add": "", "email": "anna.new@example.org"})
    client.post("/accounts/password/reset/", {"email": ANNA})


def test_nothing_of_the_address_is_left_in_any_row(
    anna: User, bruno: User, carla: User, sign_in_by_code: Any, smtp_sink: Any
) -> None:
    client = sign_in_by_code(ANNA)
    a_full_life(anna, bruno, carla, client)
    assert everything_stored().count(ANNA) > 10
    assert "anna.new@example.org" in everything_stored()
    delete(client)
    assert smtp_sink.to(ANNA)
    deliver_due()
    cache.clear()
    left = [line for line in everything_stored().splitlines() if "anna" in line.lower()]
    assert left == []
    assert "other@example.org" in everything_stored()


@pytest.mark.long
def test_games_replay_and_name_a_former_player(anna: User, bruno: User, carla: User, signed_in: Any) -> None:
    game = play_to_the_end([anna, bruno])
    entries = list(game.log.values_list("ply", "seat", "move"))
    delete(signed_in(anna))
    game.refresh_from_db()
    assert list(game.log.values_list("ply", "seat", "move")) == entries
    assert replayed(game).state.is_over
    client = signed_in(bruno)
    for page in ("", "history/1/", "proof/"):
        text = client.get(f"/games/{game.pk}/{page}").content.decode()
        assert "Anna" not in text, page
    assert "a former player" in client.get(f"/games/{game.pk}/").content.decode()
    assert "a former player" in client.get(f"/games/{game.pk}/record.json").content.decode()
    assert "a former player" in client.get(f"/tables/{game.table_id}/").content.decode()


def test_a_running_game_goes_on_and_no_one_writes_to_someone_who_left(
    anna: User, bruno: User, signed_in: Any, smtp_sink: Any
) -> None:
    game = begin_game([bruno, anna])
    delete(signed_in(anna))
    deliver_due()
    told = len(smtp_sink.to(ANNA))
    play_until(game, lambda state, _decision: state.ply > 12)
    deliver_due()
    assert len(smtp_sink.to(ANNA)) == told
    assert not any("deleted.invalid" in address for sent in smtp_sink.recipients for address in sent)
    bodies = [email.get_body(("plain",)).get_content() for email in smtp_sink.to(bruno.email)]
    assert any("A former player left, and Montefeltro (bot) took the seat." in body for body in bodies)
    assert "Anna" not in bodies[-1]
    assert Seat.objects.filter(table=game.table).count() == 2


def test_nothing_is_deleted_while_a_seat_cannot_be_left(
    anna: User, bruno: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin_game([bruno, anna])

    def refused(seat: Seat) -> None:
        raise Refused("The next game has started.")

    monkeypatch.setattr("games.privacy.give_up", refused)
    with pytest.raises(Refused):
        leave(anna)


def test_tables_that_wait_for_players_go_on_without_who_left(
    anna: User, bruno: User, carla: User, signed_in: Any
) -> None:
    hers = seat_table([anna, bruno], size=4, invited=["dario@example.org"])
    his = seat_table([bruno, anna, carla])
    delete(signed_in(anna))
    hers.refresh_from_db()
    assert hers.state == Table.State.CANCELLED
    told = OutgoingEmail.objects.filter(kind="cancelled").values_list("to_address", flat=True)
    assert sorted(told) == [bruno.email, "dario@example.org"]
    assert list(his.seats.values_list("user", flat=True)) == [bruno.pk, carla.pk]
    assert OutgoingEmail.objects.get(kind="left").to_user == bruno


def test_what_was_said_stays_and_notes_are_gone(anna: User, bruno: User, signed_in: Any) -> None:
    game = begin_game([anna, bruno])
    Note.objects.create(game=game, user=anna, text="for me")
    Note.objects.create(game=game, user=bruno, text="for him")
    write(game.table.seats.get(user=anna), "Well played")
    delete(signed_in(anna))
    assert list(Note.objects.values_list("text", flat=True)) == ["for him"]
    assert list(Message.objects.values_list("author", "text")) == [(None, "Well played")]


def test_the_address_may_make_a_new_account_that_knows_nothing_of_the_old(
    anna: User, bruno: User, signed_in: Any, sign_in_by_code: Any
) -> None:
    game = begin_game([bruno, anna])
    delete(signed_in(anna))
    client = sign_in_by_code(ANNA)
    again = User.objects.get(email=ANNA)
    assert again.pk != anna.pk
    assert client.get(f"/games/{game.pk}/").status_code == 404


@pytest.mark.long
def test_no_one_signs_in_to_an_emptied_account_and_no_task_deletes_its_row(
    anna: User, signed_in: Any, smtp_sink: Any
) -> None:
    anna.set_password("seventeen brown mules")
    anna.save()
    erase(anna)
    emptied = User.objects.get(pk=anna.pk)
    form = {"login": emptied.email, "password": "seventeen brown mules"}
    client = Client()
    client.post("/accounts/login/", form)
    assert "_auth_user_id" not in client.session
    assert not EmailAddress.objects.filter(user=anna).exists()
    User.objects.filter(pk=anna.pk).update(joined_at=timezone.now() - timezone.timedelta(days=9))
    delete_unconfirmed_accounts()
    assert User.objects.filter(pk=anna.pk).exists()


def test_an_operator_who_leaves_is_no_operator(anna: User, signed_in: Any) -> None:
    User.objects.filter(pk=anna.pk).update(is_staff=True, is_superuser=True)
    delete(signed_in(anna))
    anna.refresh_from_db()
    assert (anna.is_staff, anna.is_superuser) == (False, False)


@pytest.mark.long
def test_someone_who_has_a_password_gives_it_once_more(anna: User, sign_in_by_code: Any) -> None:
    words = "seventeen brown mules"
    client = sign_in_by_code(ANNA)
    client.post("/accounts/password/set/", {"password1": words, "password2": words})
    session = client.session
    session.pop("account_authentication_methods", None)
    session.save()
    page = client.get("/me/delete/")
    assert "Confirm that it’s me" in page.content.decode()
    way = "/accounts/reauthenticate/?next=/me/delete/"
    answer = client.post("/me/delete/", {"email": ANNA, "token": page.context["token"]})
    assert answer["Location"].replace("%2F", "/") == way
    assert User.objects.get(pk=anna.pk).is_active
    back = client.post(way, {"password": words, "next": "/me/delete/"})
    assert back["Location"] == "/me/delete/"
    assert DELETED in delete(client).content.decode()


def test_every_room_of_the_site_has_said_what_it_holds_of_a_person(settings: Any) -> None:
    """Every model that refers to people must be handled by its app's privacy.py, then listed here."""
    looked_at = {
        "account.EmailAddress",
        "accounts.ApiToken",
        "accounts.Block",
        "accounts.Holiday",
        "accounts.User",  # a person's bots, which are closed with the account
        "accounts.User_groups",
        "accounts.User_user_permissions",
        "admin.LogEntry",  # an operator's actions, kept under the emptied account
        "games.HourAnswer",
        "games.Invitation",
        "games.Note",
        "games.PlayerGroup",
        "games.PlayerGroup_members",
        "games.SeatChange",  # kept: the log tells of it
        "games.Seat",  # kept: the game needs it
        "games.ReadMarker",
        "games.SharedHour",
        "games.TableAlert",
        "games.Table",  # kept: the game needs it
        "games.TimeEvent",  # kept: the table saw who gave time
        "leagues.Award",  # kept: the standings need it
        "leagues.Concern",  # kept without its text: the organisers have decided about it
        "leagues.AuditEvent",  # kept: its league reads what was done
        "leagues.AuditEvent_touched",
        "leagues.Registration",  # kept: the standings need it
        "leagues.Invitation",
        "leagues.Organiser",
        "leagues.Rating",  # kept: others' ratings are computed next to it
        "leagues.RatingChange",  # kept, like ratings; no page shows it
        "leagues.Substitute",  # kept: the seats they took need it
        "leagues.OpenSeat",  # kept: the table has read who left
        "mfa.Authenticator",
        "mail.OutgoingEmail",
        "mail.SentWords",
        "push.NoticeTarget",
        "push.PushSubscription",
        "chat.Deal",
        "chat.ChannelReadMarker",
        "chat.Member",
        "chat.Message",
        "chat.Mute",
        "chat.DealParty",
        "chat.Report",
        "chat.Ban",  # kept: the table has read why someone could not write
        "usersessions.UserSession",
    }
    pointing = {
        model._meta.label
        for model in apps.get_models(include_auto_created=True)
        for field in model._meta.get_fields()
        if getattr(field, "concrete", False)
        and field.is_relation
        and field.related_model is User
        and not field.many_to_many
    }
    assert pointing - looked_at == set()
