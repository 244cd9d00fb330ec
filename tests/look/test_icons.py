"""The icons in the site's folders are what tests/look/icons.py draws, and what the manifest says they are."""

from __future__ import annotations

import pytest
from PIL import Image, ImageChops

from condottiere_site.installing import DARK, ICONS, LIGHT
from tests.look.icons import FAVICON, FAVICON_SIZES, GROUND, PNG_FILES, SITE, drawn

pytestmark = pytest.mark.once

HOW = "python -m tests.look.icons"
FAINT = 8  # of 255: another release of the drawing library may round a pixel otherwise


def differs(kept: Image.Image, made: Image.Image) -> bool:
    far = ImageChops.difference(kept.convert("RGBA"), made.convert("RGBA")).getextrema()
    return kept.size != made.size or max(most for _least, most in far) > FAINT


def test_each_icon_is_the_emblem_as_it_is_now() -> None:
    for name, size, width, ground in PNG_FILES:
        assert not differs(Image.open(SITE / name), drawn(size, width, ground)), f"{name}: {HOW}"
    favicon = Image.open(SITE / FAVICON)
    assert favicon.info["sizes"] == {(size, size) for size in FAVICON_SIZES}
    for size in FAVICON_SIZES:
        favicon.size = (size, size)
        assert not differs(favicon, drawn(size)), HOW


def test_another_emblem_would_be_noticed() -> None:
    assert differs(Image.open(SITE / PNG_FILES[0][0]), drawn(96, 34))


def test_an_icon_that_phones_may_cut_shows_its_emblem_within_the_circle_they_all_show() -> None:
    (name,) = [f"static/look/icons/{name}.png" for name, purpose in ICONS if purpose == "maskable"]
    picture = Image.open(SITE / name).convert("RGB")
    ground = Image.new("RGB", picture.size, GROUND)
    middle, safe = picture.width / 2, picture.width * 0.4
    seen = ImageChops.difference(picture, ground).convert("L").point(lambda value: 255 * (value > FAINT))
    outside = [
        (x, y)
        for x in range(picture.width)
        for y in range(picture.height)
        if seen.getpixel((x, y)) and (x - middle) ** 2 + (y - middle) ** 2 > safe**2
    ]
    assert outside == []
    assert seen.getbbox() is not None


def test_the_colours_are_those_of_the_pages() -> None:
    sheet = (SITE / "static/look/site.css").read_text(encoding="utf-8")
    links = (SITE.parent / "templates/_parts/icon_links.html").read_text(encoding="utf-8")
    light, dark = sheet.split("@media (prefers-color-scheme: dark)")[:2]
    for css, colours in ((light, LIGHT), (dark, DARK)):
        assert f"--sheet: {colours['theme_color']};" in css
        assert f"--ground: {colours['background_color']};" in css
        assert colours["theme_color"] in links
    assert f"--ground: {GROUND};" in light
