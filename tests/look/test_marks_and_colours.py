"""Readable colours, and seats that differ in shape, in letter and for every kind of colour vision."""

import re
from itertools import combinations
from pathlib import Path

import pytest
from django.conf import settings

from games.map.board import SEAT_LETTERS
from tests.look.seat_marks import SEAT_MARKS

LOOK = Path(settings.BASE_DIR) / "condottiere_site" / "static" / "look"

# How colours look to eyes without one of the three cones (Machado and others 2009; in linear light).
EYES = {
    "all three": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "no long": (
        (0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998),
    ),
    "no middle": (
        (0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881),
    ),
    "no short": (
        (1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900),
    ),
}  # fmt: skip

TEXT_ON = [
    *(
        (text, paper)
        for paper in ("ground", "sheet", "sunk")
        for text in ("ink", "ink-soft", "ultramarine", "madder")
    ),
    *(("ink", f"{colour}-pale") for colour in ("madder", "ultramarine", "ochre", "verdigris")),
    *((f"{colour}", "sheet") for colour in ("ochre", "verdigris", "purple")),
    ("ochre", "ochre-pale"),
    ("on-colour", "button"),
    ("on-colour", "button-over"),
    ("on-colour", "danger"),
    ("on-colour", "danger-over"),
    ("map-ink", "halo"),
    ("map-ink", "land"),
    ("map-ink", "wash"),
    ("crown", "halo"),
]
LINES_ON = [
    ("edge", "sheet"),
    ("edge", "ground"),
    ("coast", "sea"),
    ("coast", "land"),
    ("border", "land"),
    ("border", "wash"),
    ("madder", "land"),
    ("ultramarine", "land"),
]


def tokens(scheme):
    """Return the custom properties of one colour scheme."""
    found = {}
    for name in ("site.css", "board.css", "table.css"):
        css = (LOOK / name).read_text()
        light, *dark = re.split(r"@media \(prefers-color-scheme: dark\)", css)
        for part in [light] + (dark[:1] if scheme == "dark" else []):
            found.update(re.findall(r"--([a-z0-9-]+): (#[0-9a-f]{3,6});", part))
    return found


def linear(colour):
    digits = colour[1:] if len(colour) == 7 else "".join(c * 2 for c in colour[1:])
    parts = [c / 255 for c in bytes.fromhex(digits)]
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]


def luminance(colour):
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear(colour), strict=True))


def contrast(one, other):
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def lab(colour, eye):
    r, g, b = (
        min(1, max(0, sum(m * c for m, c in zip(row, linear(colour), strict=True)))) for row in EYES[eye]
    )
    xyz = (
        (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505,
        0.2126 * r + 0.7152 * g + 0.0722 * b,
        (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089,
    )
    x, y, z = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in xyz)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("text", "paper"), TEXT_ON)
def test_text_is_readable_on_its_paper(scheme, text, paper):
    colours = tokens(scheme)
    assert contrast(colours[text], colours[paper]) >= 4.5


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("line", "paper"), LINES_ON)
def test_lines_that_mean_something_stand_out(scheme, line, paper):
    colours = tokens(scheme)
    assert contrast(colours[line], colours[paper]) >= 3


@pytest.mark.parametrize("eye", EYES)
def test_no_two_seats_look_alike_to_any_eye(eye):
    for one, other in combinations(SEAT_MARKS, 2):
        apart = (
            sum((a - b) ** 2 for a, b in zip(lab(one.colour, eye), lab(other.colour, eye), strict=True))
            ** 0.5
        )
        assert apart > 30, (one.letter, other.letter)


def test_seats_differ_in_email_and_shape_too():
    assert "".join(mark.letter for mark in SEAT_MARKS) == SEAT_LETTERS
    assert len(set(SEAT_LETTERS)) == len({mark.outline for mark in SEAT_MARKS}) == 6


def test_a_seat_has_the_same_colours_in_pages_and_emails():
    colours = tokens("light")
    for seat, mark in enumerate(SEAT_MARKS):
        ink = colours[f"seat-{seat}-ink"]
        assert colours[f"seat-{seat}"] == mark.colour
        assert linear(ink) == linear(mark.ink)
        assert contrast(mark.colour, mark.ink) >= 4.5
