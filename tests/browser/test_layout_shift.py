"""Nothing on a page moves while it loads, even if its font is late (Chromium's layout shift)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.conftest import Open
from tests.browser.looking import DESK, PHONE, TABLET
from tests.browser.places import VISITED, places
from tests.browser.sights import Sights
from tests.browser.test_pages_for_everybody import come, sights  # noqa: F401 - a fixture
from tests.games.playing import begin_game

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.once]

MOST_SHIFT = 0.05  # half of what counts as good
FONT = "**/eb-garamond-600-latin*.woff2"
WATCH = """
  window.shifts = [];
  window.shiftObserver = new PerformanceObserver(list => shifts.push(...list.getEntries()));
  shiftObserver.observe({type: 'layout-shift', buffered: true});
"""
PAINTED = """() => new Promise(
  done => new PerformanceObserver(done).observe({type: 'paint', buffered: true})).then(() => null)"""
SETTLE = """() => document.fonts.ready
  .then(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))))
  .then(() => [...shifts, ...shiftObserver.takeRecords()].reduce((sum, {value}) => sum + value, 0))"""


def shift_of(page: Any, path: str) -> float:
    """Return how much the page shifted after the first paint, with the font arriving only then."""
    held: list[Any] = []
    page.add_init_script(WATCH)
    page.route(FONT, lambda route: held.append(route))  # noqa: PLW0108 - Playwright asks for a function
    with page.expect_request(FONT):
        page.goto(path, wait_until="commit")
    page.wait_for_load_state("domcontentloaded")
    page.evaluate(PAINTED)
    for route in held:
        route.continue_()
    page.wait_for_load_state("load")
    return float(page.evaluate(SETTLE))


@pytest.mark.parametrize(
    "size",
    [PHONE, *(pytest.param(size, marks=pytest.mark.long) for size in (TABLET, DESK))],
    ids=["phone", "tablet", "desk"],
)
def test_nothing_moves_when_the_font_comes_late(
    open_browser: Open, anna: Any, bruno: Any, size: dict[str, int], long: bool
) -> None:
    game = begin_game([anna, bruno])
    paths = {"/": None, f"/games/{game.pk}/": anna}
    if long:
        paths |= {"/accounts/login/": None, "/rules/": None, "/games/": anna}
    shifts = {path: shift_of(open_browser(who, viewport=size), path) for path, who in paths.items()}
    assert {path: shift for path, shift in shifts.items() if shift >= MOST_SHIFT} == {}


@pytest.mark.long
@pytest.mark.parametrize("size", [PHONE, TABLET, DESK], ids=["phone", "tablet", "desk"])
@pytest.mark.parametrize("room", VISITED)
def test_nothing_moves_on_any_page(
    open_browser: Open,
    sights: Sights,  # noqa: F811 - the fixture
    settings: Any,
    room: str,
    size: dict[str, int],
) -> None:
    shifts = {}
    for place in (place for place in places(room) if not place.form):
        page = open_browser(viewport=size)
        come(page, sights.session(place.visitor), settings)
        shifts[str(place)] = shift_of(page, sights.path(place))
        page.context.close()
    assert {place: shift for place, shift in shifts.items() if shift >= MOST_SHIFT} == {}
