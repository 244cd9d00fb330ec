"""`manage.py receive_mail` as a mail server uses it: a message on standard input, and a chat in LMTP."""

import os
import signal
import smtplib
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from accounts.mail.models import OutgoingEmail, SetAsideMessage, SuppressedAddress
from accounts.mail.own_addresses import tag_of
from tests.bounces.conftest import BOUNCES
from tests.bounces.feedback import SPARSE, feedback
from tests.bounces.reports import VACATION, report, sent_to
from tests.conftest import test_database_url
from tests.mail.lmtp import lmtp_server as lmtp_server_of
from tests.servers import HANGS, wait_until

pytestmark = pytest.mark.django_db(transaction=True)

State = OutgoingEmail.State
NO_DATABASE = "sqlite:////nowhere/at/all.sqlite3"
AWAY = "postgresql://nobody@127.0.0.1:9/nothing"
FORGED = "bounces+1-aaaaaaaaaaaaaaaa@games.example.net"


def environment(**more: str) -> dict[str, str]:
    return os.environ | {"DATABASE_URL": test_database_url(), "BOUNCE_ADDRESS": BOUNCES} | more


def state_of(email: OutgoingEmail) -> str:
    email.refresh_from_db()
    return email.state


def piped(source: bytes, *words: str, **more: str) -> tuple[int, str]:
    """Run the program for one message, as a mail server would; return its exit code and output."""
    program = [sys.executable, "manage.py", "receive_mail", *words]
    done = subprocess.run(
        program,
        check=False,
        input=source,
        env=environment(**more),
        cwd=settings.BASE_DIR,
        capture_output=True,
        timeout=HANGS,
    )
    assert b"Traceback" not in done.stderr, done.stderr.decode()
    return done.returncode, (done.stdout + done.stderr).decode()


def test_a_report_in_the_pipe_marks_email_and_address(went: Any, path_of: Any) -> None:
    email = went()
    assert piped(report(), path_of(email))[0] == 0
    assert state_of(email) == State.BOUNCED
    assert SuppressedAddress.objects.get().address == "anna@example.org"


@pytest.mark.parametrize("header", ["Delivered-To", "X-Original-To", "Envelope-To"])
@pytest.mark.long
def test_the_recipient_may_stand_in_a_header(went: Any, path_of: Any, header: str) -> None:
    email = went()
    told = f"Received: from here\r\n{header}: <postmaster@example.org>\r\n{header}: {path_of(email)}\r\n"
    assert piped(told.encode() + report())[0] == 0
    assert state_of(email) == State.BOUNCED


@pytest.mark.long
def test_each_message_gets_the_exit_code_that_says_what_to_do_with_it(went: Any, path_of: Any) -> None:
    email = went()
    path = path_of(email)
    deep = b"Content-Type: message/rfc822\n\n" * 2000
    assert piped(report(), FORGED)[0] == 67
    assert piped(report(), path, DATABASE_URL=NO_DATABASE)[0] == 75
    assert piped(report(), path, DATABASE_URL=AWAY)[0] == 75
    assert piped(report(), FORGED, DATABASE_URL=AWAY)[0] == 75  # the key may be another one
    assert piped(sent_to(path, VACATION), path)[0] == 0
    assert piped(report())[0] == 67
    assert piped(b"", path)[0] == 0  # set aside: a mail server would keep it, or write to a forged sender
    assert piped(deep, path)[0] == 0
    elsewhere = {"BOUNCE_ADDRESS": "", "EMAIL_URL": "smtp://127.0.0.1:9"}
    assert piped(report(), path, **elsewhere)[0] == 75
    assert piped(b"", "--lmtp", "127.0.0.1:0", **elsewhere)[0] == 78
    assert SetAsideMessage.objects.count() == 2
    assert state_of(email) == State.SENT


@pytest.mark.long
def test_a_pipe_of_ten_megabytes_is_read_to_its_end(went: Any, path_of: Any) -> None:
    email = went()
    assert piped(report() + b"x" * 10_000_000, path_of(email))[0] == 0
    assert state_of(email) == State.BOUNCED


Start = Callable[..., tuple[int, "subprocess.Popen[bytes]"]]


@pytest.fixture
def lmtp_server() -> Iterator[Start]:
    """Start the LMTP server on this test's database; keywords are further environment variables."""
    with ExitStack() as started:
        yield lambda **more: started.enter_context(lmtp_server_of(**{"BOUNCE_ADDRESS": BOUNCES} | more))


def answers(port: int, recipients: list[str], source: bytes) -> dict[str, tuple[int, bytes]]:
    """Return the recipients the server refused in one session."""
    with smtplib.LMTP("127.0.0.1", port, timeout=HANGS) as chat:
        chat.ehlo()
        chat.esmtp_features.pop("size")  # a stranger need not say how much is coming
        try:
            return chat.sendmail("", recipients, source)
        except smtplib.SMTPRecipientsRefused as refused:
            return refused.recipients
        except smtplib.SMTPDataError as refused:
            return {"data": (refused.smtp_code, bytes(refused.smtp_error))}


