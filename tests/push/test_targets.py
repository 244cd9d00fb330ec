"""Notifications on Discord, Slack, ntfy and in programs: what they get, and what people see of it."""

from __future__ import annotations

import json
import logging
import re
import time
from base64 import b64decode
from datetime import timedelta
from hashlib import sha256
from hmac import new as mac
from typing import Any

import pytest
from django.core import mail
from django.urls import reverse

from accounts import clock
from accounts.mail.delivery import deliver_due
from accounts.models import User
from accounts.personal_data import erase_personal_data, export_personal_data
from accounts.push import public_hosts, public_requests, target_sending
from accounts.push.models import NoticeTarget, Push, TargetNotice
from accounts.push.queueing import drop_messages
from accounts.push.target_requests import request_for, signature
from accounts.push.target_sending import MOST_FAILURES, send_due
from accounts.push.target_words import TargetText
from accounts.push.targets import MOST_TARGETS, queue_test
from games.chat.services import begin_channel, write
from games.models import Game, Seat
from games.services.notifications import notify_asked
from tests.digests.days import MINUTE, Days
from tests.games.playing import answer, begin_game, decision_of, legal_texts
from tests.push.receivers import DISCORD, NTFY, PATHS, PROGRAM, SLACK, Receiver

pytestmark = pytest.mark.django_db

CHANNELS = reverse("notice_targets")
SECRETS = ("secret", "webhooks/123", "services/T0")  # in the addresses of PATHS
TURN = "Something waits for you: Table 42"
READ = "There’s something new to read: Table 42"


def added(client: Any, receiver: Receiver, host: str, **more: Any) -> NoticeTarget:
    answer = client.post(CHANNELS, receiver.form(host, **more))
    assert answer.status_code == 302, answer.content.decode()
    return NoticeTarget.objects.latest("pk")


def asked(game: Game) -> Seat:
    """The seat whose player is asked, with the player as they are stored now."""
    return game.table.seats.select_related("user").get(number=decision_of(game).seat)


def ask_again(game: Game) -> None:
    seat = asked(game)
    notify_asked(game, seat, seat.decision_step or 0)


def sent(days: Days) -> int:
    """Return how many arrive, once they're due."""
    days.now += timedelta(minutes=2)
    return send_due()


def test_each_service_gets_a_sentence_and_a_link_in_its_own_form(
    days: Days, game: Game, signed_in: Any, receiver: Receiver
) -> None:
    client = signed_in(asked(game).person)
    for host in PATHS:
        added(client, receiver, host, token="tk_protected" if host == NTFY else "")
    ask_again(game)
    assert sent(days) == 4
    got = {one.host: one for one in receiver.got}
    assert {host: one.path for host, one in got.items()} == {**PATHS, NTFY: "/"}
    link = f"http://testserver/games/{game.pk}/"
    assert got[DISCORD].told == {
        "content": f"Something waits for you\\: Table 42\n<{link}>",
        "allowed_mentions": {"parse": []},
        "flags": 4,
    }
    assert got[SLACK].told == {"text": f"{TURN}\n<{link}>", "mrkdwn": False, "unfurl_links": False}
    assert got[NTFY].told == {
        "topic": "a-secret-topic",
        "title": "Condottiere by email",
        "message": TURN,
        "click": link,
    }
    assert got[NTFY].headers["authorization"] == "Bearer tk_protected"
    assert got[PROGRAM].told == {
        "type": "turn",
        "timestamp": got[PROGRAM].told["timestamp"],
        "data": {"text": TURN, "url": link},
    }
    for host in (DISCORD, SLACK, PROGRAM):
        assert "authorization" not in got[host].headers
    assert sent(days) == 0


def test_the_link_asks_to_sign_in(
    days: Days, game: Game, signed_in: Any, receiver: Receiver, client: Any
) -> None:
    added(signed_in(asked(game).person), receiver, PROGRAM)
    other = game.table.seats.exclude(pk=asked(game).pk).first()
    assert other is not None
    ask_again(game)
    write(other, "A word.")
    assert sent(days) == 2
    for one in receiver.got:
        page = client.get(one.told["data"]["url"].removeprefix("http://testserver"))
        assert page["Location"].startswith(reverse("account_login"))


