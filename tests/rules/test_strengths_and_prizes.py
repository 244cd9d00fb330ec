"""What each card of a line counts, and where a conquest would win the game: both against the engine."""

from random import Random

import pytest

from games.rules import (
    REGIONS,
    Observation,
    State,
    apply,
    card_strengths,
    line_strengths,
    observe,
    parse_move,
    pending,
    prizes,
    replay,
)
from tests.rules.random_play import EVERY_OPTIONS, Game, any_game
from tests.rules.stage import staged

# A board on which Ancona alone is left to choose, and no seat reaches a goal of its own by it.
NEARLY_FULL = (
    "torino=2 milano=0 venezia=4 genova=0 mantova=1 ferrara=4 parma=1 modena=3 bologna=1 lucca=2 siena=5 "
    "urbino=2 spoleto=3 roma=5 napoli=0"
)


def states_of(game: Game, rng: Random, at_most: int) -> list[State]:
    """Return some positions of a game, and its last one."""
    told = replay(game.options, game.players, game.first, game.log)
    return [*rng.sample(told.states, min(at_most, len(told.states))), told.states[-1]]


def test_the_strengths_of_its_cards_add_up_to_a_lines_total_under_every_option() -> None:
    rng = Random(6)
    seasons = set()
    for number in range(3 * len(EVERY_OPTIONS)):
        for state in states_of(any_game(number), rng, 60):
            seen = observe(state, None)
            seasons.add((seen.season, any("drummer" in line for line in seen.lines)))
            assert tuple(map(sum, card_strengths(seen.lines))) == seen.totals == line_strengths(seen.lines)
    assert len(seasons) == 6


@pytest.mark.parametrize(
    ("lines", "counted"),
    [
        ((("10", "6", "heroine"), ("2",)), ((10, 6, 10), (2,))),
        ((("10", "drummer", "courtesan"), ("10",)), ((20, 0, 1), (10,))),
        ((("10", "winter", "6", "drummer"), ("10", "heroine")), ((2, 0, 2, 0), (1, 10))),
        ((("6", "6", "drummer"), ("6", "spring", "2")), ((15, 15, 0), (9, 0, 2))),
        (((), ()), ((), ())),
    ],
)
def test_each_card_counts_what_the_rules_say(lines: tuple[tuple[str, ...], ...], counted: object) -> None:
    assert card_strengths(lines) == counted


def test_a_region_is_a_prize_for_just_those_who_win_by_conquering_it(long: bool) -> None:
    rng = Random(6)
    found = set()
    for number in range(0, 3 * len(EVERY_OPTIONS), 1 if long else 2):
        for state in states_of(any_game(number), rng, 6):
            seen = observe(state, None)
            if seen.outcome or seen.final_battle:
                assert prizes(seen) == {}
                continue
            told = prizes(seen)
            assert told == {region: who for region in REGIONS if (who := winners_of(seen, region))}
            found |= {(seen.options.edition, seen.options.captures_regions) for _ in told}
    assert found == {("2007", False), ("2007", True), ("1995", False)}


@pytest.mark.parametrize(
    ("variants", "winners"),
    [((), (0, 1, 2)), (("playing-for-points",), (0, 1, 2, 3, 4, 5)), (("capturing-regions",), ())],
)
def test_the_last_region_to_choose_is_a_prize_for_whom_most_regions_win(
    variants: tuple[str, ...], winners: tuple[int, ...]
) -> None:
    state = staged("1|1|1|1|1|1", battle=None, control=NEARLY_FULL, pope="firenze", variants=variants)
    seen = observe(state, None)
    assert prizes(seen).get("ancona", ()) == winners == winners_of(seen, "ancona")


def winners_of(seen: Observation, region: str) -> tuple[int, ...]:
    """The seats that win the game when they conquer this region in a battle made up for it, if it may be
    fought for."""
    owner = dict(seen.control).get(region)
    if region == seen.pope or (
        owner is not None and not seen.options.captures_regions and not seen.options.is_1995
    ):
        return ()
    return tuple(seat for seat in range(seen.players) if seat != owner and wins_by(seen, seat, region))


def wins_by(seen: Observation, seat: int, region: str) -> bool:
    """Only this seat has a card in its line and one in its hand, and it passes."""
    seats = range(seen.players)
    state = staged(
        hands="|".join("1" if other == seat else "-" for other in seats),
        lines="|".join("6" if other == seat else "-" for other in seats),
        battle=region,
        control=" ".join(f"{name}={holder}" for name, holder in seen.control),
        pope=seen.pope,
        holder=seat,
        edition=seen.options.edition,
        variants=seen.options.variants,
    )
    while not state.is_over and state.battle is not None:
        asked = pending(state)[0].seat
        state, _ = apply(state, asked, parse_move("pass"))
    while state.shuffle_pile:
        state, _ = apply(state, None, parse_move(" ".join(("shuffle", *state.shuffle_pile))))
    result = observe(state, None).outcome
    return result is not None and seat in result.winners
