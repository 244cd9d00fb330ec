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
from games.links import LinkedDecision, answer_token
from tests.browser.conftest import Open
from tests.games.playing import begin_game, decision_of
from tests.servers import HANGS

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.once]

TOKEN = "a" * 32  # planted as the cookie and sent with the form
THEIRS = "mallory@example.org"
WORDS = "I give all my cards to Mallory."
PAGE = f"""<!doctype html><title>Free cards</title><form method="post" action="SITE/accounts/email/">
<input name="csrfmiddlewaretoken" value="{TOKEN}"><input name="email" value="{THEIRS}">
<button name="action_add">Get them</button></form>
<form method="post" action="SITE/games/GAME/note/"><input name="text" value="{WORDS}">
<button>Note it</button></form>"""


@pytest.fixture
def neighbour(live_server: Any) -> Iterator[str]:
    """Return the address of another person's server, whose page hides its form's origin."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            if "hides" in self.path:
                self.send_header("Referrer-Policy", "no-referrer")
            self.send_header("Set-Cookie", f"{settings.CSRF_COOKIE_NAME}={TOKEN}; Path=/")
            self.end_headers()
            game = self.path.rpartition("/")[2] or "1"
            self.wfile.write(PAGE.replace("SITE", live_server.url).replace("GAME", game).encode())

        def log_message(self, *_words: object) -> None:
            """Log nothing."""

    server = ThreadingHTTPServer(("localhost", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield f"http://localhost:{server.server_port}/"
    server.shutdown()
    server.server_close()
    thread.join(HANGS)


def test_no_address_is_added_by_the_form_of_another_port(
    browser_signed_in: Any, neighbour: str, anna: Any
) -> None:
    page = browser_signed_in(anna)
    page.goto(f"{neighbour}hides/")
    with page.expect_response("**/accounts/email/") as answer:
        page.get_by_role("button", name="Get them").click()
    assert answer.value.request.headers["origin"] == "null"
    assert answer.value.status == 403
    assert THEIRS not in page.content()
    assert not EmailAddress.objects.filter(email=THEIRS).exists()
    assert not OutgoingEmail.objects.filter(to_address=THEIRS).exists()


@pytest.mark.parametrize(("way", "origin"), [("hides/", "null"), ("", "http://localhost:")])
def test_words_of_another_port_are_not_shown_to_be_sent_again(
    browser_signed_in: Any, neighbour: str, anna: Any, bruno: Any, way: str, origin: str
) -> None:
    game, page = begin_game([anna, bruno]), browser_signed_in(anna)
    page.goto(f"{neighbour}{way}{game.pk}")
    with page.expect_response("**/note/") as answer:
        page.get_by_role("button", name="Note it").click()
    assert answer.value.request.headers["origin"].startswith(origin)
    assert answer.value.status == 403
    assert "This form has expired" in page.inner_text("h1")
    assert WORDS not in page.content()
    assert not game.notes.exists()


def test_a_text_is_sent_by_one_press_after_signing_in_in_another_tab(
    open_browser: Open, browser_signed_in: Any, anna: Any, bruno: Any
) -> None:
    game, page = begin_game([anna, bruno]), browser_signed_in(anna)
    page.goto(f"/games/{game.pk}/arrangements/")
    signed_in = page.context.cookies()
    page.locator("textarea[name=text]").fill("Bruno has Winter.\nWatch him.")
    fresh = [cookie for cookie in signed_in if cookie["name"] != settings.CSRF_COOKIE_NAME]
    page.context.clear_cookies()  # as if signed out in another tab
    page.get_by_role("button", name="Save your notes").click()
    page.get_by_role("heading", name="You aren’t signed in").wait_for()
    page.context.clear_cookies()
    page.context.add_cookies(fresh)  # as if signed in there again
    page.get_by_role("button", name="Send it again").click()
    page.get_by_text("You’re now signed in as Anna.").wait_for()
    page.get_by_role("button", name="Send it again").click()
    page.wait_for_url(f"**/games/{game.pk}/**")
    assert game.notes.get().text == "Bruno has Winter.\nWatch him."


def test_a_page_opened_by_a_link_sends_its_forms_with_their_origin(
    open_browser: Open, anna: Any, bruno: Any, live_server: Any
) -> None:
    game = begin_game([anna, bruno])
    decision = decision_of(game)
    linked = LinkedDecision(game.pk, decision.seat, [anna, bruno][decision.seat].pk, decision.decision_step)
    page = open_browser()
    page.goto(f"/answer/{answer_token(linked)}/confirm/?move=place+roma")
    with page.expect_request("**/move/") as request:
        page.locator('button[name="move"]').click()
    assert request.value.headers["origin"] == live_server.url
    assert game.log.last().move == "place roma"
