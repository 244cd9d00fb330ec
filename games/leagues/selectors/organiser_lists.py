"""The players that an organiser decides about.

At a running anonymous table, names never appear in seat order.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby

from django.utils.translation import gettext as _

from accounts.addresses import readable_address
from games.leagues.models import Division, LeagueTable, Registration, Round, Season
from games.leagues.selectors.names_in_leagues import names_in
from games.leagues.services.chasing import silent, unanswered


def has_begun(season: Season) -> bool:
    """Return whether any round of the season has been drawn."""
    return Round.objects.filter(division__season=season, draw__isnull=False).exists()


def seats_by_name(table: LeagueTable) -> list[tuple[int, str]]:
    """Return a table's positions with the names of their seated players, sorted by name."""
    assignments = list(table.assignments.select_related("entry__user"))
    names = names_in(
        [table.round.division.season.league_id], [assignment.entry.user for assignment in assignments]
    )
    seated = [(assignment.position, names[assignment.entry.user_id]) for assignment in assignments]
    return sorted(seated, key=lambda seat: (seat[1], seat[0]))


@dataclass(frozen=True)
class DivisionPlayers:
    """A division with everyone who is or was in it.

    Without a division, it has those who were never placed in any.
    """

    division: Division | None
    entries: list[Registration]
    season: Season
    names: Mapping[int, str]

    @property
    def people(self) -> list[tuple[Registration, str]]:
        """Return the players with their names."""
        return [(entry, self.names[entry.user_id]) for entry in self.entries]

    @property
    def free(self) -> int:
        """Return the number of free places."""
        playing = sum(entry.state == Registration.State.PLAYING for entry in self.entries)
        return max(self.season.division_size - playing, 0)


def divisions_of(season: Season) -> list[DivisionPlayers]:
    """Return everyone in a season by division, in order of registration."""
    entries = season.entries.select_related("user", "division").order_by(
        "division__level", "registered_at", "pk"
    )
    names = names_in([season.league_id], [entry.user for entry in entries])
    return [
        DivisionPlayers(division, list(same), season, names)
        for division, same in groupby(entries, key=lambda entry: entry.division)
    ]


def in_natural_order(text: str) -> list[tuple[int, str]]:
    """Return a key that sorts numbers in a text by their size: player2 before player10."""
    parts = re.findall(r"[0-9]+|[^0-9]+", text)
    return [(int(part), "") if part[0] in "0123456789" else (-1, part) for part in parts]


def substitute_names(season: Season) -> list[str]:
    """Return the names of the substitutes, in the order in which they get offers."""
    helping = season.substitutes.filter(stopped_at=None).select_related("user")
    names = names_in([season.league_id], [one.user for one in helping])
    return [names[one.user_id] for one in helping]


@dataclass(frozen=True)
class Audience:
    """Those to whom an organiser can write: the players of a table or a division, or everyone."""

    row: Division | LeagueTable | None
    words: str


def audiences(season: Season) -> dict[str, Audience]:
    """Return those to whom an organiser can write, by their key in the form."""
    found = {"everyone": Audience(None, _("Everyone in the season"))}
    for division in season.divisions.order_by("level") if season.most_divisions > 1 else ():
        # Translators: division is a letter of the alphabet
        words = _("Division %(division)s") % {"division": division.letter}
        found[f"division-{division.pk}"] = Audience(division, words)
    running = LeagueTable.objects.running().filter(round__division__season=season)
    for table in running.select_related("round__division", "table").order_by("round__number", "pk"):
        found[f"table-{table.pk}"] = Audience(table, str(table.game_table.name))
    return found


@dataclass(frozen=True)
class OpenAnswers:
    """Those who have not answered or confirmed, and the addresses of the invited ones, for copying."""

    not_answered: list[str]
    not_confirmed: list[str]
    addresses: list[str]


def open_answers(season: Season) -> OpenAnswers:
    """Return whose answers a season still waits for; players appear without their addresses."""
    invited, entries = unanswered(season), silent(season)
    names = names_in([season.league_id], [entry.user for entry in entries])
    people = [names[entry.user_id] for entry in entries]
    addresses = [str(readable_address(one.email)) for one in invited]
    called = [one.name or address for one, address in zip(invited, addresses, strict=True)]
    if season.state == Season.State.SIGN_UP:
        return OpenAnswers([*called, *people], [], sorted(addresses, key=in_natural_order))
    return OpenAnswers(called, people, sorted(addresses, key=in_natural_order))
