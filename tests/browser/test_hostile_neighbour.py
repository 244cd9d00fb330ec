"""A hostile page on another port of the same host, which can plant cookies and post forms to the site."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.conf import settings

from accounts.mail.models import OutgoingEmail
from games.links import Question, answer_token
from tests.browser.conftest import Open
from tests.games.playing import begin_game, question_of
from tests.servers import HANGS

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.once]

TOKEN = "a" * 32  # planted as the cookie and sent with the form
THEIRS = "mallory@example.org"
PAGE = f"""<!doctype html><title>Free cards</title><form method="post" action="SITE/accounts/email/">
<input name="csrfmiddlewaretoken" value="{TOKEN}"><input name="email" value="{THEIRS}">
<button name="action_add">Get them</button></form>"""


@pytest.fixture
def neighbour(live_server: Any) -> Iterator[str]:
    """Return the address of another person's server, whose page hides its form's origin."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Referrer-Policy", "no-referrer")
            self.send_header("Set-Cookie", f"{settings.CSRF_COOKIE_NAME}={TOKEN}; Path=/")
            self.end_headers()
            self.wfile.write(PAGE.replace("SITE", live_server.url).encode())

        def log_message(self, *_words: object) -> None:
            """Log nothing."""

    server = ThreadingHTTPServer(("localhost", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://localhost:{server.server_port}/"
    server.shutdown()
    server.server_close()
    thread.join(HANGS)


def test_no_address_is_added_by_the_form_of_another_port(
    browser_signed_in: Any, neighbour: str, anna: Any
) -> None:
    page = browser_signed_in(anna)
    page.goto(neighbour)
    with page.expect_response("**/accounts/email/") as answer:
        page.get_by_role("button", name="Get them").click()
    assert answer.value.request.headers["origin"] == "null"
    assert answer.value.status == 403
    assert not EmailAddress.objects.filter(email=THEIRS).exists()
    assert not OutgoingEmail.objects.filter(to_address=THEIRS).exists()


def test_a_page_opened_by_a_link_sends_its_forms_with_their_origin(
    open_browser: Open, anna: Any, bruno: Any, live_server: Any
) -> None:
    game = begin_game([anna, bruno])
    question = question_of(game)
    linked = Question(game.pk, question.seat, [anna, bruno][question.seat].pk, question.decision_step)
    page = open_browser()
    page.goto(f"/answer/{answer_token(linked)}/confirm/?move=place+roma")
    with page.expect_request("**/move/") as request:
        page.locator('button[name="move"]').click()
    assert request.value.headers["origin"] == live_server.url
    assert game.log.last().move == "place roma"
