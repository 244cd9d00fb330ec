"""The operator's link in a real browser, which sends what no test client thinks of."""

from typing import Any

import pytest

from condottiere_site.operators import operator, sign_in_url


@pytest.mark.once
def test_the_button_signs_the_operator_in(browser_page: Any) -> None:
    browser_page.goto(sign_in_url(operator()))
    browser_page.get_by_role("button", name="Sign in").click()
    assert browser_page.goto("/operator/emails/").status == 200
