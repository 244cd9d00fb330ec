"""The rules pages: everything is explained, every ruling named, every house ruling marked as ours."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from games import rules
from games.rulebook import option_name, rule_url
from games.rulebook.bodies import PAGES, body
from games.rulebook.page_addresses import card_anchor
from games.rules import CARDS, EDITIONS, SEATS, Options

pytestmark = pytest.mark.django_db

RULINGS = (Path(rules.__file__).parent / "RULINGS.md").read_text(encoding="utf-8")
PATHS = [reverse(page.name) for page in PAGES]


def paragraphs() -> dict[int, str]:
    """Return each ruling of RULINGS.md by its number."""
    found = re.findall(r"^- \*\*R(\d+)\*\* (.*?)(?=^- \*\*R|^#|\Z)", RULINGS, re.MULTILINE | re.DOTALL)
    return {int(number): text for number, text in found}


def house_rulings() -> set[int]:
    return {number for number, text in paragraphs().items() if re.search(r"\*house", text, re.IGNORECASE)}


class Outline(HTMLParser):
    """Collects the ids, local links, headings and marks of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.headings: list[int] = []
        self.bare_headers = 0
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if given.get("id"):
            self.ids.append(str(given["id"]))
        if tag == "a":
            self.links.append(str(given["href"]))
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        self.bare_headers += tag == "th" and "scope" not in given


def page(path: str) -> str:
    answer = Client().get(path)
    assert answer.status_code == 200, path
    return answer.content.decode()


@pytest.fixture(scope="module")
def outlines(django_db_setup: None, django_db_blocker: Any) -> Iterator[dict[str, Outline]]:
    with django_db_blocker.unblock():
        yield {path: Outline(page(path)) for path in PATHS}


@pytest.mark.parametrize("path", PATHS)
def test_anyone_may_read_the_rules(path: str, anna: Any, signed_in: Any) -> None:
    assert "Sign in" in page(path)
    assert "Anna" in signed_in(anna).get(path).content.decode()


@pytest.mark.parametrize(
    "path", ["/rules/1996/", "/rules/2007/chess/", "/rules/1995/hidden-cards/", "/rules/x/"]
)
def test_what_is_not_played_has_no_page(path: str) -> None:
    assert Client().get(path).status_code == 404


@pytest.mark.parametrize("edition", EDITIONS)
def test_every_card_has_its_place_on_the_page_of_its_edition(
    edition: str, outlines: dict[str, Outline]
) -> None:
    ids = outlines[rule_url(edition)].ids
    for card in CARDS:
        assert (card_anchor(card) in ids) == (card in EDITIONS[edition].copies), card
    for card in EDITIONS[edition].copies:
        path, _, anchor = rule_url(edition, card=card).partition("#")
        assert anchor in outlines[path].ids


def test_every_option_has_a_page_and_every_page_of_its_edition_leads_there(
    outlines: dict[str, Outline],
) -> None:
    for edition, printed in EDITIONS.items():
        for option in printed.variants:
            path = rule_url(edition, option=option)
            assert option_name(option) in page(path)
            assert path in outlines[rule_url(edition)].links
            assert path in outlines[reverse("rules")].links


def test_every_ruling_is_told_somewhere() -> None:
    told = {number for each in PAGES for number, _ in body(each, "en").rulings}
    assert told == set(paragraphs())
    assert len(told) >= 49


def test_every_house_ruling_is_marked_and_nothing_else_is() -> None:
    marked = {number for each in PAGES for number, is_house in body(each, "en").rulings if is_house}
    assert marked == house_rulings()
    assert {9, 17, 22, 23, 26, 29, 42} <= marked


def test_a_house_ruling_is_marked_in_words_with_its_number() -> None:
    assert re.search(r'<span class="house" id="house-9">House ruling, R9</span>', page(rule_url("2007")))


def test_the_older_game_prints_what_is_a_house_ruling_in_the_newer() -> None:
    """R35 is in the rules of 1995, and ours for 2007."""
    by_name = {each.name: dict(body(each, "en").rulings) for each in PAGES}
    assert by_name["rules_2007_capturing-regions"][35]
    assert not by_name["rules_1995"][35]


