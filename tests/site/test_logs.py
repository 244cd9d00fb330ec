"""Logs: a link's token opens a seat or an account, so no log holds one."""

import io
import logging
import logging.config
import re

import pytest
import structlog
from django.test import Client
from django.urls import URLResolver, get_resolver

from condottiere_site.logs import TOKEN_PATHS, logging_settings, without_tokens

SECRET = "WzEsIDIsIDNd:1xUMyq:f4nVlUwx0uAi85sc8T4qX5jx22gbhACcOnsJ8HquLLw"


@pytest.mark.parametrize(
    "written",
    [
        "/{0}/{1}/",
        "GET /{0}/{1}",
        "https://games.example.org/{0}/{1}/?x=1",
        "?next=%2F{0}%2F{1}%2F",
        "'/{0}/{1}/'",
    ],
)
def test_a_token_is_blanked_wherever_the_path_stands(written: str) -> None:
    for path in TOKEN_PATHS:
        encoded = path.replace("/", "%2F") if "%2F" in written else path
        text = without_tokens(written.format(encoded, SECRET))
        assert SECRET not in text
        assert "..." in text
        assert encoded in text


def _secret_addresses(resolver: URLResolver, before: str = "") -> list[str]:
    """Every address of the site that holds a token or a key, up to it."""
    found = []
    for entry in resolver.url_patterns:
        route = before + str(entry.pattern).lstrip("^")
        if isinstance(entry, URLResolver):
            found += _secret_addresses(entry, route)
        elif secret := re.search(r"/(?=(<(str:token|slug:key)>|\(\?P<(key|uidb36)>))", route):
            found.append(route[: secret.start()])
    return found


def test_every_address_with_a_secret_in_it_is_known() -> None:
    addresses = {path for path in _secret_addresses(get_resolver()) if not path.startswith("operator/admin")}
    assert addresses == set(TOKEN_PATHS)


def test_other_addresses_stay_as_they_are() -> None:
    text = "GET /games/42/ and /operator/emails/7/ and /answer/"
    assert without_tokens(text) == text


@pytest.fixture
def log() -> io.StringIO:
    """What the site's own handler writes."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    configured = logging_settings("INFO")["formatters"]["line"]
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(**{k: v for k, v in configured.items() if k != "()"})
    )
    root = logging.getLogger()
    root.addHandler(handler)
    yield stream
    root.removeHandler(handler)


def test_no_log_line_holds_a_token(log: io.StringIO, caplog: pytest.LogCaptureFixture) -> None:
    class Request:
        def __repr__(self) -> str:
            return f"<Request '/answer/{SECRET}/'>"

    logger = logging.getLogger("games.anything")
    logger.warning("Not Found: %s", f"/answer/{SECRET}/")
    logger.warning("refused %r", Request())
    try:
        raise ValueError(f"/invitation/{SECRET}/")
    except ValueError:
        logger.exception("failed at /operator/sign-in/%s/", SECRET)
    structlog.get_logger("games.other").warning("asked", path=f"/mail/unsubscribe/{SECRET}/", by=Request())
    written = log.getvalue()
    assert written.count("...") >= 5
    assert SECRET not in written
    assert all(SECRET not in record.getMessage() for record in caplog.records)


@pytest.mark.django_db
def test_a_long_traceback_is_cut_in_the_middle(log: io.StringIO) -> None:
    def deeper() -> None:
        deepest()

    def deepest() -> None:
        deeper()

    try:
        deeper()
    except RecursionError:
        logging.getLogger("condottiere_site").exception("too deep")
    text = log.getvalue()
    assert len(text) < 10_000
    assert text.count("Traceback") == 1
    assert "characters left out" in text
    assert text.rstrip().endswith("RecursionError: maximum recursion depth exceeded")


@pytest.mark.django_db
def test_a_refused_link_is_logged_without_its_token(log: io.StringIO, client: Client) -> None:
    for path in TOKEN_PATHS:
        assert client.get(f"/{path}/{SECRET}/").status_code in {200, 302, 403, 404, 405, 410}
    assert SECRET not in log.getvalue()
    assert "Not Found" in log.getvalue()
