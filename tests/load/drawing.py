"""Draws docs/SIZES.md's table and chart from the figures in docs/figures/, one file for each release."""

from __future__ import annotations

import json
from html import escape
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent.parent.parent / "docs"
FIGURES, PAGE, CHART = DOCS / "figures", DOCS / "SIZES.md", DOCS / "figures" / "load.svg"
BEGIN, END = "<!-- figures: begin -->\n", "<!-- figures: end -->\n"
# Each part of the site's work, and the plain Django or Celery that took turns with it.
PAIRS = {"game page": "a page of its size", "move": "a row inserted", "email": "an email of its size"}
BAR, WIDTH, LEFT = 14, 640, 250  # pixels


def draw() -> None:
    """Write the chart, and the table into the page."""
    CHART.write_text(chart(), encoding="utf-8")
    before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
    PAGE.write_text(before + BEGIN + table() + END + rest.split(END)[1], encoding="utf-8")


def runs() -> list[dict[str, Any]]:
    """Return the figures of each release, oldest first."""
    files = [json.loads(path.read_text(encoding="utf-8")) for path in FIGURES.glob("*.json")]
    return sorted(files, key=lambda run: run["date"])


def table() -> str:
    """Return a Markdown table: quartiles of processor time, statements, and the ratio to the yardstick."""
    lines = [
        "| release | work | processor time, quartiles in ms | statements | times its yardstick |",
        "|---|---|---|---|---|",
    ]
    for run in runs():
        for name, yardstick in PAIRS.items():
            found, plain = run["work"][name], run["work"][yardstick]
            quartiles = ", ".join(f"{value:.1f}" for value in found["processor"])
            ratio = found["processor"][1] / plain["processor"][1]
            cells = (_named(run), name, quartiles, f"{found['statements']:.0f}", f"{ratio:.1f}")
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def chart() -> str:
    """Return an SVG with a bar for each median of processor time: the site's work and its yardsticks."""
    bars = [
        (f"{_named(run)}: {name}", run["work"][name]["processor"][1], name in PAIRS)
        for run in runs()
        for pair in PAIRS.items()
        for name in pair
    ]
    most = max(value for _name, value, _is_ours in bars)
    rows = "".join(_row(number, *bar, most) for number, bar in enumerate(bars))
    height = (BAR + 6) * len(bars) + 10
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" '
        f'font-size="11">\n<title>Median processor time in milliseconds</title>\n{rows}</svg>\n'
    )


def _row(number: int, name: str, value: float, is_ours: bool, most: float) -> str:
    top, length = 5 + number * (BAR + 6), (WIDTH - LEFT - 60) * value / most
    colour = "#8a2b1d" if is_ours else "#9a9a9a"
    return (
        f'<text x="{LEFT - 6}" y="{top + 11}" text-anchor="end">{escape(name)}</text>'
        f'<rect x="{LEFT}" y="{top}" width="{length:.1f}" height="{BAR}" fill="{colour}"/>'
        f'<text x="{LEFT + length + 5:.1f}" y="{top + 11}">{value:.1f} ms</text>\n'
    )


def _named(run: dict[str, Any]) -> str:
    return str(run["release"])
