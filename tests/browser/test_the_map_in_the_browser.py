"""The map's shapes come from a file of their own: browsers draw them for every viewer and theme."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.conftest import Open

pytestmark = pytest.mark.django_db(transaction=True)

WIDTHS = "uses => uses.map(use => use.getBBox().width)"
FILL = "group => getComputedStyle(group).fill"


def opened(open_browser: Open, **options: Any) -> Any:
    page = open_browser(**options)
    page.goto("/")
    page.wait_for_load_state("networkidle")
    return page


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.long
def test_every_region_is_drawn_from_the_file_of_shapes(open_browser: Open, scheme: str) -> None:
    page = opened(open_browser, color_scheme=scheme)
    widths = page.locator(".board .region > use").evaluate_all(WIDTHS)
    assert len(widths) == 17
    assert min(widths) > 100


def test_the_names_are_drawn_in_the_sites_own_type(open_browser: Open) -> None:
    page = opened(open_browser)
    assert page.evaluate("document.fonts.check('600 20px \"EB Garamond\"')")
    assert page.locator(".board .names").evaluate("use => use.getBBox().width") > 1000


@pytest.mark.long
def test_on_paper_areas_are_hatched_and_not_coloured(open_browser: Open) -> None:
    page = opened(open_browser)
    held = page.locator(".board .held").first
    assert "url" not in held.evaluate(FILL)
    page.emulate_media(media="print")
    assert 'url("#tincture-' in held.evaluate(FILL)


@pytest.mark.long
def test_without_colours_of_its_own_the_map_is_hatched_too(open_browser: Open) -> None:
    page = opened(open_browser, forced_colors="active")
    assert 'url("#tincture-' in page.locator(".board .held").first.evaluate(FILL)


@pytest.mark.long
def test_a_small_picture_shows_marks_and_no_names(open_browser: Open) -> None:
    page = opened(open_browser, viewport={"width": 1280, "height": 900})
    assert page.locator(".board .names").is_visible()
    page.set_viewport_size({"width": 200, "height": 600})
    assert not page.locator(".board .names").is_visible()
    assert page.locator(".board .mark").first.is_visible()
