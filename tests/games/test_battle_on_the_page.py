"""What a game's page says about a battle: each card's value and why, the leader, each card's effect."""

from __future__ import annotations

import pytest
from django.utils import translation

from games.map.board import BoardView, kingdoms
from games.presenters.battle import counted_cards, line_rows, season_text, strength_text
from games.presenters.choices import Choices
from games.presenters.hand import hand_cards
from games.presenters.seats import seat_rows
from games.rules import Observation, State, card_strengths, observe, preview
from games.templatetags.board import region_rows
from tests.rules.stage import played, staged

NAMES = ("Anna", "Bruno", "Carla")


def seen(lines: str, hands: str = "5|6|1", **more: object) -> Observation:
    return observe(staged(hands, lines, **more), 0)


def told_sum(*line: str, season: str = "") -> str:
    lines = ((*line,), (season,) if season else ())
    return strength_text(line, card_strengths(lines)[0], season or None)


@pytest.mark.parametrize(
    ("line", "season", "told"),
    [
        (("10", "6"), "", ""),
        (("heroine",), "", ""),
        (("10", "6", "1", "drummer", "heroine"), "", "Drummer 2 × (10 + 6 + 1) + Heroine 10 = 44"),
        (("10", "6", "drummer"), "winter", "Drummer 2 × (2 × 1) = 4"),
        (("6", "6", "2"), "spring", "6 + 6 + 2 + Spring 6 = 20"),
        (("3", "courtesan", "courtesan"), "", "3 + Courtesan 2 × 1 = 5"),
    ],
)
def test_a_total_is_explained_where_it_is_not_the_sum_of_what_one_sees(
    line: tuple[str, ...], season: str, told: str
) -> None:
    assert told_sum(*line, season=season) == told


def test_a_card_tells_what_it_counts_where_that_is_not_its_number() -> None:
    line = ("6", "drummer", "heroine", "courtesan")
    told = counted_cards(line, card_strengths([line])[0])
    assert [card.counts for card in told] == [12, None, None, None]


def test_a_season_tells_what_the_totals_would_be_without_it() -> None:
    told = season_text(seen("10 6|5 winter|-"), NAMES)
    assert told == "Winter: every Mercenary counts 1. Strength without it: Anna 16, Bruno 5."
    assert season_text(seen("10|5|-"), NAMES) == ""


def test_a_leader_leads_alone_and_equals_are_level() -> None:
    rows = line_rows(seen("6|6|-"), NAMES, [None] * 3)
    assert [(row.leads, row.is_level) for row in rows] == [(False, True), (False, True), (False, False)]
    rows = line_rows(seen("10|6|-"), NAMES, [None] * 3)
    assert [(row.leads, row.is_level) for row in rows] == [(True, False), (False, False), (False, False)]
    assert not any(row.is_level for row in line_rows(seen("-|-|-"), NAMES, [None] * 3))


def test_once_a_battle_is_over_its_leader_has_won_it_and_leads_no_more() -> None:
    over, _ = played(staged("5 1|6 surrender|1 2", "10|6|-"), "pass", "play surrender")
    rows = line_rows(observe(over, None), NAMES, [None] * 3)
    assert [(row.leads, row.won) for row in rows] == [(False, True), (False, False), (False, False)]
    assert not any(row.won for row in line_rows(seen("10|6|-"), NAMES, [None] * 3))
    level, _ = played(staged("5 1|6 surrender|1 2", "6|6|-"), "pass", "play surrender")
    assert not any(row.won for row in line_rows(observe(level, None), NAMES, [None] * 3))


def test_a_battle_that_a_bishop_stopped_leaves_no_lines_to_win() -> None:
    stopped, _ = played(staged("5 1|6 bishop|1 2", "10|6|-", edition="1995"), "pass", "play bishop")
    assert not any(row.leads or row.won for row in line_rows(observe(stopped, None), NAMES, [None] * 3))


def test_a_hand_shows_equal_cards_together_with_what_each_leads_to() -> None:
    state = staged("2 2 10 drummer surrender bishop|6|1", "3|6|-")
    cards = {card.card: card for card in hand_cards(observe(state, 0), lambda move: preview(state, 0, move))}
    assert list(cards) == ["2", "10", "drummer", "bishop", "surrender"]
    assert (cards["2"].copies, *map(str, cards["2"].moves), cards["2"].gist, cards["2"].standing) == (
        2,
        "play 2",
        "strength 5",
        "",
    )
    choices = Choices(observe(state, 0), NAMES, lambda move: preview(state, 0, move))
    said = {choice.text: choice.follows for choice in choices.every}
    assert said["play 10"] == "Your strength becomes 13. You then lead."
    assert said["play 2"] == "Your strength becomes 5."
    assert (cards["10"].label, cards["10"].leads) == ("10, strength 13, you lead", True)
    assert (cards["drummer"].gist, cards["drummer"].standing) == ("strength 6", "tied")
    assert len(cards["bishop"].moves) > 1
    assert {move.card for move in cards["bishop"].moves} == {"bishop"}
    assert cards["bishop"].gist == "moves the Pope"
    assert cards["surrender"].gist == "ends the battle"


def test_a_hand_of_someone_who_is_not_asked_cannot_be_pressed() -> None:
    state = staged("5|6|1", "3|-|-")
    (card,) = hand_cards(observe(state, 1), lambda move: preview(state, 1, move))
    assert (card.card, card.moves) == ("6", ())


def test_a_card_that_will_lie_face_down_promises_no_total() -> None:
    state = staged("5|6|1", variants=("hidden-cards",))
    (card,) = hand_cards(observe(state, 0), lambda move: preview(state, 0, move))
    assert (card.gist, card.standing) == ("face down", "")


def test_kingdoms_are_connected_groups_the_largest_first() -> None:
    assert kingdoms(["napoli", "torino", "genova", "ferrara"]) == [
        ("genova", "torino"), ("ferrara",), ("napoli",)
    ]  # fmt: skip
    assert kingdoms([]) == []


def test_regions_stand_in_the_order_of_the_readers_alphabet() -> None:
    """In Russian, Firenze comes last."""
    held = "firenze=0 lucca=0 parma=0"
    with translation.override("ru"):
        seat, *_others = seat_rows(seen("-|-|-", control=held), NAMES, 0, {"firenze": (0,), "lucca": (0,)})
        _five, bishop, _pass = offered(staged("5 bishop|6|1", "5|-|-")).picks
        lists = {
            "held": seat.regions,
            "prizes": seat.prizes,
            "to fight for": [one.place for one in offered(staged("5|6|1", battle=None)).every],
            "for the Pope": [step.name for step in bishop.steps[:-1]],
            "near Bologna": next(
                row.neighbours for row in region_rows(BoardView()) if row.region == "bologna"
            ),
        }
    assert all(len(names) > 1 for names in lists.values())
    assert {about: list(names) for about, names in lists.items()} == {
        about: sorted(names) for about, names in lists.items()
    }


def offered(state: State) -> Choices:
    return Choices(observe(state, 0), NAMES, lambda move: preview(state, 0, move))
