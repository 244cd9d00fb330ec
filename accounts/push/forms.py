"""Forms for push notifications: a browser that asks for them, and which notifications a person wants."""

import re
from base64 import urlsafe_b64decode
from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from accounts.form_limits import SaysLimits
from accounts.models import User
from accounts.push.models import LONGEST_ENDPOINT, Push

_BASE64 = re.compile(r"[A-Za-z0-9_-]+")
_POINT, _SECRET = 65, 16  # bytes of the two keys (RFC 8291)


def public_key() -> str:
    """Return the site's public key, as browsers want it."""
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
    from py_vapid import Vapid
    from py_vapid.utils import b64urlencode

    key = Vapid.from_raw(settings.VAPID_KEY.encode()).public_key
    return str(b64urlencode(key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)))


class BrowserForm(SaysLimits, forms.Form):
    """A browser's address at its push service and its keys; a script fills them in."""

    endpoint = forms.CharField(max_length=LONGEST_ENDPOINT, widget=forms.HiddenInput)
    p256dh = forms.CharField(max_length=100, widget=forms.HiddenInput)
    auth = forms.CharField(max_length=32, widget=forms.HiddenInput)

    def clean_p256dh(self) -> str:
        """Return the key if it is a point on the curve."""
        from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePublicKey

        key = self.cleaned_data["p256dh"]
        try:
            EllipticCurvePublicKey.from_encoded_point(SECP256R1(), _decode_key(key, _POINT))
        except ValueError as error:
            raise ValidationError("not a key") from error
        return str(key)

    def clean_auth(self) -> str:
        """Return the secret if it is as long as it must be."""
        try:
            _decode_key(self.cleaned_data["auth"], _SECRET)
        except ValueError as error:
            raise ValidationError("not a key") from error
        return str(self.cleaned_data["auth"])


def _decode_key(text: str, length: int) -> bytes:
    key = urlsafe_b64decode(text + "=" * (-len(text) % 4)) if _BASE64.fullmatch(text) else b""
    if len(key) != length:
        raise ValueError("another length")
    return key


class KindsForm(SaysLimits, forms.Form):
    """What a person wants notifications of, and whether emails about the same things still come."""

    kinds = forms.MultipleChoiceField(
        label=_("Notify me"), choices=Push.Kind.choices, widget=forms.CheckboxSelectMultiple, required=False
    )
    instead = forms.BooleanField(
        label=_("No email when a browser has shown the notification"),
        help_text=_(
            "Only for emails about one turn, a reminder or a chat. If no browser has shown it by the time "
            "the email is due, the email comes as usual. Daily emails, and those that collect turns, "
            "always come."
        ),
        required=False,
    )

    def __init__(self, user: User, data: Any = None) -> None:
        stored = {"kinds": user.push_kinds, "instead": user.push_instead}
        super().__init__(data, initial=stored, label_suffix="", auto_id="push_%s")
        self.user = user

    def save(self) -> None:
        """Save the choices."""
        self.user.push_kinds = self.cleaned_data["kinds"]
        self.user.push_instead = self.cleaned_data["instead"]
        self.user.save(update_fields=["push_kinds", "push_instead"])
