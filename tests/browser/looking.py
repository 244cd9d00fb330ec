"""Looking at one page as people meet it: on a phone, on a desk, in the dark, through an assistive program."""

from __future__ import annotations

from typing import Any

from axe_playwright_python.base import AXE_SCRIPT

PHONE = {"width": 390, "height": 844}
DESK = {"width": 1280, "height": 844}
OUTLINE = {"h1": 1, "main#main": 1, "a.skip[href='#main']": 1}
# Of a game's log the newest chapter is enough: the others are made the same way.
UNFOLD = "document.querySelectorAll('details:not(.log *)').forEach(details => { details.open = true })"

# How many rules axe found something to hold against, and what breaks one of them gravely.
RUN_AXE = """options => axe.run({resultTypes: ['violations'], ...options}).then(({violations, passes}) => [
  violations.length + passes.length,
  violations.filter(({impact}) => impact == 'serious' || impact == 'critical')
    .map(({id, nodes}) => `${id}: ${nodes.slice(0, 3).map(node => node.html.slice(0, 160)).join(' ')}`),
])"""
ALL_RULES: dict[str, Any] = {}
RULES_OF_COLOUR = {"runOnly": ["color-contrast", "link-in-text-block"]}  # all that a colour scheme changes


def faults_of(page: Any) -> list[str]:
    """What is wrong with the page that stands on the screen, everything on it unfolded."""
    page.evaluate(UNFOLD)
    page.evaluate(AXE_SCRIPT)
    found = _wrong_outline(page) + _too_wide(page, PHONE) + _barriers(page, ALL_RULES, at_least=11)
    page.emulate_media(color_scheme="dark")
    found += [f"in the dark, {barrier}" for barrier in _barriers(page, RULES_OF_COLOUR, at_least=1)]
    page.emulate_media(color_scheme="light")
    found += _too_wide(page, DESK)
    page.set_viewport_size(PHONE)
    return found


def _wrong_outline(page: Any) -> list[str]:
    """One title that begins with the page's own words, one heading, one way past the navigation."""
    counts = {selector: page.locator(selector).count() for selector in OUTLINE}
    found = [f"has {counts[name]} of {name}" for name in OUTLINE if counts[name] != OUTLINE[name]]
    title = page.title()
    return found if title.partition("·")[0].strip() else [*found, f"is called {title!r}"]


def _too_wide(page: Any, size: dict[str, int]) -> list[str]:
    page.set_viewport_size(size)
    needed = page.evaluate("document.documentElement.scrollWidth")
    return [] if needed <= size["width"] else [f"is {needed} wide on a screen of {size['width']}"]


def _barriers(page: Any, rules: dict[str, Any], at_least: int) -> list[str]:
    asked, grave = page.evaluate(RUN_AXE, rules)
    assert asked >= at_least, page.url
    found: list[str] = grave
    return found
