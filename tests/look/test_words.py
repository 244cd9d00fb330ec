"""Words of pages and emails: neither the chat nor the map is a board."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
ROOMS = [ROOT / name for name in ("games", "accounts", "condottiere_site", "templates")]
# What a template says beside its tags; a translated text in a tag is quoted there.
IN_A_TAG = re.compile(
    r"\{%\s*translate\s+\"([^\"]*)\"|\{%\s*blocktranslate.*?%\}(.*?)\{%\s*endblocktranslate", re.S
)
CALLS = {"_", "gettext", "ngettext", "gettext_lazy", "ngettext_lazy", "pgettext_lazy", "gettext_noop"}
PLACES = re.compile(r"%\(\w+\)s|\{\{.*?\}\}|\{%.*?%\}")  # that are filled with something else
WRONG = re.compile(r"\bboards?\b(?! games?\b)", re.I)

pytestmark = pytest.mark.once


def _in_programs() -> Iterator[tuple[Path, str]]:
    for path in (path for room in ROOMS for path in room.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in CALLS:
                yield from ((path, str(a.value)) for a in node.args if isinstance(a, ast.Constant))


def _in_templates() -> Iterator[tuple[Path, str]]:
    for path in (path for room in ROOMS for kind in ("*.html", "*.txt") for path in room.rglob(kind)):
        for said in IN_A_TAG.finditer(path.read_text()):
            yield path, said[1] or said[2]


@pytest.mark.long
def test_a_text_calls_neither_the_chat_nor_the_map_a_board() -> None:
    said = [*_in_programs(), *_in_templates()]
    assert len(said) > 1000
    wrong = [(path.name, text) for path, text in said if WRONG.search(PLACES.sub("", text))]
    assert wrong == []
