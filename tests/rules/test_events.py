"""What the rules say happened: letters and pages are written from these values alone."""

import pytest

from games.rules import (
    BattleCompared,
    CardPlayed,
    CardsKept,
    CondottiereHanded,
    FinalBattleBegun,
    GameEnded,
    HandsDropped,
    HandsOpened,
    IllegalMove,
    LinesDiscarded,
    MercenariesRemoved,
    MercenaryTakenBack,
    NobodyConquered,
    Passed,
    PopePlaced,
    RanOutOfCards,
    Reason,
    RegionChosen,
    RegionConquered,
    RoundEnded,
    SeasonSwept,
    apply,
    observe,
    parse_move,
    preview,
)
from tests.rules.stage import played, refused, staged


def test_r16_a_battle_is_told_in_the_order_it_is_resolved() -> None:
    _, told = played(staged("5 1 | courtesan 2"), "play 5", "play courtesan", "pass", "pass", "place siena")
    assert told == [
        CardPlayed(0, "5", (5, 0)),
        CardPlayed(1, "courtesan", (5, 1)),
        Passed(0),
        Passed(1),
        BattleCompared("roma", (5, 1), None),
        RegionConquered(0, "roma"),
        CondottiereHanded(1, "courtesans"),
        RegionChosen(1, "siena"),
        LinesDiscarded(),
    ]


def test_r5_running_out_of_cards_is_told_after_the_cards_effect() -> None:
    _, told = played(staged("scarecrow | 1 2", "5 | -"), "play scarecrow nothing")
    assert told == [CardPlayed(0, "scarecrow", (5, 0)), MercenaryTakenBack(0, None), RanOutOfCards(0)]


def test_r7_a_season_swept_away_names_whose_it_was() -> None:
    _, told = played(staged("winter 1 | 1 | 1", "- | spring | spring 5"), "play winter")
    assert told == [CardPlayed(0, "winter", (0, 0, 1)), SeasonSwept("spring", (1, 2))]
    _, told = played(staged("winter 1 | 1"), "play winter")
    assert told == [CardPlayed(0, "winter", (0, 0))]


def test_r8_a_bishop_names_the_value_and_the_losses() -> None:
    _, told = played(staged("bishop 1 | 1", "5 5 3 | 5"), "play bishop siena")
    assert told == [
        CardPlayed(0, "bishop", (3, 0)),
        MercenariesRemoved("5", ((0, 2), (1, 1))),
        PopePlaced(0, "siena"),
    ]
    _, told = played(staged("bishop 1 | 1"), "play bishop off")
    assert told[1:] == [MercenariesRemoved(None, ()), PopePlaced(0, None)]


def test_r10_a_scarecrow_names_what_it_took_back() -> None:
    _, told = played(staged("scarecrow | 1", "5 | -"), "play scarecrow 5")
    assert told == [CardPlayed(0, "scarecrow", (0, 0)), MercenaryTakenBack(0, "5")]


def test_r12_surrender_names_who_surrendered() -> None:
    _, told = played(staged("1 | surrender", "5 | 5"), "pass", "play surrender")
    assert told[1:] == [
        CardPlayed(1, "surrender", (5, 5)),
        BattleCompared("roma", (5, 5), 1),
        NobodyConquered("roma"),
        CondottiereHanded(1, "left"),
    ]


def test_r15_a_victory_is_the_last_thing_told() -> None:
    state = staged("10 | 1 | 1 | 1", control="firenze=0 siena=0")
    ended, told = played(state, "play 10", "pass", "pass", "pass")
    assert told[-3:] == [
        RegionConquered(0, "roma"),
        CondottiereHanded(0, "winner"),
        GameEnded((0,), "adjacent regions"),
    ]
    assert ended.is_over


def test_r18_the_keeper_is_told_and_what_he_keeps_is_counted() -> None:
    _, told = played(staged("5 5 drummer | - | -", battle=None), "place siena", "keep 5 drummer")
    assert told == [
        RegionChosen(0, "siena"),
        LinesDiscarded(),
        RoundEnded(0),
        CardsKept(0, 2, ("5", "drummer")),
    ]


def test_r20_r21_a_final_battle_is_announced_with_its_starter_and_brings_no_pope() -> None:
    control = (
        "torino=0 venezia=0 lucca=0 spoleto=1 urbino=1 genova=1 mantova=2 siena=2 parma=2 ancona=3 bologna=3 "
        "milano=3 ferrara=4 modena=4 napoli=1"
    )
    state = staged("10 | 1 | 1 | 1 | 1", control=control, pope="firenze")
    owed, told = played(state, "play 10", "pass", "pass", "pass", "pass")
    assert told[-1] == FinalBattleBegun((0, 1), 0)
    assert len(owed.shuffle_pile) == 110
    _, told = played(
        staged("bishop 1 | 5 | -", finalists=(0, 1), pope="firenze"), "play bishop off", "pass", "pass"
    )
    assert [type(event).__name__ for event in told] == [
        "CardPlayed", "MercenariesRemoved", "Passed", "Passed", "BattleCompared", "GameEnded",
    ]  # fmt: skip
    assert told[-2:] == [BattleCompared(None, (0, 0, 0), None), GameEnded((0, 1), "final battle")]


