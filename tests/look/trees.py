"""A page, an email or a file as lines that can be compared: its tree, without whitespace that no one sees.

A part of `python -m tests.look.compare`. Runs of whitespace are one space, as in browsers, and none at the
start and the end of a block. Attributes and classes have no order. What differs in every run is masked.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import NamedTuple


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


BLOCKS = _words(
    """html body head title main header footer nav section article aside div p h1 h2 h3 h4 h5 h6 hgroup ul ol
    li dl dt dd table caption colgroup col thead tbody tfoot tr td th form fieldset legend details summary
    figure figcaption blockquote address pre dialog search center optgroup option menu"""
)
ATOMS = _words("svg button select textarea img input iframe video audio canvas object meter progress picture")
UNSEEN = _words("script style template link meta base source datalist noscript wbr")
VOID = _words("area base br col embed hr img input link meta source track wbr")
ENDS_A_LINE = {"br", "hr"}
INSIDE_LINES_OF_SVG = {"tspan", "a"}
VERBATIM = {"pre", "textarea", "script"}
# Classes that style sheets show in another way: their children stand in one line, or keep their whitespace.
CHILDREN_IN_LINE = {"deadline", "hand-block", "players"}
VERBATIM_INSIDE = {"note"}
# What style sheets lay out as flex boxes: no whitespace shows next to their children, or inside at an edge.
BOXES = {"glimpse", "chairs"}
ITEMS_ARE_BOXES = {"table-list", "glimpse"}
LAID_OUT_ALONE = {"glimpse": "block", "button": "atom"}
MASKED_INPUTS = {"csrfmiddlewaretoken", "form_key"}
MASK = "(masked)"
WHITE = re.compile(r"[ \t\n\r\f]+")


class Line(NamedTuple):
    """One element or text, and where it is in the tree."""

    path: str
    depth: int
    text: str
    is_text: bool = False

    def __str__(self) -> str:
        return f"{'  ' * self.depth}{repr(self.text) if self.is_text else self.text}"


@dataclass
class Element:
    """An element of a page."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Element | str] = field(default_factory=list)
    is_item: bool = False  # of a list whose items are flex boxes

    @property
    def is_box(self) -> bool:
        return self.is_item or bool(self.classes & BOXES)

    @property
    def classes(self) -> set[str]:
        return set(self.attributes.get("class", "").split())

    @property
    def opening(self) -> str:
        """Return the tag with its attributes in the order of their names."""
        masked = self.tag == "input" and self.attributes.get("name") in MASKED_INPUTS
        shown = {
            name: MASK if name == "nonce" or (masked and name == "value") else value
            for name, value in self.attributes.items()
        }
        if "class" in shown:
            shown["class"] = " ".join(sorted(self.classes))
        return f"<{' '.join([self.tag, *(f'{name}={value!r}' for name, value in sorted(shown.items()))])}>"

    @property
    def step(self) -> str:
        """Return its name in a path."""
        if "id" in self.attributes:
            return f"{self.tag}#{self.attributes['id']}"
        return ".".join([self.tag, *sorted(self.classes)[:1]])


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.top = Element("document")
        self.open = [self.top]

    def handle_decl(self, decl: str) -> None:
        self.open[-1].children.append(Element(f"!{decl}"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_startendtag(tag, attrs)
        if tag not in VOID:
            made = self.open[-1].children[-1]
            assert isinstance(made, Element)
            self.open.append(made)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        parent = self.open[-1]
        attributes = {name: value or "" for name, value in attrs}
        parent.children.append(Element(tag, attributes, is_item=bool(parent.classes & ITEMS_ARE_BOXES)))

    def handle_endtag(self, tag: str) -> None:
        if tag in (element.tag for element in self.open):
            while self.open.pop().tag != tag:
                pass
        elif tag not in VOID:
            self.open[-1].children.append(Element(f"/{tag} that closes nothing"))

    def handle_data(self, data: str) -> None:
        children = self.open[-1].children
        if children and isinstance(children[-1], str):  # a comment stands between them
            children[-1] += data
        else:
            children.append(data)


class _Flow:
    """Text that goes on through inline elements: what decides whether a space is seen."""

    def __init__(self, lines: list[Line]) -> None:
        self.lines, self.after_space, self.last = lines, True, -1

    def add(self, text: str, path: str, depth: int) -> None:
        text = WHITE.sub(" ", text)
        text = text.removeprefix(" ") if self.after_space else text
        if text:
            self.lines.append(Line(path, depth, text, is_text=True))
            self.after_space, self.last = text.endswith(" "), len(self.lines) - 1

    def pass_an_atom(self) -> None:
        self.after_space, self.last = False, -1

    def end(self) -> None:
        """Drop the space at the end of the line."""
        if self.after_space and self.last >= 0:
            line = self.lines[self.last]
            self.lines[self.last] = line._replace(text=line.text.removesuffix(" "))
        self.after_space, self.last = True, -1


def lines_of(kind: str, head: str, body: str) -> list[Line]:
    """Return what was answered or sent as lines: a page as its tree, anything else as it is."""
    start = [Line("", 0, line) for line in head.splitlines()]
    if not kind.startswith("text/html"):
        return start + [Line(f"line {number}", 0, line) for number, line in enumerate(body.splitlines(), 1)]
    reader, lines = _Reader(), list[Line]()
    reader.feed(body)
    reader.close()
    flow = _Flow(lines)
    _walk(reader.top, "", 0, flow)
    flow.end()
    return start + [line for line in lines if line.text]


def _walk(
    parent: Element, path: str, depth: int, flow: _Flow, *, verbatim: bool = False, in_svg: bool = False
) -> None:
    """Add the lines of what is inside an element."""
    verbatim = verbatim or parent.tag in VERBATIM
    seen: dict[str, int] = {}
    for child in parent.children:
        if isinstance(child, str):
            if verbatim:
                flow.lines.append(Line(path, depth, child, is_text=True))
            else:
                flow.add(child, path, depth)
            continue
        seen[child.step] = seen.get(child.step, 0) + 1
        number = f"[{seen[child.step]}]" if seen[child.step] > 1 else ""
        below = f"{path} > {child.step}{number}" if path else f"{child.step}{number}"
        keeps = verbatim or (child.tag == "p" and bool(parent.classes & VERBATIM_INSIDE))
        _add(child, parent, below, depth, flow, verbatim=keeps, in_svg=in_svg)


def _add(
    child: Element, parent: Element, path: str, depth: int, flow: _Flow, *, verbatim: bool, in_svg: bool
) -> None:
    """Add the lines of an element."""
    how = _kind_of(child, parent, in_svg=in_svg)
    if how in ("block", "end"):
        flow.end()
    flow.lines.append(Line(path, depth, child.opening))
    inner = flow if how == "inline" else _Flow(flow.lines)
    _walk(child, path, depth + 1, inner, verbatim=verbatim, in_svg=in_svg or child.tag == "svg")
    if inner is not flow:
        inner.end()
    if how == "atom":
        flow.pass_an_atom()


def _kind_of(child: Element, parent: Element, *, in_svg: bool) -> str:
    """Return how an element stands in its line: block, inline, atom, end (of a line) or unseen."""
    if child.tag in ENDS_A_LINE:
        return "end"
    if child.tag in UNSEEN or (child.tag == "input" and child.attributes.get("type") == "hidden"):
        return "unseen"
    if parent.is_box:
        return "block"
    alone = [LAID_OUT_ALONE[name] for name in child.classes & LAID_OUT_ALONE.keys()]
    if alone or child.tag in ATOMS:
        return alone[0] if alone else "atom"
    if in_svg:
        return "inline" if child.tag in INSIDE_LINES_OF_SVG else "block"
    is_block = child.tag in BLOCKS or child.tag.startswith(("!", "/"))
    return "block" if is_block and not parent.classes & CHILDREN_IN_LINE else "inline"
