"""Each card's name stands in one line on its picture, in every language."""

from __future__ import annotations

import pytest
from django.conf import settings
from django.templatetags.static import static
from django.utils import translation

from games.rules import CARDS
from games.templatetags.board import card
from tests.browser.conftest import Open
from tests.browser.looking import PHONE

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.once]

IN_HAND = "width: 66px"  # on a phone; a card in a line has its own width
TOO_LONG = """() => [...document.querySelectorAll('.special')].filter(card => {
  const range = document.createRange();
  range.selectNodeContents(card);
  return range.getClientRects().length > 1 || range.getBoundingClientRect().width > card.clientWidth + 2;
}).map(card => card.innerText)"""


def test_names_fit_on_cards(open_browser: Open) -> None:
    page = open_browser(viewport=PHONE)
    sheets = [static(f"look/{name}.css") for name in ("site", "cards")]
    body = "".join(f'<link rel="stylesheet" href="{sheet}">' for sheet in sheets)
    for language, _name in settings.LANGUAGES:
        with translation.override(language):
            body += "".join(f'<p style="{IN_HAND}">{card(name, size="in-hand")}</p>' for name in CARDS)
            body += "".join(f"<p>{card(name, size='in-line')}</p>" for name in CARDS)
    page.route("**/cards/", lambda route: route.fulfill(body=body, content_type="text/html; charset=utf-8"))
    page.goto("/cards/")
    assert page.locator(".special").count() >= 3 * 16
    assert page.evaluate(TOO_LONG) == []
