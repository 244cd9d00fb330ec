"""Controls of one page that do different things have different names, or different descriptions."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from accounts.mail import capture
from accounts.models import User
from games.leagues.models import League
from games.models import Table
from tests.browser.control_names import equal_names
from tests.browser.places import VISITED, places
from tests.browser.sights import Sights
from tests.games.playing import begin_game

pytestmark = pytest.mark.django_db
# A region may be fought for twice.
BATTLES = ("chronicle", "history")


@pytest.mark.long
@pytest.mark.once
@pytest.mark.parametrize("room", VISITED)
def test_no_page_has_one_name_for_controls_that_do_different_things(room: str, settings: Any) -> None:
    settings.EMAIL_BACKEND = capture.BACKEND
    sights = Sights()
    found: dict[tuple[str, str, str], set[object]] = {}
    for place in places(room):
        client = Client()
        if session := sights.session(place.visitor):
            client.cookies[settings.SESSION_COOKIE_NAME] = session
        answer = None if place.form else client.get(sights.path(place), follow=True)
        if answer and answer["Content-Type"].startswith("text/html"):
            same = equal_names(answer.content.decode(), answer.request["PATH_INFO"])
            found |= {(str(place), *named): does for named, does in same.items()}
    chosen = {one.name for model in (Table, League, User) for one in model.objects.all() if one.name}
    assert {key: does for key, does in found.items() if not may_be_equal(*key, chosen)} == {}


def may_be_equal(place: str, tag: str, name: str, chosen: set[str]) -> bool:
    """Return whether people chose these names, which may be equal, or whether they're battles."""
    return tag == "a" and (any(one in name for one in chosen) or place.split(maxsplit=1)[0].endswith(BATTLES))


def test_a_host_who_pauses_a_game_reads_what_each_button_does(
    anna: Any, bruno: Any, carla: Any, signed_in: Any
) -> None:
    game = begin_game([anna, bruno, carla], pace="day", time_by="host")
    page = signed_in(anna).get(f"/games/{game.pk}/arrangements/").content.decode()
    assert "<button" in page
    assert equal_names(page, "/") == {}


ROW = '<form action="/{0}"><b id="row-{0}">{1}</b><button aria-describedby="row-{0}">Mute</button></form>'


@pytest.mark.parametrize(
    ("html", "same"),
    [
        (ROW.format(1, "Anna") + ROW.format(2, "Bruno"), set()),
        (ROW.format(1, "Anna") + ROW.format(2, "Anna"), {("button", "Mute Anna")}),
        ('<a href="/1">Read</a><a href="/1">Read</a>', set()),
        ('<a href="/1">Read</a><a href="/2">Read</a>', {("a", "Read")}),
        ('<a href="/1">Read</a><a href="/2">Read<span class="visually-hidden">: it</span></a>', set()),
        ('<a href="/1">Read</a><a href="/2" aria-label="Read it">Read</a>', set()),
        ("<summary>More</summary><summary>More</summary>", {("summary", "More")}),
        ('<form><button name="a">Go</button><button name="b">Go</button></form>', {("button", "Go")}),
    ],
)
def test_equal_names_are_noticed(html: str, same: set[tuple[str, str]]) -> None:
    assert set(equal_names(html, "/")) == same
