"""What the site's own work is compared with: plain Django and Celery that do about as much.

A view that inserts a row, a page of our page's size with as many translations, and a task that sends an email
as large as ours.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from secrets import token_hex
from typing import Any
from unittest.mock import patch

from celery import Celery
from celery.contrib.testing.worker import start_worker
from django.contrib.sessions.models import Session
from django.core.mail import send_mail
from django.http import HttpRequest, HttpResponse
from django.template import Context, Template
from django.test import Client, override_settings
from django.urls import path
from django.utils import timezone, translation
from django.views.decorators.csrf import csrf_exempt

from tests.own_urls import own_urls

_page: dict[str, Any] = {}


@csrf_exempt
def insert(request: HttpRequest) -> HttpResponse:
    """Insert one row of two texts."""
    Session.objects.create(
        session_key=token_hex(16),
        session_data=request.POST["text"],
        expire_date=timezone.now() + timedelta(days=1),
    )
    return HttpResponse("Done.")


def page(_request: HttpRequest) -> HttpResponse:
    """Render the page that `like` has made."""
    return HttpResponse(_page["template"].render(Context({"rows": _page["rows"]})))


urlpatterns = [path("insert/", insert), path("page/", page)]
by_own_urls = own_urls(__name__)


_tasks = Celery("yardsticks", broker=os.environ.get("REDIS_URL", "memory://"))
_tasks.conf.update(
    task_ignore_result=True, task_default_queue="yardsticks", broker_connection_retry_on_startup=True
)
_sent = threading.Event()


@_tasks.task(name="send")
def send(text: str, html: str) -> None:
    """Send one email."""
    send_mail("Your turn", text, "site@example.org", ["anna@example.org"], html_message=html)
    _sent.set()


@contextmanager
def celery() -> Iterator[Callable[[str, str], None]]:
    """Yield what sends an email by a task: through the broker to a Celery worker, and waits until it is out.

    The worker is a thread of this process, so that its processor time counts.
    """

    def by_task(text: str, html: str) -> None:
        _sent.clear()
        send.delay(text, html)
        assert _sent.wait(60)

    with start_worker(_tasks, pool="solo", perform_ping_check=False, loglevel="ERROR"):
        by_task("", "")  # opens the connections
        yield by_task


def like(ask: Callable[[], bytes]) -> None:
    """Make a template that renders as many bytes as this page, with as many translations."""
    with patch.object(translation._trans, "gettext", wraps=translation._trans.gettext) as looked_up:  # type: ignore[attr-defined]
        body = ask()
    rows = max(1, looked_up.call_count)
    source = "{% load i18n %}{% for row in rows %}<p>{% translate 'Save' %} {{ row }}</p>{% endfor %}"
    left = max(1, len(body) // rows - len("<p>Save </p>"))
    _page.update(template=Template(source), rows=["x" * left] * rows)


def visits() -> tuple[Callable[[], None], Callable[[], None]]:
    """Return what inserts a row, and what renders the page: each one request behind no other middleware."""
    client = Client()
    with override_settings(MIDDLEWARE=[f"{__name__}.by_own_urls"]):
        client.get("/page/")  # loads the handler with this setting

    def one(ask: Callable[[], Any]) -> Callable[[], None]:
        def visit() -> None:
            assert ask().status_code == 200

        return visit

    return one(lambda: client.post("/insert/", {"text": "x" * 200})), one(lambda: client.get("/page/"))
