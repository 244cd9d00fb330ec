"""What an assistive program calls the links, buttons and folds of a page, and what each of them does.

A name is followed by what describes the control, as it's read out. Reads HTML alone, without a browser.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import urljoin

NEVER_CLOSED = {"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}
UNSPOKEN = {"script", "style", "template"}


@dataclass(eq=False)
class Element:
    """An element of a page."""

    tag: str
    about: dict[str, str] = field(default_factory=dict)
    parent: Element | None = None
    inside: list[Element | str] = field(default_factory=list)

    def all(self) -> Iterator[Element]:
        yield self
        for one in self.inside:
            if isinstance(one, Element):
                yield from one.all()

    def around(self, tag: str) -> Element | None:
        """Return the nearest element with this tag, or None."""
        return self if self.tag == tag or self.parent is None else self.parent.around(tag)

    @property
    def words(self) -> str:
        if self.about.get("aria-hidden") == "true" or self.tag in UNSPOKEN:
            return ""
        if label := self.about.get("aria-label") or self.about.get("alt"):
            return label
        return "".join(one if isinstance(one, str) else f" {one.words} " for one in self.inside)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.root = self.current = Element("")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs}, self.current)
        self.current.inside.append(element)
        if tag not in NEVER_CLOSED:
            self.current = element

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.current.inside.append(Element(tag, {name: value or "" for name, value in attrs}, self.current))

    def handle_endtag(self, tag: str) -> None:
        closed = self.current.around(tag)
        if closed is not None and closed.parent is not None:
            self.current = closed.parent

    def handle_data(self, data: str) -> None:
        self.current.inside.append(data)


def equal_names(html: str, url: str) -> dict[tuple[str, str], set[object]]:
    """Return which kinds of controls have one name for different things, and what they do."""
    reader = _Reader()
    reader.feed(html)
    elements = list(reader.root.all())
    by_id = {element.about["id"]: element for element in elements if "id" in element.about}
    found: dict[tuple[str, str], set[object]] = {}
    for element in elements:
        if does := _does(element, by_id, url):
            found.setdefault((element.tag, _name(element, by_id)), set()).add(does)
    return {named: does for named, does in found.items() if len(does) > 1}


def _does(element: Element, by_id: dict[str, Element], url: str) -> tuple[object, ...]:
    """Return what the control does; nothing if the element is none."""
    about = element.about
    if element.tag == "a" and "href" in about:
        return (urljoin(url, about["href"]),)
    if element.tag == "summary":
        return (id(element),)  # each opens something else
    form = by_id[about["form"]] if "form" in about else element.around("form")
    if element.tag != "button" or form is None or about.get("type", "submit") != "submit":
        return ()
    sent = [one.about for one in form.all() if one.about.get("type") == "hidden"]
    hidden = sorted((one["name"], one.get("value", "")) for one in sent)
    action = urljoin(url, about.get("formaction") or form.about.get("action") or url)
    return (action, about.get("name"), about.get("value"), *(one for one in hidden if "csrf" not in one[0]))


def _name(element: Element, by_id: dict[str, Element]) -> str:
    words = [element.words]
    words += [by_id[one].words for one in element.about.get("aria-describedby", "").split()]
    return " ".join(" ".join(words).split())
