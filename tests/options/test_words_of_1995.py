"""The sentences of the 1995 game where they differ (R43, R45, R46)."""

from games.narration.event_sentences import narrate
from games.narration.move_names import move_name
from games.rules import CardsKept, RoundEnded, parse_move
from tests.rules.stage import played, staged

NAMES = ("Anna", "Bruno", "Carla")


def test_a_bishop_sends_no_pope_anywhere() -> None:
    assert move_name(parse_move("play bishop")) == "Play Bishop"
    assert "Pope" in move_name(parse_move("play bishop off"))


def test_a_scarecrow_says_from_whose_line_it_takes() -> None:
    assert move_name(parse_move("play scarecrow 5 from 1"), NAMES, 0).endswith("take the 5 that Bruno played")
    assert move_name(parse_move("play scarecrow 5 from 0"), NAMES, 0).endswith("take back the 5")
    assert move_name(parse_move("play scarecrow nothing"), NAMES, 0).endswith("take nothing")


def test_someone_who_has_the_last_cards_is_told_to_keep_none() -> None:
    table = staged("1 | 2 3", lines="- | -", edition="1995")
    _, told = played(table, "play 1", "pass")
    assert [RoundEnded(1), CardsKept(1, 0, ())] == told[-2:]
    assert narrate(told[-2:], NAMES) == [
        "The round is over: only Bruno has cards left.",
        "Bruno kept no card.",
    ]
