"""Headers that take long to read are cut before Django sees them."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.handlers.wsgi import WSGIRequest
from django.test import RequestFactory

from condottiere_site.short_headers import LONGEST_CONTENT_TYPE, with_short_headers


def seen(**headers: str) -> dict[str, Any]:
    """Return what the application behind it sees of a request with these headers."""
    found: dict[str, Any] = {}

    def application(environ: dict[str, Any], _start_response: Any) -> list[bytes]:
        found.update(environ)
        return []

    with_short_headers(application)(RequestFactory()._base_environ(**headers), None)
    return found


def test_a_content_type_is_short() -> None:
    semicolons = 'multipart/form-data; boundary=x; a="' + ";" * 200_000
    assert seen(CONTENT_TYPE=semicolons)["CONTENT_TYPE"] == semicolons[:LONGEST_CONTENT_TYPE]
    usual = "multipart/form-data; boundary=----WebKitFormBoundary7MA4YWxkTrZu0gW"
    assert seen(CONTENT_TYPE=usual)["CONTENT_TYPE"] == usual


@pytest.mark.parametrize(
    "named",
    ["charset=no-such-set", 'Charset = "idna"', "charset=utf-8; charset=rot13", "a*=no-such-set''%41"],
)
def test_a_strange_character_set_is_not_named(named: str) -> None:
    found = seen(CONTENT_TYPE=f"text/plain; {named}")
    assert found["CONTENT_TYPE"] == "text/plain"
    assert WSGIRequest(found).encoding is None


@pytest.mark.parametrize("named", ["charset=utf-8", 'charset="UTF-8"', "boundary=x; charset=iso-8859-1"])
def test_usual_character_sets_stay(named: str) -> None:
    assert seen(CONTENT_TYPE=f"text/plain; {named}")["CONTENT_TYPE"] == f"text/plain; {named}"


def test_cookies_have_no_escapes() -> None:
    assert seen(HTTP_COOKIE='a="' + '\\"' * 3 + '"; sessionid=abc')["HTTP_COOKIE"] == 'a="""""; sessionid=abc'
    assert seen(HTTP_COOKIE="sessionid=abc; csrftoken=x")["HTTP_COOKIE"] == "sessionid=abc; csrftoken=x"
