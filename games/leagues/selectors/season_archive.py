"""A season as one ZIP: the file of the season, and the standings and the seating of each division."""

from __future__ import annotations

import json
from collections.abc import Iterator
from io import BytesIO
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from django.urls import reverse

from games.leagues.models import Season
from games.leagues.selectors.league_files import seating_as_json, standings_as_csv
from games.leagues.selectors.season_file import division_pages, season_as_json

_SAME_TIME = (1980, 1, 1, 0, 0, 0)  # the same season gives the same bytes


def season_as_zip(season: Season) -> bytes:
    """Return all files of a season in one."""
    written = BytesIO()
    with ZipFile(written, "w") as archive:
        for name, content in _files(season):
            archive.writestr(ZipInfo(name, _SAME_TIME), content, ZIP_DEFLATED)
    return written.getvalue()


def _files(season: Season) -> Iterator[tuple[str, bytes]]:
    yield "season.json", _as_bytes(season_as_json(season))
    for page in division_pages(season):
        division = page.division
        path = reverse("division", args=[season.league_id, season.number, division.level])
        yield f"{division.letter}/standing.csv", standings_as_csv(page)
        yield f"{division.letter}/seating.json", _as_bytes(seating_as_json(division, path))


def _as_bytes(data: dict[str, Any]) -> bytes:
    return json.dumps(data, ensure_ascii=False, indent=1).encode()
