"""The players of a game as everyone sees them: what each seat holds, and how far it is from winning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games.links import player_path
from games.map.board import kingdoms
from games.map.region_names import region_name
from games.models import Table
from games.narration.cast import Cast, and_list, or_list
from games.presenters.position import Position
from games.rules import EndReason, Observation


@dataclass(frozen=True)
class SeatRow:
    """What everyone sees of one seat, and how far it is from winning."""

    seat: int
    name: str
    regions: tuple[str, ...]
    largest_group: int
    connected_missing: int
    total_missing: int | None  # None: no total wins (R48)
    hand_size: int
    is_condottiere: bool
    is_waited_for: bool
    is_mine: bool
    kingdoms: tuple[tuple[str, ...], ...] = ()  # its connected groups, the largest first
    prizes: tuple[str, ...] = ()  # the regions that would win it the game at once
    page: str = ""  # the path of its player's own page; empty where the name leads nowhere

    @property
    def missing(self) -> int:
        """How many regions the seat needs on its shorter way to win; one may join two of its groups."""
        if self.prizes:
            return 1
        ways = [self.connected_missing, self.total_missing]
        return min(way for way in ways if way is not None)

    @cached_property
    def wins_with(self) -> str:
        """The regions of which any would win this seat the game at once; empty for none."""
        return or_list(self.prizes)

    @property
    def to_win(self) -> str:
        """What the seat still needs to win; only connected regions where no total wins (R48)."""
        words = {"connected": self.connected_missing, "total": self.total_missing}
        if self.total_missing is None:
            # Translators: how many regions the player still needs.
            return _("To win: %(connected)d more connected") % words
        # Translators: how many regions the player still needs.
        return _("To win: %(connected)d more connected, or %(total)d more in all") % words


@dataclass(frozen=True)
class PlayersSection:
    """The seats of a game, and what wins it."""

    rows: tuple[SeatRow, ...]
    goal: str  # how many regions win
    goal_in_short: str
    race: str  # who is closest to winning; empty while no one holds a region
    is_over: bool


def players_section(position: Position) -> PlayersSection:
    """Return the seats of a position. Someone who looks from another seat's viewpoint has none of them."""
    seen, mine = position.seen, None if position.as_then else position.viewer
    rows = seat_rows(seen, position.names, mine, position.prizes)
    goals = seen.goal_connected, seen.goal_total
    goal, short = goal_text(*goals), goal_in_short(*goals)
    return PlayersSection(rows, goal, short, race_text(rows, position.cast), position.is_over)


def linked_players(players: PlayersSection, table: Table) -> PlayersSection:
    """Return the seats with the paths of their players' pages, if the table's seats have been read."""
    if not table.has_read_seats:
        return players
    pages = {seat.number: player_path(seat) for seat in table.all_seats()}
    return replace(players, rows=tuple(replace(row, page=pages.get(row.seat, "")) for row in players.rows))


def goal_text(connected: int, total: int | None) -> str:
    """Return how many regions win, in a sentence."""
    words = {"connected": connected, "total": total}
    if total is None:
        # Translators: %(connected)d is a number of regions.
        text = ngettext(
            "To win, connect %(connected)d neighbouring region.",
            "To win, connect %(connected)d neighbouring regions.",
            connected,
        )
    else:
        # Translators: both are numbers of regions.
        text = ngettext(
            "To win, connect %(connected)d neighbouring region, or hold %(total)d anywhere.",
            "To win, connect %(connected)d neighbouring regions, or hold %(total)d anywhere.",
            connected,
        )
    return text % words


def goal_in_short(connected: int, total: int | None) -> str:
    """Return how many regions win, in one line of a phone."""
    if total is None:
        # Translators: %(connected)d is a number of regions.
        text = ngettext(
            "%(connected)d connected region wins.", "%(connected)d connected regions win.", connected
        )
    else:
        # Translators: both are numbers of regions; it must be short.
        text = ngettext(
            "%(connected)d connected region wins, or any %(total)d.",
            "%(connected)d connected regions win, or any %(total)d.",
            connected,
        )
    return text % {"connected": connected, "total": total}


