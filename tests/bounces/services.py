"""Events as four mail services document and post them, and the requests that carry them."""

import hashlib
import hmac
import json
from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.test import Client

SECRET = "k7qx2mpd-k7qx2mpd_k7qx2mpd"
ADDRESS = "/mail/webhook/"
NO_SUCH = "550 5.1.1 The email account that you tried to reach does not exist."

Fields = Mapping[str, Any]


def mailgun(tag: str, event: str, words: str = NO_SUCH, **data: Any) -> dict[str, Any]:
    code, _space, message = words.partition(" ")
    return {
        "event-data": {
            "event": event,
            "id": "G9Bn5sl1TC6nu79C8C0bwg",
            "timestamp": 1783166400.38,
            "recipient": "anna@example.org",
            "envelope": {"sender": "bounces@example.net", "targets": "anna@example.org", "transport": "smtp"},
            "message": {
                "headers": {"to": "anna@example.org", "message-id": "email-1@example.net"},
                "size": 111,
            },
            "user-variables": {"email": tag} if tag else [],
            "delivery-status": {"attempt-no": 1, "code": int(code), "description": "", "message": message},
        }
        | data
    }


def postmark(tag: str, record: str, kind: str = "", words: str = NO_SUCH, **more: Any) -> dict[str, Any]:
    return {
        "RecordType": record,
        "ID": 4323372036854775807,
        "Type": kind,
        "Name": kind,
        "ServerID": 23,
        "MessageStream": "outbound",
        "MessageID": "883953f4-6105-42a2-a16a-77a8eac79483",
        "Description": "The server was unable to deliver your message.",
        "Details": f"smtp;{words}",
        "Email": "anna@example.org",
        "BouncedAt": "2026-07-04T12:00:00Z",
        "Metadata": {"email": tag} if tag else {},
    } | more


def brevo(tag: str, event: str, words: str = NO_SUCH, **more: Any) -> dict[str, Any]:
    return {
        "event": event,
        "email": "anna@example.org",
        "id": 26224,
        "message-id": "<202607041200.1234@smtp-relay.mailin.fr>",
        "ts_epoch": 1783166400000,
        "reason": words,
        "X-Mailin-custom": json.dumps({"email": tag}) if tag else "",
    } | more


def ses(tag: str, kind: str, key: str, detail: Fields, source: str = "games@example.net") -> dict[str, Any]:
    event = {
        "notificationType": kind,
        key: detail,
        "mail": {
            "timestamp": "2026-07-04T12:00:00.000Z",
            "source": source,
            "messageId": "000001378603177f-7a5433e7-8edb-42ae-af10-f0181f34d6ee-000000",
            "destination": ["anna@example.org"],
        },
    }
    if tag:
        event["mail"]["headers"] = [{"name": "X-Metadata", "value": json.dumps({"email": tag})}]  # type: ignore[index]
    return sns("Notification", Message=json.dumps(event) + "\n")


def ses_bounce(
    tag: str, kind: str, subkind: str, words: str = NO_SUCH, status: str = "", **more: Any
) -> Fields:
    recipient = {"emailAddress": "anna@example.org", "action": "failed"}
    recipient |= ({"diagnosticCode": f"smtp; {words}"} if words else {}) | (
        {"status": status} if status else {}
    )
    detail = {"bounceType": kind, "bounceSubType": subkind, "bouncedRecipients": [recipient]}
    return ses(tag, "Bounce", "bounce", detail, **more)


def ses_complaint(tag: str, kind: str | None = "abuse", **more: Any) -> Fields:
    people = [{"emailAddress": "anna@example.org"}]
    return ses(
        tag, "Complaint", "complaint", {"complainedRecipients": people, "complaintFeedbackType": kind}, **more
    )


def sns(kind: str, **more: Any) -> dict[str, Any]:
    return {
        "Type": kind,
        "MessageId": "19ba9823-d7f2-53c1-860e-cb10e0d13dfc",
        "TopicArn": "arn:aws:sns:us-east-1:123456789012:events",
        "Timestamp": "2026-07-04T12:00:00.000Z",
    } | more


def signed(payload: Fields, key: str = SECRET) -> dict[str, Any]:
    """Return the event with Mailgun's signature."""
    stamp, token = "1783166400", "50" * 25
    made = hmac.new(key.encode(), f"{stamp}{token}".encode(), hashlib.sha256).hexdigest()
    return {**payload, "signature": {"timestamp": stamp, "token": token, "signature": made}}


def password(secret: str = SECRET, user: str = "condottiere") -> str:
    return "Basic " + b64encode(f"{user}:{secret}".encode()).decode()


@dataclass(frozen=True)
class Poster:
    """Posts events as one service does."""

    name: str
    headers: Callable[[Fields], dict[str, str]]
    prepare: Callable[[Fields], Fields] = dict

    def post(self, payload: Fields, **headers: str) -> int:
        body = json.dumps(self.prepare(payload))
        return self.post_raw(body, **(self.headers(payload) | headers))

    def post_raw(self, body: str | bytes, **headers: str) -> int:
        client = Client(enforce_csrf_checks=True, headers=headers)  # type: ignore[arg-type]
        kind = "text/plain; charset=utf-8" if self.name == "ses" else "application/json"
        answer = client.post(ADDRESS, body, content_type=kind)
        assert not client.cookies
        return answer.status_code


def _with_password(_payload: Fields) -> dict[str, str]:
    return {"authorization": password()}


def _of_amazon(payload: Fields) -> dict[str, str]:
    named = {"x-amz-sns-message-type": payload["Type"], "x-amz-sns-message-id": payload["MessageId"]}
    return named | {"authorization": password()}


POSTERS = {
    "brevo": Poster("brevo", _with_password),
    "mailgun": Poster("mailgun", lambda _payload: {}, signed),
    "postmark": Poster("postmark", _with_password),
    "ses": Poster("ses", _of_amazon),
}
