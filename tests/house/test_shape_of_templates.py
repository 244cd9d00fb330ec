"""Templates that a designer can change: short lines, short loops, short conditions. CONTRIBUTING says how."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
ROOMS = ("games", "accounts", "condottiere_site", "templates", "tests")
TEMPLATES = sorted(
    path for room in ROOMS for path in (ROOT / room).rglob("*.html") if "templates" in path.parts
)
MOST_CHARACTERS, MOST_LINES_OF_A_LOOP, MOST_TERMS = 120, 10, 2
TAG = re.compile(r"\{% *(\w+)(.*?)%\}")
INCLUDED = re.compile(r'\{% include "([^"]+)"')
ALONE = re.compile(r'\{% include "([^"]+)"([^%]*) only %\}')


def test_lines_of_templates_are_short() -> None:
    assert len(TEMPLATES) > 100
    assert [
        f"{place}: {len(line)} characters" for place, line in _lines() if len(line) > MOST_CHARACTERS
    ] == []


def test_the_body_of_a_loop_is_short_or_a_fragment() -> None:
    assert [
        f"{path.relative_to(ROOT)}:{number}: {length} lines"
        for path in TEMPLATES
        for number, length in _loops(path)
        if length > MOST_LINES_OF_A_LOOP
    ] == []


def test_conditions_are_short_or_properties() -> None:
    assert [
        f"{place}: {condition}"
        for place, line in _lines()
        for tag, condition in TAG.findall(line)
        if tag in ("if", "elif") and _terms_of(condition) > MOST_TERMS
    ] == []


def _lines() -> Iterator[tuple[str, str]]:
    for path in TEMPLATES:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            yield f"{path.relative_to(ROOT)}:{number}", line


def _loops(path: Path) -> Iterator[tuple[int, int]]:
    """Yield the line that each loop begins on, and how many lines its body has."""
    begun = list[int]()
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        for tag, _rest in TAG.findall(line):
            if tag == "for":
                begun.append(number)
            elif tag == "endfor":
                first = begun.pop()
                yield first, max(0, number - first - 1)


def _terms_of(condition: str) -> int:
    return 1 + len(re.findall(r"\b(?:and|or)\b", re.sub(r'"[^"]*"', "", condition)))


def test_forms_in_fragments_get_their_token() -> None:
    """A fragment included with `only` sees nothing else, and a form without the token is refused."""
    forms = _with_forms()
    assert "games/_parts/advice.html" in forms
    assert [
        place
        for place, line in _lines()
        for name, rest in ALONE.findall(line)
        if name in forms and "csrf_token=csrf_token" not in rest
    ] == []


def _with_forms() -> set[str]:
    """Return the names of templates that need the token, themselves or for what they include."""
    texts = {
        path.as_posix().split("/templates/", 1)[1]: path.read_text(encoding="utf-8") for path in TEMPLATES
    }
    found = {name for name, text in texts.items() if "{% csrf_token %}" in text}
    while more := {
        name for name, text in texts.items() if name not in found and found & set(INCLUDED.findall(text))
    }:
        found |= more
    return found
