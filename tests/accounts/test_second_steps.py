"""What may be added to a code by mail: passkeys, tried in a real browser, and an authenticator app."""

import re
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import (
    format_hotp_value,
    hotp_value,
    yield_hotp_counters_from_time,
)
from django.test import Client
from django.utils import timezone

from accounts.models import User


@pytest.mark.django_db(transaction=True)
def test_anna_adds_a_passkey_and_signs_in_with_it_alone(
    anna: User, browser_page: Any, sign_in_by_code: Any, settings: Any
) -> None:
    session = sign_in_by_code(anna.email).cookies[settings.SESSION_COOKIE_NAME].value
    page = browser_page
    page.context.add_cookies(
        [{"name": settings.SESSION_COOKIE_NAME, "value": session, "url": settings.SITE_URL}]
    )
    device = page.context.new_cdp_session(page)
    device.send("WebAuthn.enable")
    traits = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
    }
    options = {**traits, "isUserVerified": True, "automaticPresenceSimulation": True}
    device.send("WebAuthn.addVirtualAuthenticator", {"options": options})

    page.goto("/me/")
    page.click("text=Passkeys and security keys")
    page.click("main a.button:has-text('Add')")
    page.fill("[name=name]", "My phone")
    page.check("[name=passwordless]")
    page.click("#mfa_webauthn_add")
    page.wait_for_url(re.compile("/accounts/2fa/(?!webauthn/add)"))
    assert Authenticator.objects.filter(user=anna, type=Authenticator.Type.WEBAUTHN).count() == 1

    page.click("text=Sign out")
    page.goto("/accounts/login/")
    page.click("#passkey_login")
    page.wait_for_url(f"{settings.SITE_URL}/")
    page.goto("/me/")
    assert page.locator("h1").inner_text() == "Your account"


def _app_code(secret: str) -> str:
    return str(format_hotp_value(hotp_value(secret, next(iter(yield_hotp_counters_from_time())))))


@pytest.mark.django_db
def test_an_authenticator_app_is_asked_for_after_the_code_and_recovery_codes_replace_it(
    anna: User, sign_in_by_code: Any, code_for: Any
) -> None:
    client = sign_in_by_code(anna.email)
    page = client.get("/accounts/2fa/totp/activate/").content.decode()
    found = re.search(r'id="authenticator_secret" value="([A-Z2-7]+)"', page)
    assert found
    in_arabic = _app_code(found[1]).translate(dict(zip(b"0123456789", "٠١٢٣٤٥٦٧٨٩", strict=True)))
    client.post("/accounts/2fa/totp/activate/", {"code": f"{in_arabic[:3]} {in_arabic[3:]}"})
    assert Authenticator.objects.filter(user=anna, type=Authenticator.Type.TOTP).exists()
    with time_machine.travel(timezone.now() + timedelta(minutes=1)):
        answer = client.post(
            "/accounts/2fa/reauthenticate/?next=/accounts/2fa/recovery-codes/",
            {"code": _app_code(found[1])},
            follow=True,
        )
    codes = re.findall(r"\b\d{8}\b", answer.content.decode())
    assert len(codes) == 10

    other = Client()
    other.post("/accounts/login/", {"login": anna.email})
    answer = other.post("/accounts/login/code/confirm/", {"code": code_for(anna.email)}, follow=True)
    assert "Two-step sign-in" in answer.content.decode()
    assert " style=" not in answer.content.decode()
    assert "_auth_user_id" not in other.session
    other.post("/accounts/2fa/authenticate/", {"code": "00000000"})
    assert "_auth_user_id" not in other.session
    other.post("/accounts/2fa/authenticate/", {"code": f"{codes[0][:4]}\u2010{codes[0][4:]}"})
    assert "_auth_user_id" in other.session
