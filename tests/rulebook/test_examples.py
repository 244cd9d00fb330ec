"""The worked examples show what the rules compute, and end with the point they explain."""

import re
from typing import Any

import pytest
from django.utils.translation import override

from games.rulebook.example_narration import tell
from games.rulebook.examples import EXAMPLES
from games.rulebook.reference import Reference, editions
from games.rulebook.staging import Misstaged, Script, play
from games.rules import (
    EDITIONS,
    SPEC_OF,
    BattleCompared,
    BattleStopped,
    CardPlayed,
    CardsDealt,
    CardsKept,
    CardsTurnedUp,
    CondottiereHanded,
    Event,
    GameEnded,
    HandsShown,
    HeldBack,
    MercenariesRemoved,
    MercenaryTakenBack,
    NobodyConquered,
    Options,
    PopePlaced,
    RegionConquered,
    RegionDefended,
    SeasonSwept,
    line_strengths,
    observe,
)

pytestmark = pytest.mark.once

ANNA, BRUNO, CARLA = range(3)

# What each example is about: what must have happened in it, one event of a kind with these values at least.
HAPPENS: dict[str, list[tuple[type, dict[str, Any]]]] = {
    "battle": [(RegionConquered, {"seat": ANNA}), (CondottiereHanded, {"seat": ANNA, "why": "winner"})],
    "standing-order-holds": [
        (CardPlayed, {"seat": ANNA, "card": "4"}),
        (RegionConquered, {"seat": ANNA}),
    ],
    "standing-order": [
        (CardPlayed, {"seat": ANNA, "card": "4"}),
        (RegionConquered, {"seat": ANNA}),
    ],
    "standing-order-ends": [
        (CardPlayed, {"seat": ANNA, "card": "5"}),
        (CardPlayed, {"seat": BRUNO, "card": "winter"}),
    ],
    "victory": [(GameEnded, {"winners": (ANNA,), "reason": "adjacent regions"})],
    "winter": [(CardPlayed, {"card": "winter"}), (CardPlayed, {"card": "drummer"})],
    "spring": [(CardPlayed, {"card": "spring"}), (CardPlayed, {"card": "drummer"})],
    "seasons": [(SeasonSwept, {"season": "winter", "seats": (BRUNO,)})],
    "bishop": [
        (MercenariesRemoved, {"value": "10", "losses": ((ANNA, 1), (BRUNO, 1))}),
        (PopePlaced, {"region": "venezia"}),
    ],
    "bishop-in-winter": [(MercenariesRemoved, {"value": "6", "losses": ((ANNA, 1),)})],
    "scarecrow": [
        (MercenaryTakenBack, {"seat": BRUNO, "card": "10"}),
        (MercenariesRemoved, {"value": "5", "losses": ((ANNA, 1),)}),
        (CardPlayed, {"seat": BRUNO, "card": "10"}),
    ],
    "surrender": [(BattleCompared, {"surrendered_by": CARLA}), (NobodyConquered, {})],
    "courtesan": [
        (RegionConquered, {"seat": ANNA}),
        (CondottiereHanded, {"seat": BRUNO, "why": "courtesans"}),
    ],
    "round": [(HandsShown, {}), (CardsKept, {"seat": ANNA, "count": 1}), (CardsDealt, {"seat": ANNA})],
    "smaller-kingdom": [(GameEnded, {"winners": (ANNA,)})],
    "bigger-kingdom": [(CondottiereHanded, {"seat": ANNA})],
    "defender": [(HeldBack, {"seat": ANNA}), (RegionDefended, {"seat": ANNA})],
    "defended-tie": [(RegionDefended, {"seat": ANNA}), (CondottiereHanded, {"why": "defender"})],
    "draw": [(CardsDealt, {"seat": ANNA}), (CardsDealt, {"seat": BRUNO})],
    "hidden-bishop": [
        (MercenariesRemoved, {"value": "6", "losses": ((ANNA, 1),)}),
        (CardsTurnedUp, {"cards": ((BRUNO, "6"),)}),
    ],
    "points": [(GameEnded, {"winners": (ANNA,), "reason": "adjacent regions"})],
    "battle-1995": [(RegionConquered, {"seat": CARLA}), (CardPlayed, {"card": "heroine"})],
    "scarecrow-1995": [
        (MercenaryTakenBack, {"seat": BRUNO, "card": "10", "from_seat": ANNA}),
        (CardPlayed, {"seat": BRUNO, "card": "10"}),
    ],
    "bishop-1995": [
        (BattleStopped, {}),
        (RegionDefended, {"seat": ANNA}),
        (CondottiereHanded, {"seat": ANNA}),
    ],
    "surrender-1995": [
        (HeldBack, {"seat": ANNA}),
        (RegionConquered, {"seat": CARLA, "lost_by": ANNA}),
    ],
    "round-1995": [(HandsShown, {}), (CardsDealt, {"seat": ANNA}), (CardsDealt, {"seat": BRUNO})],
}


def events_of(key: str) -> list[Event]:
    return [event for ply in play(EXAMPLES[key].script).plies for event in ply.events]


