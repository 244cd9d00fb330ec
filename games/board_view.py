"""What a picture of the board shows of one game, and the same in words.

Plain values only, taken from an observation, never from a State.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from games.rules import region_name


@dataclass(frozen=True)
class BoardView:
    """Control markers, tokens, and the regions that can be chosen (region -> address)."""

    control: Mapping[str, int] = field(default_factory=dict)
    battle: str | None = None
    pope: str | None = None
    links: Mapping[str, str] = field(default_factory=dict)
    names: Sequence[str] = ()
    selected: str | None = None
    has_pope: bool = True  # the game of 1995 has none (R41)
    prizes: Mapping[str, Sequence[int]] = field(default_factory=dict)  # who would win the game by taking it

    def holder(self, region: str) -> str | None:
        """The shown name of who controls a region; None for a free one."""
        seat = self.control.get(region)
        return None if seat is None else self.seat_name(seat)

    def seat_name(self, seat: int) -> str:
        """The shown name of a seat, or its number where no names were given."""
        return self.names[seat] if seat < len(self.names) else _("Seat %(number)d") % {"number": seat + 1}


def region_words(view: BoardView, region: str) -> str:
    """What a region's marks say, in words: who holds it, and its notes."""
    holder = view.holder(region)
    words = _("held by %(name)s") % {"name": holder} if holder is not None else _("free")
    notes = region_notes(view, region)
    if region in view.links and region != view.selected:
        notes += (_("can be chosen"),)
    return f"{region_name(region)}: {', '.join((words, *notes))}"


def region_notes(view: BoardView, region: str) -> tuple[str, ...]:
    """What else there is to say of a region: battle, Pope, and whether it is chosen."""
    notes = []
    if region == view.battle:
        notes.append(_("battle"))
    if region == view.pope:
        notes.append(_("the Pope is here"))
    if region == view.selected:
        notes.append(_("chosen"))
    return tuple(notes)


def board_words(view: BoardView) -> str:
    """The whole picture in a sentence or two, for those who do not see it."""
    battle = _("The Condottiere is in %(region)s.") if view.battle else _("There is no battle.")
    pope = _("The Pope is in %(region)s.") if view.pope else _("The Pope is not on the board.")
    return " ".join(
        sentence % {"region": region_name(region)} if region else sentence
        for sentence, region in ((battle, view.battle), (pope, view.pope))[: 1 + view.has_pope]
    )
