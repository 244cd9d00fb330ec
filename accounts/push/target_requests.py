"""The request that each service gets. Names and messages are shown as they are: no mark-up, no mention."""

import hashlib
import hmac
import json
import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.crypto import get_random_string, salted_hmac

from accounts.addresses import absolute_url
from accounts.characters import shortened
from accounts.own_name import site_name
from accounts.push.models import NoticeTarget, Push, TargetNotice
from accounts.push.target_words import TargetText

BOTS_TURN = "your_turn"  # what wakes a bot's program: the game and the step, and no card
SIGNING_KEY = "whsec_"  # before a signing key, as Standard Webhooks writes it
MOST_TEXT = 1500  # characters
_MOST_OF_DISCORD = 2000  # with the link, and a backslash before each mark
_MOST_OF_NTFY = 4096  # bytes; it makes a file of a longer text, or refuses it
_KEY_BYTES = 24
_MARKUP = re.compile(r"([\\*_~`|>#\[\]()<:@-])")  # of Discord
_NO_EMBEDS = 4  # a flag of Discord's messages: no preview of the linked page


@dataclass(frozen=True)
class TargetRequest:
    """What is posted: where, what, and with which headers."""

    endpoint: str
    body: bytes
    headers: Mapping[str, str]


def request_for(row: TargetNotice, told: TargetText, now: datetime) -> TargetRequest:
    """Return the request that tells the target this."""
    return _WRITERS[NoticeTarget.Service(row.target.service)](row, told, now)


def new_signing_key() -> str:
    """Return a random key for signatures."""
    return SIGNING_KEY + b64encode(get_random_string(_KEY_BYTES).encode()).decode()


def signature(key: str, identifier: str, timestamp: int, body: bytes) -> str:
    """Return the signature of a webhook, as Standard Webhooks says."""
    signed = f"{identifier}.{timestamp}.".encode() + body
    mac = hmac.new(b64decode(key.removeprefix(SIGNING_KEY)), signed, hashlib.sha256)
    return f"v1,{b64encode(mac.digest()).decode()}"


def _discord(row: TargetNotice, told: TargetText, _now: datetime) -> TargetRequest:
    link = f"\n<{absolute_url(told.path)}>"

    def written(text: str) -> str:
        return _MARKUP.sub(r"\\\1", text) + link

    body = {
        "content": written(_beginning(told, lambda text: len(written(text)) <= _MOST_OF_DISCORD)),
        "allowed_mentions": {"parse": []},
        "flags": _NO_EMBEDS,
    }
    # Discord takes no other form of a program's name
    return _json(row.target.endpoint, body, {"User-Agent": f"DiscordBot ({settings.SITE_URL}, 1)"})


def _slack(row: TargetNotice, told: TargetText, _now: datetime) -> TargetRequest:
    words = _beginning(told).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    body = {"text": f"{words}\n<{absolute_url(told.path)}>", "mrkdwn": False, "unfurl_links": False}
    return _json(row.target.endpoint, body)


def _ntfy(row: TargetNotice, told: TargetText, _now: datetime) -> TargetRequest:
    topic = urlsplit(row.target.endpoint).path.strip("/")
    body = {
        "topic": topic,
        "title": site_name(),
        "message": _beginning(told, lambda text: len(text.encode()) <= _MOST_OF_NTFY),
        "click": absolute_url(told.path),
    }
    headers = {"Authorization": f"Bearer {row.target.secret}"} if row.target.secret else {}
    return _json(row.target.origin, body, headers)


def _beginning(told: TargetText, fits: Callable[[str], bool] = lambda _text: True) -> str:
    """Return as much of the text as a service takes, with an ellipsis if some is left out."""
    most = MOST_TEXT
    while not fits(text := shortened(told.text, most)) and most > 1:
        most = most * 9 // 10
    return text


def _webhook(row: TargetNotice, told: TargetText, now: datetime) -> TargetRequest:
    kind, data = row.kind, {"text": told.text, "url": absolute_url(told.path)}
    if row.reader.is_bot and row.kind == Push.Kind.TURN:  # no one else reads there
        kind, data = BOTS_TURN, {"game": row.context["game"], "step": row.context["decision_step"]}
    body = _written({"type": kind, "timestamp": row.created_at.isoformat(), "data": data})
    identifier, timestamp = _identifier(row), int(now.timestamp())
    headers = {
        "webhook-id": identifier,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": signature(row.target.secret, identifier, timestamp, body),
    }
    return TargetRequest(row.target.endpoint, body, _usual_headers() | headers)


def _identifier(row: TargetNotice) -> str:
    """Return what is the same for each attempt, and doesn't tell how many notifications there were."""
    return f"msg_{salted_hmac('accounts.push.target_requests', str(row.pk)).hexdigest()[:32]}"


def _json(endpoint: str, body: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> TargetRequest:
    return TargetRequest(endpoint, _written(body), _usual_headers() | dict(headers or {}))


def _written(body: Mapping[str, Any]) -> bytes:
    return json.dumps(body, ensure_ascii=False).encode()


def _usual_headers() -> dict[str, str]:
    return {"Content-Type": "application/json", "User-Agent": f"Condottiere (+{settings.SITE_URL})"}


_WRITERS = {
    NoticeTarget.Service.DISCORD: _discord,
    NoticeTarget.Service.SLACK: _slack,
    NoticeTarget.Service.NTFY: _ntfy,
    NoticeTarget.Service.WEBHOOK: _webhook,
}