def has(event: Event, kind: type, values: dict[str, Any]) -> bool:
    return type(event) is kind and all(getattr(event, name) == value for name, value in values.items())


def test_every_example_says_what_it_is_about() -> None:
    assert set(HAPPENS) == set(EXAMPLES)


@pytest.mark.parametrize("key", EXAMPLES)
def test_an_example_shows_what_it_is_about(key: str) -> None:
    told = events_of(key)
    for kind, values in HAPPENS[key]:
        assert any(has(event, kind, values) for event in told), (kind, values)


@pytest.mark.parametrize("key", EXAMPLES)
def test_an_examples_words_hold_no_result(key: str) -> None:
    example = EXAMPLES[key]
    for text in (example.title, example.setting, example.lesson):
        assert not re.search(r"\d", str(text)), text


@pytest.mark.parametrize("key", EXAMPLES)
def test_the_totals_shown_are_those_of_the_lines_shown(key: str) -> None:
    rows = tell(EXAMPLES[key].script).rows
    if rows:
        assert tuple(row.total for row in rows) == line_strengths([row.cards for row in rows])


def test_the_greater_kingdom_goes_on_where_the_smaller_was_won() -> None:
    smaller, bigger = EXAMPLES["smaller-kingdom"].script, EXAMPLES["bigger-kingdom"].script
    assert (smaller.hands, smaller.before, smaller.moves) == (bigger.hands, bigger.before, bigger.moves)
    after = play(bigger).states[-1]
    assert not after.is_over
    assert observe(after, ANNA).asked is not None
    assert not any(isinstance(event, GameEnded) for event in events_of("bigger-kingdom"))


def test_the_bonus_and_the_extra_cards_are_seen() -> None:
    (ended,) = [event for event in events_of("points") if isinstance(event, GameEnded)]
    book = Reference(Options("2007", ("playing-for-points",)))
    assert ended.points is not None
    assert ended.points[ANNA] == book.goals[0].connected + book.points_for_connected
    assert ended.points[BRUNO] == 1
    for key, edition in (("round", "2007"), ("round-1995", "1995")):
        state = play(EXAMPLES[key].script).states[-1]
        sizes = observe(state, None).hand_sizes
        options = Options(edition)
        assert sizes == (options.hand_size + options.cards_per_region, options.hand_size)


def test_a_drawn_hand_is_drawn_before_the_choice_and_the_condottiere_first() -> None:
    kinds = [(type(event).__name__, getattr(event, "seat", None)) for event in events_of("draw")]
    drawn = kinds.index(("CardsDealt", ANNA))
    assert kinds[drawn + 1] == ("CardsDealt", BRUNO)
    assert kinds[drawn + 2] == ("RegionChosen", ANNA)


def test_the_lone_player_went_on_after_all_others_were_out() -> None:
    moves = [(ply.seat, ply.move.kind) for ply in play(EXAMPLES["battle"].script).plies]
    assert moves[-2:] == [(ANNA, "play"), (ANNA, "pass")]


@pytest.mark.parametrize(
    ("hands", "moves"),
    [
        ({"Anna": "10", "Bruno": ""}, "Anna: place roma\nBruno: play 1"),
        ({"Anna": "heroine heroine", "Bruno": "heroine heroine"}, ""),
        ({"Anna": "1 " * 11, "Bruno": ""}, ""),
    ],
)
def test_a_script_that_does_not_fit_the_rules_is_refused(hands: dict[str, str], moves: str) -> None:
    with pytest.raises(Misstaged):
        play(Script(hands=hands, moves=moves))


def test_an_example_follows_the_rules_and_not_its_writer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were a Heroine stronger, the examples would say so."""
    from games.rules import strength

    before = tell(EXAMPLES["battle-1995"].script).sentences
    stronger = [spec.strength + (spec.name == "heroine") for spec in SPEC_OF.values()]
    monkeypatch.setattr(strength, "STRENGTHS", tuple(stronger))
    strength.strength.cache_clear()
    with override("en"):
        after = tell(EXAMPLES["battle-1995"].script).sentences
    strength.strength.cache_clear()
    assert any("Carla 10" in sentence for sentence in before)
    assert any("Carla 11" in sentence for sentence in after)


def test_the_reference_asks_the_rules() -> None:
    for book in editions():
        assert sum(facts.copies for facts in book.cards.values()) == book.deck_size == len(book.options.deck)
        assert book.goals[0].connected == EDITIONS[book.edition].goals[2].connected
    newer, older = (Reference(Options(edition)) for edition in ("2007", "1995"))
    assert {reach.card for reach in newer.reaches} == {"winter", "spring", "drummer", "bishop", "scarecrow"}
    assert {reach.card for reach in older.reaches} == {"winter", "drummer", "scarecrow"}
    assert not any(reach.heroines or reach.courtesans for reach in (*newer.reaches, *older.reaches))
    taken = {reach.card: reach.others_mercenaries for reach in older.reaches}
    assert taken["scarecrow"]
    assert not taken["drummer"]
