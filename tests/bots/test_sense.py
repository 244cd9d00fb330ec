"""Bots play sensibly: one small position for each thing a fair player sees at once."""

from typing import Any

import pytest

from games.bots import STRENGTHS, choose
from games.rules import Options, State, observe
from tests.rules.stage import played as _played
from tests.rules.stage import staged

CAPTURING = Options("2007", ("capturing-regions",))
HIDDEN = Options("2007", ("hidden-cards",))
EDITION_1995 = Options("1995")
pytestmark = [pytest.mark.once, pytest.mark.parametrize("strength", STRENGTHS)]


def _answer(strength: str, state: State, seat: int) -> str:
    return str(choose(strength, observe(state, seat)))


def played(state: State, *moves: str) -> State:
    return _played(state, *moves)[0]


def _alone_to_the_end(strength: str, state: State, seat: int) -> tuple[State, tuple[str, ...]]:
    """Play the battle until the bot, the last one in, is done; return it and the bot's line."""
    while not state.is_over and state.phase == "battle":
        line = observe(state, seat).lines[seat]
        move = _answer(strength, state, seat)
        state = played(state, f"{seat}: {move}")
    return state, observe(state, seat).lines[seat] or line


def test_the_winning_region_is_chosen(strength: str) -> None:
    state = staged("10 6 5 4 | 3 3 2 2", battle=None, control="roma=0 siena=0 firenze=0 milano=1")
    assert _answer(strength, state, 0) in {
        f"place {region}" for region in ("bologna", "lucca", "modena", "urbino", "spoleto", "napoli")
    }


def test_a_connected_region_is_chosen_before_a_lonely_one(strength: str) -> None:
    state = staged("10 6 5 4 | 3 3 2 2", battle=None, control="torino=0 ancona=1")
    assert _answer(strength, state, 0) in {"place genova", "place milano"}


def test_someone_who_leads_when_all_others_are_out_passes(strength: str) -> None:
    state = played(staged("10 6 5 | 3 2 1"), "0: play 10", "1: pass")
    assert _answer(strength, state, 0) == "pass"


def test_the_last_one_pays_no_more_than_winning_costs(strength: str) -> None:
    state = played(staged("3 2 | 10 6 5 4 heroine"), "0: play 3", "1: play 4", "0: pass")
    assert _answer(strength, state, 1) == "pass"
    state = played(staged("5 2 | 10 6 4 heroine 1 1"), "0: play 5", "1: play 1", "0: pass")
    state, line = _alone_to_the_end(strength, state, 1)
    assert sorted(line) in (["1", "1", "4"], ["1", "6"])


def test_a_hopeless_battle_is_left(strength: str) -> None:
    state = played(staged("heroine 10 10 10 6 6 | 1 2 2 3 1"), "0: play 10", "1: play 1", "0: play heroine")
    assert _answer(strength, state, 1) == "pass"


def test_others_are_stopped_from_winning(strength: str) -> None:
    state = staged("10 1 | 10 6 6 6 5", control="napoli=0 siena=0 spoleto=0")
    state = played(state, "0: play 10", "1: play 6", "0: pass")
    assert _answer(strength, state, 1).startswith("play ")


def test_winter_meets_big_mercenaries(strength: str) -> None:
    state = staged("10 10 6 5 5 | winter 1 1 1 1 1 1", control="napoli=0 siena=0 spoleto=0")
    state = played(state, "0: play 10", "1: play 1", "0: play 10", "1: play 1", "0: pass")
    state, line = _alone_to_the_end(strength, state, 1)
    assert sorted(line) == ["1", "1", "1", "winter"]


def test_a_drummer_doubles_many(strength: str) -> None:
    state = staged("10 10 6 1 | drummer 6 5 5 2", control="napoli=0 siena=0 spoleto=0")
    state = played(state, "0: play 10", "1: play 6", "0: play 10", "1: play 5")
    state = played(state, "0: play 1", "1: play 5", "0: pass")
    assert _answer(strength, state, 1) == "play drummer"


def test_spring_strengthens_the_highest(strength: str) -> None:
    state = staged("6 6 1 | 10 spring 1", control="napoli=0 siena=0 spoleto=0")
    state = played(state, "0: play 6", "1: play 10", "0: play 6", "1: play 1", "0: pass")
    assert _answer(strength, state, 1) == "play spring"


def test_a_bishop_removes_the_others_best_and_sends_the_pope_in_their_way(strength: str) -> None:
    state = staged("10 10 1 | bishop 3 2 1", control="napoli=0 siena=0 spoleto=0 milano=1")
    state = played(state, "0: play 10", "1: play 3", "0: play 10", "1: play 2", "0: pass")
    answer = _answer(strength, state, 1)
    assert answer in {f"play bishop {region}" for region in ("firenze", "ancona", "urbino")}


def test_a_scarecrow_saves_a_strong_card_from_a_lost_battle(strength: str) -> None:
    state = staged("heroine 10 10 10 10 6 | 10 scarecrow 1 1", control="torino=1")
    state = played(state, "0: play heroine", "1: play 10", "0: play 10", "1: play 1", "0: play 10")
    assert _answer(strength, state, 1) == "play scarecrow 10"


def test_a_scarecrow_takes_back_what_is_not_needed_to_win(strength: str) -> None:
    state = staged("1 6 5 4 3 | 10 6 4 scarecrow 5 5")
    state = played(state, "0: play 1", "1: play 10", "0: play 3", "1: play 6", "0: pass")
    assert _answer(strength, state, 1) in {"play scarecrow 10", "play scarecrow 6"}


