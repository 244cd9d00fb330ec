"""Events that mail services post about emails: what each means, and what is refused."""

import json
import logging
import random
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings as site
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django.views.debug import get_default_exception_reporter_filter

from accounts.mail import suppression, webhooks
from accounts.mail.delivery import deliver_due
from accounts.mail.models import OutgoingEmail, SuppressedAddress
from accounts.mail.outbox import queue
from accounts.mail.own_addresses import tag_of
from accounts.mail.return_paths import BOUNCES, HEADERS_OF_SERVICES, return_path
from accounts.models import User
from condottiere_site import environment
from tests.bounces.services import (
    ADDRESS,
    NO_SUCH,
    POSTERS,
    SECRET,
    Fields,
    brevo,
    mailgun,
    password,
    postmark,
    ses,
    ses_bounce,
    ses_complaint,
    signed,
    sns,
)

pytestmark = pytest.mark.django_db

State = OutgoingEmail.State
UNTOUCHED = (State.SENT, None)
BY_POLICY = "554 5.7.1 Message rejected by policy"
FULL = "552 5.2.2 Mailbox full"

Make = Callable[[str], Fields]


@pytest.fixture(autouse=True)
def a_service_posts(settings: Any) -> None:
    cache.clear()
    settings.EMAIL_WEBHOOK_SECRET = SECRET
    settings.EMAIL_WEBHOOK_SERVICE = "postmark"


def told(settings: Any, service: str, make: Make, email: OutgoingEmail) -> int:
    """Post an event about this email as the service does; return the answer's status."""
    settings.EMAIL_WEBHOOK_SERVICE = service
    return POSTERS[service].post(make(tag_of(BOUNCES, email.pk)))


def fate(email: OutgoingEmail) -> tuple[str, str | None]:
    """Return the email's state, and why its address is suppressed."""
    email.refresh_from_db()
    row = suppression.suppression_of("anna@example.org")
    return email.state, None if row is None else row.cause