def test_a_page_says_that_someone_entitled_to_discard_can_be_inferred() -> None:
    for edition in EDITIONS:
        assert "can infer that someone has a hand without a Mercenary" in page(rule_url(edition))


def test_both_editions_say_what_a_round_is_and_that_an_empty_hand_may_choose() -> None:
    for edition in EDITIONS:
        text = page(rule_url(edition))
        assert "A round lasts until new cards are dealt." in text
        assert "You can become the Condottiere with an empty hand." in text


def test_points_and_capturing_together_are_a_warning_and_no_refusal() -> None:
    assert Options("2007", ("capturing-regions", "playing-for-points")).captures_regions
    for option in ("capturing-regions", "playing-for-points"):
        text = page(rule_url("2007", option=option))
        assert "warned" in text
        assert "printed rules advise against" in text


def test_the_game_in_a_minute_has_the_goals_for_every_number_of_players() -> None:
    text = page(reverse("rules_minute"))
    for players in SEATS:
        goal = Options("2007").goals(players)
        assert (
            f"{goal.connected} connected or {goal.total} in total" in text
            or f"connect {goal.connected} " in text
        )


@pytest.mark.parametrize("path", PATHS)
def test_a_page_is_well_made(path: str, outlines: dict[str, Outline]) -> None:
    outline = outlines[path]
    assert outline.headings[0] == 1
    assert outline.headings.count(1) == 1
    for above, below in zip(outline.headings, outline.headings[1:], strict=False):
        assert below <= above + 1, outline.headings
    assert len(outline.ids) == len(set(outline.ids))
    assert outline.bare_headers == 0


def test_every_link_between_the_pages_leads_somewhere(outlines: dict[str, Outline]) -> None:
    for path, outline in outlines.items():
        for link in outline.links:
            there, _, anchor = link.partition("#")
            target = outlines.get(there or path)
            if anchor and target is not None:
                assert anchor in target.ids, f"{path} links to {link}"
            if there.startswith("/rules/"):
                assert there in outlines, f"{path} links to {link}"


def test_goals_and_hands_are_those_of_the_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers that differ from the printed ones are found on the page."""
    from games.rules import dealing, options

    monkeypatch.setattr(options, "FIRST_HAND_TO_DRAW_FROM", 8)
    monkeypatch.setattr("games.rulebook.reference.Reference.drawn", 4)
    monkeypatch.setattr(dealing, "DRAWN_AFTER_BATTLE", 4)
    (drawing,) = [each for each in PAGES if each.name == "rules_2007_draw-after-battle"]
    text = body.__wrapped__(drawing, "en").text
    assert "Everyone starts with 8 cards" in text
    assert "draws 4 cards" in text
    assert "drew 4 cards" in text


def test_the_text_of_a_page_is_made_once() -> None:
    assert body(PAGES[2], "en") is body(PAGES[2], "en")


def test_only_a_visitor_of_whom_nothing_is_known_gets_a_page_for_everyone(anna: Any, signed_in: Any) -> None:
    public = Client().get("/rules/")
    assert "public" in public["Cache-Control"]
    assert {"cookie", "accept-language"} <= {word.strip().lower() for word in public["Vary"].split(",")}
    assert not public.cookies
    private = signed_in(anna).get("/rules/")
    assert "private" in private["Cache-Control"]
    assert "public" not in private["Cache-Control"]


def test_reading_the_rules_asks_the_database_nothing(django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(0):
        Client().get("/rules/2007/")


def test_a_rule_of_nothing_has_no_address() -> None:
    with pytest.raises(ValueError, match="no card"):
        rule_url("1995", card="spring")
    with pytest.raises(ValueError, match="no option"):
        rule_url("1995", option="hidden-cards")
    with pytest.raises(ValueError, match="a card or of an option"):
        rule_url("2007", card="spring", option="hidden-cards")
    with pytest.raises(KeyError):
        rule_url("1996")
