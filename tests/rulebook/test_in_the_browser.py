"""The rules pages on a phone and a desk, in light and dark, as assistive programs find them."""

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.urls import reverse

from games.rulebook.bodies import PAGES

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.once]

GRAVE = ("serious", "critical")


@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (1280, "dark")])
@pytest.mark.long
def test_no_rules_page_is_too_wide_or_has_a_grave_barrier(browser_page: Any, width: int, scheme: str) -> None:
    browser_page.set_viewport_size({"width": width, "height": 844})
    browser_page.emulate_media(color_scheme=scheme)
    axe, found = Axe(), {}
    for page in PAGES:
        assert browser_page.goto(reverse(page.name)).status == 200
        needed = browser_page.evaluate("document.documentElement.scrollWidth")
        if needed > width:
            found[f"{page.name}: {needed} wide"] = []
        response = axe.run(browser_page).response
        assert len(response["passes"]) > 10
        for violation in (v for v in response["violations"] if v["impact"] in GRAVE):
            nodes = [node["html"][:160] for node in violation["nodes"]]
            found[f"{page.name}: {violation['id']}"] = nodes[:3]
    assert found == {}
