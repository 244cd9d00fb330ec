"""A number in an address that no row can have leads nowhere, whatever database is asked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.urls import URLPattern, URLResolver, get_resolver

from condottiere_site import api_requests

pytestmark = [pytest.mark.django_db, pytest.mark.sqlite]

NUMBER = re.compile(r"<\w+:\w+>")


def numbered(patterns: list[URLPattern | URLResolver], before: str = "") -> Iterator[str]:
    for pattern in patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from numbered(pattern.url_patterns, route)
        elif "<number:" in route or "<int:" in route:
            yield route


@pytest.mark.long
def test_a_number_longer_than_any_rows_is_not_found(
    anna: Any, signed_in: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api_requests, "WITHOUT_TOKEN", api_requests.Limits(a_day=10**6, a_minute=10**6))
    anna.is_staff = anna.is_superuser = True
    anna.save()
    client = signed_in(anna)
    # Others' programs: one shows a page of its own, the other asks first who it is.
    others = ("admin/", "accounts/2fa/")
    routes = [route for route in numbered(get_resolver().url_patterns) if not route.startswith(others)]
    assert len(routes) > 30
    answers = {
        (route, method): getattr(client, method)("/" + NUMBER.sub(str(2**70), route)).status_code
        for route in routes
        for method in ("get", "post")
    }
    assert {asked: status for asked, status in answers.items() if status != 404} == {}
