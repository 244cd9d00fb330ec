"""A person who hears a page: what its accessibility tree says, and nothing else.

No class, no id, no text that is not in the tree. What is folded is not heard until it is unfolded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

SILENT = {"InlineTextBox", "ListMarker"}  # the emails of a text once more, and the dots of lists
CONTROLS = {"button", "link", "textbox", "combobox", "checkbox", "radio", "DisclosureTriangle"}
LANDMARKS = {"banner", "main", "contentinfo", "navigation", "region", "search", "complementary"}
ONLY_ONE = {"banner", "main", "contentinfo"}  # that need no name
SAYS_ITS_NAME = {"button", "link", "heading", "option", "DisclosureTriangle"}


@dataclass
class Node:
    """A node of the accessibility tree: its role, its name and its children."""

    role: str
    name: str
    description: str = ""
    level: int = 0
    is_polite: bool = False
    children: list[Node] = field(default_factory=list)

    def __iter__(self) -> Iterator[Node]:
        """Yield the node and everything in it, in reading order."""
        yield self
        for child in self.children:
            yield from child

    def all(self, role: str) -> list[Node]:
        return [node for node in self if node.role == role]

    def one(self, role: str, name: str = "") -> Node:
        """Return the one node of this role whose name begins this way."""
        found = [node for node in self.all(role) if node.name.startswith(name)]
        assert len(found) == 1, f"{len(found)} of {role} {name!r}"
        return found[0]

    def has(self, role: str, name: str = "") -> bool:
        return any(node.name.startswith(name) for node in self.all(role))

    @property
    def texts(self) -> list[str]:
        """Yield the words heard in it: a control says its name, not its text."""
        if self.role == "StaticText":
            return [self.name.strip()] if self.name.strip() else []
        if self.role in SAYS_ITS_NAME and self.name:
            return [self.name]
        return [text for child in self.children for text in child.texts]


def hear(page: Any) -> Node:
    """The whole page."""
    devtools = page.context.new_cdp_session(page)
    nodes = {node["nodeId"]: node for node in devtools.send("Accessibility.getFullAXTree")["nodes"]}
    devtools.detach()
    root = next(node for node in nodes.values() if "parentId" not in node)
    (heard,) = _heard(root, nodes)
    return heard


def _heard(node: dict[str, Any], nodes: dict[str, dict[str, Any]]) -> list[Node]:
    """Return the node with its children; an ignored node is replaced by its children."""
    inside = [
        each for child in node.get("childIds", ()) if child in nodes for each in _heard(nodes[child], nodes)
    ]
    role = _value(node, "role")
    if node["ignored"] or role in SILENT:
        return inside if role not in SILENT else []
    more = {each["name"]: each["value"].get("value") for each in node.get("properties", ())}
    heard = Node(role, _value(node, "name").rstrip(":"), _value(node, "description"), more.get("level", 0))
    heard.is_polite = more.get("live") == "polite"
    heard.children = inside
    return [heard]


def _value(node: dict[str, Any], key: str) -> str:
    return str(node.get(key, {}).get("value", ""))


def faults_heard(page: Node) -> list[str]:
    """Return what is wrong with a page for people who navigate by headings, landmarks and names."""
    return [*_heading_faults(page), *_landmark_faults(page), *_nameless(page), *_said_twice(page)]


def _heading_faults(page: Node) -> Iterator[str]:
    levels = [node.level for node in page.all("heading")]
    if levels.count(1) != 1:
        yield f"{levels.count(1)} headings of level 1"
    for before, after in pairwise([0, *levels]):
        if after > before + 1:
            yield f"a heading of level {after} after one of level {before}"


def _landmark_faults(page: Node) -> Iterator[str]:
    found = Counter((node.role, node.name) for node in page if node.role in LANDMARKS)
    for (role, name), times in found.items():
        if times > 1:
            yield f"{times} of {role} {name!r}"
        if not name and role not in ONLY_ONE:
            yield f"{role} without a name"


def _nameless(page: Node) -> Iterator[str]:
    yield from (f"{node.role} without a name" for node in page if node.role in CONTROLS and not node.name)


def _said_twice(page: Node) -> Iterator[str]:
    """A word that follows itself: a mark that is also written, a picture named as its caption. Cells are
    left out: a line may have two cards alike; and items with a heading, which hold parts of a page."""
    for row in (node for node in page if node.role in ("listitem", "rowheader", "heading")):
        if row.role == "listitem" and row.has("heading"):
            continue
        texts = [text for child in row.children for text in child.texts]
        for before, after in pairwise(texts):
            if before == after:
                yield f"{before!r} twice in {row.role} {row.name!r}"
