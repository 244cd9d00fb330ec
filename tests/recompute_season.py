"""Recompute a season's standings from its season.json alone: python tests/recompute_season.py FILE

It imports nothing of the site. It follows docs/LEAGUES.md, compares the result with the standings that the
file states, and prints both where they differ. `--as-played` leaves out all corrections and compares nothing.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

Data = dict[str, Any]
NONE = Fraction(0)
OUT = ("withdrawn", "expelled")


def main(arguments: Sequence[str]) -> int:
    """Print the standings of each division; return 1 if any differs from what the file states."""
    paths = [one for one in arguments if not one.startswith("--")]
    file = json.loads(Path(paths[0]).read_text(encoding="utf-8"))
    as_played = "--as-played" in arguments
    differs = False
    names = {one["number"]: one["name"] for one in file["players"]}
    for division in file["divisions"]:
        computed = recomputed(file, division, as_played=as_played)
        print(f"Division {division['division']}")
        for place, (number, points) in enumerate(computed, start=1):
            print(f"{place:4} {names[number]} ({number}): {points}")
        if not as_played and computed != stated(division):
            differs = True
            print(f"The file states otherwise: {stated(division)}")
    won = winner(file)
    print(f"Winner: {names.get(won)} ({won})")
    return int(differs or (not as_played and won != file["winner"]))


def winner(file: Data) -> int | None:
    """Return who won a season that is over: the final's best place of those who stayed, or else the first."""
    if file["state"] != "closed":
        return None
    everyone = [one for division in file["divisions"] for one in division["players"]]
    here = {one["number"] for one in everyone if one["state"] not in OUT}
    final = file["final"] or {"players": [], "seats": []}
    places = {seat["held_by"][0]["number"]: seat["place"] for seat in final["seats"]}
    first = recomputed(file, file["divisions"][0])[0][0]
    return min([one for one in final["players"] if one in here], key=lambda one: places[one], default=first)


def stated(division: Data) -> list[tuple[int, Fraction]]:
    """Return the players in the order that the file states, with their points."""
    return [(line["number"], Fraction(line["points"]["exact"])) for line in division["standing"]]


def recomputed(file: Data, division: Data, *, as_played: bool = False) -> list[tuple[int, Fraction]]:
    """Return the players of a division in order, with their points."""
    return Recomputed(file, division, as_played=as_played).order()


