"""The final as its season's page shows it: its table, or who is to play and when it begins."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from accounts import clock
from accounts.models import User
from games.leagues.models import LeagueTable, Season
from games.leagues.selectors.league_tables import TableView, table_views
from games.leagues.selectors.names_in_leagues import names_in
from games.leagues.services.finals import next_final
from games.leagues.services.schedule import is_played
from games.narration.cast import and_list


@dataclass(frozen=True)
class FinalPart:
    """A final that has begun, with its table, or one that is about to begin, with its players' names."""

    view: TableView | None
    names: str = ""
    at: datetime | None = None  # when it begins at the latest

    @property
    def waits(self) -> bool:
        """Return whether it waits for players who are away."""
        return self.at is not None and self.at > clock.now()


def final_part(season: Season, reader: User | None) -> FinalPart | None:
    """Return the final of a season for this reader; None while other tables are left, or without a final."""
    if season.final == Season.Final.NONE or season.state not in (Season.State.RUNNING, Season.State.CLOSED):
        return None
    finals = LeagueTable.objects.filter(round__division__season=season, round__is_final=True)
    if views := table_views(finals, reader):
        return FinalPart(views[0])
    if season.state == Season.State.CLOSED or not is_played(season):
        return None
    final = next_final(season, clock.now())
    if final is None:
        return None
    names = names_in([season.league_id], [entry.user for entry in final.players])
    return FinalPart(None, and_list([names[entry.user_id] for entry in final.players]), final.at)
