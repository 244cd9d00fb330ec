"""A request for each address that writes, which changes nothing at a table whose game runs or is over.

There, no league is stored.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from condottiere_site.api import openapi
from tests.api.asking import Program

ROOT = "/api/v1/"
_TABLE, _GAME = "tables/{table_id}", "games/{game_id}"
_SEASON = "leagues/{league_id}/seasons/{season}"
_CHANNEL = f"{_TABLE}/channels/{{slug}}"
BODIES: Mapping[tuple[str, str], Any] = {
    ("post", f"{_GAME}/moves"): {"step": 0, "move": "play drummer"},
    ("post", f"{_GAME}/order"): {"step": 0, "order": {"kind": "aside"}},
    ("delete", f"{_GAME}/order"): None,
    ("post", f"{_GAME}/next"): {"number": 99},
    ("post", f"{_GAME}/back"): None,
    ("post", f"{_GAME}/proposals"): {"what": "go on"},
    ("post", f"{_GAME}/proposals/{{number}}/answer"): {"accepts": True},
    ("post", f"{_GAME}/time"): {"what": "go on"},
    ("post", f"{_GAME}/read"): {"step": 0},
    ("post", f"{_GAME}/note"): {"text": ""},
    ("post", f"{_GAME}/rematch"): None,
    ("post", "join/{key}/seat"): None,
    ("post", "tables"): {"key": "3f1c1f0e-7d0b-4a7e-9a0a-1b1d1c1f1a11", "name": "", "size": 3},
    ("post", f"{_TABLE}/seat"): None,
    ("delete", f"{_TABLE}/seat"): None,
    ("post", f"{_TABLE}/words"): {"words": ""},
    ("delete", f"{_TABLE}/invitation"): None,
    ("post", f"{_TABLE}/invitations"): {"email": "nobody"},
    ("delete", f"{_TABLE}/invitations/{{number}}"): None,
    ("delete", f"{_TABLE}/seats/{{seat_id}}"): None,
    ("post", f"{_TABLE}/keep-open"): None,
    ("delete", _TABLE): None,
    ("post", f"{_TABLE}/bots"): {"strength": "captain", "taken": 1},
    ("post", f"{_TABLE}/confirmation"): None,
    ("post", f"{_TABLE}/channels"): {"seats": [5], "text": ""},
    ("post", f"{_CHANNEL}/messages"): {"text": "", "after": 0},
    ("post", f"{_CHANNEL}/read"): {"number": 0},
    ("post", f"{_CHANNEL}/shown-cards"): {"cards": ["no card"]},
    ("post", f"{_CHANNEL}/sealed-notes"): {"text": "", "opens": "game"},
    ("post", f"{_CHANNEL}/opening"): {"agrees": True},
    ("post", f"{_CHANNEL}/deals"): {"seats": [0], "text": "", "after": 0},
    ("post", f"{_CHANNEL}/deals/{{number}}/answer"): {"action": "accept"},
    ("post", f"{_SEASON}/place"): None,
    ("delete", f"{_SEASON}/place"): None,
    ("post", f"{_SEASON}/place/confirmation"): None,
}

# After the end it makes a table: asked about a game that isn't there.
ELSEWHERE = {f"{_GAME}/rematch": {"game_id": 10**15}}


def harmless_answers(
    program: Program, table: int, game: int, slug: str = "table", which: slice = slice(None)
) -> Iterator[tuple[str, Any]]:
    """Yield what the program gets for each of these requests, or some. Fails for an address without one."""
    writing = {
        (method, path.removeprefix(ROOT))
        for path, methods in openapi()["paths"].items()
        for method in methods
        if method != "get"
    }
    assert writing == set(BODIES)
    places = {"table_id": table, "game_id": game, "slug": slug, "key": "guessed", "seat_id": 10**15}
    places |= {"number": 1, "league_id": 1, "season": 1}
    for (method, pattern), body in list(BODIES.items())[which]:
        path = pattern.format(**places | ELSEWHERE.get(pattern, {}))
        answer = program.delete(path) if method == "delete" else program.post(path, body)
        assert answer.status_code != 429, "without the limit, it tells nothing apart"
        yield f"api {method} {path}", answer
