"""Mail that programs send plays nothing, whatever its first line says; what people send is read."""

from __future__ import annotations

import smtplib
from email import message_from_bytes, message_from_string
from typing import Any

import pytest

from accounts.mail.receiving import receive
from games.models import Game
from games.replies.automatic import is_automatic
from tests.mail.lmtp import lmtp_server
from tests.replies.conftest import turn_email
from tests.replies.programs import gmail, reply
from tests.servers import HANGS

AUTOMATIC = [
    {"Auto_Submitted": "auto-replied"},
    {"Auto_Submitted": "AUTO-GENERATED (by a rule)"},
    {"Auto_Submitted": "auto-notified; owner-email=x@example.org"},
    {"Precedence": "Bulk"},
    {"Precedence": "auto_reply"},
    {"X_Auto_Response_Suppress": "All"},
    {"X_Mail_Autoreply": "yes"},
    {"X_AutoReply_From": "anna@example.org"},
    {"X_Autoreply": "yes"},
    {"X_Autorespond": "Anna is away"},
    {"List_Post": "<mailto:players@example.org>"},
    {"List_Id": "<players.example.org>"},
    {"Mailing_List": "list players@example.org; contact owner@example.org"},
    {"X_BeenThere": "players@example.org"},
    {"X_Failed_Recipients": "anna@example.org"},
    {"Return_Path": "<>"},
    {"Return_Path": "<MAILER-DAEMON>"},
    {"Return_Path": "MAILER-DAEMON@mx.example.org"},
    {"From": "Mail Delivery System <Mailer-Daemon@mx.example.org>"},
    {"From": "do-not-reply@example.org"},
    {"Subject": "Automatic reply: Your turn: Table 42"},
    {"Subject": "=?utf-8?q?R=C3=A9ponse_automatique_=3A_Your_turn?="},
    {"Subject": "Автоответ: Your turn"},
]
BY_PEOPLE = [
    {"Auto_Submitted": "no"},
    {"Auto_Submitted": "no(a person wrote this)"},
    {"Precedence": "first-class"},
    {"X_Auto_Response_Suppress": "DR, RN, NRN, OOF, AutoReply"},
    {"X_Auto_Response_Suppress": "OOF"},
    {"X_Autoreply": "no"},
    {"Return_Path": "<anna@example.org>"},
    {"From": "Antonino Reply <antonino-reply@example.org>"},
    {"Subject": "Re: Your turn: Automatic reply"},
    {"Disposition_Notification_To": "anna@example.org"},
    {"X_MS_Reactions": "disallow"},
    {"List_Unsubscribe": "<https://mail.example.org/>"},
]


def moves(game: Game) -> list[str]:
    return list(game.log.exclude(seat=None).values_list("move", flat=True))


@pytest.mark.django_db
@pytest.mark.parametrize("headers", AUTOMATIC, ids=str)
def test_what_a_program_sends_plays_nothing(game: Game, replied: Any, headers: dict[str, str]) -> None:
    assert replied(turn_email(), "siena", **headers) == []
    assert moves(game) == []


@pytest.mark.django_db
@pytest.mark.parametrize("headers", BY_PEOPLE, ids=str)
def test_what_a_person_sends_is_played(game: Game, replied: Any, headers: dict[str, str]) -> None:
    replied(turn_email(), "siena", **headers)
    assert moves(game) == ["place siena"]


def test_each_of_several_headers_of_one_name_counts() -> None:
    assert is_automatic(message_from_bytes(b"Auto-Submitted: no\nAuto-Submitted: auto-replied\n\npass"))


def with_part(kind: str, content: str, *headers: str) -> str:
    """Return a message with the text "pass" and another part."""
    head = "\n".join([f"Content-Type: {kind}", *headers])
    parts = f"--x\nContent-Type: text/plain\n\npass\n--x\n{head}\n\n{content}\n--x--\n"
    return f"From: anna@example.org\nContent-Type: multipart/mixed; boundary=x\n\n{parts}"


ATTACHED = "Content-Disposition: attachment"
CALENDAR = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nMETHOD:{}\r\nEND:VCALENDAR\r\n"


@pytest.mark.parametrize(
    "message",
    [
        with_part("text/calendar; method=REPLY", CALENDAR.format("REPLY")),
        with_part("text/calendar", CALENDAR.format("REPLY")),
        with_part("text/calendar; method=COUNTER", CALENDAR.format("COUNTER")),
        with_part("text/vnd.google.email-reaction+json", '{"emoji": "x", "version": 1}'),
        with_part("text/plain", "\N{THUMBS UP SIGN}", "Content-Disposition: reaction"),
        with_part("message/disposition-notification", "Disposition: manual-action; displayed"),
        with_part("message/delivery-status", "Action: delayed"),
    ],
    ids=range(7),
)
def test_answers_of_calendars_reactions_and_receipts_play_nothing(message: str) -> None:
    assert is_automatic(message_from_string(message))


@pytest.mark.parametrize(
    "message",
    [
        with_part("text/calendar", CALENDAR.format("PUBLISH"), ATTACHED),
        with_part("text/calendar", "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n", ATTACHED),
        with_part("message/rfc822", "Auto-Submitted: auto-replied\n\nI am away."),
        with_part("message/rfc822", "Content-Type: multipart/report; boundary=x\n\n--x\n\nFailed.\n--x--"),
        with_part("image/png", "x"),
    ],
    ids=range(5),
)
def test_what_a_person_passes_on_does_not_make_their_mail_automatic(message: str) -> None:
    assert not is_automatic(message_from_string(message))


@pytest.mark.django_db
def test_the_envelope_counts_more_than_a_return_path_inside(game: Game) -> None:
    email = turn_email()
    address = email.extra_headers["Reply-To"]
    source = reply(gmail, email, "siena", Return_Path="<anna@example.org>")
    receive(address, source, "<>")
    assert moves(game) == []
    receive(address, reply(gmail, email, "siena", Return_Path="<>"), "anna@example.org")
    assert moves(game) == ["place siena"]


@pytest.mark.django_db(transaction=True)
def test_by_lmtp_a_message_without_a_sender_plays_nothing(game: Game, settings: Any) -> None:
    settings.REPLY_ADDRESS = "reply@games.example.net"
    email = turn_email()
    address = email.extra_headers["Reply-To"]
    with (
        lmtp_server(REPLY_ADDRESS=settings.REPLY_ADDRESS) as (port, _process),
        smtplib.LMTP("127.0.0.1", port, timeout=HANGS) as chat,
    ):
        assert chat.sendmail("", [address], reply(gmail, email, "siena")) == {}
        assert moves(game) == []
        assert chat.sendmail("anna@example.org", [address], reply(gmail, email, "siena")) == {}
    assert moves(game) == ["place siena"]
