"""Buttons of one page that do different things have different names."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import pytest
from django.test import Client
from django.urls import resolve

from accounts.mail import capture
from tests.browser.places import VISITED, places
from tests.browser.sights import Sights
from tests.games.playing import begin_game
from tests.journeys.visiting import Form, Page, page_in, page_of

pytestmark = pytest.mark.django_db


@pytest.mark.long
@pytest.mark.once
@pytest.mark.parametrize("room", VISITED)
def test_no_page_has_one_name_for_buttons_that_do_different_things(room: str, settings: Any) -> None:
    settings.EMAIL_BACKEND = capture.BACKEND
    sights = Sights()
    found: dict[tuple[str, str], set[object]] = {}
    for place in places(room):
        client = Client()
        if session := sights.session(place.visitor):
            client.cookies[settings.SESSION_COOKIE_NAME] = session
        answer = None if place.form else client.get(sights.path(place), follow=True)
        if answer and answer["Content-Type"].startswith("text/html"):
            found |= {(str(place), name): does for name, does in equal_names(page_in(answer)).items()}
    assert found == {}


def test_a_host_who_pauses_a_game_reads_what_each_button_does(
    anna: Any, bruno: Any, carla: Any, signed_in: Any
) -> None:
    game = begin_game([anna, bruno, carla], pace="day", time_by="host")
    page = page_of(signed_in(anna), f"/games/{game.pk}/arrangements/")
    assert equal_names(page) == {}
    (own,) = [form for form in page.forms if form.action.endswith("/hand-over/")]
    page.forms.append(Form("post", "/games/1/absent/1/", buttons=own.buttons))
    assert set(equal_names(page)) == {"Offer your seat"}


def equal_names(page: Page) -> dict[str, set[object]]:
    """Return the names that several buttons have, with what these do.

    Buttons that do the same to different things, such as rows of a list, differ by numbers only.
    """
    named: dict[str, set[object]] = {}
    for form in page.forms:
        sent = {f"{name}={value}" for name, value in form.fields.items() if not value.isdigit()}
        sent = {one for one in sent if not one.startswith("csrfmiddlewaretoken")}
        view = resolve(urlsplit(form.action).path).view_name
        for button in form.buttons:
            does = (view, button.name, button.value, *sorted(sent))
            named.setdefault(button.words, set()).add(does)
    return {name: does for name, does in named.items() if len(does) > 1}
