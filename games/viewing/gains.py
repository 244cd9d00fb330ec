"""What each player of a finished game fought for and got, as its chronicle tells it. Writes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games.rules import region_name
from games.telling.battles import Battle


@dataclass(frozen=True)
class Gains:
    """What one seat fought for and got: by part its regions, gained and lost, in words; empty for neither."""

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
        """What the seat held at the end, in a phrase."""
        count = len(self.regions)
        told = ngettext("%(n)d region", "%(n)d regions", count) % {"n": count}
        if self.connected > 1:
            told = _("%(regions)s, %(n)d connected") % {"regions": told, "n": self.connected}
        return told

    @property
    def summary(self) -> str:
        """Battles and cards in a sentence."""
        words = {
            "fought": ngettext("Fought in %(n)d battle", "Fought in %(n)d battles", self.fought)
            % {"n": self.fought},
            "won": ngettext("won %(n)d", "won %(n)d", self.won) % {"n": self.won},
            "cards": ngettext("played %(n)d card", "played %(n)d cards", self.cards) % {"n": self.cards},
        }
        return _("%(fought)s, %(won)s, %(cards)s.") % words

    @property
    def victories(self) -> str:
        """Battles won, of all that the seat fought in."""
        return _("%(won)d of %(fought)d") % {"won": self.won, "fought": self.fought}


def gained_by(seat: int, battles: Sequence[Battle]) -> str:
    """The regions that a seat took in these battles, and those it lost; empty for neither."""
    conquests = [battle.conquest for battle in battles if battle.conquest]
    gained = [region_name(conquest.region) for conquest in conquests if conquest.seat == seat]
    lost = [region_name(conquest.region) for conquest in conquests if conquest.lost_by == seat]
    told = [", ".join(gained)] if gained else []
    if lost:
        told.append(_("lost %(regions)s") % {"regions": ", ".join(lost)})
    return "; ".join(told)
