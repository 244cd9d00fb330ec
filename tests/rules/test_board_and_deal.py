"""R2, R19 and the map: what is on the table before anyone acts."""

import json
import pickle
from collections import Counter
from pathlib import Path

import pytest

import games.rules
from games.rules import (
    BORDERS,
    CARDS,
    EDITIONS,
    REGIONS,
    SEATS,
    Options,
    UnknownOption,
    apply,
    neighbours,
    new_game,
    observe,
    outcome,
    parse_move,
    pending,
    region_name,
)
from games.rules.board import largest_group

MAP = json.loads((Path(games.rules.__file__).parent / "map-2007.json").read_text(encoding="utf-8"))


def test_the_borders_drawn_are_the_borders_of_the_map() -> None:
    assert {tuple(sorted(pair)) for pair in MAP["borders"]} == BORDERS
    assert len(BORDERS) == 34


def test_regions_have_their_ids_and_names_in_the_order_of_the_map() -> None:
    assert [(region["id"], region["name"]) for region in MAP["regions"]] == [
        (region, region_name(region)) for region in REGIONS
    ]
    assert len(REGIONS) == 17


def test_neighbours_share_a_border_both_ways() -> None:
    for region in REGIONS:
        assert neighbours(region) == tuple(
            sorted({*sum((pair for pair in BORDERS if region in pair), ())} - {region})
        )
    with pytest.raises(KeyError):
        neighbours("atlantis")


def test_r15_a_connected_group_is_one_that_can_be_walked_through() -> None:
    def group(*regions: str) -> int:
        return largest_group(sum(1 << REGIONS.index(region) for region in regions))

    assert group() == 0
    assert group("roma") == 1
    assert group("roma", "torino") == 1
    assert group("roma", "siena", "torino", "milano", "genova") == 3
    assert group("torino", "genova", "parma", "lucca") == 4
    assert group(*REGIONS) == 17


def test_r2_the_whole_deck_is_owed_first_and_dealt_ten_by_ten_from_the_first_condottiere() -> None:
    for players in SEATS:
        for first in range(players):
            state = new_game(Options(), players, first)
            pile = state.shuffle_pile
            assert len(pile) == 110
            assert pending(state) == ()
            dealt, told = apply(state, None, parse_move(" ".join(("shuffle", *pile))))
            order = [(first + step) % players for step in range(players)]
            for place, seat in enumerate(order):
                assert observe(dealt, seat).hand == pile[10 * place : 10 * place + 10]
            assert [event.seat for event in told[1:]] == order
            assert [(decision.seat, decision.kind) for decision in pending(dealt)] == [(first, "place")]
            assert observe(dealt, None).pile_size == 110 - 10 * players
            assert outcome(dealt) is None


def test_the_deck_has_the_copies_the_rulebook_counts() -> None:
    pile = new_game(Options(), 2, 0).shuffle_pile
    assert [pile.count(card) for card in CARDS] == [10, 8, 8, 8, 8, 8, 8, 12, 3, 6, 16, 6, 3, 3, 3]


def test_the_deck_of_1995_has_the_copies_that_the_texts_lost() -> None:
    pile = new_game(Options("1995"), 2, 0).shuffle_pile
    assert len(pile) == 96
    assert [pile.count(card) for card in CARDS] == [15, 8, 8, 8, 8, 8, 8, 0, 3, 6, 15, 3, 3, 0, 3]


@pytest.mark.parametrize("edition", EDITIONS)
def test_the_counted_copies_make_the_deck(edition: str) -> None:
    options = Options(edition)
    assert options.copies == Counter(new_game(options, 2, 0).shuffle_pile)


@pytest.mark.parametrize("players", [0, 1, 7, -2])
def test_two_to_six_can_play(players: int) -> None:
    with pytest.raises(UnknownOption, match=str(players)):
        new_game(Options(), players, 0)


def test_the_first_condottiere_has_a_seat() -> None:
    with pytest.raises(UnknownOption, match="3"):
        new_game(Options(), 3, 3)


def test_unknown_editions_and_variants_are_refused_by_name() -> None:
    with pytest.raises(UnknownOption, match="1895"):
        Options(edition="1895")
    with pytest.raises(UnknownOption, match="winter-olympics"):
        Options(variants=("winter-olympics",))
    assert Options() == Options("2007", ())
    assert len({Options(), Options("2007")}) == 1


def test_states_and_moves_survive_pickling() -> None:
    state = new_game(Options(), 3, 1)
    assert pickle.loads(pickle.dumps(state)) == state
    for text in ("play bishop off", "shuffle 1 2 3"):
        move = parse_move(text)
        copied = pickle.loads(pickle.dumps(move))
        assert copied == move
        assert hash(copied) == hash(move)
        assert copied != text
