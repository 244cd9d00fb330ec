"""Several people at browsers of their own; no page may load from elsewhere or break the site's own policy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.conf import settings as django_settings

from tests.servers import HANGS

Open = Callable[..., Any]

# Told by the browser itself, whatever it logs.
WATCH = (
    "document.addEventListener('securitypolicyviolation', "
    "event => console.error('Security Policy: ' + event.violatedDirective + ' ' + event.blockedURI))"
)


@pytest.fixture
def open_browser(browser: Any, live_server: Any, settings: Any) -> Iterator[Open]:
    """Opens a page in a browser of its own, signed in as `person` if one is named; other options are those of
    Playwright's contexts. Fails in the end if any page met an error or broke the policy."""
    settings.SITE_URL = live_server.url
    complaints: list[str] = []
    contexts: list[Any] = []

    def open_one(person: Any = None, **options: Any) -> Any:
        context = browser.new_context(base_url=live_server.url, **options)
        contexts.append(context)
        context.set_default_timeout(1000 * HANGS)
        context.add_init_script(WATCH)
        if person is not None:
            context.add_cookies([_session_of(person, live_server.url)])
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "console", lambda line: complaints.append(line.text) if "Security Policy" in line.text else None
        )
        page.on("requestfailed", lambda request: complaints.extend(_failure(request)))
        page.on(
            "request",
            lambda request: (
                None if request.url.startswith((live_server.url, "data:")) else complaints.append(request.url)
            ),
        )
        return page

    yield open_one
    for context in contexts:
        context.close()
    assert complaints == []


def _failure(request: Any) -> list[str]:
    """Return why a request failed; empty if the page was left before the answer came."""
    return [] if "ERR_ABORTED" in str(request.failure) else [f"{request.url} {request.failure}"]


def _session_of(person: Any, url: str) -> dict[str, str]:
    from django.test import Client

    client = Client()
    client.force_login(person, backend=django_settings.AUTHENTICATION_BACKENDS[0])
    name = django_settings.SESSION_COOKIE_NAME
    return {"name": name, "value": client.cookies[name].value, "url": url}
