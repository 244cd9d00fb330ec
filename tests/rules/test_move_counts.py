"""How many sequences of moves there are from some positions, to small depths: the sum of all that legality,
effects and the order of steps decide. A shuffle leaves the pile in canonical order and counts as no move.
"""

from typing import Any

import pytest

from games.rules import State, apply, legal_moves, parse_move, pending
from tests.rules.stage import staged

ALL = ("bigger-kingdoms", "capturing-regions", "draw-after-battle", "hidden-cards", "playing-for-points")
BATTLE: dict[str, Any] = {
    "hands": "10 bishop scarecrow drummer | 5 winter spring surrender | 6 courtesan heroine",
    "lines": "6 | 4 4 | 1",
    "control": "roma=1 siena=2 torino=0",
    "pope": "milano",
}
BATTLE_1995 = {key: text for key, text in BATTLE.items() if key != "pope"} | {
    "hands": "10 bishop scarecrow drummer | 5 winter 3 surrender | 6 2 heroine",
    "edition": "1995",
}
# Small hands: battles end soon, and what follows them is counted.
END: dict[str, Any] = {"hands": "drummer | heroine 2 | 4", "control": "siena=2", "pile": "1 2 3 4 5"}
TIED = (
    "torino=0 venezia=0 lucca=0 spoleto=1 urbino=1 genova=1 mantova=2 siena=2 parma=2 ancona=3 bologna=3 "
    "milano=3 ferrara=4 modena=4 napoli=1"
)
LAST: dict[str, Any] = {"hands": "10 | 1 | 1 | 1 | 1", "control": TIED, "pope": "firenze"}


def _with(position: dict[str, Any], *variants: str) -> dict[str, Any]:
    return position | {"variants": variants}


# The first numbers can be counted by hand: in "2007, a battle" a pass, 10, Drummer, a Scarecrow for the 6 or
# nothing, and a Bishop who sends the Pope off or to one of 14 free regions.
COUNTS: dict[str, tuple[dict[str, Any], list[int]]] = {
    "2007, a battle": (BATTLE, [20, 100, 581, 3433, 13901]),
    "capturing-regions, a battle": (_with(BATTLE, "capturing-regions"), [22, 110, 681, 4012, 17049]),
    "hidden-cards, a battle": (_with(BATTLE, "hidden-cards"), [20, 100, 581, 3456, 15045]),
    "all options, a battle": (_with(BATTLE, *ALL), [22, 110, 681, 4613, 21991]),
    "1995, a battle": (BATTLE_1995, [8, 52, 301, 1664, 8709]),
    "2007, the end of a battle": (END, [2, 6, 12, 78, 410, 1032]),
    "bigger-kingdoms, the end of a battle": (_with(END, "bigger-kingdoms"), [2, 6, 12, 78, 410, 1032]),
    "capturing-regions, the end of a battle": (_with(END, "capturing-regions"), [2, 6, 12, 80, 429, 1076]),
    "draw-after-battle, the end of a battle": (_with(END, "draw-after-battle"), [2, 6, 12, 78, 520, 2230]),
    "hidden-cards, the end of a battle": (_with(END, "hidden-cards"), [2, 6, 12, 86, 530, 1332]),
    "playing-for-points, the end of a battle": (_with(END, "playing-for-points"), [2, 6, 12, 78, 410, 1032]),
    "all options, the end of a battle": (_with(END, *ALL), [2, 6, 12, 88, 670, 2868]),
    "1995, the end of a battle": (END | {"edition": "1995"}, [2, 6, 12, 54, 313, 1155]),
    "2007, a final battle": (LAST, [2, 4, 8, 16, 32, 68]),
    "draw-after-battle, a final battle": (_with(LAST, "draw-after-battle"), [2, 4, 8, 16, 32, 68]),
    "playing-for-points, no final battle": (_with(LAST, "playing-for-points"), [2, 4, 8, 16, 32, 32]),
}


def sequences(state: State, depth: int) -> int:
    """Return the number of sequences of this many moves, or fewer where the game ends."""
    while state.owed:
        state, _ = apply(state, None, parse_move(" ".join(("shuffle", *state.shuffle_pile))))
    if depth == 0 or state.is_over:
        return 1
    asked = [decision.seat for decision in pending(state)]
    moves = [(seat, move) for seat in asked for move in legal_moves(state, seat)]
    if depth == 1:
        return len(moves)
    return sum(sequences(apply(state, seat, move)[0], depth - 1) for seat, move in moves)


@pytest.mark.parametrize("name", COUNTS)
def test_there_are_as_many_sequences_as_ever(name: str) -> None:
    position, counts = COUNTS[name]
    state = staged(**position)
    assert [sequences(state, depth) for depth in range(1, len(counts) + 1)] == counts
