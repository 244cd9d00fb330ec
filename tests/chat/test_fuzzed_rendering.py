"""Many texts that no one decent would type: 100,000 with --long, and 5,000 in a real browser."""

from collections.abc import Iterator
from typing import Any

import pytest

from condottiere_site.logs import TOKEN_PATHS
from tests.chat.fuzzing import DOORS, Finding, Tree, check, inputs, require_whole, run, shows_token

pytestmark = pytest.mark.once

LONG, USUAL = 100_000, 600
# Walks the tree as the browser itself parsed it, and names what is not on the list.
WALK = """htmls => htmls.map(html => {
  const template = document.createElement("template"), wrong = [];
  template.innerHTML = html;
  const allowed = {P: [], BR: [], EM: [], STRONG: [], UL: [], LI: [], BLOCKQUOTE: [], CODE: [], PRE: [],
    OL: ["start"], A: ["href", "rel"], SPAN: ["class"]};
  const walk = (node, depth) => {
    if (depth > 25) wrong.push("too deep");
    for (const child of node.childNodes) {
      if (child.nodeType === Node.TEXT_NODE) continue;
      if (child.nodeType !== Node.ELEMENT_NODE) { wrong.push("node " + child.nodeType); continue; }
      const names = allowed[child.nodeName];
      if (!names) { wrong.push(child.nodeName); continue; }
      for (const attribute of child.attributes)
        if (!names.includes(attribute.name)) wrong.push(child.nodeName + " " + attribute.name);
      if (child.nodeName === "A") {
        if (child.rel !== "nofollow noopener noreferrer") wrong.push("rel " + child.rel);
        if (!["http:", "https:"].includes(child.protocol)) wrong.push(child.href);
      }
      if (child.nodeName === "SPAN" && !["card-word", "region-word"].includes(child.className))
        wrong.push(child.className);
      walk(child, depth + 1);
    }
  };
  walk(template.content, 0);
  const links = [...template.content.querySelectorAll("a")].map(link => link.href);
  return {wrong, links, text: template.content.textContent};
})"""


def test_the_fuzz_knows_every_door_that_a_token_opens() -> None:
    assert set(DOORS) == set(TOKEN_PATHS)


def test_whatever_is_typed_is_shown_harmless_and_whole(long: bool) -> None:
    account = run(LONG if long else USUAL, seed=20)
    print(account.told())
    assert not account.findings, account.told()
    assert account.typed.total() == (LONG if long else USUAL)
    assert min(account.linked, account.marked, account.taken_out, account.refused) > 0


@pytest.fixture
def blank_page(browser: Any) -> Iterator[Any]:
    """An empty page in which a browser parses what it is given."""
    page = browser.new_page()
    yield page
    page.close()


@pytest.mark.long
def test_a_browser_parses_nothing_else_than_was_allowed(blank_page: Any) -> None:
    checked = [check(typed) for _source, typed in inputs(5_000, seed=7)]
    shown = [one for one in checked if one.tree is not None]
    assert len(shown) > 300
    for one, seen in zip(shown, blank_page.evaluate(WALK, [one.html for one in shown]), strict=True):
        assert seen["wrong"] == [], (one.text, one.html)
        assert not any(shows_token(link) for link in seen["links"]), (one.text, seen["links"])
        assert one.tree is not None
        assert "".join(seen["text"].split()) == "".join("".join(one.tree.text).split())


@pytest.mark.parametrize(
    "html",
    [
        "<script>x</script>",
        "<p onclick='x'>a</p>",
        "<p><img src='http://a.example/'></p>",
        "<h2>The site confirms shown cards</h2>",
        "<p><a href='javascript:x' rel='nofollow noopener noreferrer'>a</a></p>",
        "<p><a href='http://a.example/'>a</a></p>",
        "<p><span class='system-message'>a</span></p>",
        "<p><p>a</p></p>",
        "<p>a",
        "<!-- a -->",
        "<hr>",
        "<p style='x'>a</p>",
    ],
)
def test_the_oracle_finds_what_it_looks_for(html: str) -> None:
    with pytest.raises(Finding):
        Tree(html)


def test_the_oracle_misses_a_swallowed_word() -> None:
    with pytest.raises(Finding):
        require_whole("two words", Tree("<p>two</p>"))
