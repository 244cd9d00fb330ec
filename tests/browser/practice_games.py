"""A practice game with the same deals in every run, and a simple player who ends it soon.

What they would do is a move; how they get it onto the table is the test's.
"""

from __future__ import annotations

import hashlib
import secrets
from types import SimpleNamespace

import pytest

from games.models import Game, tables
from games.models.replay import replayed
from games.rules import Move, Observation, observe

SEAT = 0  # a guest sits before their bots


def deal_always(monkeypatch: pytest.MonkeyPatch, words: str) -> None:
    """Make each table's shuffles come from these words from now on."""
    fixed = hashlib.sha256(words.encode()).digest()
    drawn = SimpleNamespace(token_bytes=lambda size: fixed[:size], token_urlsafe=secrets.token_urlsafe)
    monkeypatch.setattr(tables, "secrets", drawn)


def seen_now() -> Observation:
    """Return what the guest of the only game may know."""
    return observe(replayed(Game.objects.get()).state, SEAT)


def next_move(seen: Observation) -> Move:
    """A player who takes second steps first, else plays the lowest card, and passes when leading."""
    moves = sorted(seen.legal, key=str)
    if seen.asked is None or seen.asked.kind != "battle":
        return moves[0] if seen.phase == "place" else moves[-1]
    told = {str(move): move for move in moves}
    popes = [text for text in told if text.startswith("play bishop ")]
    taken = [text for text in told if text.startswith("play scarecrow ") and not text.endswith(" nothing")]
    if popes or taken:
        return told[popes[len(popes) // 2] if popes else taken[0]]
    cards = [move for move in moves if move.card and move.card != "surrender"]
    if _leads(seen) or not cards:
        return told["pass"]
    return min(cards, key=lambda move: (len(str(move)), str(move)))


def _leads(seen: Observation) -> bool:
    others = [total for seat, total in enumerate(seen.totals) if seat != SEAT]
    return seen.totals[SEAT] > max(others)


def action(move: Move) -> str:
    """Return a move in at most two words, for counting: "play bishop", "place", "pass"."""
    return str(move).rpartition(" ")[0] if move.card in ("bishop", "scarecrow") else move.kind
