"""What a picture of the board shows of one game, and the same in words.

Plain values only, taken from an observation, never from a State.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from games.map.region_names import region_name
from games.rules import neighbours

SEAT_LETTERS = "ABCDEF"
"""On each seat's mark, because colour alone never distinguishes two seats."""


@dataclass(frozen=True)
class BoardView:
    """Control markers, tokens, and the regions that can be chosen (region -> address)."""

    control: Mapping[str, int] = field(default_factory=dict)
    battle: str | None = None
    pope: str | None = None
    links: Mapping[str, str] = field(default_factory=dict)
    names: Sequence[str] = ()
    selected: str | None = None
    taken: str | None = None  # where a battle has just ended
    has_pope: bool = True  # the 1995 edition has none (R41)
    prizes: Mapping[str, Sequence[int]] = field(default_factory=dict)  # seats that would win by taking it

    def holder(self, region: str) -> str | None:
        """Return the shown name of the player who holds a region; None for a free one."""
        seat = self.control.get(region)
        return None if seat is None else self.seat_name(seat)

    def seat_name(self, seat: int) -> str:
        """Return the shown name of a seat, or its number where no names were given."""
        return self.names[seat] if seat < len(self.names) else _("Seat %(number)d") % {"number": seat + 1}

    def winners(self, region: str) -> tuple[str, ...]:
        """Return the shown names of those who would win the game by taking a region."""
        return tuple(self.seat_name(seat) for seat in self.prizes.get(region, ()))


def region_words(view: BoardView, region: str) -> str:
    """Return a region's marks in words: its holder, and its notes."""
    holder = view.holder(region)
    words = _("held by %(name)s") % {"name": holder} if holder is not None else pgettext("region", "free")
    notes = region_notes(view, region)
    if region in view.links and region != view.selected:
        notes += (pgettext("region", "can be chosen"),)
    return f"{region_name(region)}: {', '.join((words, *notes))}"


def region_notes(view: BoardView, region: str) -> tuple[str, ...]:
    """Return the other notes on a region: battle, Pope, and whether it is chosen."""
    notes = []
    if region == view.battle:
        notes.append(pgettext("region", "battle"))
    if region == view.pope:
        notes.append(_("the Pope is here"))
    if region == view.taken:
        notes.append(pgettext("region", "the battle here is over"))
    if region == view.selected:
        notes.append(pgettext("region", "chosen"))
    notes += [_("%(name)s would win the game by taking it") % {"name": name} for name in view.winners(region)]
    return tuple(notes)


def board_words(view: BoardView) -> str:
    """Describe the whole picture in a few sentences, for people who do not see it."""
    return " ".join((*_token_words(view), *_holding_words(view), *_prize_words(view)))


def _token_words(view: BoardView) -> Iterator[str]:
    """Say where the Condottiere is, and the Pope, in the game that has one."""
    battle = _("The Condottiere is in %(region)s.") if view.battle else _("There is no battle.")
    pope = _("The Pope is in %(region)s.") if view.pope else _("The Pope is not on the map.")
    for sentence, region in ((battle, view.battle), (pope, view.pope))[: 1 + view.has_pope]:
        yield sentence % {"region": region_name(region)} if region else sentence


def _holding_words(view: BoardView) -> Iterator[str]:
    """Say what each seat holds."""
    for seat in sorted(set(view.control.values())):
        held = sorted(region_name(region) for region, holder in view.control.items() if holder == seat)
        yield _("%(name)s holds %(regions)s.") % {"name": view.seat_name(seat), "regions": ", ".join(held)}


def _prize_words(view: BoardView) -> Iterator[str]:
    """Say who would win the game where."""
    for region in sorted(view.prizes, key=region_name):
        for name in view.winners(region):
            words = {"name": name, "region": region_name(region)}
            yield _("%(name)s would win the game by taking %(region)s.") % words


def kingdoms(regions: Iterable[str]) -> list[tuple[str, ...]]:
    """Return these regions in connected groups, the largest first."""
    left, groups = set(regions), []
    while left:
        group = _connected_to(min(left), left)
        left -= group
        groups.append(tuple(sorted(group, key=region_name)))
    return sorted(groups, key=lambda group: (-len(group), *map(region_name, group)))


def _connected_to(start: str, regions: set[str]) -> set[str]:
    """Return the regions reachable from one region through these."""
    group, edge = {start}, {start}
    while edge:
        edge = {near for region in edge for near in neighbours(region)} & regions - group
        group |= edge
    return group
