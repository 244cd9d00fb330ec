"""A battle's story gives its events in a few sentences, and nothing else."""

import random
import re

import pytest

from games.narration.battle_stories import outcome_in_brief, story
from games.narration.battles import battles_in
from games.rules import (
    VARIANTS,
    BattleCompared,
    BattleStopped,
    CardPlayed,
    CardsTurnedUp,
    CondottiereHanded,
    Event,
    MercenariesRemoved,
    MercenaryTakenBack,
    Move,
    NobodyConquered,
    Options,
    Passed,
    PopePlaced,
    RanOutOfCards,
    RegionChosen,
    RegionConquered,
    RegionDefended,
    SeasonSwept,
    apply,
    legal_moves,
    new_game,
    parse_move,
    pending,
    redact,
)

NAMES = ("Anna", "Bruno", "Carla")


def told(*plies: list[Event], clocked: tuple[int, ...] = ()) -> str:
    """Return the story of the only battle in these entries."""
    (battle,) = battles_in([[RegionChosen(0, "siena")], *plies])
    return " ".join(story(battle, lambda ply: NAMES, clocked))


def played(seat: int, card: str, *totals: int) -> CardPlayed:
    return CardPlayed(seat, card, totals)


def ended(*totals: int, by: int | None = None) -> BattleCompared:
    return BattleCompared("siena", totals, by)


def test_the_card_that_took_the_lead_for_good_is_named() -> None:
    assert told(
        [played(0, "10", 10, 0, 0)],
        [played(1, "6", 10, 6, 0)],
        [Passed(2)],
        [Passed(0)],
        [played(1, "drummer", 10, 12, 0)],
        [Passed(1), ended(10, 12, 0), RegionConquered(1, "siena"), CondottiereHanded(1, "winner")],
    ) == (
        "Anna chose to fight for Siena. Carla played no card. Anna led first, with strength 10. "
        "Bruno played Drummer and took the lead for good, with strength 12. "
        "Bruno took Siena. Strength at the end: Bruno 12, Anna 10."
    )


def test_a_winter_says_what_it_did_to_whom_and_who_led_then() -> None:
    assert told(
        [played(0, "10", 10, 0, 0)],
        [played(1, "2", 10, 2, 0)],
        [played(2, "heroine", 10, 2, 10)],
        [played(1, "winter", 1, 1, 10)],
        [Passed(0)],
        [Passed(1)],
        [Passed(2), ended(1, 1, 10), RegionConquered(2, "siena", 0)],
    ) == (
        "Anna chose to fight for Siena. Anna led first, with strength 10. "
        "Bruno played Winter. Strength: Anna 10 → 1, Bruno 2 → 1. Carla led with strength 10. "
        "Carla took Siena, which Anna held. Strength at the end: Carla 10, Anna 1, Bruno 1."
    )


def test_a_season_that_ends_the_other_says_so() -> None:
    story = told(
        [played(0, "10", 10, 0, 0)],
        [played(1, "winter", 1, 0, 0)],
        [played(2, "spring", 13, 0, 0), SeasonSwept("winter", (1,))],
    )
    assert "Carla played Spring. Strength: Anna 1 → 13. That ended Winter." in story


def test_a_bishop_names_what_it_removed_and_where_the_pope_went() -> None:
    story = told(
        [played(0, "10", 10, 0, 0)],
        [played(1, "6", 10, 6, 0)],
        [played(2, "bishop", 0, 6, 0), MercenariesRemoved("10", ((0, 1),)), PopePlaced(2, "roma")],
        [Passed(0)],
        [Passed(1)],
        [Passed(2), ended(0, 6, 0), RegionConquered(1, "siena")],
    )
    assert (
        "Carla played the Bishop, removing every 10. Strength: Anna 10 → 0. "
        "After that, Bruno led to the end. The Pope went to Roma."
    ) in story