def test_a_program_can_check_the_signature_as_standard_webhooks_says(
    days: Days, game: Game, signed_in: Any, receiver: Receiver
) -> None:
    client = signed_in(asked(game).person)
    target = added(client, receiver, PROGRAM)
    assert target.secret not in client.get(reverse("notice_target", args=[target.pk])).content.decode()
    shown = client.post(reverse("notice_target_secret", args=[target.pk])).content.decode()
    (key,) = re.findall(r"whsec_[\w+/=]+", shown)
    receiver.answers[PROGRAM] = 503
    ask_again(game)
    assert sent(days) == 0
    receiver.answers.clear()
    assert sent(days) == 1
    first, second = receiver.got
    assert first.headers["webhook-id"] == second.headers["webhook-id"]
    assert second.body == first.body
    for one in receiver.got:
        parts = (one.headers["webhook-id"], one.headers["webhook-timestamp"], one.body.decode())
        digest = mac(b64decode(key.removeprefix("whsec_")), ".".join(parts).encode(), sha256).digest()
        version, _comma, written = one.headers["webhook-signature"].partition(",")
        assert (version, b64decode(written)) == ("v1", digest)
    assert int(second.headers["webhook-timestamp"]) - int(first.headers["webhook-timestamp"]) == 120


def test_the_signature_is_that_of_the_specifications_example() -> None:
    given = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330
    assert signature(*given, b'{"test": 2432232314}') == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_a_message_is_never_told_and_private_ones_look_like_all_others(
    days: Days, game: Game, signed_in: Any, receiver: Receiver
) -> None:
    first, second, third = game.table.seats.select_related("user").order_by("number")
    added(signed_in(first.person), receiver, DISCORD, kinds=["message"])
    write(second, "Shall we meet at @everyone?")
    write(third, "Rome is mine.", channel=begin_channel(third, [first]))
    assert sent(days) == 2
    assert receiver.got[0].body == receiver.got[1].body
    assert READ.replace(":", "\\\\:") in receiver.got[0].body.decode()
    assert "Rome" not in receiver.got[1].body.decode()


def test_what_a_table_is_called_is_shown_as_it_is(
    days: Days, anna: User, bruno: User, carla: User, signed_in: Any, receiver: Receiver
) -> None:
    name = "@everyone <!channel> [x](http://x.example) *b*"
    begun = begin_game([anna, bruno, carla], name=name)
    client = signed_in(asked(begun).person)
    for host in (DISCORD, SLACK):
        added(client, receiver, host)
    ask_again(begun)
    assert sent(days) == 2
    got = {one.host: one.told for one in receiver.got}
    words = got[DISCORD]["content"].partition("\n")[0]
    assert re.sub(r"\\(.)", r"\1", words) == f"Something waits for you: {name}"
    assert not re.search(r"(?<!\\)[*<\[(@]", words)
    assert "&lt;!channel&gt;" in got[SLACK]["text"]


