"""A site with an https address behind a proxy: its headers, and its redirects from plain http."""

from collections.abc import Iterator
from http.client import HTTPConnection, HTTPResponse
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from condottiere_site.checks import proxy_is_announced
from condottiere_site.operators import operator, sign_in_url
from tests.servers import HANGS
from tests.site.serving import GUNICORN, served

SITE = {"SITE_URL": "https://games.example.org", "TRUSTED_PROXIES": "1", "HSTS_SUBDOMAINS": "1"}


@pytest.fixture
def site(transactional_db: None, tmp_path: Path) -> Iterator[int]:
    with served(GUNICORN, tmp_path, **SITE) as port:
        yield port


def ask(port: int, path: str, came_by: str, method: str = "GET") -> HTTPResponse:
    """As its proxy asks for a visitor."""
    connection = HTTPConnection("127.0.0.1", port, timeout=HANGS)
    connection.request(method, path, headers={"Host": "games.example.org", "X-Forwarded-Proto": came_by})
    return connection.getresponse()


def cookies_of(answer: HTTPResponse) -> SimpleCookie:
    return SimpleCookie("\r\n".join(answer.headers.get_all("Set-Cookie", [])))


@pytest.mark.once
@pytest.mark.long
def test_its_cookies_are_its_own_and_plain_http_is_left(site: int) -> None:
    page = ask(site, "/accounts/login/", "https")
    assert page.status == 200
    assert page.headers["Strict-Transport-Security"] == "max-age=31536000; includeSubDomains"
    link = sign_in_url(operator()).removeprefix(settings.SITE_URL)
    signed_in = ask(site, link, "https", "POST")
    found = {**cookies_of(page), **cookies_of(signed_in)}
    assert {"__Host-csrftoken", "__Host-sessionid"} <= set(found)
    for name, cookie in found.items():
        assert (cookie["secure"], cookie["path"], cookie["domain"]) == (True, "/", ""), name

    plain = ask(site, "/rules/?page=2", "http")
    assert (plain.status, plain.headers["Location"]) == (301, "https://games.example.org/rules/?page=2")
    assert plain.headers["Set-Cookie"] is None


def test_an_https_site_without_a_proxy_is_told(settings: Any) -> None:
    assert proxy_is_announced(None) == []
    settings.IS_HTTPS = True
    assert [message.id for message in proxy_is_announced(None)] == ["condottiere.W002"]
    settings.TRUSTED_PROXIES = 1
    assert proxy_is_announced(None) == []
