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
# What a placeholder stands for, where the message has no comment that says so.
MEANINGS = {
    **dict.fromkeys(("name", "host", "holder", "greeted"), "a player's name"),
    **dict.fromkeys(("address", "email", "from_email", "to_email", "deleted_email"), "an email address"),
    **dict.fromkeys(("at", "begun", "ends", "until", "when"), "a moment, such as Friday 6 March, 14:10"),
    **dict.fromkeys(
        re.findall(
            r"\w+",
            "all borders cards connected count days entry games kinds last level longest minutes more most n "
            "number over percent places players ply points regions round season size times total total_count",
        ),
        "a number",
    ),
    **dict.fromkeys(("amount", "left", "time"), "a length of time, such as 2 days"),
    "answer": "what another mail server said, in English",
    "browser": "the name of a browser",
    "card": "a card's name",
    "counts": "a list of numbers, such as 3 rounds and 12 battles",
    "date": "a day, such as 6 March",
    "division": "a division's letter",
    "divisions": "letters of divisions, such as A, B",
    "edition": "a year, 1995 or 2007",
    "ending": "a sentence that says how a game ended",
    "hour": "a time of day, such as 18:00",
    "invited": "a player's name or an email address",
    "invited_by": "a player's name",
    "key": "the name that someone gave a passkey",
    "league": "a league's name",
    "letter": "a division's letter",
    "list_name": "the name of a kind of emails, a game's or a league's",
    "names": "names of players, such as Anna and Bruno",
    "nonce": "a long number in hexadecimal digits",
    "operator": "an email address",
    "reason": "what an organiser wrote",
    "region": "a region of the map",
    "site_name": "the site's name",
    "step": "a sentence without its full stop",
    "system": "the name of an operating system",
    "table": "a table's name or number",
    "zone": "a time zone, named by its city",
}
PLACEHOLDER = re.compile(r"%\((\w+)\)([sd])")


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

    @property
    def placeholders(self) -> dict[str, str]:
        """What each placeholder stands for that no comment explains; empty where no one has said it."""
        told = " ".join(self.comments)
        text = self.texts[-1]
        found = {
            name: kind for name, kind in PLACEHOLDER.findall(text) if not re.search(rf"\b{name}\b", told)
        }
        return {name: self._meaning(name, kind) for name, kind in found.items()}

    def _meaning(self, name: str, kind: str) -> str:
        if f'href="%({name})s' in self.texts[-1] or name in ("site_url", "path"):
            return "part of a page's address"
        return "a number" if kind == "d" else MEANINGS.get(name, "")


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
