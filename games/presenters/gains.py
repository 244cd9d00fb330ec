"""What each player of a finished game fought for and gained."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from games.map.region_names import region_name
from games.narration.battles import Battle
from games.narration.cast import comma_list


@dataclass(frozen=True)
class Gains:
    """What one seat fought for and gained: its regions gained and lost by part; empty for neither."""

    seat: int
    name: str
    regions: tuple[str, ...]
    connected: int
    fought: int
    won: int
    cards: int
    parts: tuple[tuple[str, str], ...]
    has_won: bool

    @property
    def holding(self) -> str:
        """How many regions the seat held at the end, and how many of them were connected."""
        count = len(self.regions)
        parts = [ngettext("%(n)d region", "%(n)d regions", count) % {"n": count}]
        if self.connected > 1:
            # Translators: n is the number of regions in a player's largest connected group.
            connected = ngettext("%(n)d connected", "%(n)d connected", self.connected)
            parts.append(connected % {"n": self.connected})
        return comma_list(parts)

    @property
    def counts(self) -> tuple[tuple[str, int], ...]:
        """Battles and cards, each with its label."""
        return (
            (pgettext("number of", "Battles fought"), self.fought),
            (pgettext("number of", "Battles won"), self.won),
            (pgettext("number of", "Cards played"), self.cards),
        )

    @property
    def victories(self) -> str:
        """Battles won, out of those the seat fought in."""
        # Translators: battles won out of battles fought, such as "3 of 7".
        return _("%(won)d of %(fought)d") % {"won": self.won, "fought": self.fought}


def gained_by(seat: int, battles: Sequence[Battle]) -> str:
    """Return the regions that a seat gained and lost in these battles; empty for neither."""
    conquests = [battle.conquest for battle in battles if battle.conquest]
    gained = [region_name(conquest.region) for conquest in conquests if conquest.seat == seat]
    lost = [region_name(conquest.region) for conquest in conquests if conquest.lost_by == seat]
    parts = [comma_list(gained)] if gained else []
    if lost:
        # Translators: regions is a list such as "Roma, Siena", which a player lost.
        parts.append(_("lost: %(regions)s") % {"regions": comma_list(lost)})
    return "; ".join(parts)
