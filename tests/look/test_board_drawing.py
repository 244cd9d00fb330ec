"""The drawn map, as a browser or a mail program gets it."""

import json
import re
from dataclasses import replace
from gzip import compress
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree

import pytest
from django.contrib.staticfiles import finders
from django.template import Context, Template
from PIL import Image

from games.map.board import BoardView, region_words
from games.map.places import GRID, PRIZE_PLACES, TOKEN
from games.map.raster import _rendered, png
from games.map.svg import draw
from games.rules import BORDERS, REGIONS, region_name
from tests.look.map_geometry import map_geometry, thinned
from tests.look.map_sheet import sheet
from tests.look.map_terrain import hills
from tests.look.seat_marks import SEAT_MARKS

SVG = "{http://www.w3.org/2000/svg}"
NAMES = ("Anna", "Bruno", "Carla", "Dario", "Elena", "Fabio")
SIX_SEATS = BoardView(
    control={"torino": 0, "genova": 1, "venezia": 2, "ferrara": 3, "roma": 4, "napoli": 5, "ancona": 0},
    battle="siena",
    pope="bologna",
    names=NAMES,
)


@pytest.fixture(autouse=True)
def _maps_are_drawn(monkeypatch):
    monkeypatch.setattr("games.map.raster._rendered", _rendered)


def drawn(view, **more):
    text = draw(view, **more)
    return ElementTree.fromstring(text.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1))


def parts():
    """Return the parts of map.svg that pages use, by name."""
    return {element.get("id"): element for element in ElementTree.fromstring(sheet()) if element.get("id")}


def used(element):
    """Yield the names of the parts that an element of a drawing uses, its own first."""
    return [use.get("href").rpartition("#")[2] for use in element.iter(f"{SVG}use")]


def points(path):
    """Return the corners of relative path data, one list for each subpath, in the geometry's units."""
    lines = []
    for part in re.findall(r"M[^M]+", path):
        numbers = [int(number) for number in re.findall(r"-?\d+", part)]
        x, y = numbers[:2]
        line = [(x / GRID, y / GRID)]
        for dx, dy in zip(numbers[2::2], numbers[3::2], strict=True):
            x, y = x + dx, y + dy
            line.append((x / GRID, y / GRID))
        lines.append(line)
    return lines


def is_inside(point, ring):
    x, y = point
    inside = False
    for (ax, ay), (bx, by) in zip(ring, ring[1:] + ring[:1], strict=True):
        if (ay > y) != (by > y) and x < ax + (y - ay) * (bx - ax) / (by - ay):
            inside = not inside
    return inside


def region_rings():
    return {region: points(parts()[region].find(f"{SVG}path").get("d"))[0] for region in REGIONS}


def by_class(picture, name):
    return [element for element in picture.iter() if name in element.get("class", "").split()]


def place_of(element):
    return tuple(float(n) / GRID for n in re.findall(r"[\d.]+", element.get("transform")))


def test_the_arcs_make_the_borders_of_the_rules():
    listed = json.loads(files("games.rules").joinpath("map-2007.json").read_text())["borders"]
    assert map_geometry().borders() == BORDERS == {tuple(sorted(pair)) for pair in listed}


def test_every_region_is_a_shape_that_holds_its_marker_and_its_name():
    for region, ring in region_rings().items():
        place = map_geometry().places[region]
        assert is_inside(place.marker, ring), region
        assert is_inside(place.label, ring), region


def test_no_point_lies_in_two_regions():
    rings = region_rings()
    for region in REGIONS:
        holders = [
            other for other in REGIONS if is_inside(map_geometry().places[region].marker, rings[other])
        ]
        assert holders == [region]