# Of each service: a hard bounce that blames the address, one by policy, a full mailbox; what it knows itself;
# its list of addresses to which it sends nothing; complaints and their like; unsubscribing; what is no news.
TABLE: list[tuple[str, Make, tuple[str, str | None]]] = [
    (
        "mailgun",
        lambda tag: mailgun(tag, "failed", severity="permanent", reason="bounce"),
        (State.BOUNCED, "failure"),
    ),
    (
        "mailgun",
        lambda tag: mailgun(tag, "failed", BY_POLICY, severity="permanent", reason="bounce"),
        (State.BOUNCED, None),
    ),
    (
        "mailgun",
        lambda tag: mailgun(tag, "failed", FULL, severity="permanent", reason="old"),
        (State.BOUNCED, None),
    ),
    (
        "mailgun",
        lambda tag: mailgun(
            tag,
            "failed",
            "605 Not delivering to previously bounced address",
            severity="permanent",
            reason="suppress-bounce",
        ),
        (State.BOUNCED, "failure"),
    ),
    (
        "mailgun",
        lambda tag: mailgun(tag, "failed", "607 no", severity="permanent", reason="suppress-complaint"),
        (State.BOUNCED, "complaint"),
    ),
    (
        "mailgun",
        lambda tag: mailgun(tag, "failed", "606 no", severity="permanent", reason="suppress-unsubscribe"),
        (State.BOUNCED, "unsubscribed"),
    ),
    (
        "mailgun",
        lambda tag: mailgun(tag, "rejected", reject={"reason": "Sandbox"}),
        (State.BOUNCED, "failure"),
    ),
    ("mailgun", lambda tag: mailgun(tag, "complained"), (State.BOUNCED, "complaint")),
    ("mailgun", lambda tag: mailgun(tag, "unsubscribed"), (State.BOUNCED, "unsubscribed")),
    ("mailgun", lambda tag: mailgun(tag, "failed", severity="temporary", reason="generic"), UNTOUCHED),
    ("mailgun", lambda tag: mailgun(tag, "delivered", "250 OK"), UNTOUCHED),
    ("mailgun", lambda tag: mailgun(tag, "opened"), UNTOUCHED),
    ("mailgun", lambda tag: mailgun(tag, "something new"), UNTOUCHED),
    ("postmark", lambda tag: postmark(tag, "Bounce", "HardBounce"), (State.BOUNCED, "failure")),
    ("postmark", lambda tag: postmark(tag, "Bounce", "HardBounce", BY_POLICY), (State.BOUNCED, None)),
    ("postmark", lambda tag: postmark(tag, "Bounce", "SoftBounce", FULL), (State.BOUNCED, None)),
    ("postmark", lambda tag: postmark(tag, "Bounce", "Blocked", BY_POLICY), (State.BOUNCED, None)),
    ("postmark", lambda tag: postmark(tag, "Bounce", "DMARCPolicy", BY_POLICY), (State.BOUNCED, None)),
    ("postmark", lambda tag: postmark(tag, "Bounce", "SpamNotification", BY_POLICY), (State.BOUNCED, None)),
    ("postmark", lambda tag: postmark(tag, "Bounce", "BadEmailAddress", ""), (State.BOUNCED, "failure")),
    ("postmark", lambda tag: postmark(tag, "Bounce", "ManuallyDeactivated", ""), (State.BOUNCED, "failure")),
    (
        "postmark",
        lambda tag: postmark(tag, "SpamComplaint", "SpamComplaint", ""),
        (State.BOUNCED, "complaint"),
    ),
    (
        "postmark",
        lambda tag: postmark(
            tag,
            "SubscriptionChange",
            SuppressSending=True,
            SuppressionReason="ManualSuppression",
            Origin="Recipient",
        ),
        (State.BOUNCED, "unsubscribed"),
    ),
    (
        "postmark",
        lambda tag: postmark(
            tag,
            "SubscriptionChange",
            SuppressSending=True,
            SuppressionReason="ManualSuppression",
            Origin="Customer",
        ),
        UNTOUCHED,
    ),
    (
        "postmark",
        lambda tag: postmark(tag, "SubscriptionChange", SuppressSending=True, SuppressionReason="HardBounce"),
        UNTOUCHED,
    ),
    ("postmark", lambda tag: postmark(tag, "SubscriptionChange", SuppressSending=False), UNTOUCHED),
    ("postmark", lambda tag: postmark(tag, "Bounce", "Transient", FULL), UNTOUCHED),
    ("postmark", lambda tag: postmark(tag, "Bounce", "AutoResponder", ""), UNTOUCHED),
    ("postmark", lambda tag: postmark(tag, "Delivery", DeliveredAt="2026-07-04T12:00:00Z"), UNTOUCHED),
    ("postmark", lambda tag: postmark(tag, "Open"), UNTOUCHED),
    ("brevo", lambda tag: brevo(tag, "hard_bounce"), (State.BOUNCED, "failure")),
    ("brevo", lambda tag: brevo(tag, "hard_bounce", BY_POLICY), (State.BOUNCED, None)),
    ("brevo", lambda tag: brevo(tag, "soft_bounce", FULL), (State.BOUNCED, None)),
    ("brevo", lambda tag: brevo(tag, "invalid_email", ""), (State.BOUNCED, "failure")),
    ("brevo", lambda tag: brevo(tag, "blocked", ""), (State.BOUNCED, "failure")),
    ("brevo", lambda tag: brevo(tag, "error", "no credits left"), (State.BOUNCED, None)),
    ("brevo", lambda tag: brevo(tag, "spam", ""), (State.BOUNCED, "complaint")),
    ("brevo", lambda tag: brevo(tag, "complaint", ""), (State.BOUNCED, "complaint")),
    ("brevo", lambda tag: brevo(tag, "unsubscribe", ""), (State.BOUNCED, "unsubscribed")),
    ("brevo", lambda tag: brevo(tag, "deferred", FULL), UNTOUCHED),
    ("brevo", lambda tag: brevo(tag, "delivered", ""), UNTOUCHED),
    ("brevo", lambda tag: brevo(tag, "request", ""), UNTOUCHED),
    ("ses", lambda tag: ses_bounce(tag, "Permanent", "General"), (State.BOUNCED, "failure")),
    (
        "ses",
        lambda tag: ses_bounce(tag, "Permanent", "General", "550 rejected", "5.1.1"),
        (State.BOUNCED, "failure"),
    ),
    ("ses", lambda tag: ses_bounce(tag, "Permanent", "General", BY_POLICY), (State.BOUNCED, None)),
    ("ses", lambda tag: ses_bounce(tag, "Permanent", "General", ""), (State.BOUNCED, None)),
    ("ses", lambda tag: ses_bounce(tag, "Permanent", "NoEmail", ""), (State.BOUNCED, "failure")),
    (
        "ses",
        lambda tag: ses_bounce(
            tag, "Permanent", "Suppressed", "Amazon SES has suppressed sending to this address", "5.1.1"
        ),
        (State.BOUNCED, "failure"),
    ),
    (
        "ses",
        lambda tag: ses_bounce(tag, "Permanent", "OnAccountSuppressionList", ""),
        (State.BOUNCED, "failure"),
    ),
    ("ses", lambda tag: ses_bounce(tag, "Transient", "MailboxFull", FULL), (State.BOUNCED, None)),
    ("ses", lambda tag: ses_bounce(tag, "Undetermined", "Undetermined", ""), (State.BOUNCED, None)),
    ("ses", lambda tag: ses(tag, "Reject", "reject", {"reason": "Bad content"}), (State.BOUNCED, None)),
    ("ses", ses_complaint, (State.BOUNCED, "complaint")),
    ("ses", lambda tag: ses_complaint(tag, None), (State.BOUNCED, "complaint")),
    ("ses", lambda tag: ses_complaint(tag, "fraud"), (State.BOUNCED, "complaint")),
    ("ses", lambda tag: ses_complaint(tag, "not-spam"), UNTOUCHED),
    ("ses", lambda tag: ses_complaint(tag, "auth-failure"), UNTOUCHED),
    ("ses", lambda tag: ses(tag, "Delivery", "delivery", {"recipients": ["anna@example.org"]}), UNTOUCHED),
    ("ses", lambda tag: ses(tag, "DeliveryDelay", "deliveryDelay", {"delayType": "MailboxFull"}), UNTOUCHED),
    ("ses", lambda tag: sns("UnsubscribeConfirmation", Token="x"), UNTOUCHED),
    (
        "ses",
        lambda tag: sns(
            "Notification", Message="Successfully validated SNS topic for Amazon SES event publishing."
        ),
        UNTOUCHED,
    ),
]


