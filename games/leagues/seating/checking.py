"""Rounds of a file seated anew, each by the rounds before it, and what differs, in plain English."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest

from .seat_next import seat_next
from .seating_file import RoundOfFile, SeatingFile
from .values import Seated


def differences(file: SeatingFile, at: int) -> list[str]:
    """What of the round at this index is not as it was drawn. Where tables drew their own seats only who sits
    with whom is compared."""
    round_ = file.rounds[at]
    if file.gathers_scores and round_.scores is None:
        return ["not checked, for the file does not say what everybody had before it"]
    before = [earlier.seated for earlier in file.rounds[:at]]
    drawn = _drawn(file, round_, before)
    if file.is_anonymous:
        return list(_compared(file, _without_seats(round_.seated), _without_seats(drawn)))
    return list(_compared(file, round_.seated, drawn))


def _drawn(file: SeatingFile, round_: RoundOfFile, before: Sequence[Seated]) -> Seated:
    return seat_next(round_.players, file.size, file.planned, file.seed, before=before, scores=round_.scores)


def _without_seats(seated: Seated) -> Seated:
    return Seated(tuple([tuple(sorted(table)) for table in seated.tables]), seated.byes)


def _compared(file: SeatingFile, found: Seated, drawn: Seated) -> Iterator[str]:
    tables = zip_longest(found.tables, drawn.tables, fillvalue=())
    for number, (here, there) in enumerate(tables, start=1):
        if here != there:
            yield f"table {number} is {_named(file, here)}; drawn is {_named(file, there)}"
    if set(found.byes) != set(drawn.byes):
        sitting_out, by_seed = _named(file, sorted(found.byes)), _named(file, sorted(drawn.byes))
        yield f"who sits out is {sitting_out}; drawn is {by_seed}"


def _named(file: SeatingFile, players: Iterable[int]) -> str:
    return ", ".join(f"{file.names.get(player, '?')} ({player})" for player in players) or "nobody"
