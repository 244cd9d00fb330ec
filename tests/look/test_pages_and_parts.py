"""The frame of every page, the error pages, and the tags that show cards and seats."""

import re
from html import unescape
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest
from django.contrib.messages import ERROR
from django.contrib.messages.storage.base import Message
from django.contrib.staticfiles import finders
from django.template import Context, Template
from django.template.loader import get_template, render_to_string
from django.test import RequestFactory
from django.urls import resolve
from django.utils.html import strip_tags

from games.map.board import BoardView
from games.rules import CARDS, REGIONS, neighbours, region_name
from tests.tidy import tidy

ANNA = SimpleNamespace(is_authenticated=True, is_staff=False, shown_name="Anna")
OPERATOR = SimpleNamespace(is_authenticated=True, is_staff=True, shown_name="Dario")
NOBODY = SimpleNamespace(is_authenticated=False, is_staff=False)


def page(user, path="/", **context):
    request = RequestFactory().get(path)
    request.resolver_match = resolve(path)
    return get_template("base.html").template.render(
        Context({"user": user, "request": request, "site_name": "Our club", **context})
    )


def shown(source, **context):
    return Template("{% load board %}" + source).render(Context(context))


@pytest.mark.parametrize("name", ["400.html", "403.html", "403_csrf.html", "404.html", "500.html"])
def test_an_error_page_needs_no_request_and_says_what_to_do(name):
    html = render_to_string(name, {})
    assert "<!doctype html>" in html
    assert len(re.findall("<h1>", html)) == 1
    assert re.search(r"<title>[A-Z][^<]+</title>", html)
    assert 'class="button' in html


@pytest.mark.parametrize("name", ["400.html", "403_csrf.html", "500.html"])
def test_the_plainest_error_pages_stand_when_everything_else_is_down(name, settings):
    settings.ROOT_URLCONF = "tests.look.no_addresses"
    assert "<h1>" in render_to_string(name, {})


def test_a_visitor_is_offered_the_tables_and_to_sign_in():
    html = page(NOBODY)
    assert "Sign in" in html
    assert "My games" not in html
    assert "Sign out" not in html


def test_a_player_finds_their_games_a_new_table_themselves_and_the_way_out():
    html = page(ANNA)
    for words in ("My games", "Tables", "Create a table", "Anna", "Sign out"):
        assert words in html
    assert "Emails from this site" not in html
    assert 'href=""' not in html
    assert re.search(r'<form method="post" action="[^"]*logout/" id="sign-out"', html)
    assert '<button class="as-link" form="sign-out">' in html


def test_the_operator_finds_the_emails():
    assert "Emails from this site" in page(OPERATOR)


def test_the_page_one_is_on_is_marked_in_the_header():
    (marked,) = re.findall(r'<a href="([^"]+)" aria-current="page">', page(ANNA, path="/tables/"))
    assert marked == "/tables/"


def test_messages_are_announced_and_escaped():
    html = page(NOBODY, messages=[Message(ERROR, "No seat for <Bruno>.")])
    assert 'role="status"' in html
    assert '<p class="message error">No seat for &lt;Bruno&gt;.</p>' in html


def test_the_name_of_the_site_and_of_a_player_are_escaped():
    html = page(SimpleNamespace(is_authenticated=True, is_staff=False, shown_name="<b>Anna"), site_name="<i>")
    assert "<b>Anna" not in html
    assert "<i>" not in html


def test_every_page_says_that_it_is_an_independent_implementation():
    assert "independent version" in page(NOBODY)


def test_every_style_sheet_and_icon_a_page_names_is_there():
    for name in re.findall(r'href="/static/([^"]+)"', page(NOBODY)):
        assert finders.find(name), name
    for sheet in Path(finders.find("look/table.css")).parent.glob("*.css"):
        for name in re.findall(r'url\("(?!data:)([^"#]+)"\)', sheet.read_text()):
            assert finders.find(f"look/{name}"), name


def test_a_card_is_shown_by_its_name_and_told_apart_by_class():
    assert strip_tags(shown('{% card "10" %}{% card "courtesan" %}')).split() == ["10", "Courtesan"]
    for card in CARDS:
        assert f"card-{card}" in shown("{% card id %}", id=card)
        assert shown("{% card_name id %}", id=card)


def test_every_card_has_a_drawing_of_its_own():
    css = Path(finders.find("look/cards.css")).read_text()
    pictures = dict(re.findall(r'\.card-(\w+) \{.* --picture: url\("data:image/svg\+xml,(.+)"\);', css))
    assert set(pictures) == set(CARDS)
    assert len(set(pictures.values())) == len(CARDS)
    for picture in pictures.values():
        assert ElementTree.fromstring(unquote(picture)).get("viewBox") == "0 0 48 56"


def test_a_seat_is_shown_by_its_mark_and_its_name():
    html = shown("{% seat_chip 2 name %}", name="<Carla>")
    assert unescape(strip_tags(html)).split() == ["C", "<Carla>"]
    assert "seat-2" in html


def test_a_region_is_shown_by_its_name():
    assert shown("{% region_name 'roma' %}") == "Roma"


def test_the_map_stands_in_a_page_as_a_tag():
    html = shown("{% board view %}", view=BoardView(control={"roma": 0}, names=["Anna"]))
    assert html.startswith('<div class="map"><svg')
    assert "Roma: held by Anna" in html


def test_the_regions_are_told_in_words_too():
    view = BoardView(
        control={"roma": 1},
        pope="bologna",
        battle="siena",
        links={"lucca": "/x?a=1&b=2"},
        names=["Anna", "Bruno"],
    )
    html = tidy(render_to_string("_parts/region_list.html", {"board": view}))
    rows = re.findall(r"<tr><th scope=\"row\">.*?</tr>", html)
    assert len(rows) == len(REGIONS)
    (roma,) = [row for row in rows if ">Roma" in row]
    assert "Bruno" in roma
    for other in neighbours("roma"):
        assert region_name(other) in roma
    (bologna,) = [row for row in rows if row.startswith('<tr><th scope="row">Bologna')]
    assert "the Pope is here" in bologna
    assert 'href="/x?a=1&amp;b=2"' in html
