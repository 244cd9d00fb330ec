"""Every page on a phone, on a desk, in the dark, and as assistive programs find it."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.conf import settings as django_settings
from django.template.loader import render_to_string
from django.urls import resolve

from accounts.mail import capture
from accounts.mail import views as email_pages
from accounts.models import User
from accounts.views import own_emails
from games.chat import thread
from games.leagues.views import pages as leagues
from games.views import lobby, spectating
from tests.access.world import addresses
from tests.browser.conftest import Open
from tests.browser.looking import PHONE, broken_words, faults_of, faults_of_longer_words, take_pictures
from tests.browser.places import ANSWERED, NO_PAGE, VISITED, Place, names_of_pages, places, visited_names
from tests.browser.sights import Sights
from tests.words.pseudo import pseudo_locale

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.once]

SAMPLE = 120  # one page of so many, of all rooms
WHOLE_ROOM = pytest.mark.timeout(3600 * 3)  # some two hundred pages, each in every language
ROOMS = [
    pytest.param(list(VISITED), SAMPLE, id="a sample"),
    *[pytest.param([room], 1, id=room, marks=[pytest.mark.long, WHOLE_ROOM]) for room in VISITED],
]
LANGUAGES = [code for code, _name in django_settings.LANGUAGES if code != django_settings.LANGUAGE_CODE]
NAMES_LANGUAGE = {"offline"}  # the address says in which language the page is
SPOKEN = "document.documentElement.lang"
SPOIL = """() => {
  document.querySelector('h1').remove();
  document.querySelector('.skip').remove();
  document.title = '· Condottiere';
  document.documentElement.removeAttribute('lang');
  document.querySelector('footer').style.width = '1300px';
  const heading = document.querySelector('main h2');
  heading.style.color = 'light-dark(black, #444)';
  heading.style.height = getComputedStyle(heading).height;
  heading.style.overflow = 'hidden';
  document.styleSheets[0].insertRule('main h2::before { content: ""; mask: var(--leaf); background: red }');
}"""
# Whether the window says that something is wrong, once the browser has scrolled to what has the focus.
SAYS_WHATS_WRONG = """() => {
  const signs = [...document.querySelectorAll('main :is(.errorlist, [role=alert], .notice, .message)')];
  return signs.some(one => {
    const {top, bottom} = one.getBoundingClientRect();
    return one.checkVisibility() && top >= 0 && bottom <= innerHeight;
  });
}"""
SEND = """([action, fields]) => {
  const form = Object.assign(document.createElement('form'), {method: 'post', action});
  for (const [name, value] of Object.entries(fields))
    form.append(Object.assign(document.createElement('input'), {type: 'hidden', name, value}));
  document.body.append(form);
  form.submit();
}"""


@pytest.fixture
def sights(db: None, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Sights:
    """The world with captured emails, and page sizes so small that lists have several pages."""
    settings.EMAIL_BACKEND = capture.BACKEND
    monkeypatch.setattr(lobby, "TABLES_ON_A_PAGE", 1)
    monkeypatch.setattr(spectating, "GAMES_ON_A_PAGE", 1)
    monkeypatch.setattr(own_emails, "EMAILS_ON_A_PAGE", 1)
    monkeypatch.setattr(email_pages, "EMAILS_ON_A_PAGE", 1)
    monkeypatch.setattr(thread, "MOST_ON_A_PAGE", 2)
    monkeypatch.setattr(leagues, "ON_A_PAGE", 1)
    return Sights()


@pytest.mark.parametrize(("rooms", "step"), ROOMS)
def test_every_page_fits_its_screen_and_has_an_outline_and_no_grave_barrier(
    open_browser: Open,
    sights: Sights,
    settings: Any,
    request: pytest.FixtureRequest,
    rooms: list[str],
    step: int,
) -> None:
    # Each language has a worker of its own. While one replaces another, Chromium that Playwright drives may
    # never ask for the next page; without Playwright it does.
    page = open_browser(viewport=PHONE, service_workers="block")
    found, pictures = {}, request.config.getoption("--pictures")
    sample = [(room, place) for room in rooms for place in places(room)[::step]]
    for number, (room, place) in enumerate(sample):
        come(page, sights.session(place.visitor), settings)
        answer = visit(page, sights, place)
        if (answer.status, name_of(page)) != (place.status, place.name):
            found[str(place)] = [f"is {name_of(page)} with status {answer.status}"]
            continue
        folder = pictures and pictures / room / f"{number:03}-{place.name}-{place.about}-{place.visitor}"
        if folder:
            take_pictures(page, folder, settings.LANGUAGE_CODE)
        faults = faults_of(page)
        if not place.form:
            faults += faults_in_a_longer_language(page, sights, place)
            for language in languages_of(number, step) if place.name not in NAMES_LANGUAGE else []:
                faults += faults_in(language, page, sights, place, settings, folder)
        if faults:
            found[str(place)] = faults
    assert found == {}


@pytest.mark.parametrize("step", [7, pytest.param(1, marks=pytest.mark.long)])
def test_a_refused_form_says_so_on_the_first_screen(
    open_browser: Open, sights: Sights, settings: Any, step: int
) -> None:
    page, silent = open_browser(viewport=PHONE), []
    refused = [one for room in ANSWERED for one in places(room) if one.form and one.status in (400, 409, 422)]
    for place in refused[::step]:
        come(page, sights.session(place.visitor), settings)
        visit(page, sights, place)
        if not page.evaluate(SAYS_WHATS_WRONG):
            silent.append(str(place))
    assert silent == []


def languages_of(number: int, step: int) -> list[str]:
    """Return in which languages to look at a page: in all of them, or of a sample at every third in one."""
    if step == 1:
        return LANGUAGES
    return [] if number % 3 else [LANGUAGES[number // 3 % len(LANGUAGES)]]


def faults_in_a_longer_language(page: Any, sights: Sights, place: Place) -> list[str]:
    """Return where the page breaks once its words are longer than in any language."""
    with pseudo_locale():
        visit(page, sights, place)
    return [f"in longer words, {fault}" for fault in faults_of_longer_words(page)]


def faults_in(
    language: str, page: Any, sights: Sights, place: Place, settings: Any, folder: Path | None
) -> list[str]:
    """Return where the page breaks for a reader of this language, whether signed in or not."""
    User.objects.update(language=language)
    cookie = {"name": settings.LANGUAGE_COOKIE_NAME, "value": language, "url": settings.SITE_URL}
    page.context.add_cookies([cookie])
    visit(page, sights, place)
    found = [] if page.evaluate(SPOKEN) == language else ["is in another language"]
    if folder:
        take_pictures(page, folder, language)
    User.objects.update(language=settings.LANGUAGE_CODE)
    page.context.clear_cookies(name=settings.LANGUAGE_COOKIE_NAME)
    return [f"in {language}, {fault}" for fault in found + faults_of_longer_words(page) + broken_words(page)]


def come(page: Any, session: str, settings: Any) -> None:
    """Make the browser this visitor's from now on."""
    page.context.clear_cookies()
    if session:
        cookie = {"name": settings.SESSION_COOKIE_NAME, "value": session, "url": settings.SITE_URL}
        page.context.add_cookies([cookie])


