"""The events of the rules: emails and pages are written from these values alone."""

import pytest

from games.rules import (
    BattleCompared,
    BattleStopped,
    CardPlayed,
    CardsKept,
    CardsTurnedUp,
    CondottiereHanded,
    FinalBattleBegun,
    GameEnded,
    HandsDropped,
    HandsOpened,
    HeldBack,
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
    RegionDefended,
    RoundEnded,
    SeasonSwept,
    apply,
    line_strengths,
    observe,
    parse_move,
    preview,
    redact,
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


def test_r18_the_keeper_is_told_and_what_they_keep_is_counted() -> None:
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


def test_r22_counting_goes_on_over_the_end_of_a_round_and_starts_again_after_a_standstill() -> None:
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


CAPTURING = ("capturing-regions",)


def test_r33_an_observation_names_the_defender_while_their_pass_does_not_put_them_out() -> None:
    state = staged("1 2 | 5 6 | 4", control="roma=1", variants=CAPTURING)
    assert (observe(state, 0).defender, observe(state, 0).holds_back) == (1, (1,))
    asked_once_more, _ = played(state, "pass", "pass", "pass")
    assert (observe(asked_once_more, 0).defender, observe(asked_once_more, 0).holds_back) == (1, ())
    in_it, _ = played(state, "pass", "play 5")
    assert observe(in_it, 0).holds_back == ()
    assert observe(staged("1 2 | 5 6", control="roma=1"), 0).defender is None
    assert observe(staged("1 2 | 5 6", control="siena=1", variants=CAPTURING), 0).defender is None


def test_r33_a_defender_with_an_empty_hand_is_out_and_holds_nothing_back() -> None:
    for hands in ("1 2 | - | 4", "- | - | 4"):
        state = staged(hands, control="roma=1", variants=CAPTURING)
        assert (observe(state, 0).defender, observe(state, 0).holds_back) == (1, ())


def test_r33_a_pass_of_the_defender_is_told_as_holding_back() -> None:
    state = staged("1 2 | 5 6", control="roma=1", variants=CAPTURING)
    _, told = played(state, "pass", "pass")
    assert told[:2] == [Passed(0), Passed(1)]
    _, told = played(state, "play 1", "pass", "pass", "pass")
    assert told == [
        CardPlayed(0, "1", (1, 0)),
        HeldBack(1),
        Passed(0),
        Passed(1),
        BattleCompared("roma", (1, 0), None),
        RegionConquered(0, "roma", 1),
        CondottiereHanded(0, "winner"),
    ]


def test_r34_a_region_defended_and_its_token_are_told() -> None:
    _, told = played(staged("1 2 | 5 6", control="roma=1", variants=CAPTURING), "pass", "pass")
    assert told[-3:] == [
        BattleCompared("roma", (0, 0), None),
        RegionDefended(1, "roma"),
        CondottiereHanded(1, "defender"),
    ]


def test_r37_r40_a_card_played_face_down_is_told_without_its_name_but_to_its_owner() -> None:
    _, told = played(staged("10 5 1 | 4", variants=("hidden-cards",)), "play 10", "pass", "play 5")
    assert told == [
        CardPlayed(0, "10", (0, 0), True),
        Passed(1),
        CardPlayed(0, "5", (0, 0), True),
        CardsTurnedUp(((0, "10"),), (10, 0)),
    ]
    assert redact(told, 0) == tuple(told)
    for viewer in (1, None):
        hidden = [CardPlayed(0, None, (0, 0), True), *told[1:2], CardPlayed(0, None, (0, 0), True), told[3]]
        assert redact(told, viewer) == tuple(hidden)


def test_r40_no_one_but_its_owner_sees_a_face_down_card() -> None:
    state, _ = played(staged("10 5 1 | 4 1", variants=("hidden-cards",)), "play 10")
    assert observe(state, 0).own_face_down == "10"
    for seat in (0, 1, None):
        view = observe(state, seat)
        assert view.face_down == (True, False)
        assert view.lines == ((), ())
        assert view.totals == (0, 0)
        assert view.hand_sizes == (2, 2)
        assert seat == 0 or view.own_face_down is None


def test_r39_all_cards_turned_up_at_the_end_are_told_together_in_seat_order() -> None:
    state = staged("10 1 | 4 1 | 5", variants=("hidden-cards",))
    _, told = played(state, "play 10", "play 4", "play 5", "pass reveal", "pass")
    assert told[4:8] == [
        Passed(0),
        CardsTurnedUp(((0, "10"),), (10, 0, 0)),
        Passed(1),
        CardsTurnedUp(((1, "4"), (2, "5")), (10, 4, 5)),
    ]


def test_r43_a_bishop_of_1995_is_told_with_the_city_it_saved() -> None:
    _, told = played(staged("bishop 1 | 4 1", edition="1995"), "play bishop")
    assert told == [
        CardPlayed(0, "bishop", (0, 0)),
        BattleStopped(0, "roma"),
        NobodyConquered("roma"),
        CondottiereHanded(0, "chooser"),
        LinesDiscarded(),
    ]


def test_r45_a_scarecrow_of_1995_is_told_with_whose_mercenary_it_took() -> None:
    _, told = played(staged("scarecrow | 4 1", "- | 6", edition="1995"), "play scarecrow 6 from 1")
    assert told == [CardPlayed(0, "scarecrow", (0, 0)), MercenaryTakenBack(0, "6", 1)]


def test_refusals_of_the_variants_say_why() -> None:
    capturing = staged("5 | 1", battle=None, control="torino=0 milano=1", pope="milano", variants=CAPTURING)
    assert refused(capturing, "place torino") is Reason.REGION_OWN
    assert refused(capturing, "place milano") is Reason.REGION_UNDER_POPE
    old = staged("5 bishop scarecrow | 1", "2 | 3", edition="1995")
    assert refused(old, "play bishop siena") is Reason.NO_POPE
    assert refused(old, "play bishop off") is Reason.NO_POPE
    assert refused(old, "play scarecrow 2") is Reason.SCARECROW_WITHOUT_SEAT
    assert refused(old, "play scarecrow 3 from 0") is Reason.NO_SUCH_MERCENARY
    assert refused(old, "play scarecrow 3 from 5") is Reason.NO_SUCH_MERCENARY
    new = staged("5 bishop scarecrow | 1", "2 | 3")
    assert refused(new, "play bishop") is Reason.BISHOP_WITHOUT_POPE
    assert refused(new, "play scarecrow 2 from 0") is Reason.SCARECROW_OWN_LINE
    assert refused(new, "pass reveal") is Reason.NOTHING_FACE_DOWN


@pytest.mark.parametrize(
    ("variants", "players", "goals"),
    [
        ((), 3, (4, 6)),
        (("bigger-kingdoms",), 3, (5, 6)),
        (("bigger-kingdoms",), 4, (4, 5)),
    ],
)
def test_r31_an_observation_names_the_goals(
    variants: tuple[str, ...], players: int, goals: tuple[int, int]
) -> None:
    view = observe(staged(" | ".join(["1"] * players), variants=variants), 0)
    assert (view.goal_connected, view.goal_total) == goals


def test_r48_an_observation_of_1995_names_no_total() -> None:
    goals = [observe(staged(" | ".join(["1"] * count), edition="1995"), 0) for count in range(2, 7)]
    assert [(view.goal_connected, view.goal_total) for view in goals] == [
        (6, None), (5, None), (4, None), (4, None), (4, None),
    ]  # fmt: skip


def test_r6_strengths_can_be_asked_of_lines_that_no_one_has_laid() -> None:
    assert line_strengths((("10", "10", "5", "4"), ("courtesan",))) == (29, 1)
    assert line_strengths((("10", "10", "5", "4"), ("winter",))) == (4, 0)


def test_r27_the_end_of_a_game_is_told_with_its_points() -> None:
    state = staged("10 | 1 | 1 | 1", control="firenze=0 siena=0 torino=2", variants=("playing-for-points",))
    _, told = played(state, "play 10", "pass", "pass", "pass")
    assert told[-1] == GameEnded((0,), "adjacent regions", (8, 0, 1, 0))