@pytest.mark.parametrize(("service", "make", "expected"), TABLE)
def test_each_event_means_this(
    settings: Any, went: Any, service: str, make: Make, expected: tuple[str, str | None]
) -> None:
    email, other = went(), went("bruno@example.org")
    for _ in range(2):
        assert told(settings, service, make, email) == 200
        assert fate(email) == expected
    other.refresh_from_db()
    assert other.state == State.SENT
    assert SuppressedAddress.objects.exclude(address="anna@example.org").count() == 0


def test_the_words_of_the_server_are_kept_in_one_line(
    settings: Any, went: Any, anna: User, signed_in: Any
) -> None:
    email = went(to_user=anna)
    said = "550 5.1.1 <b>no\r\nsuch</b> person\ud800\u0000"
    assert told(settings, "postmark", lambda tag: postmark(tag, "Bounce", "HardBounce", said), email) == 200
    email.refresh_from_db()
    assert email.last_error == "550 5.1.1 <b>no such</b> person?"
    assert (
        "550 5.1.1 &lt;b&gt;no such&lt;/b&gt; person?" in signed_in(anna).get("/me/emails/").content.decode()
    )


def test_amazon_names_an_email_by_its_return_path_too(settings: Any, went: Any) -> None:
    email, settings.EMAIL_WEBHOOK_SERVICE = went(), "ses"
    assert POSTERS["ses"].post(ses_complaint("", source=return_path(email.pk))) == 200
    assert fate(email) == (State.BOUNCED, "complaint")