def test_every_inner_border_is_drawn_once_and_both_neighbours_follow_it():
    (lines,) = (path for path in parts()["lines"].iter() if path.get("id") == "borders")
    borders = points(lines.get("d"))
    assert len(borders) == len(map_geometry().inner_arcs()) == len(BORDERS)
    rings = {region: set(ring) for region, ring in region_rings().items()}
    for line in borders:
        assert sum(set(line) <= ring for ring in rings.values()) == 2


def test_fewer_points_never_move_a_line_by_more_than_allowed():
    line = tuple((float(i), (i % 3) * 0.4) for i in range(50))
    thin = thinned(line, 1.0)
    assert thin == (line[0], line[-1])
    assert thinned(line, 0.1)[1:-1]
    assert set(thinned(line, 0.1)) <= set(line)


def test_markers_stand_in_their_regions_and_bear_shape_email_and_tincture():
    marks = by_class(drawn(SIX_SEATS), "mark")
    assert len(marks) == len(SIX_SEATS.control)
    emails = {f"mark-{mark.letter}": parts()[f"mark-{mark.letter}"] for mark in SEAT_MARKS}
    shown = {
        place_of(mark): (mark.get("class"), emails[name].findtext(f"{SVG}text"))
        for mark in marks
        for name in used(mark)
    }
    for region, seat in SIX_SEATS.control.items():
        place = tuple(round(n * GRID) / GRID for n in map_geometry().places[region].marker)
        assert shown[place] == (f"mark seat-{seat}", SEAT_MARKS[seat].letter)
    assert len({part.find(f"{SVG}path").get("d") for part in emails.values()}) == 6


@pytest.mark.parametrize(("kind", "region"), [("condottiere", "siena"), ("pope", "bologna")])
def test_tokens_stand_on_the_place_of_a_marker_that_is_not_there(kind, region):
    (token,) = by_class(drawn(SIX_SEATS), kind)
    assert place_of(token) == pytest.approx(map_geometry().places[region].marker, abs=0.5)


def test_a_token_gives_way_to_a_control_marker():
    (token,) = by_class(drawn(BoardView(control={"siena": 1}, battle="siena")), "condottiere")
    assert place_of(token) == pytest.approx(map_geometry().places["siena"].city, abs=0.5)


def test_an_empty_board_has_no_marks_and_no_tokens():
    picture = drawn(BoardView())
    assert not by_class(picture, "mark")
    assert not by_class(picture, "token")
    assert not by_class(picture, "rim")
    assert picture.findtext(f"{SVG}desc") == "There is no battle. The Pope is not on the map."


def test_a_region_that_can_be_chosen_is_a_link_that_says_so():
    view = BoardView(links={"roma": "/games/1/confirm/?move=place+roma&decision_step=3"}, names=NAMES)
    picture = drawn(view)
    (link,) = picture.iter(f"{SVG}a")
    assert link.get("href") == "/games/1/confirm/?move=place+roma&decision_step=3"
    assert link.findtext(f"{SVG}title") == "Roma: free, can be chosen"
    assert picture.get("role") == "group"
    others = [group for group in by_class(picture, "region") if group is not link]
    assert {group.get("aria-hidden") for group in others} == {"true"}


def test_a_board_without_links_is_one_picture_with_a_name_and_a_description():
    picture = drawn(SIX_SEATS)
    assert picture.get("role") == "img"
    texts = {element.get("id"): element.text for element in picture.iter() if element.get("id")}
    assert texts[picture.get("aria-labelledby")] == "Map of the regions"
    words = texts[picture.get("aria-describedby")]
    assert words.startswith(
        "The Condottiere is in Siena. The Pope is in Bologna. Anna holds Ancona, Torino. "
    )


def test_every_region_says_in_words_what_its_marks_show():
    titles = [group.findtext(f"{SVG}title") for group in by_class(drawn(SIX_SEATS), "region")]
    assert len(titles) == len(REGIONS)
    assert "Roma: held by Elena" in titles
    assert "Siena: free, battle" in titles
    assert "Bologna: free, the Pope is here" in titles
    assert region_words(BoardView(selected="siena"), "siena") == "Siena: free, chosen"
    assert region_words(BoardView(control={"roma": 2}), "roma") == "Roma: held by Seat 3"


