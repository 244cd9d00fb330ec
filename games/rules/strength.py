"""The strength of a line. The announced strength counts the cards that are face up now (R6)."""

from collections.abc import Iterable
from functools import lru_cache

from .cards import DRUMMER, FIRST_SPECIAL, NUMBER_OF, SPRING, STRENGTHS, WINTER, Cards

SPRING_BONUS = 3
NO_MERCENARY = -1


def season_of(lines: Iterable[Cards]) -> int | None:
    """Return the season in play; Winter and Spring discard each other, so there is at most one (R7)."""
    for line in lines:
        if WINTER in line:
            return WINTER
        if SPRING in line:
            return SPRING
    return None


def highest_mercenary(lines: Iterable[Cards]) -> int:
    """Return the Mercenary of the highest printed value in all lines (R6, R8), or NO_MERCENARY."""
    return max([card for line in lines for card in line if card < FIRST_SPECIAL], default=NO_MERCENARY)


@lru_cache(maxsize=1 << 16)
def strength(line: Cards, season: int | None, highest: int) -> int:
    """Return the strength of a line (R6).

    Winter makes each Mercenary 1 before the Drummer doubles them. Spring adds 3 to each of the highest after
    that. Heroines and Courtesans are unaffected by anything. `highest` matters only in Spring.
    """
    mercenaries = [card for card in line if card < FIRST_SPECIAL]
    total = len(mercenaries) if season == WINTER else sum([STRENGTHS[card] for card in mercenaries])
    if DRUMMER in line:
        total *= 2
    if season == SPRING:
        total += SPRING_BONUS * mercenaries.count(highest)
    return total + sum([STRENGTHS[card] for card in line if card >= FIRST_SPECIAL])


def totals(lines: tuple[Cards, ...]) -> tuple[int, ...]:
    """Return the announced strength of each seat (R6)."""
    season = season_of(lines)
    highest = highest_mercenary(lines) if season == SPRING else NO_MERCENARY
    return tuple([strength(line, season, highest) for line in lines])


def line_strengths(lines: Iterable[tuple[str, ...]]) -> tuple[int, ...]:
    """Return what `totals` would announce for these lines (R6), with cards in the record's words."""
    return totals(tuple([_numbers(line) for line in lines]))


def card_strengths(lines: Iterable[tuple[str, ...]]) -> tuple[tuple[int, ...], ...]:
    """Return what each card of each line counts now (R6), with cards in the record's words.

    The sum of a line is its strength.
    """
    text = tuple([_numbers(line) for line in lines])
    season, highest = season_of(text), highest_mercenary(text)
    return tuple(
        [tuple([_card_strength(card, season, highest, DRUMMER in line) for card in line]) for line in text]
    )


def _card_strength(card: int, season: int | None, highest: int, is_doubled: bool) -> int:
    """Return what a card counts; only Mercenaries depend on the season and their line's Drummer (R6)."""
    if card >= FIRST_SPECIAL:
        return STRENGTHS[card]
    value = 1 if season == WINTER else STRENGTHS[card]
    bonus = SPRING_BONUS if season == SPRING and card == highest else 0
    return value * (2 if is_doubled else 1) + bonus


@lru_cache(maxsize=1 << 14)
def _numbers(line: tuple[str, ...]) -> Cards:
    return tuple([NUMBER_OF[card] for card in line])


def sole_highest(numbers: tuple[int, ...]) -> int | None:
    """Return the seat with the highest number if no other has it too, else None (R13, R14)."""
    highest = max(numbers)
    return numbers.index(highest) if numbers.count(highest) == 1 else None
