"""Events as sentences: equal deals share one sentence, and a mere choice is not described as done."""

from __future__ import annotations

import pytest

from games.map.region_names import region_name
from games.models import Game
from games.narration.cast import Cast
from games.narration.entries import entry_sentences, stand_in
from games.narration.event_sentences import narrate
from games.narration.foretelling import foretell
from games.presenters.chapters import chapters
from games.presenters.position import Position
from games.presenters.result import result_section
from games.presenters.seats import players_section
from games.rules import REGIONS, Replay, observe, redact
from games.rules import region_name as rules_name
from games.rules.events import (
    BattleCompared,
    CardPlayed,
    CardsDealt,
    GameEnded,
    MercenariesRemoved,
    Passed,
    RegionChosen,
    RegionConquered,
    RoundEnded,
    SeasonSwept,
)
from tests.rules.stage import played, staged

NAMES = ("Anna", "Bruno", "Carla")


def dealt(*counts: int) -> tuple[CardsDealt, ...]:
    return tuple(CardsDealt(seat, n, ("1",) * n) for seat, n in enumerate(counts))


@pytest.mark.parametrize(
    ("counts", "viewer", "told"),
    [
        ((10, 10, 10), None, ["Everyone drew 10 cards."]),
        ((1, 1, 1), None, ["Everyone drew 1 card."]),
        ((2, 3, 2), None, ["Anna and Carla drew 2 cards each.", "Bruno drew 3 cards."]),
        ((2, 2, 2), 1, ["Anna and Carla drew 2 cards each.", "Bruno drew 2 cards: 1, 1."]),
        ((2, 3, 1), 1, ["Anna drew 2 cards.", "Bruno drew 3 cards: 1, 1, 1.", "Carla drew 1 card."]),
    ],
)
def test_equal_dealings_are_one_sentence(
    counts: tuple[int, ...], viewer: int | None, told: list[str]
) -> None:
    events = redact(dealt(*counts), viewer)
    assert narrate(events, NAMES) == told
    (chapter,) = chapters([events], lambda ply: Cast(NAMES), {}, "")
    assert list(chapter.sentences) == told


def test_dealings_with_something_between_them_stay_apart() -> None:
    events = (*redact(dealt(2, 2, 2), None), RoundEnded(None), *redact(dealt(2, 2, 2), None))
    assert len(narrate(events, NAMES)) == 3


def test_a_choice_is_not_told_as_done() -> None:
    state = staged("scarecrow 5|6|1", "-|2|3")
    position = Position(Game(), Replay((), (), state, None), NAMES, 0, reader=0)
    (scarecrow,) = [choice for choice in position.choices.every if "Scarecrow" in choice.name]
    assert scarecrow.name == "Play a Scarecrow and take nothing"
    assert scarecrow.follows == (
        "Your strength stays 0. Your line has no Mercenary: the Scarecrow takes nothing."
    )
    told = {str(move): position.choices.follows(move) for move in observe(state, 0).legal}
    assert told["pass"] == ["You will play no more cards in this battle."]
    assert told["play 5"] == ["Your strength becomes 5.", "You then lead."]


def test_what_a_bot_did_for_its_absent_reader_is_not_told_as_theirs() -> None:
    away = Cast(NAMES, 1, stand_in("bot", 1, Cast(NAMES, 1)), 1)
    assert entry_sentences(Passed(1), away, by_clock=False) == ["The bot playing for you passed."]
    assert entry_sentences(Passed(0), away, by_clock=False) == ["Anna passed."]
    assert entry_sentences(RegionConquered(1, "roma", None), away, by_clock=False) == ["You took Roma."]
    played = CardPlayed(1, "10", (0, 10, 0))
    assert entry_sentences(played, Cast(NAMES, 1), by_clock=True) == [
        "You ran out of time, so the site moved for you. The site played 10: strength 10."
    ]


def test_readers_are_told_about_themselves_as_you() -> None:
    events = (
        RegionChosen(1, "roma"),
        CardPlayed(1, "10", (0, 10, 0)),
        Passed(0),
        BattleCompared("roma", (0, 10, 3), None),
        RegionConquered(1, "roma", 2),
    )
    assert narrate(events, Cast(NAMES, 1)) == [
        "You chose to fight for Roma.",
        "You played 10: strength 10.",
        "Anna passed.",
        "The battle for Roma is over. Strength: Anna 0, you 10, Carla 3.",
        "You took Roma, which Carla held.",
    ]
    assert narrate(events, Cast(NAMES, 2))[-1] == "Bruno took Roma, which you held."
    assert narrate(events, Cast(NAMES))[0] == "Bruno chose to fight for Roma."


def test_what_the_clock_did_for_the_reader_says_so() -> None:
    (yours,) = entry_sentences(Passed(1), Cast(NAMES, 1), by_clock=True)
    (theirs,) = entry_sentences(Passed(1), Cast(NAMES, 0), by_clock=True)
    assert yours == "You ran out of time, so the site passed for you."
    assert theirs == "Bruno ran out of time, so the site passed."


def test_several_players_with_the_reader_among_them_are_told_apart() -> None:
    events = redact(dealt(2, 3, 2), None)
    assert narrate(events, Cast(NAMES, 2)) == ["You and Anna drew 2 cards each.", "Bruno drew 3 cards."]
    ended = GameEnded((0, 2), "most regions")
    assert narrate([ended], Cast(NAMES, 0))[0].startswith("You and Carla share the victory.")


def test_every_region_of_the_rules_has_a_name_for_people() -> None:
    assert {region: rules_name(region) for region in REGIONS} == {
        region: region_name(region) for region in REGIONS
    }


def test_a_reader_whose_line_alone_lost_cards_is_told_so() -> None:
    winter, bishop = SeasonSwept("winter", (1,)), MercenariesRemoved("10", ((1, 2),))
    assert narrate([winter, bishop], Cast(NAMES, 1)) == [
        "Winter was discarded from your line.",
        "The Bishop removed every 10 from your line.",
    ]
    assert narrate([winter, bishop], Cast(NAMES, 0)) == [
        "Winter was discarded from the line of Bruno.",
        "The Bishop removed every 10 from the line of Bruno.",
    ]
    several = (SeasonSwept("winter", (0, 1)), MercenariesRemoved("10", ((0, 1), (1, 2))))
    assert narrate(several, Cast(NAMES, 1)) == [
        "Winter was discarded from the lines of Anna and you.",
        "The Bishop removed every 10 from the lines of Anna and you.",
    ]
    assert foretell([winter, bishop], Cast(NAMES, 1)) == [
        "Winter will be discarded from your line.",
        "The Bishop will remove every 10 from your line.",
    ]


@pytest.mark.parametrize(
    ("control", "regions", "sentence"),
    [
        (
            "spoleto=0 siena=0 firenze=0",
            "Firenze, Roma, Siena and Spoleto",
            "Anna won the game with 4 connected regions.",
        ),
        (
            "torino=0 parma=0 venezia=0 urbino=0 lucca=0",
            "Lucca, Parma, Roma, Torino, Urbino and Venezia",
            "Anna won the game with 6 regions.",
        ),
    ],
)
def test_the_end_names_the_regions_that_won_and_how_many_there_are(
    control: str, regions: str, sentence: str
) -> None:
    state, _events = played(staged("5|1|1", control=control), "play 5", "pass", "pass")
    position = Position(Game(), Replay((), (), state, None), NAMES, 1, reader=1)
    result = result_section(position, players_section(position).rows)
    verb = "connected" if "connected" in sentence else "holds"
    assert result
    assert result.winning_regions == f"Anna {verb} {regions}."
    assert result.sentence == sentence