def test_many_changes_of_the_lead_are_one_sentence() -> None:
    story = told(
        [played(0, "1", 1, 0, 0)],
        [played(1, "2", 1, 2, 0)],
        [played(2, "3", 1, 2, 3)],
        [played(0, "4", 5, 2, 3)],
        [played(1, "10", 5, 12, 3)],
        [Passed(2), ended(5, 12, 3), RegionConquered(1, "siena")],
    )
    assert "The lead changed hands, with this strength: Anna 1, Bruno 2, Carla 3, Anna 5." in story
    assert "Bruno took the lead for good, with strength 12." in story


def test_a_tie_wins_nothing_and_a_defender_keeps_what_they_have() -> None:
    level = [[played(0, "10", 10, 0, 0)], [played(1, "10", 10, 10, 0)], [Passed(2)], [Passed(0)]]
    nobody = told(*level, [Passed(1), ended(10, 10, 0), NobodyConquered("siena")])
    assert nobody.endswith("Anna and Bruno were level at strength 10. No one took Siena.")
    kept = told(*level, [Passed(1), ended(10, 10, 0), RegionDefended(2, "siena")])
    assert kept.endswith("Anna and Bruno were level at strength 10. Carla kept Siena.")
    held = told([played(2, "10", 0, 0, 10)], [Passed(0), ended(0, 0, 10), RegionDefended(2, "siena")])
    assert held.endswith("Carla kept Siena. Strength at the end: Carla 10.")


def test_a_battle_without_a_card_says_that_no_one_played_one() -> None:
    story = told([Passed(0)], [Passed(1)], [Passed(2), ended(0, 0, 0), NobodyConquered("siena")])
    assert story == "Anna chose to fight for Siena. No one played a card. No one took Siena."


def test_surrenders_bishops_of_1995_and_empty_hands_are_told() -> None:
    story = told(
        [played(0, "10", 10, 0, 0), RanOutOfCards(0)],
        [played(1, "surrender", 10, 0, 0), ended(10, 0, 0, by=1), RegionConquered(0, "siena")],
    )
    assert "Anna ran out of cards. Bruno ended the battle with Surrender. Anna took Siena." in story
    stopped = told(
        [played(0, "10", 10, 0, 0)],
        [played(1, "bishop", 10, 0, 0), BattleStopped(1, "siena"), NobodyConquered("siena")],
    )
    assert stopped.endswith("Bruno ended the battle at once with the Bishop. No one took Siena.")
    assert "level" not in stopped


def test_a_scarecrow_that_gives_the_lead_away_says_what_it_took() -> None:
    first = [[played(0, "10", 10, 0, 0)], [played(1, "6", 10, 6, 0)]]
    own = told(*first, [played(0, "scarecrow", 0, 6, 0), MercenaryTakenBack(0, "10")])
    assert own.endswith("Anna took back the 10. Bruno led with strength 6.")
    other = told(*first, [played(2, "scarecrow", 0, 6, 0), MercenaryTakenBack(2, "10", 0)])
    assert other.endswith("Carla took the 10 that Anna had played. Bruno led with strength 6.")


def test_cards_turned_up_at_the_end_are_told_with_what_they_changed() -> None:
    story = told(
        [played(0, "10", 10, 0, 0)],
        [CardPlayed(1, None, (10, 0, 0), is_face_down=True)],
        [
            Passed(0),
            CardsTurnedUp(((0, "1"), (1, "drummer")), (11, 0, 0)),
            ended(11, 0, 0),
            RegionConquered(0, "siena"),
        ],
    )
    assert "Turned up at the end: Anna 1, Bruno Drummer. Strength: Anna 10 → 11." in story


def test_what_the_clock_did_is_told_as_the_clocks() -> None:
    story = told([Passed(0)], [Passed(1)], clocked=(0, 2))
    assert story.startswith("Anna ran out of time, so the site drew Siena to fight for.")
    assert "Bruno ran out of time, so the site passed." in story


def test_a_token_won_by_courtesans_is_told_only_where_it_did_not_go_to_the_winner() -> None:
    end = [ended(10, 1, 0), RegionConquered(0, "siena")]
    cards = [[played(0, "10", 10, 0, 0)], [played(1, "courtesan", 10, 1, 0)]]
    assert "Bruno had the most Courtesans and became the Condottiere." in told(
        *cards, [Passed(2), *end, CondottiereHanded(1, "courtesans")]
    )
    assert "Condottiere" not in told(*cards, [Passed(2), *end, CondottiereHanded(0, "winner")])


