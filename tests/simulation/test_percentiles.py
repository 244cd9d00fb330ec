"""The report's medians and 90th percentiles."""

from tests.simulation.games.report import median_interval, percentile


def test_a_percentile_is_a_value_that_so_many_do_not_exceed() -> None:
    ten = [float(number) for number in (4, 9, 1, 10, 2, 8, 3, 7, 6, 5)]
    assert percentile(ten, 0.9) == 9
    assert percentile(ten, 0.5) == 5
    assert percentile([2.5], 0.9) == percentile([2.5], 0.5) == 2.5
    assert percentile([], 0.9) == 0


def test_a_median_comes_with_the_values_it_surely_lies_between() -> None:
    hundred = [float(number) for number in range(1, 101)]
    assert median_interval(hundred) == (40, 61)
    assert median_interval([3.0]) == (3, 3)
    assert median_interval([]) == (0, 0)
