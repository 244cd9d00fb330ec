"""One encrypted request to a push service (RFC 8291), signed with the site's own key (RFC 8292)."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.conf import settings

from accounts.push.models import PushSubscription
from accounts.push.public_requests import post_publicly

KEPT_BY_SERVICE = timedelta(hours=12)  # for a browser that is offline


class _Reply:
    """What pywebpush reads of an answer."""

    def __init__(self, status: int) -> None:
        self.status_code, self.reason, self.text, self.headers = status, "", "", ""


class _PostingSession:
    """What pywebpush posts with, instead of requests."""

    def post(self, endpoint: str, *, data: bytes, headers: Mapping[str, str], timeout: object) -> _Reply:
        return _Reply(post_publicly(endpoint, data, headers).status)


def post(browser: PushSubscription, payload: str) -> int:
    """Encrypt and post the payload; return the push service's status. Raises OSError and NotPublic."""
    from py_vapid import Vapid  # these import two HTTP libraries: too slow for every start
    from pywebpush import WebPushException, webpush

    keys = {"p256dh": browser.p256dh, "auth": browser.auth}
    signer = Vapid.from_raw(settings.VAPID_KEY.encode())
    signer.conf["no-strict"] = True  # an operator's address may have a host without a dot
    try:
        answer: Any = webpush(
            {"endpoint": browser.endpoint, "keys": keys},
            payload,
            vapid_private_key=signer,
            vapid_claims={"sub": f"mailto:{settings.OPERATOR_EMAIL}"},
            ttl=int(KEPT_BY_SERVICE.total_seconds()),
            headers={"urgency": "high"},
            requests_session=_PostingSession(),
        )
    except WebPushException as error:
        if error.status_code is None:
            raise OSError(str(error)) from error
        return int(error.status_code)
    return int(answer.status_code)