@pytest.mark.parametrize("seed", range(30))
def test_events_in_any_order_and_any_number_end_the_same(settings: Any, went: Any, seed: int) -> None:
    chance = random.Random(seed)
    email = went()
    makes: list[Make] = [
        lambda tag: postmark(tag, "Delivery"),
        lambda tag: postmark(tag, "Bounce", "HardBounce"),
        lambda tag: postmark(tag, "Bounce", "Transient"),
        lambda tag: postmark(tag, "Open"),
        lambda tag: postmark(tag, "SpamComplaint", "SpamComplaint"),
        lambda tag: postmark(
            tag, "SubscriptionChange", SuppressSending=True, SuppressionReason="ManualSuppression"
        ),
    ]
    events = makes + chance.choices(makes, k=4)
    chance.shuffle(events)
    for make in events:
        assert told(settings, "postmark", make, email) == 200
    assert fate(email) == (State.BOUNCED, "complaint")
    assert SuppressedAddress.objects.count() == 1


def test_failures_on_three_days_blame_the_address_whatever_was_said(settings: Any, went: Any) -> None:
    for days in (3, 2, 1):
        email = went(created_at=timezone.now() - timedelta(days=days))
        assert told(settings, "brevo", lambda tag: brevo(tag, "soft_bounce", FULL), email) == 200
    assert fate(email) == (State.BOUNCED, "failure")


@pytest.mark.parametrize("service", sorted(POSTERS))
def test_who_is_not_the_service_is_refused(settings: Any, went: Any, service: str) -> None:
    settings.EMAIL_WEBHOOK_SERVICE = service
    tag, poster = tag_of(BOUNCES, went().pk), POSTERS[service]
    payload = _complaint(service, tag)
    if service == "mailgun":
        for body in (
            payload,
            signed(payload, "another-key"),
            payload | {"signature": None},
            payload | {"signature": {}},
        ):
            assert poster.post_raw(json.dumps(body)) in {400, 403}
        assert (
            Client()
            .post(ADDRESS, {"event": "complained", "timestamp": "1", "token": "2", "signature": "3"})
            .status_code
            == 403
        )
    else:
        for wrong in (
            "",
            "Basic",
            "Basic !",
            "Bearer x",
            "Basic w7w=",
            password("wrong"),
            password(SECRET, "anna"),
        ):
            assert poster.post(payload, authorization=wrong) == 401
    assert not SuppressedAddress.objects.exists()
    assert poster.post(payload) == 200
    assert SuppressedAddress.objects.exists()


def test_a_password_is_asked_for_before_it_is_sent(settings: Any) -> None:
    settings.EMAIL_WEBHOOK_SERVICE = "ses"
    answer = Client().post(ADDRESS, json.dumps(sns("Notification", Message="{}")), content_type="text/plain")
    assert (answer.status_code, answer["WWW-Authenticate"].partition(" ")[0]) == (401, "Basic")


@pytest.mark.parametrize("service", sorted(POSTERS))
def test_an_event_of_no_email_of_ours_is_answered_and_changes_nothing(
    settings: Any, went: Any, service: str
) -> None:
    email, settings.EMAIL_WEBHOOK_SERVICE = went(), service
    gone = tag_of(BOUNCES, 10**9)
    for tag in (
        "",
        gone,
        "1-aaaaaaaaaaaaaaaa",
        "x" * 9999,
        "bounces+1-a@games.example.net",
        tag_of("unsubscribe", email.pk),
    ):
        assert POSTERS[service].post(_complaint(service, tag)) == 200
    assert fate(email) == UNTOUCHED


@pytest.mark.parametrize("custom", ["", "campaign 7", "{", None, 7, "[]", '{"email": null}'])
def test_what_other_senders_put_into_brevos_header_is_no_error(settings: Any, custom: Any) -> None:
    settings.EMAIL_WEBHOOK_SERVICE = "brevo"
    assert POSTERS["brevo"].post(brevo("", "spam") | {"X-Mailin-custom": custom}) == 200
    assert not SuppressedAddress.objects.exists()


@pytest.mark.parametrize("service", sorted(POSTERS))
def test_names_that_are_no_text_name_nothing(settings: Any, went: Any, service: str) -> None:
    settings.EMAIL_WEBHOOK_SERVICE = service
    for strange in (None, 1, True, [1], {"email": 1}, "", " ", "\u0000", "\ud800"):
        assert POSTERS[service].post(_complaint(service, strange)) in {200, 400}
    assert not SuppressedAddress.objects.exists()