def visit(page: Any, sights: Sights, place: Place) -> Any:
    """Return the answer to opening the page, or to sending it a form."""
    path = sights.path(place)
    if not place.form:
        return page.goto(path)
    page.goto("/")
    token = page.locator("[name=csrfmiddlewaretoken]").first.input_value()
    with page.expect_navigation() as navigation:
        page.evaluate(SEND, [path, {"csrfmiddlewaretoken": token} | sights.sent(place)])
    return navigation.value


def name_of(page: Any) -> str:
    """Return the name of the browser's address; the path if it has none."""
    path = urlsplit(page.url).path
    return path if path == "/nowhere/" else resolve(path).view_name


@pytest.mark.parametrize("template", ["400.html", "500.html"])
@pytest.mark.long
def test_a_page_for_when_nothing_works_is_a_page_like_any_other(open_browser: Open, template: str) -> None:
    page = open_browser(viewport=PHONE)
    page.route(
        "**/broken/", lambda route: route.fulfill(body=render_to_string(template), content_type="text/html")
    )
    page.goto("/broken/")
    assert faults_of(page) == []


@pytest.mark.long
def test_a_page_with_faults_would_be_noticed(open_browser: Open) -> None:
    page = open_browser(viewport=PHONE)
    page.goto("/privacy/")
    assert faults_of(page) == []
    page.evaluate(SPOIL)
    faults = [fault.partition(": ")[0] for fault in faults_of(page)]
    *found, in_the_dark, on_a_desk, enlarged, on_a_phone, over, narrow, forced, spaced, cut = dict.fromkeys(
        faults
    )
    assert found == [
        "has 0 of h1",
        "has 0 of a.skip[href='#main']",
        "is called '· Condottiere'",
        "0 headings of level 1",
        "a heading of level 2 after one of level 0",
        "is 1300 wide on a screen of 390",
        "html-has-lang",
    ]
    assert in_the_dark == "in the dark, color-contrast"
    assert on_a_desk == "is 1300 wide on a screen of 1280"
    assert enlarged == "in large letters, is 1300 wide on a screen of 1280"
    assert on_a_phone == "in large letters, is 1300 wide on a screen of 390"
    assert over == "in large letters, two overlap"
    assert narrow == "is 1300 wide on a screen of 320"
    assert forced == "in forced colours, nothing is seen of H2"
    assert spaced == "spaced out, is 1300 wide on a screen of 390"
    assert cut == "spaced out, there is no room for"


def test_every_address_that_shows_a_page_is_visited() -> None:
    assert names_of_pages() - visited_names() == set()


def test_what_is_said_to_show_no_page_is_an_address_and_is_not_visited() -> None:
    assert set(NO_PAGE) <= {address.name for address in addresses()} - visited_names()
    assert set(ANSWERED) <= set(VISITED)