def race_text(rows: Sequence[SeatRow], names: Sequence[str]) -> str:
    """Return who is closest to winning, in a sentence; empty while no one holds a region."""
    if not any(row.regions for row in rows):
        return ""
    fewest = min(row.missing for row in rows)
    closest = Cast.of(names).listed(row.seat for row in rows if row.missing == fewest)
    # Translators: names are players, such as "Anna and you"; n is how many regions they need to win.
    return _("Closest to that: %(names)s (regions still needed: %(n)d).") % {"names": closest, "n": fewest}


def winning_regions(seen: Observation, rows: Sequence[SeatRow], cast: Cast) -> str:
    """Return which regions won the game; empty if it was won in another way."""
    outcome = seen.outcome
    if outcome is None or len(outcome.winners) != 1:
        return ""
    row = rows[outcome.winners[0]]
    if outcome.reason == EndReason.ADJACENT_REGIONS:
        # Translators: regions is a list of regions of the map.
        you, name = _("You connected %(regions)s."), _("%(name)s connected %(regions)s.")
        regions = row.kingdoms[0]
    elif outcome.reason == EndReason.TOTAL_REGIONS and seen.goal_total is not None:
        # Translators: regions is a list of regions of the map.
        you, name = _("You hold %(regions)s."), _("%(name)s holds %(regions)s.")
        regions = row.regions
    else:
        return ""
    return cast.say(row.seat, you, name, regions=and_list(regions))


def victory_text(seen: Observation, rows: Sequence[SeatRow], cast: Cast) -> str:
    """Return who won the game with how many regions; empty if it was won in another way."""
    outcome = seen.outcome
    if outcome is None or len(outcome.winners) != 1:
        return ""
    row = rows[outcome.winners[0]]
    # Translators: name is a player; n is a number of regions.
    if outcome.reason == EndReason.ADJACENT_REGIONS:
        n = len(row.kingdoms[0])
        you = ngettext(
            "You won the game with %(n)d connected region.",
            "You won the game with %(n)d connected regions.",
            n,
        )
        name = ngettext(
            "%(name)s won the game with %(n)d connected region.",
            "%(name)s won the game with %(n)d connected regions.",
            n,
        )
    elif outcome.reason == EndReason.TOTAL_REGIONS and seen.goal_total is not None:
        n = len(row.regions)
        you = ngettext("You won the game with %(n)d region.", "You won the game with %(n)d regions.", n)
        name = ngettext(
            "%(name)s won the game with %(n)d region.", "%(name)s won the game with %(n)d regions.", n
        )
    else:
        return ""
    return cast.say(row.seat, you, name, n=n)


def seat_rows(
    seen: Observation, names: Sequence[str], mine: int | None, prizes: Mapping[str, tuple[int, ...]]
) -> tuple[SeatRow, ...]:
    """Return a row for each seat; `prizes` are the regions that would win the game, each with the winners."""
    held: dict[int, list[str]] = {seat: [] for seat in range(seen.players)}
    for region, seat in dict(seen.control).items():
        held[seat].append(region)
    return tuple(
        SeatRow(
            seat=seat,
            name=names[seat],
            regions=tuple(sorted(map(region_name, held[seat]))),
            largest_group=seen.largest_group[seat],
            connected_missing=seen.goal_connected - seen.largest_group[seat],
            total_missing=None if seen.goal_total is None else seen.goal_total - len(held[seat]),
            hand_size=seen.hand_sizes[seat],
            is_condottiere=seat == seen.condottiere,
            is_waited_for=seat in seen.waiting_for,
            is_mine=seat == mine,
            kingdoms=tuple(tuple(map(region_name, group)) for group in kingdoms(held[seat])),
            prizes=tuple(sorted(region_name(region) for region, seats in prizes.items() if seat in seats)),
        )
        for seat in range(seen.players)
    )
