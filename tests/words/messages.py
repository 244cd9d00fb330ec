"""All messages that the product marks for translation, as GNU gettext would find them."""

from __future__ import annotations

import ast
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from babel.messages.extract import extract
from django.utils.translation.template import templatize

ROOT = Path(__file__).resolve().parent.parent.parent
ROOMS = [ROOT / name for name in ("games", "accounts", "condottiere_site", "templates")]
_PLAIN, _PLURAL = {"": None}, {"n": (1, 2)}
_IN_CONTEXT, _PLURAL_IN_CONTEXT = {"p": ((1, "c"), 2)}, {"np": ((1, "c"), 2, 3)}
# Which arguments of a call are texts, and which is the context.
CALLS = {"_": None, "gettext_noop": None} | {
    f"{prefix}gettext{lazy}": arguments
    for prefix, arguments in (_PLAIN | _PLURAL | _IN_CONTEXT | _PLURAL_IN_CONTEXT).items()
    for lazy in ("", "_lazy")
}


@dataclass(frozen=True)
class Message:
    """One marked message; with a plural, it has two texts."""

    path: Path
    line: int
    texts: tuple[str, ...]
    context: str | None
    comments: tuple[str, ...]

    @property
    def place(self) -> str:
        """The file and line that mark it."""
        return f"{self.path.relative_to(ROOT).as_posix()}:{self.line}"


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
    for path in _files("*.py"):
        yield path, ast.parse(path.read_text(encoding="utf-8"))


@cache
def messages() -> tuple[Message, ...]:
    """Return every marked message of Python files and templates, by file and line."""
    return tuple(message for path in _files("*.py", "*.html", "*.txt") for message in _marked_in(path))


def _files(*kinds: str) -> list[Path]:
    found = (path for room in ROOMS for kind in kinds for path in room.rglob(kind))
    return sorted(path for path in found if "migrations" not in path.parts)


def _marked_in(path: Path) -> Iterator[Message]:
    program = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        # Calls and comments between rows of X; Python would mind their indentation.
        program = re.sub(r"^[ \t]+", "", templatize(program, origin=str(path)), flags=re.M)
    found = extract("python", io.BytesIO(program.encode()), CALLS, ["Translators:"], {"encoding": "utf-8"})
    for line, texts, comments, context in found:
        yield Message(path, line, (texts,) if isinstance(texts, str) else texts, context, tuple(comments))
