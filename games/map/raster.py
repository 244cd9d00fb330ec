"""Draw the board as a PNG for emails, because mail programs do not show SVG.

The picture is the page's own drawing in light colours: the marks of svg.py, the shapes of look/map.svg, the
rules of look/board.css. resvg knows neither custom properties nor layers, so they are resolved here.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache, lru_cache
from io import BytesIO
from pathlib import Path

import resvg_py
from django.contrib.staticfiles import finders
from PIL import Image

from games.map.board import BoardView
from games.map.svg import draw

WIDTH = 552  # an email's column
COLOURS = 64
"""Enough that no eye sees a difference; the file is a fifth of what resvg makes."""
FONT = "EB Garamond"
FONT_FILE = "look/fonts/eb-garamond-600.ttf"
LARGER = """
.board .names { font-size: 56px; stroke-width: 11; }
.board .mark > *, .board .token > *, .board .prize > * { transform: scale(1.15); }
"""
"""Phones show the picture of an email smaller than it is."""


def png(view: BoardView) -> bytes:
    """Return the board with the marks of one game as the bytes of a PNG file."""
    # Nothing that is not drawn: names may hold characters that XML forbids.
    return _rendered(draw(replace(view, names=(), links={}, selected=None), sheet=""))


@lru_cache(maxsize=16)  # everyone at a table gets the same picture
def _rendered(drawing: str) -> bytes:
    root, _, marks = drawing.partition(">")
    picture = resvg_py.svg_to_bytes(
        svg_string=f'{root} xmlns="http://www.w3.org/2000/svg">{_shapes()}{marks}',
        width=WIDTH,
        skip_system_fonts=True,  # the same picture on every machine
        font_files=[str(_path(FONT_FILE))],
        serif_family=FONT,
        sans_serif_family=FONT,
    )
    out = BytesIO()
    few = Image.open(BytesIO(picture)).convert("RGB").quantize(COLOURS, Image.Quantize.FASTOCTREE)
    few.save(out, "PNG", optimize=True)
    return out.getvalue()


@cache
def _shapes() -> str:
    """Return what no game changes: the style sheet and the shapes, without custom properties."""
    rules = [*_rules("look/site.css"), *_rules("look/board.css")]
    values = "".join(body for selector, body in rules if selector in (":root", ".board"))
    properties = dict(re.findall(r"--([\w-]+):\s*([^;]+);", values))
    style = "".join(f"{selector} {{{body}}}" for selector, body in rules if selector.startswith(".board"))
    text = f"<style>{style}{LARGER}</style><defs>{_path('look/map.svg').read_text(encoding='utf-8')}</defs>"
    text = re.sub(r"var\(--([\w-]+)\)", lambda found: properties.get(found[1], found[0]), text)
    return re.sub(r"color-mix\(in srgb, (#\w+) (\d+)%, (#\w+)\)", _mixed, text)


def _rules(name: str) -> list[tuple[str, str]]:
    """Return the selectors and declarations of a style sheet, except for dark, narrow and printed pages."""
    css = re.sub(r"/\*.*?\*/", "", _path(name).read_text(encoding="utf-8"), flags=re.DOTALL)
    css = re.sub(r"@(?:media|container)[^{]*\{(?:[^{}]|\{[^{}]*\})*\}", "", css)
    return [(selector.strip(), body) for selector, body in re.findall(r"([^{};]+)\{([^{}]*)\}", css)]


def _mixed(found: re.Match[str]) -> str:
    """Return the colour that `color-mix` would make."""
    share = int(found[2]) / 100
    pairs = zip(_channels(found[1]), _channels(found[3]), strict=True)
    return "#" + bytes(round(one * share + other * (1 - share)) for one, other in pairs).hex()


def _channels(colour: str) -> bytes:
    digits = colour.removeprefix("#")
    return bytes.fromhex(digits if len(digits) == 6 else "".join(digit * 2 for digit in digits))


def _path(name: str) -> Path:
    path = finders.find(name)
    assert path, f"static file {name} is missing"
    return Path(path)