HOSTILE = [
    b"",
    b"{",
    b"[]",
    b"null",
    b"1",
    b'"x"',
    b"[" * 100_000,
    b'{"a":' * 50_000,
    b"1" * 10_000,
    b"\xff\xfe",
    b'{"event": {}, "RecordType": [], "event-data": 3}',
    b'{"RecordType": "Inbound"}',
    b'{"items": []}',
    b'{"Type": "Notification", "MessageId": "1", "Message": "{"}',
    b'{"Type": "Notification", "MessageId": "1", "Message": "[]"}',
    b'{"Type": "Notification", "MessageId": "1", "Message": "{\\"notificationType\\": \\"Bounce\\"}"}',
    b'{"Type": "Notification", "MessageId": "1", "Message": "{\\"notificationType\\": \\"Received\\"}"}',
]


@pytest.mark.parametrize("service", sorted(POSTERS))
@pytest.mark.parametrize("body", HOSTILE, ids=range(len(HOSTILE)))
def test_a_malformed_event_breaks_nothing(settings: Any, service: str, body: bytes) -> None:
    settings.EMAIL_WEBHOOK_SERVICE = service
    headers = {
        "authorization": password(),
        "x-amz-sns-message-type": "Notification",
        "x-amz-sns-message-id": "1",
    }
    assert POSTERS[service].post_raw(body, **headers) in {200, 400, 401, 403}


@pytest.mark.parametrize("service", sorted(POSTERS))
def test_an_event_with_anything_missing_or_strange_breaks_nothing(
    settings: Any, went: Any, service: str, long: bool
) -> None:
    settings.EMAIL_WEBHOOK_SERVICE = service
    tag = tag_of(BOUNCES, went().pk)
    for payload in (_complaint(service, tag), _bounce(service, tag)):
        for strange in _strange(payload)[:: 1 if long else 3]:
            answered = POSTERS[service].post(strange, **({"x-amz-sns-message-type": "Notification"}))
            assert answered in {200, 400, 401, 403}, strange


def _strange(payload: Any) -> list[Any]:
    """Return the event with each field left out, or with something else in it."""
    found = []
    for key in payload if isinstance(payload, dict) else ():
        rest = {name: value for name, value in payload.items() if name != key}
        keeps = {"Type", "MessageId"}  # the request's headers repeat these
        values = [None, 1, "x", [], {}, [{}], *_strange(payload[key])]
        if key == "Message":
            values += [json.dumps(inner) for inner in _strange(json.loads(payload[key]))]
        found += ([] if key in keeps else [rest]) + [
            rest | {key: value} for value in values if key not in keeps
        ]
    return found


def test_too_long_an_event_is_refused_unread(settings: Any) -> None:
    long = json.dumps(postmark("", "Bounce", "HardBounce", "x" * webhooks.LARGEST))
    assert POSTERS["postmark"].post_raw(long, authorization=password()) == 413


def test_without_the_setting_there_is_no_such_address(settings: Any) -> None:
    settings.EMAIL_WEBHOOK_SERVICE = ""
    assert Client().get(ADDRESS).status_code == 404
    assert POSTERS["postmark"].post(postmark("", "Bounce")) == 404


def test_only_posts_are_answered() -> None:
    assert Client().get(ADDRESS).status_code == 405
    assert Client().head(ADDRESS).status_code == 405