def test_names_and_addresses_are_escaped():
    wicked = "<script>\"&'"
    view = BoardView(control={"roma": 0}, names=[wicked], links={"siena": '/?a="><script>'})
    assert "<script>" not in draw(view)
    assert f"Roma: held by {wicked}" in [element.text for element in drawn(view).iter(f"{SVG}title")]


def test_the_drawing_has_no_style_of_its_own_and_is_small():
    text = draw(SIX_SEATS)
    assert "style" not in text + sheet()
    assert len(text.encode()) < 6_000
    assert len(compress(text.encode())) < 1_300
    everything = BoardView(
        control=dict.fromkeys(REGIONS, 3),
        links=dict.fromkeys(REGIONS, "/games/123456/confirm/?move=x"),
        names=NAMES,
    )
    assert len(draw(everything).encode()) < 8_000


def test_the_file_of_shapes_is_what_the_drawing_makes_and_is_small():
    kept = Path(finders.find("look/map.svg")).read_text()
    assert kept == sheet(), "python -m tests.look.map_sheet > condottiere_site/static/look/map.svg"
    assert len(kept.encode()) < 35_000
    assert len(compress(kept.encode())) < 9_300


def test_every_part_that_a_page_uses_is_in_the_file():
    view = BoardView(
        control=dict(zip(REGIONS, range(6), strict=False)),
        battle="siena",
        pope="bologna",
        selected="lucca",
        links={"lucca": "/x"},
        prizes={"siena": (0, 2)},
    )
    names = used(drawn(view))
    assert set(names) <= set(parts())
    assert {*REGIONS, "chart", "relief", "lines", "cities", "names", "laurel", "pope"} <= set(names)
    assert {use.get("href").partition("#")[0] for use in drawn(view).iter(f"{SVG}use")} == {
        "/static/look/map.svg"
    }


def test_the_file_of_shapes_needs_nothing_that_browsers_do_not_follow_from_a_used_file():
    assert "url(" not in sheet()
    assert "<script" not in sheet()


def test_hills_stand_on_no_name_and_no_marker():
    assert len(hills()) > 100
    for place in map_geometry().places.values():
        for hill in hills():
            (x, y), (label_x, label_y) = place.marker, place.label
            assert abs(hill.x - x) > 30 or not -24 < hill.y - y < 34
            assert abs(hill.x - label_x) > 40 or not -18 < hill.y - label_y < 30


@pytest.mark.parametrize("region", REGIONS)
def test_there_is_room_for_a_wreath_next_to_marker_and_city(region):
    x, y = PRIZE_PLACES[region]
    assert is_inside((x, y), region_rings()[region])
    for place in map_geometry().places.values():
        for other_x, other_y in (place.marker, place.city):
            assert ((other_x - x) ** 2 + (other_y - y) ** 2) ** 0.5 > 28


def test_a_wreath_says_who_would_win_the_game_where():
    view = BoardView(battle="siena", names=NAMES, prizes={"siena": (0, 2)})
    (wreath,) = by_class(drawn(view), "prize")
    assert [text.text for text in wreath.iter(f"{SVG}text")] == ["AC"]
    assert place_of(wreath) == PRIZE_PLACES["siena"]
    assert region_words(view, "siena") == (
        "Siena: free, battle, Anna would win the game by taking it, Carla would win the game by taking it"
    )
    assert "Carla would win the game by taking Siena." in drawn(view).findtext(f"{SVG}desc")


