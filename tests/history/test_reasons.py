"""Every move that Strategist would make has a sentence of facts, which its seat knew or could imagine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pytest

from games.bots.strategist import Budget, KnownCards, Tried, advise
from games.bots.strategist.judging import tried
from games.bots.strategist.world_building import is_dealt_anew
from games.narration.cast import Cast
from games.narration.reasons import reasons
from games.rules import (
    VARIANTS,
    Move,
    Observation,
    Options,
    Phase,
    observe,
    parse_move,
    pending,
    redact,
    replay,
)
from tests.bots.test_answers import EVERY_OPTION_SET
from tests.rules.random_play import random_game

pytestmark = pytest.mark.once

NAMES = ("Anna", "Bruno", "Carla", "Dario", "Emilia", "Fosco")
Asked = tuple[Observation, KnownCards]


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("games.bots.strategist.judging.DEALS", 6)


def decisions(options: Options, players: int, seed: int) -> list[Asked]:
    """The decisions of a game by chance, with what the seats remember."""
    game = random_game(seed, options, players, passing=0.2, cut=150)
    played = replay(options, players, game.first, game.log)
    known = [KnownCards.none(players)] * players
    found = list[Asked]()
    for state, ply in zip(played.states, played.plies, strict=False):
        found += [(observe(state, one.seat), known[one.seat]) for one in pending(state)]
        known = [hands.after(redact(ply.events, seat)) for seat, hands in enumerate(known)]
    return found


def kind(seen: Observation, move: Move) -> str:
    return f"{seen.options.edition} {move.kind} {move.card or ''}".strip()


def names_only_what_it_knew(seen: Observation, found: Tried) -> None:
    had = Counter([*(seen.hand or ()), *[card for line in seen.lines for card in line]])
    had.update([seen.own_face_down] if seen.own_face_down else [])
    assert not Counter(found.cards) - had
    assert found.season in ("", seen.season, *found.cards)
    if is_dealt_anew(seen):
        assert not found.cards


def kinds_explained(every_options: Iterable[Options], one_in: int) -> set[str]:
    """Look at the sentences of each kind of move, and of one move in so many; return the kinds."""
    kinds = set[str]()
    for number, options in enumerate(every_options):
        players = 2 + (number + 1) % 5
        for seen, known in decisions(options, players, number):
            for move in seen.legal:
                if kind(seen, move) in kinds and (number + seen.step) % one_in:
                    continue
                kinds.add(kind(seen, move))
                found = tried(seen, known, "seed", move)
                names_only_what_it_knew(seen, found)
                for reader in (seen.seat, found.rival, None):
                    said = reasons(seen, move, found.reasons, Cast(NAMES[:players], reader))
                    assert all(said), move
                    assert "None" not in " ".join(said)
    return kinds


def test_each_kind_of_move_has_a_sentence_about_what_the_seat_knew() -> None:
    kinds = kinds_explained([Options(), Options("1995"), Options("2007", VARIANTS)], 211)
    specials = {
        f"play {card}" for card in ("heroine", "drummer", "scarecrow", "bishop", "winter", "surrender")
    }
    usual = specials | {"place", "pass"}
    assert {f"1995 {kind}" for kind in usual} <= kinds
    assert {
        f"2007 {kind}" for kind in (*usual, "play spring", "play courtesan", "keep hand", "keep")
    } <= kinds


@pytest.mark.long
def test_so_it_is_with_every_set_of_options() -> None:
    kinds = kinds_explained(EVERY_OPTION_SET, 29)
    assert {"1995 discard hand", "2007 discard hand", "2007 keep hand"} <= kinds


def test_the_cards_named_make_the_strength() -> None:
    """Without a season and a Drummer it's their sum."""
    sums = 0
    for seen, known in decisions(Options(), 3, 5):
        found = advise(seen, known, "seed", Budget(4))
        is_plain = found.cards and not found.season and all(card.isdigit() for card in found.cards)
        if seen.phase == Phase.BATTLE and is_plain:
            assert sum(map(int, found.cards)) == found.own
            sums += 1
    assert sums


OWN = {"own": 20, "rival": 1, "reach": 14, "cards": ("10", "drummer"), "season": ""}


@pytest.mark.parametrize(
    ("reader", "facts", "said"),
    [
        (0, OWN, ["In a typical trial, Bruno then reached 14; your 10 and Drummer made 20."]),
        (1, OWN, ["In a typical trial, you then reached 14; Anna’s 10 and Drummer made 20."]),
        (2, OWN, ["In a typical trial, Bruno then reached 14; Anna’s 10 and Drummer made 20."]),
        (0, OWN | {"cards": ()}, ["In a typical trial, you then reached 20 and Bruno 14."]),
        (
            2,
            OWN | {"season": "winter"},
            [
                "In a typical trial, Bruno then reached 14; Anna’s 10 and Drummer made 20.",
                "Winter was in play.",
            ],
        ),
        (0, OWN | {"reach": 0}, ["In a typical trial, your 10 and Drummer then met no other strength."]),
        (1, OWN | {"reach": 0}, ["In a typical trial, Anna’s 10 and Drummer then met no other strength."]),
        (1, OWN | {"own": 0}, ["In a typical trial, that left the battle to you, with a strength of 14."]),
        (2, OWN | {"own": 0}, ["In a typical trial, that left the battle to Bruno, with a strength of 14."]),
        (
            1,
            OWN | {"own": 0, "cards": (), "is_rivals": False},
            ["In a typical trial, Anna then reached 0 and you 14."],
        ),
        (0, OWN | {"own": 0, "reach": 0}, ["In a typical trial, no one then had any strength."]),
        (
            None,
            {"own": 19, "rival": 1, "reach": 3},
            ["In a typical trial, Anna then reached 19 and Bruno 3."],
        ),
    ],
)
def test_strengths_are_said_to_their_reader(reader: int | None, facts: dict, said: list[str]) -> None:
    (seen, _known), *_more = [one for one in decisions(Options(), 3, 1) if one[0].seat == 0]
    assert reasons(seen, parse_move("pass"), facts, Cast(NAMES[:3], reader)) == said


@pytest.mark.parametrize(
    ("options", "move", "said"),
    [
        (Options("1995"), "play bishop", "That ends the battle at once, and no one wins it."),
        (Options(), "play surrender", "That ends the battle at once. Strengths: you 20, Bruno 14."),
        (
            Options("2007", ("hidden-cards",)),
            "play surrender",
            "In a typical trial, Bruno then reached 14; your 10 and Drummer made 20.",
        ),
    ],
)
def test_what_ends_a_battle_at_once_says_so(options: Options, move: str, said: str) -> None:
    (seen, _known), *_more = [one for one in decisions(options, 3, 1) if one[0].seat == 0]
    assert reasons(seen, parse_move(move), OWN, Cast(NAMES[:3], 0)) == [said]
