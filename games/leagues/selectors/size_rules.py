"""How many divisions, tables and players a season has, and whom they meet, in sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games.leagues.models import Season
from games.leagues.seating import (
    LEAST_AT_TABLE,
    has_smaller_tables,
    possible_sizes,
    rounds_for_everybody,
    table_sizes,
)
from games.models import MAX_SEATS, MIN_SEATS
from games.narration.cast import and_list


def pairing_rules(season: Season) -> Iterator[str]:
    """Yield how rounds are drawn, and how many play and meet."""
    yield str(Season.Format(season.format).label)
    yield from size_rules(season)
    if season.state in Season.BEFORE_PLAY and season.division_size >= season.size:
        yield meetings_text(season)
    yield _(
        "Opponents, seats and the first Condottiere are spread as evenly as possible. They are drawn from a "
        "seed that is published with the draw, so anyone can check them."
    )


def tables_of_each(season: Season) -> Iterator[str]:
    """Yield at how many tables everyone plays."""
    if season.size == MIN_SEATS:
        tables = ngettext("Everyone plays %(n)d duel.", "Everyone plays %(n)d duels.", season.rounds)
    else:
        tables = ngettext("Everyone plays at %(n)d table.", "Everyone plays at %(n)d tables.", season.rounds)
    yield tables % {"n": season.rounds}
    if season.rounds > 1:
        at_once = ngettext(
            "Everyone plays at %(n)d table at a time.",
            "Everyone plays at up to %(n)d tables at a time.",
            season.tables_at_once,
        )
        yield at_once % {"n": season.tables_at_once}


def size_rules(season: Season) -> Iterator[str]:
    """Yield the numbers of divisions, of tables of each player, and of players at a table."""
    yield divisions_text(season)
    yield from tables_of_each(season)
    if season.size > MIN_SEATS:
        text = ngettext(
            "Tables have %(n)d player, or one more or fewer so that everyone can play.",
            "Tables have %(n)d players, or one more or fewer so that everyone can play.",
            season.size,
        )
        yield text % {"n": season.size}
        if any(abs(size - season.size) > 1 for size in other_sizes(season)):
            yield _("Tables of small divisions can differ by more.")
    if season.size == MIN_SEATS or season.state in Season.BEFORE_PLAY:
        yield from full_division_rules(season)


def other_sizes(season: Season) -> list[int]:
    """Return the sizes that tables can have other than the season's, the nearest first."""
    if season.size == MIN_SEATS:
        return []
    near = {size for size in (season.size + 1, season.size - 1) if LEAST_AT_TABLE <= size <= MAX_SEATS}
    found = near | possible_sizes(season.division_size, season.size, season.rounds)
    return sorted(found - {season.size}, key=lambda size: (abs(size - season.size), -size))


def full_division_rules(season: Season) -> Iterator[str]:
    """Yield the tables of a full division, as they are drawn if its season begins now."""
    sizes = _sizes(season)
    if season.size == MIN_SEATS:
        if season.division_size % 2:
            yield _("In a full division, 1 player has a bye in each round, because the number is odd.")
        return
    if sizes:
        # Translators: tables is a list such as "3 tables of 5 and 2 tables of 4"
        text = ngettext(
            "A full division has %(n)d player: %(tables)s.",
            "A full division has %(n)d players: %(tables)s.",
            season.division_size,
        )
        yield text % {"n": season.division_size, "tables": and_list(_tables_by_size(sizes))}
    if has_smaller_tables(season.division_size, season.size, season.rounds):
        yield _(
            "Tables have one seat fewer than asked for, so that players don’t meet the same people too often."
        )


def _sizes(season: Season) -> tuple[int, ...]:
    """Return the sizes of a full division's tables."""
    return table_sizes(season.division_size, season.size, season.rounds)


def _tables_by_size(sizes: Collection[int]) -> list[str]:
    """Return how many tables there are of each size."""
    return [
        # Translators: n is a number of tables, size the number of players at each
        ngettext("%(n)d table of %(size)d", "%(n)d tables of %(size)d", count) % {"n": count, "size": size}
        for size, count in Counter(sizes).items()
    ]


def divisions_text(season: Season) -> str:
    """Return how many divisions there are, and of how many players."""
    if season.most_divisions == 1:
        text = ngettext(
            "There is one division of up to %(size)d player.",
            "There is one division of up to %(size)d players.",
            season.division_size,
        )
    else:
        # Translators: n is a number of divisions, size the number of players in each; A is a division
        text = ngettext(
            "There is up to %(n)d division, with up to %(size)d in each. A is the highest.",
            "There are up to %(n)d divisions, with up to %(size)d in each. A is the highest.",
            season.most_divisions,
        )
    return text % {"n": season.most_divisions, "size": season.division_size}


def meetings_text(season: Season) -> str:
    """Return how many others of a full division everyone meets."""
    others = season.division_size - 1
    sizes = _sizes(season)
    most = min(others, season.rounds * sum(size * (size - 1) for size in sizes) // season.division_size)
    words = {"most": most, "others": others}
    needed = rounds_for_everybody(season.division_size, season.size)
    if season.format == Season.Format.SWISS:
        return _("Players with similar scores meet, and pairs meet again as rarely as possible.")
    if most == others and season.rounds >= needed:
        text = ngettext(
            "In a full division, everyone meets %(others)d other player: all of them.",
            "In a full division, everyone meets all %(others)d other players.",
            others,
        )
    elif most == others:
        text = ngettext(
            "In a full division, everyone meets nearly all of %(others)d other player.",
            "In a full division, everyone meets nearly all of the %(others)d other players.",
            others,
        )
    else:
        text = ngettext(
            "In a full division, everyone meets about %(most)d of %(others)d other player.",
            "In a full division, everyone meets about %(most)d of the %(others)d other players.",
            others,
        )
    return text % words