class Recomputed:
    """The points and the order of one division's players."""

    def __init__(self, file: Data, division: Data, *, as_played: bool) -> None:
        self.rules, self.seed = file["rules"], bytes.fromhex(file["seed"])
        self.division = division
        self.tables = [as_it_counts(table, as_played=as_played) for table in division["tables"]]
        self.results = self.results_at_tables()
        own = {number: [one["points"] for one in results] for number, results in self.results.items()}
        self.averages = {number: mean(points) for number, points in own.items()}
        self.totals = self.with_byes(own)

    def order(self) -> list[tuple[int, Fraction]]:
        """Return everyone by points and tie-breaks; players who left come after all others."""
        out = {one["number"] for one in self.division["players"] if one["state"] in OUT}
        order: list[int] = []
        for group in (self.results.keys() - out, out):
            for points in sorted({self.totals[one] for one in group}, reverse=True):
                equal = {one for one in group if self.totals[one] == points}
                order += self.broken(equal, self.rules["tie_breaks"])
        return [(one, self.totals[one]) for one in order]

    def points_of_seats(self, table: Data) -> list[Fraction]:
        """Return each seat's points, before its holders share them."""
        seats, scoring, given = table["seats"], self.rules["scoring"], []
        scale = [Fraction(points) for points in self.rules["places"][str(len(seats))]]
        winners = sum(seat["won"] for seat in seats)
        for seat in seats:
            better = sum(other["place"] < seat["place"] for other in seats)
            among = sum(other["place"] == seat["place"] for other in seats)
            own = {
                "points": Fraction(seat["regions"] + seat["bonus"]),
                "placement": sum(scale[better : better + among], NONE) / among,
                "wins": Fraction(1, winners) if seat["won"] else NONE,
            }[scoring]
            played = NONE if table["how"] == "abandoned" else own
            given.append(played if seat["awarded"] is None else Fraction(seat["awarded"]))
        return given

    def part_of_first(self, seat: Data) -> Fraction:
        """Return the first holder's share of a seat."""
        holders, split = seat["held_by"], self.rules["split"]
        first, turns = holders[0]["number"], sum(one["turns"] for one in holders)
        if split == "finisher":
            return Fraction(first == holders[-1]["number"])
        if split == "starter" or not turns:
            return Fraction(1)
        return Fraction(sum(one["turns"] for one in holders if one["number"] == first), turns)

    def results_at_tables(self) -> dict[int, list[Data]]:
        """Return what each player got at each table, and whom they met there."""
        found: dict[int, list[Data]] = {one["number"]: [] for one in self.division["players"]}
        for table in self.tables:
            seated = [seat["held_by"][0]["number"] for seat in table["seats"]]
            counts, winners = table["how"] != "abandoned", sum(seat["won"] for seat in table["seats"])
            for seat, points in zip(table["seats"], self.points_of_seats(table), strict=True):
                number, part = seat["held_by"][0]["number"], self.part_of_first(seat)
                result = {
                    "points": points * part,
                    "wins": part / winners if seat["won"] and counts else NONE,
                    "regions": part * seat["regions"] * counts,
                    "met": [other for other in seated if other != number and other in found],
                }
                if number in found:
                    found[number].append(result)
        return found

    def with_byes(self, own: Mapping[int, Sequence[Fraction]]) -> dict[int, Fraction]:
        """Return each player's points; a bye gives their own average, at most that of all seats."""
        seats = [points for table in self.tables for points in self.points_of_seats(table)]
        total = {number: sum(points, NONE) for number, points in own.items()}
        for bye in self.division["byes"]:
            if self.rules["bye"] == "average":
                total[bye["number"]] += min(mean(own[bye["number"]] or seats), mean(seats))
        return total

    def broken(self, group: Iterable[int], ties: Sequence[str]) -> list[int]:
        """Return players with equal points in the order of the tie-breaks."""
        group = set(group)
        if len(group) < 2:
            return list(group)
        if ties[0] == "lot":
            return sorted(group, key=self.lot)
        value = self.values(ties[0], group)
        parts = sorted({value(one) for one in group}, reverse=True)
        return [
            one
            for part in parts
            for one in self.broken([one for one in group if value(one) == part], ties[1:])
        ]

    def values(self, tie_break: str, group: set[int]) -> Callable[[int], Fraction]:
        """Return what a tie-break compares."""
        if tie_break == "head_to_head":
            return self.direct(group)
        if tie_break == "strength_of_schedule":
            return lambda one: mean([self.averages[met] for got in self.results[one] for met in got["met"]])
        return lambda one: sum((got[tie_break] for got in self.results[one]), NONE)

    def direct(self, group: set[int]) -> Callable[[int], Fraction]:
        """Return the points per table at which these players met, if all of them have met."""
        met = {one: {other for got in self.results[one] for other in got["met"]} for one in group}
        if any(group - {one} - met[one] for one in group):
            return lambda _one: NONE
        return lambda one: mean([got["points"] for got in self.results[one] if group & set(got["met"])])

    def lot(self, number: int) -> bytes:
        """Return what orders a player among those whom nothing else parts."""
        return hmac.digest(self.seed, b"condottiere-lot-1 %d" % number, hashlib.sha256)


def as_it_counts(table: Data, *, as_played: bool) -> Data:
    """Return a table's result, or what was played there before any correction."""
    return {**table, **table["as_played"]} if as_played and table.get("as_played") else table


def mean(numbers: Sequence[Fraction]) -> Fraction:
    """Return the average of the numbers, or 0 without any."""
    return sum(numbers, NONE) / len(numbers) if numbers else NONE


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
