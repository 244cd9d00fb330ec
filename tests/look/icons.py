"""The icons of an installed site, drawn from the site's emblem, look/favicon.svg.

`python -m tests.look.icons` writes them. A maskable icon keeps the emblem within the circle that every phone
shows. Phones by Apple show no transparency, so the touch icon has a ground too.
"""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import resvg_py
from PIL import Image

SITE = Path(__file__).resolve().parents[2] / "condottiere_site"
GROUND = "#f5eddb"  # --ground of look/site.css
MIDDLE = (16, 16.5)  # of the emblem, on its field of 32 by 32
WHOLE, TOUCH, SAFE = 32, 40, 49  # how wide the drawing is, in units of that field
PNG_FILES = (
    ("static/look/icons/icon-96.png", 96, WHOLE, ""),
    ("static/look/icons/icon-192.png", 192, WHOLE, ""),
    ("static/look/icons/icon-512.png", 512, WHOLE, ""),
    ("static/look/icons/maskable-512.png", 512, SAFE, GROUND),
    ("root_files/apple-touch-icon.png", 180, TOUCH, GROUND),
)
FAVICON = "root_files/favicon.ico"
FAVICON_SIZES = (16, 32, 48)


def drawn(size: int, width: float = WHOLE, ground: str = "") -> Image.Image:
    """Return the emblem as a picture this many pixels wide, on a ground or on none."""
    left, top = (middle - width / 2 for middle in MIDDLE)
    emblem = (SITE / "static/look/favicon.svg").read_text(encoding="utf-8")
    inner = emblem.partition(">")[2].removesuffix("\n").removesuffix("</svg>")
    field = f'<path d="M{left} {top}h{width}v{width}h-{width}z" fill="{ground}"/>' if ground else ""
    drawing = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left} {top} {width} {width}">'
    picture = resvg_py.svg_to_bytes(svg_string=f"{drawing}{field}{inner}</svg>", width=size, height=size)
    return Image.open(BytesIO(picture)).convert("RGB" if ground else "RGBA")


def write() -> None:
    """Write every icon into the site's folders."""
    for name, size, width, ground in PNG_FILES:
        drawn(size, width, ground).save(SITE / name, "PNG", optimize=True)
    largest, *others = [drawn(size) for size in reversed(FAVICON_SIZES)]
    sizes = [(size, size) for size in FAVICON_SIZES]
    largest.save(SITE / FAVICON, "ICO", sizes=sizes, append_images=others)


if __name__ == "__main__":
    write()