def test_a_topic_is_confirmed_by_an_address_in_the_log(
    settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    settings.EMAIL_WEBHOOK_SERVICE = "ses"
    ours = "https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&Token=2336412f37"
    assert POSTERS["ses"].post(sns("SubscriptionConfirmation", SubscribeURL=ours, Token="2336412f37")) == 200
    assert ours in caplog.text
    caplog.clear()
    for evil in (
        "https://evil.example/",
        "http://sns.eu-west-1.amazonaws.com/",
        "https://sns.x.amazonaws.com@evil.example/",
        1,
    ):
        assert POSTERS["ses"].post(sns("SubscriptionConfirmation", SubscribeURL=evil)) in {200, 400}
    assert "confirm" not in caplog.text
    assert "evil" not in caplog.text


@pytest.mark.parametrize("service", sorted(POSTERS))
def test_logs_name_no_person_and_no_secret(
    settings: Any, went: Any, service: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    settings.EMAIL_WEBHOOK_SERVICE = service
    tag = tag_of(BOUNCES, went().pk)
    poster = POSTERS[service]
    for payload in (_bounce(service, tag), _complaint(service, tag)):
        assert poster.post(payload) == 200
    poster.post_raw(json.dumps(_bounce(service, tag)), authorization=password("wrong"))
    poster.post_raw(json.dumps(_bounce(service, tag))[:-9], authorization=password())
    logged = "\n".join(
        record.getMessage() for record in caplog.records if record.name.startswith(("accounts", "django"))
    )
    assert "the mail service says of email" in logged
    for private in ("anna@", SECRET, tag, "does not exist"):
        assert private not in logged


def test_the_secret_is_masked_where_django_shows_settings(settings: Any) -> None:
    shown = get_default_exception_reporter_filter().get_safe_settings()
    assert SECRET not in json.dumps(shown, default=str)
    assert "EMAIL_WEBHOOK_SECRET" in shown


@pytest.mark.parametrize("service", sorted(POSTERS))
def test_an_email_that_is_sent_carries_what_the_service_hands_back(
    one_kind_more: None, settings: Any, smtp_sink: Any, service: str
) -> None:
    settings.EMAIL_WEBHOOK_SERVICE, settings.BOUNCE_ADDRESS = service, ""
    email = queue("greeting", to="anna@example.org", key="named", context={})
    deliver_due()
    name, form = HEADERS_OF_SERVICES[service]
    sent = smtp_sink.messages[-1][name]
    assert sent == form % tag_of(BOUNCES, email.pk)
    tag = sent if service == "postmark" else json.loads(sent)["email"]
    assert POSTERS[service].post(_complaint(service, tag)) == 200
    assert fate(email) == (State.BOUNCED, "complaint")


def test_an_event_that_says_nothing_new_reads_no_row(settings: Any, went: Any) -> None:
    tag = tag_of(BOUNCES, went().pk)
    with CaptureQueriesContext(connection) as queries:
        POSTERS["postmark"].post(postmark(tag, "Delivery"))
        POSTERS["postmark"].post(postmark("1-aaaaaaaaaaaaaaaa", "Bounce", "HardBounce"))
    assert len(queries) == 0


@pytest.mark.long
def test_a_thousand_events_at_once_are_all_recorded(went: Any) -> None:
    for number in range(1000):
        tag = tag_of(BOUNCES, went(f"someone{number}@example.org").pk)
        assert POSTERS["postmark"].post(postmark(tag, "Bounce", "HardBounce")) == 200
    assert OutgoingEmail.objects.filter(state=State.BOUNCED).count() == 1000
    assert SuppressedAddress.objects.count() == 1000


def test_every_service_has_its_reader_its_header_and_its_place_in_the_settings() -> None:
    assert set(webhooks.SERVICES) == set(HEADERS_OF_SERVICES) == environment.WEBHOOK_SERVICES == set(POSTERS)
    assert not site.EMAIL_WEBHOOK_SERVICE or site.EMAIL_WEBHOOK_SERVICE in webhooks.SERVICES


def _complaint(service: str, tag: Any) -> Any:
    return {
        "brevo": lambda: brevo(tag, "spam", ""),
        "mailgun": lambda: mailgun(tag, "complained"),
        "postmark": lambda: postmark(tag, "SpamComplaint", "SpamComplaint"),
        "ses": lambda: ses_complaint(tag),
    }[service]()


def _bounce(service: str, tag: Any) -> Any:
    return {
        "brevo": lambda: brevo(tag, "hard_bounce", NO_SUCH),
        "mailgun": lambda: mailgun(tag, "failed", severity="permanent", reason="bounce"),
        "postmark": lambda: postmark(tag, "Bounce", "HardBounce"),
        "ses": lambda: ses_bounce(tag, "Permanent", "General"),
    }[service]()
