"""A person with a keyboard alone: they tab to what they want by its role and name, and see where they are.

Fails if what they want cannot be reached, is too far, or if they cannot see where they are on the way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

MOST = 400  # controls on a page; more Tabs than that mean that one cannot get out of something

# What a focused element looks like, and what stands for it: its label, and what is inside it.
SIGHT = """() => {
  const focused = document.activeElement;
  if (!focused || focused === document.body || focused === document.documentElement) return null;
  const parts = [focused, ...focused.querySelectorAll('*'),
    ...[...(focused.labels ?? [])].flatMap(label => [label, ...label.querySelectorAll('*')])];
  const look = () => JSON.stringify(parts.flatMap(part => ['', '::before', '::after'].map(pseudo => {
    const style = getComputedStyle(part, pseudo);
    const outline = style.outlineStyle === 'none' ? '' : `${style.outlineWidth} ${style.outlineColor}`;
    return [outline, style.boxShadow, style.stroke, style.strokeWidth];
  })));
  const boxes = [...focused.getClientRects()].filter(({width, height}) => width > 1 && height > 1)
    .map(({left, top, right, bottom}) =>
      [Math.max(left, 0), Math.max(top, 0), Math.min(right, innerWidth), Math.min(bottom, innerHeight)])
    .filter(([left, top, right, bottom]) => right > left && bottom > top);
  const isCovered = !(focused instanceof SVGElement) && !boxes.some(([left, top, right, bottom]) => {
    const on = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    return on && (parts.includes(on) || on.contains(focused));
  });
  const focusedLook = look();
  focused.blur();
  const plain = look();
  focused.focus({preventScroll: true});
  return {isShown: focusedLook !== plain, isOnScreen: boxes.length > 0, isCovered};
}"""


@dataclass(frozen=True)
class Focus:
    """What has the focus, as an assistive program says it, without a label's colon."""

    role: str
    name: str


class Keyboard:
    """The keyboard of one page. `presses` counts all keys."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.presses = 0
        self._devtools = page.context.new_cdp_session(page)

    def press(self, key: str) -> None:
        self.page.keyboard.press(key)
        self.presses += 1

    def open(self, key: str = "Enter") -> None:
        """Press a key that leads to another page."""
        with self.page.expect_navigation():
            self.press(key)

    def to(self, role: str, name: str | Callable[[str], bool], at_most: int = 60, key: str = "Tab") -> str:
        """Tab until the element with this role and name has the focus; return its whole name."""
        passed: list[Focus] = []
        rounds = 0
        while rounds < 2:
            self.press(key)
            focus = self.focus()
            if focus is None:
                rounds += 1
                continue
            passed.append(focus)
            assert len(passed) < MOST, f"no way out of {passed[-3:]}"
            if focus.role == role and (name(focus.name) if callable(name) else focus.name == name):
                assert len(passed) <= at_most, f"{focus} is {len(passed)} presses away, past {passed[:-1]}"
                return focus.name
        raise AssertionError(f"a full round does not reach {role} {name!r}: {passed}")

    def round(self) -> list[Focus]:
        """Return everything the keyboard reaches, from start to end; each must show its focus."""
        reached: list[Focus] = []
        while True:
            self.press("Tab")
            focus = self.focus()
            if focus is None:
                return reached
            reached.append(focus)
            assert len(reached) < MOST, f"no way out of {reached[-3:]}"

    def skip(self) -> None:
        """Skip the navigation, by the page's first link; a page that opens at its decision has done it."""
        if self.page.url.endswith("#ask") and self.page.evaluate("document.activeElement === document.body"):
            return
        self.to("link", "Skip to the content", at_most=1)
        self.press("Enter")
        assert self.page.evaluate("document.activeElement.matches('main')")

    def focus(self) -> Focus | None:
        """Return the focused element, which must be visible; None at the end of the page."""
        sight = self.page.evaluate(SIGHT)
        if sight is None:
            return None
        where = self._named()
        assert sight["isShown"], f"{where} does not show that it has the focus on {self.page.url}"
        assert sight["isOnScreen"], f"{where} is out of sight on {self.page.url}"
        assert not sight["isCovered"], f"{where} is covered on {self.page.url}"
        return where

    def _named(self) -> Focus:
        element = self._devtools.send("Runtime.evaluate", {"expression": "document.activeElement"})
        known = {"objectId": element["result"]["objectId"], "fetchRelatives": False}
        node = self._devtools.send("Accessibility.getPartialAXTree", known)["nodes"][0]
        return Focus(node["role"]["value"], node.get("name", {}).get("value", "").rstrip(":"))
