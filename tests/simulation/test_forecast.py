"""The table of lengths that forms show: smoothed, so that chance cannot turn it around."""

from random import Random

from games.clocks.policy import PACES
from tests.simulation.games.forecast import NINETY, SEATS, Days, smoothed, table


def drawn(games: int) -> dict[tuple[str, int], list[float]]:
    """Lengths whose true median is 4 days for each seat, twice as long at each slower pace."""
    rng = Random("forecast")
    return {
        (pace, seats): [4 * seats * 2**slower * rng.lognormvariate(0, 0.6) for _ in range(games)]
        for slower, pace in enumerate(PACES)
        for seats in SEATS
    }


def rises(days: Days) -> bool:
    rows = [list(days[pace].values()) for pace in PACES]
    return all(row == sorted(row) for row in [*rows, *map(list, zip(*rows, strict=True))])


def test_a_slower_pace_and_more_seats_never_look_shorter_however_few_games() -> None:
    for games in (1, 2, 7):
        assert rises(smoothed(drawn(games), 0.5))
        assert rises(smoothed(drawn(games), NINETY))


def test_smoothing_stays_near_what_is_true() -> None:
    days = smoothed(drawn(60), 0.5)
    for slower, pace in enumerate(PACES):
        for seats in SEATS:
            assert 0.8 < days[pace][seats] / (4 * seats * 2**slower) < 1.25


def test_the_table_is_a_line_of_python_for_each_pace() -> None:
    lines = [line.split(":")[0].strip() for line in table(drawn(3))]
    assert lines == [f'"{pace}"' for pace in PACES]
