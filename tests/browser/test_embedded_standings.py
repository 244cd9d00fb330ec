"""Standings of a public league inside a page of another site, in Chromium."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tests.leagues.league_pages import division_path, path_of
from tests.leagues.test_standings_from_files import eventful
from tests.servers import HANGS

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.once]

PAGE = """<!doctype html><title>Our club</title><h1>Our club</h1>
<iframe name="standings" src="EMBEDDED" width="100%" height="700"></iframe>
<iframe name="page" src="PAGE"></iframe><p id="read"></p>
<script>fetch("FILE").then(answer => answer.json()).then(file => {
document.getElementById("read").textContent = file.divisions[0].standing.length + " players";
});</script>"""


@pytest.fixture
def club(live_server: Any) -> Iterator[str]:
    """Return the address of another site, which shows the standings and reads the season's file."""
    division = eventful().divisions.get()
    shown = (
        PAGE.replace("EMBEDDED", live_server.url + division_path(division, "division_embed"))
        .replace("PAGE", live_server.url + division_path(division))
        .replace("FILE", live_server.url + path_of("season_json", division.season))
    )

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(shown.encode())

        def log_message(self, *_words: object) -> None:
            """Log nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()
    thread.join(HANGS)


@pytest.mark.parametrize("width", [390, pytest.param(1280, marks=pytest.mark.long)])
def test_another_site_shows_the_standings_and_no_other_page(browser: Any, club: str, width: int) -> None:
    context = browser.new_context(viewport={"width": width, "height": 900})
    page = context.new_page()
    page.goto(club)
    standings = page.frame_locator("[name=standings]")
    standings.get_by_role("rowheader", name="Anna").wait_for()
    room = standings.locator("html").evaluate("root => root.scrollWidth - root.clientWidth")
    assert room == 0  # no sideways scrolling
    page.get_by_text("11 players").wait_for()
    refused = page.frame(name="page")
    assert refused is not None
    assert "Anna" not in refused.content()
    with context.expect_page() as opened:
        standings.get_by_role("link", name="Anna", exact=True).click()
    opened.value.wait_for_url("**/players/**")
    context.close()
