"""The rematch of a finished game, as one of its players finds it. Reads only."""

from __future__ import annotations

from dataclasses import dataclass

from accounts.models import User
from games.company import company_at
from games.matches import ends_match
from games.models import Game, Table


@dataclass(frozen=True)
class Rematch:
    """How the rematch of a finished game stands for one of its players."""

    table: Table | None  # None: nobody has asked for one yet
    host: str = ""  # as the game's players know him
    has_seat: bool = False
    invited: int = 0  # how many would be, if he asks for it now
    free: int = 0  # seats of former players, whom nobody can invite

    @property
    def can_sit_down(self) -> bool:
        return self.table is not None and self.table.is_gathering and not self.has_seat


def rematch_for(game: Game, user: User) -> Rematch | None:
    """The rematch as this player finds it; None while the game runs, and before the end of its match."""
    if not game.is_over or (game.table.is_match and not ends_match(game)):
        return None
    table = Table.objects.filter(rematch_of=game).select_related("host").first()
    if table is None or table.never_began:
        others = game.table.seats.exclude(user=user).filter(bot="")
        invited = others.filter(user__is_active=True).count()
        return Rematch(None, invited=invited, free=others.count() - invited)
    host = company_at(game.table, user).name_of(table.host) if table.host else ""
    return Rematch(table, host, table.seats.filter(user=user).exists())