def test_someone_who_held_the_seat_then_is_named() -> None:
    (battle,) = battles_in(
        [
            [RegionChosen(0, "siena")],
            [played(0, "10", 10, 0, 0)],
            [Passed(1), ended(10, 0, 0), RegionConquered(0, "siena")],
        ]
    )
    sentences = story(battle, lambda ply: ("Zoe", *NAMES[1:]) if ply < 1 else NAMES)
    assert sentences[0] == "Zoe chose to fight for Siena."
    assert sentences[-2:] == ["Anna took Siena.", "Strength at the end: Anna 10."]


def random_game(options: Options, players: int, seed: int) -> list[tuple[Event, ...]]:
    """A whole game of random moves."""
    rng, state, plies = random.Random(seed), new_game(options, players, 0), list[tuple[Event, ...]]()
    while not state.is_over:
        seat, move = _next(rng, state)
        state, events = apply(state, seat, move)
        plies.append(events)
    return plies


def _next(rng: random.Random, state: object) -> tuple[int | None, Move]:
    if state.phase == "shuffle":
        pile = list(state.shuffle_pile)
        rng.shuffle(pile)
        return None, parse_move(" ".join(["shuffle", *pile]))
    seat = pending(state)[0].seat
    return seat, rng.choice(legal_moves(state, seat))


GAMES = [Options("1995"), Options(), *[Options("2007", (variant,)) for variant in VARIANTS]]


@pytest.mark.parametrize("options", GAMES, ids=str)
def test_every_battle_of_any_game_has_a_story_at_every_moment_for_every_viewer(options: Options) -> None:
    plies = random_game(options, 4, 7)
    names = ("Anna", "Bruno", "Carla", "Dario")
    for viewer in (None, 0, 3):
        seen = [redact(events, viewer) for events in plies]
        for until in range(1, len(plies) + 1, 7):
            for battle in battles_in(seen[:until]):
                sentences = story(battle, lambda ply: names)
                assert sentences
                assert not [s for s in sentences if re.search(r"%\(|\bNone\b|  |\.\.", s)], sentences
    whole = battles_in(plies)
    assert [battle.number for battle in whole] == list(range(1, len(whole) + 1))
    assert all(outcome_in_brief(battle, lambda ply: names) for battle in whole)


def test_anyone_who_conquered_is_the_storys_winner() -> None:
    for battle in battles_in(random_game(Options(), 4, 3)):
        if battle.conquest:
            assert battle.winner == battle.conquest.seat
            assert battle.decisive is not None


def test_a_lead_that_a_bishop_wiped_out_is_not_the_first_when_it_comes_again() -> None:
    story = told(
        [played(1, "4", 0, 4, 0)],
        [played(0, "bishop", 0, 0, 0), MercenariesRemoved("4", ((1, 1),)), PopePlaced(0, "roma")],
        [played(1, "10", 0, 10, 0)],
        [Passed(2), ended(0, 10, 0), RegionConquered(1, "siena")],
    )
    assert "Bruno led first, with strength 4." in story
    assert "Bruno took the lead for good, with strength 10." in story
    assert story.count("first") == 1


def test_a_scarecrow_after_which_no_one_leads_is_told() -> None:
    first = [[played(0, "10", 10, 0, 0)], [played(1, "6", 10, 6, 0)], [played(2, "6", 10, 6, 6)]]
    level = told(*first, [played(1, "scarecrow", 0, 6, 6), MercenaryTakenBack(1, "10", 0)])
    assert level.endswith("Bruno took the 10 that Anna had played. Bruno and Carla were level at strength 6.")
    bare = told(first[0], [played(0, "scarecrow", 0, 0, 0), MercenaryTakenBack(0, "10")])
    assert bare.endswith("Anna led first, with strength 10. Anna took back the 10.")
