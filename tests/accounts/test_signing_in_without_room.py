"""A sign-in while the disk fills up: whichever write fails, the page says so."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth import SESSION_KEY
from django.test import Client

from tests.full_disks import full_disk
from tests.people import proven

pytestmark = pytest.mark.django_db

CODE_PAGE = "/accounts/login/code/confirm/"
MOST_WRITES = 30
NOT_STORED = 507


@pytest.mark.parametrize("only", ["", "django_session"])
def test_a_sign_in_that_loses_a_write_says_so(code_for: Callable[[str], str], only: str) -> None:
    statuses = []
    for after in range(MOST_WRITES):
        client, address = Client(raise_request_exception=False), f"reader{after}@example.org"
        proven(address, f"Reader {after}")
        client.post("/accounts/login/", {"login": address})
        code = code_for(address)
        with full_disk(after, only=only) as refused:
            status = client.post(CODE_PAGE, {"code": code}).status_code
        statuses.append(status)
        assert (SESSION_KEY in client.session) == (status != NOT_STORED), (after, refused)
        if not refused:
            break
    assert set(statuses) == {NOT_STORED, 302}