def test_several_maps_stand_in_one_page():
    text = draw(SIX_SEATS) + draw(SIX_SEATS, name="round-1") + draw(SIX_SEATS, name="round-2")
    ids = re.findall(r' id="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r"(?:url\(#|(?:labelledby|describedby)=\")([^)\"]+)", text)) <= set(ids)


def test_a_page_of_many_maps_names_each_by_its_number():
    page = Template(
        "{% load board %}{% board view %}{% for n in '12' %}{% board view forloop.counter %}{% endfor %}"
    )
    text = page.render(Context({"view": SIX_SEATS}))
    assert re.findall(r'labelledby="([^"]+)"', text) == ["map-title", "map-1-title", "map-2-title"]


def test_areas_are_hatched_in_black_and_white_each_seat_in_its_own_way():
    patterns = {pattern.get("id"): pattern for pattern in drawn(SIX_SEATS).iter(f"{SVG}pattern")}
    assert set(patterns) == {"map-closed", *(f"tincture-{seat}" for seat in range(6))}
    assert len({pattern.find(f"{SVG}path").get("d") for pattern in patterns.values()}) == 7


def test_ids_are_unique():
    ids = re.findall(r' id="([^"]+)"', draw(SIX_SEATS))
    assert len(ids) == len(set(ids))


def picture_of(view):
    return Image.open(BytesIO(png(view)))


def colour(image, region, up=0.0):
    """Return the colour at a region's marker, `up` marker radii above its centre."""
    x, y = map_geometry().places[region].marker
    scale = image.width / map_geometry().width
    return image.convert("RGB").getpixel((round(x * scale), round((y - up * TOKEN / GRID) * scale)))


def near(seen, wanted, by=40):
    return all(abs(a - b) <= by for a, b in zip(seen, bytes.fromhex(wanted[1:]), strict=True))


def test_an_email_gets_a_png_of_a_fixed_size():
    image = picture_of(SIX_SEATS)
    assert image.format == "PNG"
    assert image.size == (552, 527)


def test_the_png_shows_every_seat_in_its_tincture():
    image = picture_of(SIX_SEATS)
    for region, seat in SIX_SEATS.control.items():
        assert near(colour(image, region, up=0.72), SEAT_MARKS[seat].colour), region


def test_the_png_tints_what_is_held_and_leaves_the_rest():
    held, free = picture_of(BoardView(control={"venezia": 0})), picture_of(BoardView())
    spot = (round(500 * 0.6), round(100 * 0.6))
    assert near(free.convert("RGB").getpixel(spot), "#f4e7c8", 8)
    assert not near(held.convert("RGB").getpixel(spot), "#f4e7c8", 30)


def test_the_png_shows_condottiere_and_pope():
    image, empty = picture_of(SIX_SEATS), picture_of(BoardView())
    assert near(colour(image, "siena", up=0.72), "#972d35")
    assert near(colour(image, "bologna", up=-0.7), "#fffaf0", 60)
    for region in ("siena", "bologna"):
        assert colour(image, region, up=0.9) != colour(empty, region, up=0.9)


def test_the_png_is_light_enough_for_an_email_and_the_same_for_every_reader():
    first = png(SIX_SEATS)
    assert len(first) < 60_000
    assert png(replace(SIX_SEATS, names=("\x08", "<b>"), links={"roma": "/x"}, selected="roma")) == first


def test_the_png_writes_the_names_of_regions_in_ink_on_paper():
    """With a missing font the letters would not be drawn."""
    image, scale = picture_of(BoardView()).convert("RGB"), 552 / map_geometry().width
    for region, place in map_geometry().places.items():
        x, y = (n * scale for n in place.label)
        spots = [image.getpixel((round(x) + dx, round(y) + dy)) for dx in range(-12, 13) for dy in (-3, 0, 3)]
        assert any(near(spot, "#2b211a") for spot in spots), region
        assert any(near(spot, "#fdf8ea", 12) for spot in spots), region


def test_the_same_regions_are_named_in_both_pictures():
    labels = [element.text for element in parts()["names"]]
    assert sorted(labels) == sorted(region_name(region) for region in REGIONS)
