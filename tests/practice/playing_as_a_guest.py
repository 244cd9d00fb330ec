"""A newcomer's visit: what a browser without account shows and sends. Knows the pages only."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from typing import Any

from django.test import Client

FORM_KEY = re.compile(r'name="form_key" value="([^"]+)"')
BUTTON = re.compile(r'<button class="[^"]*" name="move" value="([^"]+)"')
TAKE_BACK = re.compile(r'take-back-move/">.*?name="form_key" value="([^"]+)"', re.DOTALL)
ASKED_AT = re.compile(r'name="decision_step" value="(\d+)"')


def begin(client: Client, opponents: int = 1, strength: str = "recruit", **sent: Any) -> Any:
    """Return the answer to the home page's form."""
    form_key = FORM_KEY.findall(client.get("/").content.decode())[0]
    about = {"opponents": opponents, "strength": strength, "form_key": form_key, **sent}
    return client.post("/practice/", about)


def begun(client: Client, opponents: int = 1, strength: str = "recruit") -> str:
    """Begin a practice game and return its address."""
    answer = begin(client, opponents, strength)
    assert answer.status_code == 302, answer.content.decode()
    return str(answer["Location"])


def offered(page: str) -> list[str]:
    """Return the moves a page offers, as its buttons send them."""
    moves = [unescape(move) for move in BUTTON.findall(page)]
    return ["keep nothing" if move == "keep" else move for move in moves]


def decision_step(page: str) -> str:
    return ASKED_AT.findall(page)[0]


def eager(moves: list[str]) -> str:
    """Choose the first move; pass when nothing else is left."""
    return next((move for move in moves if move not in ("pass", "discard hand")), moves[0])


def weary(moves: list[str]) -> str:
    """Pass whenever possible, so the game is soon lost."""
    return "pass" if "pass" in moves else moves[0]


def answer(client: Client, path: str, move: str, at: str) -> Any:
    """Press the button of a move."""
    return client.post(f"{path}move/", {"move": move, "decision_step": at})


def play_on(client: Client, path: str, chosen: Callable[[list[str]], str] = weary) -> int:
    """Make every decision to the end of the game; return how many there were."""
    for answers in range(400):
        page = client.get(path).content.decode()
        moves = offered(page)
        if not moves:
            return answers
        assert answer(client, path, chosen(moves), decision_step(page)).status_code == 302
    raise AssertionError("no end")
