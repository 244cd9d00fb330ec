"""The mark of each seat: its letter, its shape and its colour, the same everywhere.

Colour alone never distinguishes two seats. Knows nothing of who sits there.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, pi, sin

Outline = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class SeatMark:
    """A seat's mark: `outline` fits a box of 2 by 2 around (0, 0), y down; colours are #rrggbb."""

    letter: str
    outline: Outline
    colour: str
    ink: str


def _polygon(corners: int, turn: float = 0.0, radius: float = 1.0) -> Outline:
    """Return a regular polygon whose first corner points upwards, turned by `turn` of a full circle."""
    angles = [2 * pi * (i / corners + turn) for i in range(corners)]
    return tuple((round(radius * sin(angle), 2), round(-radius * cos(angle), 2)) for angle in angles)


_SQUARE: Outline = ((-0.86, -0.86), (0.86, -0.86), (0.86, 0.86), (-0.86, 0.86))
_SHIELD: Outline = (
    (-0.86, -0.9), (0.86, -0.9), (0.86, 0.05), (0.74, 0.42), (0.5, 0.7), (0, 1),
    (-0.5, 0.7), (-0.74, 0.42), (-0.86, 0.05),
)  # fmt: skip
_BANNER: Outline = ((-0.84, -0.94), (0.84, -0.94), (0.84, 0.98), (0, 0.56), (-0.84, 0.98))

SEAT_MARKS: tuple[SeatMark, ...] = (
    SeatMark("A", _polygon(32, radius=0.98), "#1d4f91", "#ffffff"),
    SeatMark("B", _polygon(4, radius=1.12), "#eaa81c", "#2b211a"),
    SeatMark("C", _SQUARE, "#4caf78", "#2b211a"),
    SeatMark("D", _SHIELD, "#b5301c", "#ffffff"),
    SeatMark("E", _polygon(6, turn=1 / 12, radius=1.04), "#faf6ec", "#2b211a"),
    SeatMark("F", _BANNER, "#2a2522", "#ffffff"),
)
