"""The prose of this repository: its documents, and the docstrings and comments of its programs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAMS = ("games", "accounts", "condottiere_site", "templates", "tests")
DOCUMENTS = ("*.md", "docs/*.md", "games/rules/*.md", "tests/*.md", "tests/rules/*.md")

FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
FORMULA = re.compile(r"(?<=\n\n)(?: {4,}\S.*\n)+")  # indented lines after a paragraph
TABLE_RULE = re.compile(r"^[|\s:-]+$")
CODE, LINK = re.compile(r"`[^`]+`"), re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
BEGINS = re.compile(r"^\s*(?:[-*] |\d+\. |#+ |\| )")  # an item, a heading or a row: a text of its own
SENTENCE_ENDS = re.compile(r"(?<=[.!?])[)”\"’*_]*\s+(?=[“\"(*]*[A-ZА-Я0-9\0])")
DOCSTRING = re.compile(r'(?:\A|:[ \t]*(?:#.*)?\n)[ \t]*"""(\S.*?)"""', re.DOTALL)
COMMENT = re.compile(r"(?:^|  )[ \t]*(# .*(?:\n[ \t]*# .*)*)", re.MULTILINE)
SLASHES = re.compile(r"(?:^|\s)(// .*(?:\n[ \t]*// .*)*)", re.MULTILINE)
STARS = re.compile(r"/\*(.*?)\*/", re.DOTALL)
OF_A_TEMPLATE = re.compile(r"\{% comment %\}(.*?)\{% endcomment %\}", re.DOTALL)
MARGIN = re.compile(r"(?:^|\n)[ \t]*(?:(?:#|//|\*)[ \t]+)?")
WORD = re.compile(r"\S*[^\W_]\S*")


@dataclass(frozen=True)
class Text:
    """A piece of prose, and where it begins."""

    path: Path
    line: int
    words: str

    @property
    def place(self) -> str:
        """The file and line."""
        return f"{self.path.relative_to(ROOT).as_posix()}:{self.line}"

    @property
    def sentences(self) -> list[str]:
        """The sentences of this text; code in it is one word."""
        kept = iter(CODE.findall(self.words))
        found = SENTENCE_ENDS.split(CODE.sub("\0", self.words))
        return [re.sub("\0", lambda _: next(kept), sentence) for sentence in found]


def length(sentence: str) -> int:
    """Return how many words a sentence has; a piece of code or a formula counts as one."""
    return len(WORD.findall(CODE.sub("code", sentence)))


def documents() -> list[Path]:
    """Return every Markdown file."""
    return sorted(path for pattern in DOCUMENTS for path in ROOT.glob(pattern))


def prose_of(path: Path) -> list[Text]:
    """Return the paragraphs, items, headings and cells of a Markdown file, without its blocks of code."""
    text = path.read_text(encoding="utf-8")
    for block in (FENCE, FORMULA):
        text = block.sub(lambda found: re.sub(r"[^\n]", "", found[0]), text)
    found: list[Text] = []
    begins = True
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or TABLE_RULE.match(line):
            begins = True
        elif line.startswith("|"):
            found += [Text(path, number, _plain(cell)) for cell in line.strip("| ").split(" | ")]
            begins = True
        elif begins or BEGINS.match(line):
            found.append(Text(path, number, _plain(BEGINS.sub("", line, count=1))))
            begins = line.startswith("#")
        else:
            last = found.pop()
            found.append(Text(path, last.line, f"{last.words} {_plain(line)}"))
    return found


def _plain(line: str) -> str:
    return LINK.sub(r"\1", line).strip()


@cache
def remarks() -> tuple[Text, ...]:
    """Return the docstrings and comments of every program, style sheet and template."""
    kinds = {"py": (DOCSTRING, COMMENT), "js": (SLASHES, STARS), "css": (STARS,), "html": (OF_A_TEMPLATE,)}
    return tuple(
        text
        for kind, forms in kinds.items()
        for folder in PROGRAMS
        for path in sorted((ROOT / folder).rglob(f"*.{kind}"))
        for text in _remarks_in(path, forms)
    )


def _remarks_in(path: Path, forms: Iterable[re.Pattern[str]]) -> Iterator[Text]:
    """Yield them by their form, which ruff keeps: parsing a thousand files would take seconds."""
    program = path.read_text(encoding="utf-8")
    for found in (found for form in forms for found in form.finditer(program)):
        line = program.count("\n", 0, found.start(1)) + 1
        yield Text(path, line, MARGIN.sub(" ", found[1]).strip())