@pytest.mark.long
def test_a_report_by_lmtp_marks_email_and_address(went: Any, path_of: Any, lmtp_server: Start) -> None:
    port, _ = lmtp_server()
    email = went()
    for _ in range(2):
        assert answers(port, [path_of(email)], report()) == {}
    assert state_of(email) == State.BOUNCED
    assert SuppressedAddress.objects.count() == 1


def test_feedback_comes_to_the_mailbox_itself_and_other_mail_there_is_dropped(
    went: Any, path_of: Any, lmtp_server: Start
) -> None:
    port, _ = lmtp_server()
    email = went()
    told = feedback(SPARSE, to=BOUNCES, path="", tag=tag_of("bounces", email.pk))
    forged = feedback(SPARSE, to=BOUNCES, path=path_of(email), tag="1-aaaaaaaaaaaaaaaa")
    assert answers(port, [BOUNCES], report()) == {}
    assert set(answers(port, [BOUNCES], forged)) == {"data"}
    assert state_of(email) == State.SENT
    assert answers(port, [BOUNCES], told) == {}
    assert SuppressedAddress.objects.get().cause == "complaint"


@pytest.mark.long
def test_only_return_paths_of_ours_are_known_one_at_a_time(
    went: Any, path_of: Any, lmtp_server: Start
) -> None:
    port, _ = lmtp_server()
    first, second = went(), went()
    strangers = [FORGED, "postmaster@games.example.net", "bounces+@games.example.net", "x@y.example"]
    assert {code for code, _ in answers(port, strangers, report()).values()} == {550}
    refused = answers(port, [FORGED, path_of(first), path_of(second)], report())
    assert {address: code for address, (code, _) in refused.items()} == {FORGED: 550, path_of(second): 452}
    assert (state_of(first), state_of(second)) == (State.BOUNCED, State.SENT)


@pytest.mark.long
def test_hostile_chat_is_answered_and_the_next_report_is_taken(
    went: Any, path_of: Any, lmtp_server: Start
) -> None:
    port, process = lmtp_server()
    email = went()
    path = path_of(email)
    assert answers(port, [path], b"x" * 11_000_000)["data"][0] in {500, 552}
    assert answers(port, [path], b"Subject: x\r\n" + (b"x" * 70 + b"\r\n") * 150_000)["data"][0] == 552
    assert answers(port, [path], b"nothing") == {}
    assert SetAsideMessage.objects.count() == 1
    for rubbish in (b"\xff\xfe\r\n", b"EHLO x\r\n", b"A" * 500_000 + b"\r\n", b"LHLO x\r\nRCPT TO:<\0>\r\n"):
        with socket.create_connection(("127.0.0.1", port), 5) as line:
            line.sendall(rubbish)
            line.recv(1000)
    with socket.create_connection(("127.0.0.1", port), 5) as line:
        brackets = "(" * 450
        line.sendall(
            f"LHLO x\r\nMAIL FROM:<{brackets}>\r\nMAIL FROM:<>\r\nRCPT TO:<{brackets}>\r\nQUIT\r\n".encode()
        )
        said = b"".join(iter(lambda: line.recv(1000), b"")).splitlines()
        assert [reply[:3] for reply in said if reply[3:4] == b" "] == [
            b"220",
            b"250",
            b"553",
            b"250",
            b"553",
            b"221",
        ]
    with socket.create_connection(("127.0.0.1", port), 5) as line:  # gone in the middle of a message
        line.sendall(f"LHLO x\r\nMAIL FROM:<>\r\nRCPT TO:<{path}>\r\nDATA\r\n".encode() + report())
    assert state_of(email) == State.SENT
    assert answers(port, [path], report()) == {}
    assert state_of(email) == State.BOUNCED
    assert process.poll() is None


@pytest.mark.long
def test_a_mail_server_keeps_what_comes_while_the_database_is_away(
    went: Any, path_of: Any, lmtp_server: Start
) -> None:
    port, _ = lmtp_server(DATABASE_URL=AWAY)
    email = went()
    for recipient in (path_of(email), FORGED):  # its key may be another one than the database knows
        [(code, _)] = answers(port, [recipient], report()).values()
        assert code == 451
    assert state_of(email) == State.SENT


@pytest.mark.long
def test_the_server_stops_when_it_is_asked_to_though_someone_is_connected(
    went: Any, lmtp_server: Start
) -> None:
    port, process = lmtp_server()
    with socket.create_connection(("127.0.0.1", port), 5) as line:
        line.recv(1000)
        process.send_signal(signal.SIGTERM)
        assert process.wait(HANGS) == 0
    wait_until(lambda: not _listens(port), "the port to be free")


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.parametrize("address", ["nowhere", "127.0.0.1", "127.0.0.1:99999", ":25"])
def test_where_to_listen_must_be_host_and_port(address: str) -> None:
    with pytest.raises(CommandError, match=r"127\.0\.0\.1:2525") as refused:
        call_command("receive_mail", "--lmtp", address)
    assert refused.value.returncode == 64


@pytest.mark.long
def test_a_port_in_use_is_said_in_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        code, said = piped(b"", "--lmtp", f"127.0.0.1:{taken.getsockname()[1]}")
    assert code == 1
    assert "in use" in said
