"""Text of strangers is read in a time that grows with its length."""

import ast
import unicodedata
from pathlib import Path

import pytest

from accounts.normal_forms import MOST_MARKS, normalized
from tests.work import calls_of

ROOT = Path(__file__).resolve().parents[2]
SORTS_MARKS = ROOT / "accounts" / "normal_forms.py"


def test_only_one_module_makes_normal_forms() -> None:
    """Elsewhere, many marks on one letter would take the square of their number."""
    wrong = []
    for app in ("accounts", "games", "condottiere_site"):
        for path in (ROOT / app).rglob("*.py"):
            names = {
                node.attr for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Attribute)
            }
            wrong += [str(path.relative_to(ROOT))] if "normalize" in names and path != SORTS_MARKS else []
    assert wrong == []


@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
def test_a_normal_form_is_unicodes_but_for_endless_marks(form: str) -> None:
    for text in (
        "Anna",
        "Zoë",
        "Ωμέγα",
        "e\u0301\u0316",
        "\ufdfa",
        "한글",
        "a" + "\u0315\u0316" * (MOST_MARKS // 2),
    ):
        assert normalized(form, text) == unicodedata.normalize(form, text)  # type: ignore[arg-type]
    endless = "a" + "\u0315\u0316" * 1000
    assert len(normalized("NFD", endless)) == 1 + MOST_MARKS


def test_the_cost_of_marks_grows_with_their_number() -> None:
    few, many = "a" + "\u0315\u0316" * 1000, "a" + "\u0315\u0316" * 5000
    assert calls_of(lambda: normalized("NFC", many)) <= 5 * calls_of(lambda: normalized("NFC", few)) + 10
