"""Looking at one page as people meet it: on a phone, on a desk, in the dark, through an assistive program."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from axe_playwright_python.base import AXE_SCRIPT

from tests.browser.hearing import faults_heard, hear

PHONE = {"width": 390, "height": 844}
TABLET = {"width": 768, "height": 1024}
DESK = {"width": 1280, "height": 844}
NARROW = {"width": 320, "height": 844}  # a desk's screen at 400 % (WCAG 1.4.10)
USUAL, LARGE = 16, 32  # pixels: letters as browsers begin, and twice as large (WCAG 1.4.4)
# Lines, letters, words and paragraphs as far apart as some readers need them (WCAG 1.4.12).
SPACE = """() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`p { margin-bottom: 2em !important }
    * { line-height: 1.5 !important; letter-spacing: .12em !important; word-spacing: .16em !important }`);
  document.adoptedStyleSheets = [sheet];
}"""
CLOSE_UP = "() => { document.adoptedStyleSheets = [] }"
# Text that stands out of its own box, or is cut off by a box around it; words shortened by dots are left out,
# and initials, which hang into the lines below.
TEXT_THAT_DOES_NOT_FIT = """() => {
  const found = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const hides = style => style.overflowX !== 'visible' && style.overflowX !== 'auto';
  while (walker.nextNode()) {
    const text = walker.currentNode, parent = text.parentElement;
    if (!text.data.trim() || parent.closest('svg, script, option') || !parent.checkVisibility()) continue;
    if (getComputedStyle(parent, '::first-letter').float !== 'none') continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    const lines = [...range.getClientRects()];
    let own = true;
    for (let box = parent; box !== document.body; box = box.parentElement) {
      const style = getComputedStyle(box);
      if (style.clipPath !== 'none' || style.textOverflow === 'ellipsis') break;
      if (style.display === 'inline' || style.display === 'contents') continue;
      const edge = box.getBoundingClientRect();
      const fits = line => line.left > edge.left - 3 && line.right < edge.right + 3
        && line.top > edge.top - 3 && line.bottom < edge.bottom + 3;
      if ((own || hides(style)) && !lines.every(fits)) { found.push(text.data.trim().slice(0, 40)); break; }
      own = false;
    }
  }
  return [...new Set(found)];
}"""
# Words that go on in the next line without a hyphen, because their box is too narrow for them.
BROKEN_WORDS = """() => {
  const found = new Set(), walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  while (walker.nextNode()) {
    const text = walker.currentNode, parent = text.parentElement;
    if (!text.data.trim() || parent.closest('svg, script, option') || !parent.checkVisibility()) continue;
    if (getComputedStyle(parent, '::first-letter').float !== 'none') continue;
    range.selectNodeContents(text);
    if (range.getClientRects().length < 2) continue;
    for (const word of text.data.matchAll(/(?<![^\\s(„«“])\\p{L}{2,20}(?![^\\s.,:;!?)”»])/gu)) {
      range.setStart(text, word.index);
      range.setEnd(text, word.index + word[0].length);
      if (new Set([...range.getClientRects()].map(box => Math.round(box.top))).size > 1) found.add(word[0]);
    }
  }
  return [...found];
}"""
# Words that lie over other words. What stays on the screen while the page moves is meant to lie over it.
TEXTS_THAT_OVERLAP = """() => {
  const lines = [], found = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const floats = element => ['fixed', 'sticky'].includes(getComputedStyle(element).position);
  const unseen = element => getComputedStyle(element).clipPath !== 'none'
    || getComputedStyle(element).textOverflow === 'ellipsis';
  const within = (element, is) => element && (is(element) || within(element.parentElement, is));
  while (walker.nextNode()) {
    const text = walker.currentNode, parent = text.parentElement;
    if (!/\\p{L}{2}/u.test(text.data) || parent.closest('script, option, select')) continue;
    if (!parent.checkVisibility() || within(parent, floats) || within(parent, unseen)) continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    for (const box of range.getClientRects()) lines.push([box, text]);
  }
  lines.sort(([one], [other]) => one.top - other.top);
  lines.forEach(([box, text], number) => {
    for (let next = number + 1; next < lines.length && lines[next][0].top < box.bottom; next++) {
      const [over, other] = lines[next];
      const wide = Math.min(box.right, over.right) - Math.max(box.left, over.left);
      const high = Math.min(box.bottom, over.bottom) - Math.max(box.top, over.top);
      if (text !== other && wide > 3 && high > Math.min(box.height, over.height) / 2)
        found.add(`${text.data.trim().slice(0, 40)} | ${other.data.trim().slice(0, 40)}`);
    }
  });
  return [...found];
}"""
# Labels that stand as close below other words as a line of the same paragraph would, and boxes that touch.
THINGS_THAT_STICK = """() => {
  const seen = element => element.checkVisibility() && getComputedStyle(element).clipPath === 'none';
  const cross = (one, other) => Math.min(one.right, other.right) - Math.max(one.left, other.left) > 3;
  const lines = [], found = new Set(), range = document.createRange();
  const walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode, parent = text.parentElement;
    if (!text.data.trim() || parent.closest('svg, script, option, .errorlist') || !seen(parent)) continue;
    range.selectNodeContents(text);
    for (const box of range.getClientRects()) if (box.width > 1) lines.push([box, text]);
  }
  for (const label of document.querySelectorAll('main :is(label, legend)')) {
    if (!seen(label) || label.closest('.play, .card-choice')) continue;
    const own = lines.filter(([box, text]) => label.contains(text));
    if (!own.length) continue;
    const first = own.reduce((one, other) => one[0].top <= other[0].top ? one : other)[0];
    const sticks = box => cross(box, first) && box.bottom <= first.top + 3 && first.top - box.bottom < 7;
    for (const [box, text] of lines)
      if (!label.contains(text) && sticks(box))
        found.add(`${text.data.trim().slice(-30)} | ${label.innerText.trim().slice(0, 30)}`);
  }
  const small = '[type=checkbox], [type=radio], [type=hidden], .as-link, .play, .play *';
  const boxes = [...document.querySelectorAll('main :is(input, select, textarea, button, .button)')]
    .filter(box => seen(box) && !box.matches(small))
    .map(box => [box.getBoundingClientRect(), box]);
  for (const [upper, one] of boxes)
    for (const [lower, other] of boxes)
      if (one !== other && cross(upper, lower) && Math.abs(lower.top - upper.bottom) < 3)
        found.add(`${one.name || one.innerText} | ${other.name || other.innerText}`);
  return [...found];
}"""
# Where the reader's system sets the colours, a picture cut out of a ground may have the colour of the page.
UNSEEN_PICTURES = """() => {
  const paper = getComputedStyle(document.body).backgroundColor, unseen = new Set();
  for (const element of document.body.querySelectorAll('*'))
    for (const part of ['::before', '::after']) {
      const style = getComputedStyle(element, part);
      if (style.content !== 'none' && style.maskImage !== 'none' && style.backgroundColor === paper)
        unseen.add(element.className || element.tagName);
    }
  return [...unseen];
}"""
OUTLINE = {"h1": 1, "main#main": 1, "a.skip[href='#main']": 1}
# Of a game's log the newest chapter is enough: the others are made the same way.
UNFOLD = "document.querySelectorAll('details:not(.log *)').forEach(details => { details.open = true })"

# How many rules axe found something to hold against, and what breaks one of them gravely.
RUN_AXE = """options => axe.run({resultTypes: ['violations'], ...options}).then(({violations, passes}) => [
  violations.length + passes.length,
  violations.filter(({impact}) => impact == 'serious' || impact == 'critical')
    .map(({id, nodes}) => `${id}: ${nodes.slice(0, 3).map(node => node.html.slice(0, 160)).join(' ')}`),
])"""
# Of WCAG 2.0 to 2.2, A and AA, and the rules that are no more than good practice. The size of targets is new
# in 2.2, and not asked for by default.
ALL_RULES: dict[str, Any] = {"rules": {"target-size": {"enabled": True}}}
RULES_OF_COLOUR = {"runOnly": ["color-contrast", "link-in-text-block"]}  # all that a colour scheme changes
RULES_OF_PLACE = {"runOnly": [*RULES_OF_COLOUR["runOnly"], "target-size", "scrollable-region-focusable"]}


def take_pictures(page: Any, folder: Path, name: str) -> None:
    """Take the whole page on a phone, a tablet and a desktop, in light and dark."""
    folder.mkdir(parents=True, exist_ok=True)
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        for screen in (PHONE, TABLET, DESK):
            page.set_viewport_size(screen)
            page.screenshot(path=folder / f"{name}-{screen['width']}-{theme}.png", full_page=True)
    page.emulate_media(color_scheme="light")
    page.set_viewport_size(PHONE)


def faults_of(page: Any) -> list[str]:
    """Return what is wrong with the page on the screen, at rest and with everything unfolded."""
    page.emulate_media(reduced_motion="reduce")  # half faded in, all text is too pale
    page.evaluate(UNFOLD)
    page.evaluate(AXE_SCRIPT)
    found = _wrong_outline(page) + faults_heard(hear(page))
    found += _too_wide(page, PHONE) + _barriers(page, ALL_RULES, at_least=11) + things_that_stick(page)
    found += _barriers_in_the_dark(page)
    found += _too_wide(page, DESK) + _barriers(page, RULES_OF_PLACE, at_least=1) + things_that_stick(page)
    found += _barriers_in_the_dark(page)
    found += _lost_in_large_letters(page)
    found += _too_wide(page, NARROW) + [
        f"two overlap: {texts}" for texts in page.evaluate(TEXTS_THAT_OVERLAP)
    ]
    page.set_viewport_size(PHONE)
    found += _unseen_in_forced_colours(page) + _lost_when_spaced(page)
    return list(dict.fromkeys(found))


def faults_of_longer_words(page: Any) -> list[str]:
    """Return where a page in a longer language breaks on a phone, everything on it unfolded."""
    page.evaluate(UNFOLD)
    unfit = [text for text in page.evaluate(TEXT_THAT_DOES_NOT_FIT) if not text.isdigit()]
    found = _too_wide(page, PHONE) + [f"there is no room for: {text}" for text in unfit]
    return found + _overlaps(page)


def _overlaps(page: Any) -> list[str]:
    return [f"two overlap: {texts}" for texts in page.evaluate(TEXTS_THAT_OVERLAP)]


def broken_words(page: Any) -> list[str]:
    """Return the words that go on in the next line, on a desk and on a phone, everything unfolded."""
    page.evaluate(UNFOLD)
    found = []
    for screen in (DESK, PHONE):
        page.set_viewport_size(screen)
        found += [f"on {screen['width']}, a word is broken: {word}" for word in page.evaluate(BROKEN_WORDS)]
    return found


def things_that_stick(page: Any) -> list[str]:
    """Return which labels and boxes have no room above them, on the present screen, everything unfolded."""
    page.evaluate(UNFOLD)
    return [f"no room between: {things}" for things in page.evaluate(THINGS_THAT_STICK)]


def _unseen_in_forced_colours(page: Any) -> list[str]:
    page.emulate_media(forced_colors="active")
    unseen = page.evaluate(UNSEEN_PICTURES)
    page.emulate_media(forced_colors="none")
    return [f"in forced colours, nothing is seen of {picture}" for picture in unseen]


def _lost_when_spaced(page: Any) -> list[str]:
    page.evaluate(SPACE)
    found = [f"spaced out, {fault}" for fault in _too_wide(page, PHONE)]
    found += [f"spaced out, there is no room for: {text}" for text in page.evaluate(TEXT_THAT_DOES_NOT_FIT)]
    page.evaluate(CLOSE_UP)
    return found


def _lost_in_large_letters(page: Any) -> list[str]:
    """Return what is lost in letters twice as large, as people set them in their browser."""
    preferences, found = page.context.new_cdp_session(page), []
    preferences.send("Page.setFontSizes", {"fontSizes": {"standard": LARGE}})
    for screen in (DESK, PHONE):
        found += _too_wide(page, screen) + _overlaps(page)
    preferences.send("Page.setFontSizes", {"fontSizes": {"standard": USUAL}})
    preferences.detach()
    return [f"in large letters, {fault}" for fault in found]


def _barriers_in_the_dark(page: Any) -> list[str]:
    page.emulate_media(color_scheme="dark")
    found = _barriers(page, RULES_OF_COLOUR, at_least=1)
    page.emulate_media(color_scheme="light")
    return [f"in the dark, {barrier}" for barrier in found]


def _wrong_outline(page: Any) -> list[str]:
    """Check for one title that begins with the page's own words, one heading, and one skip link."""
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
