"""Models: tables, seats, invitations, games and their logs.

A game is its log. Every other column here is written by games.services and can be recomputed.
"""

from games.models.advice import Advice
from games.models.analyses import Analysis
from games.models.changes import Proposal, SeatChange, TimeEvent
from games.models.games import Game, GameQuerySet, LogEntry, Note, ReadMarker, StandingOrder
from games.models.heartbeat import Heartbeat, Outage
from games.models.hours import HourAnswer, SharedHour
from games.models.invitations import Invitation, InvitationQuerySet
from games.models.player_groups import PlayerGroup
from games.models.site_names import SiteName
from games.models.table_alerts import TableAlert
from games.models.tables import (
    MAX_SEATS,
    MIN_SEATS,
    Seat,
    SeatQuerySet,
    Table,
    TableQuerySet,
    base_game,
    new_closing_time,
    new_join_key,
    new_secret,
)