@pytest.mark.parametrize("mark", ["a", "_", "\\", "é", "🇵🇱", "👩🏽‍❤️‍💋‍👨🏿"])
@pytest.mark.parametrize("service", ["discord", "slack", "ntfy"])
def test_a_long_text_is_cut_to_what_the_service_takes(anna: User, service: str, mark: str) -> None:
    target = NoticeTarget(user=anna, service=service, endpoint="https://discord.com/api/webhooks/1/x")
    row = TargetNotice(target=target, kind="turn")
    written = json.loads(request_for(row, TargetText(mark * 5000, "/games/1/"), clock.now()).body)
    words = written[{"discord": "content", "slack": "text", "ntfy": "message"}[service]]
    if service == "ntfy":
        assert len(words) == 1500 or 3600 < len(words.encode()) <= 4096
        assert written["click"] == "http://testserver/games/1/"
    else:
        assert 1000 < len(words) <= (2000 if service == "discord" else 20_000)
        assert words.endswith("\n<http://testserver/games/1/>")
    own = words.partition("\n")[0]
    shown = re.sub(r"\\(.)", r"\1", own) if service == "discord" else own
    assert shown == mark * ((len(shown) - 1) // len(mark)) + "…"


def test_each_target_hears_of_its_own_kinds_and_of_one_league_if_so_chosen(
    days: Days, game: Game, signed_in: Any, receiver: Receiver
) -> None:
    client = signed_in(asked(game).person)
    added(client, receiver, SLACK, kinds=["message"])
    of_league = added(client, receiver, DISCORD, kinds=["turn"])
    NoticeTarget.objects.filter(pk=of_league.pk).update(only_source="/leagues/1/")
    for path, expected in (("", 0), ("/leagues/12/season/1/", 0), ("/leagues/1/season/1/", 1)):
        game.table.source_path = path
        game.table.save()
        TargetNotice.objects.all().delete()
        ask_again(game)
        assert sent(days) == expected, path
    assert {one.host for one in receiver.got} == {DISCORD}


def test_nothing_is_told_that_is_no_longer_so(
    days: Days, game: Game, signed_in: Any, receiver: Receiver
) -> None:
    number = asked(game).number
    added(signed_in(asked(game).person), receiver, SLACK, kinds=["turn"])
    ask_again(game)
    while decision_of(game).seat == number:
        answer(game, legal_texts(game)[0])
    assert sent(days) == 0
    assert receiver.got == []
    assert not TargetNotice.objects.filter(
        done_at=None, target__user=game.table.seats.get(number=number).user
    )


WRONG = [
    ("discord", "https://example.org/api/webhooks/1/x", "A Discord webhook looks like"),
    ("discord", "https://discord.com/channels/1/2", "A Discord webhook looks like"),
    ("slack", "https://slack.com/services/x", "A Slack webhook looks like"),
    ("ntfy", "https://ntfy.sh/", "A topic’s address looks like"),
    ("ntfy", "https://ntfy.sh/a/b", "A topic’s address looks like"),
    ("webhook", "http://example.org/", "begins with https://"),
    ("webhook", "https://example.org:8443/", "begins with https://"),
    ("webhook", "https://anna:secret@example.org/", "begins with https://"),
    ("webhook", "https://[::1]/", "begins with https://"),
    ("webhook", "https://127.0.0.1/", "can’t reach this address"),
    ("webhook", "https://localhost/", "can’t reach this address"),
    ("ntfy", "https://10.0.0.1/topic", "can’t reach this address"),
    ("webhook", "ftp://example.org/", "begins with https://"),
    ("webhook", "", "This is missing"),
    ("carrier", "https://example.org/", "That isn’t one of the choices."),
]


@pytest.mark.parametrize(("service", "address", "words"), WRONG)
def test_a_wrong_address_is_refused_with_a_sentence(
    anna: User, signed_in: Any, service: str, address: str, words: str
) -> None:
    form = {"service": service, "endpoint": address, "kinds": ["turn"]}
    answer = signed_in(anna).post(CHANNELS, form)
    assert answer.status_code == 422
    assert words in answer.content.decode()
    assert not NoticeTarget.objects.exists()


@pytest.mark.parametrize("token", ["two words", "a\r\nX-More: b", "ключ"])
def test_a_token_that_no_header_carries_is_refused(
    anna: User, signed_in: Any, receiver: Receiver, token: str
) -> None:
    answer = signed_in(anna).post(CHANNELS, receiver.form(NTFY, token=token))
    assert answer.status_code == 422
    assert not NoticeTarget.objects.exists()


def test_nobody_adds_too_many(anna: User, signed_in: Any, receiver: Receiver) -> None:
    client = signed_in(anna)
    for _number in range(MOST_TARGETS):
        added(client, receiver, SLACK)
    answer = client.post(CHANNELS, receiver.form(SLACK))
    assert answer.status_code == 422
    assert "You have too many channels." in answer.content.decode()


def last_row(client: Any, target: NoticeTarget) -> str:
    page = client.get(reverse("notice_target", args=[target.pk])).content.decode()
    found = re.search(r"<tbody>\s*<tr>(.*?)</tr>", page, re.DOTALL)
    assert found, page
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", found[1])).strip()


def test_a_test_shows_what_came_back(days: Days, anna: User, signed_in: Any, receiver: Receiver) -> None:
    client = signed_in(anna)
    target = added(client, receiver, NTFY)
    test = reverse("notice_target_test", args=[target.pk])
    for status, words in (
        (200, "Delivered (200)"),
        (401, "Refused (401)"),
        (503, "Refused (503) We’ll try again."),
    ):
        receiver.answers[NTFY] = status
        client.post(test)
        days.now += MINUTE
        send_due()
        assert words in last_row(client, target)
    assert "This is a test." in receiver.got[0].told["message"]


def test_a_redirect_is_not_followed(days: Days, anna: User, signed_in: Any, receiver: Receiver) -> None:
    client = signed_in(anna)
    target = added(client, receiver, PROGRAM)
    for status in (301, 302, 307, 308):
        receiver.answers[PROGRAM] = status
        receiver.headers["Location"] = receiver.address(DISCORD)
        queue_test(target)
        assert send_due() == 0
        assert f"Refused ({status})" in last_row(client, target)
        days.now += MINUTE
    assert {one.host for one in receiver.got} == {PROGRAM}
    target.refresh_from_db()
    assert target.failures == 4


def test_a_name_that_leads_inside_later_is_not_contacted_and_kept(
    days: Days, anna: User, signed_in: Any, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = signed_in(anna)
    target = added(client, receiver, PROGRAM)
    queue_test(target)
    monkeypatch.setattr(public_hosts, "is_public", lambda _address: False)
    assert send_due() == 0
    assert receiver.got == []
    assert "Not contacted" in last_row(client, target)
    assert NoticeTarget.objects.get() == target


def huge(request: Any) -> None:
    request.send_response(200)
    request.send_header("Content-Length", str(10**12))
    request.end_headers()
    try:
        for _part in range(10**6):
            request.wfile.write(b"x" * 65536)
    except OSError:
        pass


def endless_headers(request: Any) -> None:
    request.send_response(200)
    try:
        for number in range(10**6):
            request.send_header(f"X-{number}", "x" * 1000)
            request.flush_headers()
    except OSError:
        pass


def nonsense(request: Any) -> None:
    request.wfile.write(b"220 smtp.example.org ESMTP\r\n\r\n")


def dripping(request: Any) -> None:
    try:
        for _part in range(10**6):
            request.wfile.write(b"H")
            time.sleep(0.02)
    except OSError:
        pass


def test_a_huge_answer_is_not_read(days: Days, anna: User, signed_in: Any, receiver: Receiver) -> None:
    target = added(signed_in(anna), receiver, PROGRAM)
    receiver.answers[PROGRAM] = huge
    queue_test(target)
    assert send_due() == 1


def test_strange_answers_are_failures_that_are_tried_again(
    days: Days, anna: User, signed_in: Any, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = signed_in(anna)
    target = added(client, receiver, PROGRAM)
    monkeypatch.setattr(public_requests, "ENDS_WITHIN", 1.0)
    for strange in (endless_headers, nonsense, dripping):
        receiver.answers[PROGRAM] = strange
        TargetNotice.objects.all().delete()
        queue_test(target)
        assert send_due() == 0
        assert "We’ll try again." in last_row(client, target)
        days.now += MINUTE
    receiver.answers.clear()
    assert sent(days) == 1


def test_a_service_that_asks_for_patience_gets_it(
    days: Days, anna: User, bruno: User, signed_in: Any, receiver: Receiver
) -> None:
    mine, other = (added(signed_in(one), receiver, DISCORD) for one in (anna, bruno))
    receiver.answers[DISCORD] = 429
    receiver.headers["Retry-After"] = "600"
    queue_test(mine)
    queue_test(mine)
    assert send_due() == 0
    assert len(receiver.got) == 1
    receiver.clear()
    queue_test(other)
    assert send_due() == 1, "another's webhook on the same service waits for nothing"
    days.now += 9 * MINUTE
    assert send_due() == 0
    days.now += 2 * MINUTE
    assert send_due() == 2


@pytest.fixture
def most_failures(monkeypatch: pytest.MonkeyPatch, long: bool) -> int:
    """How many failures in a row a target has before it is switched off; fewer in a short run."""
    most = MOST_FAILURES if long else 5
    monkeypatch.setattr(target_sending, "MOST_FAILURES", most)
    return most


def test_after_so_many_failures_in_a_row_it_is_switched_off_with_one_email(
    days: Days, anna: User, signed_in: Any, receiver: Receiver, most_failures: int
) -> None:
    client = signed_in(anna)
    target = added(client, receiver, SLACK)
    page = reverse("notice_target", args=[target.pk])

    def fail(times: int) -> None:
        receiver.answers[SLACK] = 404
        for _number in range(times):
            queue_test(target)
            send_due()
            days.now += MINUTE

    fail(most_failures - 1)
    receiver.answers.clear()
    queue_test(target)
    assert send_due() == 1, "a success begins the count again"
    fail(most_failures - 1)
    assert not NoticeTarget.objects.get().is_off
    fail(3)
    assert NoticeTarget.objects.get().is_off
    assert len(receiver.got) == 2 * most_failures
    deliver_due()
    (email,) = mail.outbox
    assert email.subject == "A notification channel was switched off"
    assert email.to == [anna.email]
    assert "asecrettoken" not in str(email.message())
    assert "This channel is switched off." in client.get(page).content.decode()
    client.post(reverse("notice_target_switch", args=[target.pk]), {"to": "on"})
    receiver.clear()
    queue_test(target)
    assert send_due() == 1


def test_an_outage_of_an_hour_switches_nothing_off(
    days: Days, anna: User, signed_in: Any, receiver: Receiver, most_failures: int
) -> None:
    target = added(signed_in(anna), receiver, DISCORD)
    receiver.answers[DISCORD] = 500
    for _number in range(most_failures + 2):
        queue_test(target)
        send_due()
        days.now += 3 * MINUTE
    target.refresh_from_db()
    assert (target.is_off, target.failures) == (False, 0)
    receiver.answers.clear()
    for _number in range(4):
        days.now += timedelta(hours=1)
        send_due()
    assert not TargetNotice.objects.filter(done_at=None).exists(), "nothing is lost"
    assert not TargetNotice.objects.exclude(answer=204).exists()


def test_no_page_log_or_export_shows_a_secret(
    days: Days,
    game: Game,
    signed_in: Any,
    receiver: Receiver,
    caplog: pytest.LogCaptureFixture,
    django_capture_on_commit_callbacks: Any,
) -> None:
    caplog.set_level(logging.DEBUG)
    person = asked(game).person
    client = signed_in(person)
    for host in PATHS:
        target = added(client, receiver, host, token="tk_of_a_secret" if host == NTFY else "")
        receiver.answers[host] = {DISCORD: 404, SLACK: 503, NTFY: 401}.get(host, nonsense)
        queue_test(target)
    send_due()
    texts = [
        client.get(CHANNELS).content.decode(),
        caplog.text,
        json.dumps(export_personal_data(person), default=str),
    ]
    keys = [target.secret for target in person.notice_targets.all() if target.secret]
    for target in person.notice_targets.all():
        texts.append(client.get(reverse("notice_target", args=[target.pk])).content.decode())
        texts += [str(target), repr(target)]
    for text in texts:
        assert [secret for secret in (*SECRETS[1:], "a-secret", "asecret", *keys) if secret in text] == []
    assert export_personal_data(person)["notification_channels"][0]["host"] == DISCORD


def test_deleting_the_account_deletes_its_channels(anna: User, signed_in: Any, receiver: Receiver) -> None:
    queue_test(added(signed_in(anna), receiver, SLACK))
    erase_personal_data([anna])
    assert not NoticeTarget.objects.exists()
    assert not TargetNotice.objects.exists()
    anna.refresh_from_db()
    assert not anna.has_notice_targets


def test_others_can_neither_see_nor_use_a_channel(
    anna: User, bruno: User, signed_in: Any, receiver: Receiver
) -> None:
    target = added(signed_in(anna), receiver, SLACK)
    stranger = signed_in(bruno)
    for name in ("test", "switch", "remove", "secret"):
        assert stranger.post(reverse(f"notice_target_{name}", args=[target.pk])).status_code == 404
    assert NoticeTarget.objects.filter(pk=target.pk, off_at=None).exists()


def test_removing_the_last_one_ends_the_looking(
    days: Days, game: Game, signed_in: Any, receiver: Receiver, django_assert_num_queries: Any
) -> None:
    from accounts.push.queueing import notify

    person = asked(game).person
    client = signed_in(person)
    target = added(client, receiver, SLACK)
    client.post(reverse("notice_target_remove", args=[target.pk]))
    person.refresh_from_db()
    with django_assert_num_queries(0):
        notify(Push.Kind.TURN, person, key="1", email_key="1", context={})


def test_a_restore_sends_no_messages_of_the_past(
    days: Days, game: Game, signed_in: Any, receiver: Receiver
) -> None:
    first, second = game.table.seats.select_related("user").order_by("number")[:2]
    added(signed_in(first.person), receiver, SLACK)
    first.user = User.objects.get(pk=first.user_id)
    write(second, "A word.")
    drop_messages(days.now)
    assert sent(days) == 0


def test_a_person_chooses_again_what_a_channel_is_told(
    anna: User, signed_in: Any, receiver: Receiver
) -> None:
    client = signed_in(anna)
    target = added(client, receiver, SLACK, name="Family")
    page = reverse("notice_target", args=[target.pk])
    assert client.post(page, {"name": "", "kinds": []}).status_code == 422
    assert client.post(page, {"name": "", "kinds": ["reminder"]}).status_code == 302
    target.refresh_from_db()
    assert (target.name, target.kinds) == ("Slack", ["reminder"])
