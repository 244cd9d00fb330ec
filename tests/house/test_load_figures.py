"""The table and the chart of docs/SIZES.md are those that the figures in docs/figures give."""

import json

import pytest

from tests.load import drawing

pytestmark = pytest.mark.once


def test_the_page_of_sizes_shows_the_figures() -> None:
    page = drawing.PAGE.read_text(encoding="utf-8")
    shown = page.split(drawing.BEGIN)[1].split(drawing.END)[0]
    assert shown == drawing.table(), "run: python -m tests.load --draw"
    assert drawing.CHART.read_text(encoding="utf-8") == drawing.chart(), "run: python -m tests.load --draw"


def test_each_file_of_figures_says_when_and_on_what_machine() -> None:
    assert drawing.runs()
    for path in drawing.FIGURES.glob("*.json"):
        run = json.loads(path.read_text(encoding="utf-8"))
        assert {"release", "date", "machine", "site", "work"} <= run.keys(), path.name
        assert {"cores", "kind", "python"} <= run["machine"].keys(), path.name
