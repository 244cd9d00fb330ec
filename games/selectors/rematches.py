"""The rematch of a finished game, for one of its players."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext as _

from accounts.models import User
from games.models import Game, Table
from games.models.matches import ends_match
from games.narration.roster import roster_at


@dataclass(frozen=True)
class Rematch:
    """The state of a finished game's rematch, for one of its players."""

    table: Table | None  # None: no one has asked for one yet
    host: str = ""  # by the name that the game's players know
    has_seat: bool = False
    invited: int = 0  # how many would be, if the player asks for it now
    free: int = 0  # seats of former players who cannot be invited

    @property
    def can_sit_down(self) -> bool:
        return self.table is not None and self.table.is_gathering and not self.has_seat

    @property
    def is_offered(self) -> bool:
        """Whether the player can ask for it, or take a seat in it."""
        return not self.has_seat and bool(self.label)

    @property
    def label(self) -> str:
        """What the player can do about it, for a button; empty if nothing."""
        if self.has_seat:
            return _("Open the rematch")
        if self.table is not None:
            return _("Take your seat in the rematch") if self.can_sit_down else ""
        if self.invited:
            return _("Ask for a rematch")
        return _("Create a rematch") if self.free else _("Play a rematch")


def rematch_for(game: Game, user: User) -> Rematch | None:
    """Return the rematch for this player; None while the game runs, and before the end of its match."""
    if not game.is_over or (game.table.is_match and not ends_match(game)):
        return None
    table = Table.objects.filter(rematch_of=game).select_related("host").first()
    if table is None or table.never_began:
        others = [seat.user for seat in game.table.all_seats() if not seat.bot and seat.user != user]
        invited = sum(other is not None and other.is_active for other in others)
        return Rematch(None, invited=invited, free=len(others) - invited)
    host = roster_at(game.table, user).name_of(table.host) if table.host else ""
    return Rematch(table, host, table.seats.filter(user=user).exists())
