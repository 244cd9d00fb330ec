"""The facts of a table as JSON in its row, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from games.leagues.models import LeagueTable
from games.leagues.scoring.table_facts import (
    Holder,
    SeatCorrection,
    SeatFacts,
    TableEnding,
    TableFacts,
    corrected,
)


def facts_json(facts: TableFacts) -> dict[str, Any]:
    """Return what LeagueTable.facts holds: all but the table's number, its round and any award."""
    return {"how": facts.how.value, "seats": [_seat_json(seat) for seat in facts.seats]}


def _seat_json(seat: SeatFacts) -> dict[str, Any]:
    return {
        "holders": [[holder.player, holder.turns, holder.missed] for holder in seat.holders],
        "regions": seat.regions,
        "bonus": seat.bonus,
        "won": seat.won,
        "place": seat.place,
        "left": seat.left,
    }


def facts_of(row: LeagueTable) -> TableFacts:
    """Return the stored facts of a collected table, with the organiser's last award.

    Makes no query if the row's round and awards are loaded.
    """
    facts = facts_as_played(row)
    award = max(row.awards.all(), key=lambda award: award.pk, default=None)
    if award is None:
        return facts
    awarded = tuple([None if points is None else Fraction(points) for points in award.points])
    if award.results is not None:
        facts = corrected(facts, [SeatCorrection(*one) for one in award.results])
    elif None not in awarded:
        facts = replace(facts, how=TableEnding.AWARDED)
    return replace(facts, reason=award.reason, awarded=awarded)


def facts_as_played(row: LeagueTable) -> TableFacts:
    """Return the stored facts of a collected table, whatever organisers awarded or corrected."""
    assert row.facts is not None
    seats = tuple([_seat_facts(seat) for seat in row.facts["seats"]])
    return TableFacts(row.pk, row.round.number, seats, TableEnding(row.facts["how"]))


def _seat_facts(stored: Mapping[str, Any]) -> SeatFacts:
    return SeatFacts(
        tuple([Holder(*holder) for holder in stored["holders"]]),
        stored["regions"],
        stored["bonus"],
        stored["won"],
        stored["place"],
        stored["left"],
    )
