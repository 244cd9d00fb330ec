"""What a stranger sends in place of a passkey's answer is refused; nothing breaks."""

import json

import pytest
from django.test import Client

pytestmark = pytest.mark.django_db

WHOLE = {
    "id": "AA",
    "rawId": "AA",
    "type": "public-key",
    "response": {"clientDataJSON": "AA", "authenticatorData": "AA", "signature": "AA", "userHandle": "AA"},
}
NESTED = ["[" * 40_000, '{"a":' * 9000, "1" * 5000, "[" * 400_000]
ODD = [[], {}, 1, None, "\ud800", {"id": 1}, {"rawId": 7, "response": [[]]}, WHOLE | {"response": {}}, WHOLE]
ANSWERS = [*NESTED, "x", "", *map(json.dumps, ODD)]


@pytest.mark.parametrize("answer", ANSWERS, ids=range(len(ANSWERS)))
def test_no_answer_of_a_passkey_breaks_the_page(answer: str) -> None:
    response = Client().post("/accounts/2fa/webauthn/login/", {"credential": answer})
    assert response.status_code == 302
    assert response["Location"].startswith("/accounts/login/")
