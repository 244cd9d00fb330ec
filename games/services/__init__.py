"""Use cases of tables and games, one function each.

Every entry point (page, email link, management command) goes through these functions.
"""

from games.clocks.pauses import host_gives_time, host_goes_on, host_pauses
from games.models.locking import Refused
from games.services.absence import come_back
from games.services.expiry import keep_open
from games.services.hours import answer_hour, propose_hours
from games.services.lobby import cancel, confirm, give_words, leave, make_table, remove, seat_bot, take_seat
from games.services.match_games import be_ready
from games.services.moves import AlreadyPlayed, NotAsked, Played, submit_move
from games.services.orders import BadOrder, StaleOrder, give_order, withdraw_order
from games.services.proposals import accept_proposal, propose_end, propose_time, refuse_proposal
from games.services.rematch import make_rematch, write_note
from games.services.scheduled_tables import adjudicate, create_scheduled_table
from games.services.seat_changes import fill_seat, give_up, replace_player, take_absent_seat, take_over
from games.services.seat_offers import close_offer, hand_over, may_be_taken, offer_absent_seat
from games.services.table_invitations import decline, invite, withdraw
from games.services.tick import run_tick

__all__ = [
    "AlreadyPlayed",
    "BadOrder",
    "NotAsked",
    "Played",
    "Refused",
    "StaleOrder",
    "accept_proposal",
    "adjudicate",
    "answer_hour",
    "be_ready",
    "cancel",
    "close_offer",
    "come_back",
    "confirm",
    "create_scheduled_table",
    "decline",
    "fill_seat",
    "give_order",
    "give_up",
    "give_words",
    "hand_over",
    "host_gives_time",
    "host_goes_on",
    "host_pauses",
    "invite",
    "keep_open",
    "leave",
    "make_rematch",
    "make_table",
    "may_be_taken",
    "offer_absent_seat",
    "propose_end",
    "propose_hours",
    "propose_time",
    "refuse_proposal",
    "remove",
    "replace_player",
    "run_tick",
    "seat_bot",
    "submit_move",
    "take_absent_seat",
    "take_over",
    "take_seat",
    "withdraw",
    "withdraw_order",
    "write_note",
]