def test_r22_dropped_hands_are_shown_to_all() -> None:
    state, told = played(staged("heroine 1 | 2 courtesan", idle=1), "pass", "pass", "place siena")
    dropped = HandsDropped(((0, ("1", "heroine")), (1, ("2", "courtesan"))))
    assert told[-4:] == [RegionChosen(1, "siena"), LinesDiscarded(), dropped, RoundEnded(None)]
    assert HandsOpened() not in told
    assert observe(state, None).discards == ()


def test_r22_counting_goes_on_over_the_end_of_a_round_and_starts_anew_after_a_standstill() -> None:
    state = staged("5 | 5 | 1", idle=0)
    state, _ = played(state, "pass", "pass", "pass", "place siena", "pass", "pass", "pass", "place siena")
    assert state.idle == 2
    state, told = played(state, "pass", "pass", "pass", "place siena")
    assert any(isinstance(event, HandsDropped) for event in told)
    assert state.idle == 0
    assert state.phase == "shuffle"


@pytest.mark.parametrize(
    ("move", "reason"),
    [
        ("0: play 6", Reason.CARD_NOT_IN_HAND),
        ("1: play 1", Reason.NOT_ASKED),
        ("0: place siena", Reason.NOT_THE_QUESTION),
        ("0: keep nothing", Reason.NOT_THE_QUESTION),
        ("0: discard hand", Reason.NOT_THE_QUESTION),
        ("0: play bishop roma", Reason.POPE_REGION_FOUGHT_FOR),
        ("0: play bishop torino", Reason.POPE_REGION_CONTROLLED),
        ("0: play scarecrow 6", Reason.NO_SUCH_MERCENARY),
    ],
)
def test_a_refused_move_says_why(move: str, reason: Reason) -> None:
    assert refused(staged("5 bishop scarecrow | 1", control="torino=1"), move) is reason


def test_refusals_outside_a_battle_say_why() -> None:
    placing = staged("5 | 1", battle=None, control="torino=1", pope="milano")
    assert refused(placing, "place torino") is Reason.REGION_CONTROLLED
    assert refused(placing, "place milano") is Reason.REGION_UNDER_POPE
    assert refused(placing, "pass") is Reason.NOT_THE_QUESTION
    keeping, _ = played(staged("5 | - | -", battle=None), "place siena")
    assert refused(keeping, "keep 6") is Reason.CARDS_NOT_IN_HAND
    assert refused(keeping, "pass") is Reason.NOT_THE_QUESTION
    hands, _ = played(staged("drummer | 1 | 1", battle=None), "place siena")
    assert refused(hands, "0: pass") is Reason.NOT_THE_QUESTION
    assert refused(hands, "1: keep hand") is Reason.NOT_ASKED
    final = staged("bishop | 5 | -", finalists=(0, 1))
    assert refused(final, "play bishop siena") is Reason.POPE_STAYS


def test_an_illegal_move_is_a_value_error_with_its_reason() -> None:
    state = staged("5 | 1")
    for seat, text in ((1, "pass"), (None, "pass")):
        with pytest.raises(IllegalMove) as illegal:
            apply(state, seat, parse_move(text))
        assert illegal.value.reason is Reason.NOT_ASKED
        assert str(illegal.value) == Reason.NOT_ASKED.value
    with pytest.raises(IllegalMove):
        preview(state, 1, parse_move("pass"))


def test_r23_an_observation_says_what_the_page_shows() -> None:
    state, _ = played(
        staged("5 winter | 6 1", "2 | 4", control="siena=0 torino=1", pope="milano"), "play winter"
    )
    view = observe(state, 1)
    assert (view.battle, view.chooser, view.condottiere, view.pope) == ("roma", 0, 0, "milano")
    assert dict(view.control) == {"siena": 0, "torino": 1}
    assert view.hand == ("1", "6")
    assert view.lines == (("2", "winter"), ("4",))
    assert view.totals == (1, 1)
    assert view.season == "winter"
    assert view.waiting_for == (1,)
    assert view.asked is not None
    assert view.asked.kind == "battle"
    assert [str(move) for move in view.legal] == ["pass", "play 1", "play 6"]
    assert (view.goal_connected, view.goal_total, view.largest_group) == (4, 6, (1, 1))
    assert view.outcome is None
    assert view.final_battle == ()
    assert observe(state, 0).asked is None
    assert observe(state, 0).legal == ()