def test_surrender_ends_a_battle_one_leads(strength: str) -> None:
    state = staged("1 1 10 10 10 6 6 5 5 4 | 5 2 1 surrender", control="napoli=1 siena=1 spoleto=1")
    state = played(state, "0: play 1", "1: play 5", "0: play 1")
    assert _answer(strength, state, 1) == "play surrender"


def test_a_heroine_is_played_when_the_game_is_at_stake(strength: str) -> None:
    state = staged("10 6 3 | heroine 3 1", control="napoli=0 siena=0 spoleto=0")
    state = played(state, "0: play 10", "1: play 3", "0: pass")
    assert _answer(strength, state, 1) == "play heroine"


def test_a_dear_card_is_saved_for_a_dear_region(strength: str) -> None:
    state = played(staged("2 2 1 | heroine 3 1 1"), "0: play 2")
    assert _answer(strength, state, 1) != "play heroine"


def test_a_final_battle_is_fought_with_everything(strength: str) -> None:
    state = staged("10 10 | 6 5 4", finalists=(0, 1))
    state = played(state, "0: play 10")
    assert _answer(strength, state, 1).startswith("play ")


def test_the_best_cards_are_kept_from_a_round(strength: str) -> None:
    state = staged("10 heroine 1 2 | -", battle=None, battles=3)
    state = played(state, "0: place roma")
    assert _answer(strength, state, 0) == "keep 10 heroine"


def test_a_hand_that_cannot_win_is_thrown_away_and_a_heroine_kept(strength: str) -> None:
    assert _answer(strength, _between("scarecrow bishop winter", "10 6 6 5 5"), 0) == "discard hand"
    assert _answer(strength, _between("heroine heroine courtesan", "10 1 1"), 0) == "keep hand"


def _between(mine: str, theirs: str) -> State:
    return played(staged(f"{mine} | {theirs}", battle=None), "0: place roma")


def _set_up(options: Options, hands: str, **how: Any) -> State:
    return staged(hands, edition=options.edition, variants=options.variants, **how)


@pytest.mark.parametrize("options", [CAPTURING, EDITION_1995], ids=["capturing", "1995"])
def test_a_defender_waits_and_answers_when_the_others_are_done(strength: str, options: Options) -> None:
    state = _set_up(options, "4 3 | 6 5 1", control="roma=1")
    state = played(state, "0: play 4")
    assert _answer(strength, state, 1) == "pass"
    state = played(state, "1: pass", "0: pass")
    assert _answer(strength, state, 1) == "play 5"


def test_a_leader_is_attacked_where_it_hurts(strength: str) -> None:
    held = "roma=1 spoleto=1 napoli=1 firenze=0 siena=0"
    state = _set_up(CAPTURING, "10 6 6 5 heroine | 1 1", battle=None, control=held)
    assert _answer(strength, state, 0) in {"place roma", "place spoleto", "place napoli"}


def test_the_pope_may_guard_ones_own_region(strength: str) -> None:
    held = "roma=1 spoleto=1 napoli=1"
    state = _set_up(CAPTURING, "10 10 1 | bishop 3 2 1", battle="firenze", control=held)
    state = played(state, "0: play 10", "1: play 3", "0: play 10", "1: play 2", "0: pass")
    answer = _answer(strength, state, 1)
    assert answer.startswith("play bishop ")
    assert answer != "play bishop off"


def test_ones_own_face_down_card_counts(strength: str) -> None:
    state = _set_up(HIDDEN, "2 2 | 10 1 1")
    state = played(state, "0: play 2", "1: play 10", "0: pass reveal")
    assert _answer(strength, state, 1) == "pass"


def test_another_card_face_down_is_reckoned_with(strength: str) -> None:
    """The game needs one region more than two, so this one is worth about four."""
    held = "napoli=1 siena=1 spoleto=1"
    state = _set_up(HIDDEN, "1 1 | 2 6 5 1", control=held)
    state = played(state, "0: play 1", "1: play 2", "0: pass")
    assert _answer(strength, state, 1).startswith("play ")


def test_a_card_that_lies_face_down_stays_so(strength: str) -> None:
    state = _set_up(HIDDEN, "heroine 10 10 10 6 6 | 1 2 2 3 1")
    state = played(state, "0: play heroine", "1: play 1", "0: play 10")
    assert _answer(strength, state, 1) == "pass"


def test_a_bishop_of_1995_saves_a_city_that_would_be_lost(strength: str) -> None:
    state = _set_up(
        EDITION_1995,
        "heroine 10 10 6 | bishop 2 1",
        control="roma=1 napoli=0 spoleto=0 urbino=0 ancona=0 firenze=0",
    )
    state = played(state, "0: play heroine", "1: pass", "0: play 10", "1: pass", "0: pass")
    assert _answer(strength, state, 1) == "play bishop"


def test_a_scarecrow_of_1995_takes_the_others_best(strength: str) -> None:
    held = "napoli=0 spoleto=0 urbino=0 ancona=0 firenze=0"
    state = _set_up(EDITION_1995, "10 6 1 | scarecrow 5 3", control=held)
    state = played(state, "0: play 10", "1: play 5", "0: pass")
    assert _answer(strength, state, 1) == "play scarecrow 10 from 0"


def test_a_hand_of_scarecrows_is_kept_in_1995(strength: str) -> None:
    """Here they take what others play; elsewhere they only save one's own cards."""
    hands = "scarecrow scarecrow scarecrow scarecrow | 10 6 6 5 5 1"
    state = played(_set_up(EDITION_1995, hands), "0: pass", "1: play 1", "1: pass")
    assert _answer(strength, state, 0) == "keep hand"
