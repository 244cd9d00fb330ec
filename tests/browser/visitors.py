"""Visitors of the sign-in pages: people after one step of signing in, or after several.

Each is a session as the site itself made it, from what would be typed. Knows no game.
"""

from __future__ import annotations

import hashlib

from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from allauth.mfa.webauthn.internal.auth import WebAuthn
from django.conf import settings
from django.test import Client
from fido2.cose import ES256
from fido2.utils import websafe_encode
from fido2.webauthn import Aaguid, AttestationObject, AttestedCredentialData, AuthenticatorData

from accounts.mail.models import OutgoingEmail
from accounts.models import User
from accounts.rate_limits import hit
from condottiere_site.privacy import MOST_EXPORTS
from tests.accounts.proofs import has_just_typed_a_code
from tests.people import proven

PASSWORD = "seventeen brown mules"
BROWSER = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36"


def _session(client: Client) -> str:
    return client.cookies[settings.SESSION_COOKIE_NAME].value


def _client() -> Client:
    return Client(headers={"User-Agent": BROWSER})


def _signed_in(person: User) -> Client:
    client = _client()
    client.force_login(person, backend=settings.AUTHENTICATION_BACKENDS[0])
    return client


def _typed(path: str, **fields: str) -> Client:
    client = _client()
    assert client.post(path, fields).status_code == 302, path
    return client


def newcomer() -> str:
    """Has an account and has not chosen a name."""
    return _session(_signed_in(proven("newcomer@example.org")))


def spent() -> str:
    """Has downloaded everything about themselves too often today."""
    person = proven("spent@example.org", "Spent")
    for _ in range(MOST_EXPORTS):
        hit("export", str(person.pk), MOST_EXPORTS)
    return _session(_signed_in(person))


def coded() -> str:
    """Was sent a code for signing in."""
    return _session(_typed("/accounts/login/", login="bruno@example.org"))


def proving() -> str:
    """Has just made an account, and is asked for the code that proves the address."""
    return _session(_typed("/accounts/signup/", email=f"{'new' * 20}@example.org"))


def moving() -> str:
    """Changes their address, and is asked for the code that proves the new one."""
    client = _signed_in(proven("moving@example.org", "Moving"))
    has_just_typed_a_code(client, User.objects.get(email="moving@example.org"))
    client.post("/accounts/email/", {"email": f"{'moved' * 12}@example.org", "action_add": ""})
    return _session(client)


def forgetful() -> str:
    """Has forgotten their password, and was sent a code for it."""
    _guarded_person()
    return _session(_typed("/accounts/password/reset/", email="guarded@example.org"))


def resetting() -> str:
    """Has typed that code, and chooses a new password."""
    person = proven("resetting@example.org", "Resetting")
    person.set_password(PASSWORD)
    person.save()
    client = _typed("/accounts/password/reset/", email=person.email)
    code = OutgoingEmail.objects.filter(to_address=person.email).latest("pk").context["code"]
    assert client.post("/accounts/password/reset/confirm/", {"code": code}).status_code == 302
    return _session(client)


def halfway() -> str:
    """Has given their password, and is asked for the second step."""
    return _session(_halfway())


def guarded() -> str:
    """Has a password and every second step, and has just given them."""
    client = _halfway()
    codes = Authenticator.objects.get(user=_guarded_person(), type=Authenticator.Type.RECOVERY_CODES)
    code = RecoveryCodes(codes).get_unused_codes()[0]
    assert client.post("/accounts/2fa/authenticate/", {"code": code}).status_code == 302
    assert client.post("/accounts/reauthenticate/", {"password": PASSWORD}).status_code == 302
    return _session(client)


def stale() -> str:
    """The same person, who must give their password again."""
    return _session(_signed_in(_guarded_person()))


def _halfway() -> Client:
    return _typed("/accounts/login/", login=_guarded_person().email, password=PASSWORD)


def _guarded_person() -> User:
    person = proven("guarded@example.org", "Guarded")
    if not person.has_usable_password():
        person.set_password(PASSWORD)
        person.save()
        TOTP.activate(person, generate_totp_secret())
        RecoveryCodes.activate(person)
        WebAuthn.add(person, "My " + "long" * 20 + " phone", _passkey())
    return person


def _passkey() -> dict[str, object]:
    """Return what a browser would send about a new passkey, with an invalid key."""
    identity = b"a passkey's name"
    key = ES256({1: 2, 3: -7, -1: 1, -2: bytes(32), -3: bytes(32)})
    credential = AttestedCredentialData.create(Aaguid.NONE, identity, key)
    flags = AuthenticatorData.FLAG.UP | AuthenticatorData.FLAG.AT
    data = AuthenticatorData.create(hashlib.sha256(b"testserver").digest(), flags, 0, credential)
    answer = {
        "clientDataJSON": websafe_encode(b'{"type":"webauthn.create","challenge":"","origin":""}'),
        "attestationObject": websafe_encode(AttestationObject.create("none", data, {})),
    }
    name = websafe_encode(identity)
    return {"id": name, "rawId": name, "type": "public-key", "response": answer}


VISITORS = {
    visitor.__name__: visitor
    for visitor in (newcomer, spent, coded, proving, moving, forgetful, resetting, halfway, guarded, stale)
}
