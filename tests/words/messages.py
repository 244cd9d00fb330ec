"""All messages that the product marks for translation, as makemessages finds them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from django.utils.translation.template import templatize

ROOT = Path(__file__).resolve().parent.parent.parent
ROOMS = [ROOT / name for name in ("games", "accounts", "condottiere_site", "templates")]
CALLS = {
    "_",
    "gettext",
    "gettext_lazy",
    "gettext_noop",
    "ngettext",
    "ngettext_lazy",
    "pgettext",
    "pgettext_lazy",
    "npgettext",
    "npgettext_lazy",
}
# What templatize leaves of a template: calls with literals, between rows of X.
_CALL = re.compile(
    r"\b(gettext|ngettext|pgettext|npgettext|_)\(((?:\s*u?(?:'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\")\s*,?)+)",
    re.S,
)


@dataclass(frozen=True)
class Message:
    """One text of a marked message; a message with a plural gives two."""

    path: Path
    text: str
    context: str | None

    def __str__(self) -> str:
        return f"{self.path.relative_to(ROOT)}: {self.text}"


def calls(tree: ast.AST) -> Iterator[ast.Call]:
    """Yield the calls that mark a text for translation."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            function = node.func
            name = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
            if name in CALLS:
                yield node


def programs() -> Iterator[tuple[Path, ast.Module]]:
    """Yield each Python file of the product with its syntax tree."""
    for path in sorted(path for room in ROOMS for path in room.rglob("*.py")):
        if "migrations" not in path.parts:
            yield path, ast.parse(path.read_text(encoding="utf-8"))


def messages() -> Iterator[Message]:
    """Yield every marked text of Python files and templates."""
    for path, tree in programs():
        for call in calls(tree):
            name = getattr(call.func, "id", None) or getattr(call.func, "attr", "")
            literals = [
                str(a.value) for a in call.args if isinstance(a, ast.Constant) and isinstance(a.value, str)
            ]
            yield from _texts(path, name, literals)
    for path in sorted(path for room in ROOMS for kind in ("*.html", "*.txt") for path in room.rglob(kind)):
        for name, arguments in _CALL.findall(templatize(path.read_text(encoding="utf-8"), origin=str(path))):
            literals = ast.literal_eval(f"[{arguments}]")
            yield from _texts(path, name, literals)


def _texts(path: Path, name: str, literals: list[str]) -> Iterator[Message]:
    with_context = name.lstrip("n").startswith("pgettext") or name.startswith("npgettext")
    context = literals[0] if with_context else None
    for text in literals[1:] if with_context else literals:
        yield Message(path, text, context)
