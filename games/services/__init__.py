"""Use cases of tables and games, one function each.

Every entry point (page, email link, management command) goes through these functions.
"""

from games.clocks.host_changes import host_gives_time, host_pauses, host_resumes
from games.models.locking import Refused
from games.services.absence import come_back
from games.services.advice import ask_advice
from games.services.analysis import ask_analysis
from games.services.expiry import keep_open
from games.services.hours import answer_hour, propose_hours
from games.services.lobby import cancel, confirm, give_words, leave, make_table, remove, seat_bot, take_seat
from games.services.match_games import be_ready
from games.services.moves import AlreadyPlayed, NotAsked, Played, submit_move
from games.services.orders import (
    BadOrder,
    StaleOrder,
    give_order,
    give_order_after,
    may_order_after,
    withdraw_order,
)
from games.services.play_on import play_on, take_back_move
from games.services.player_groups import delete_group, save_group
from games.services.proposals import accept_proposal, propose_end, propose_time, refuse_proposal
from games.services.rematch import make_rematch, write_note
from games.services.scheduled_tables import adjudicate, create_scheduled_table
from games.services.seat_changes import fill_seat, give_up, replace_player, take_absent_seat, take_over
from games.services.seat_offers import close_offer, hand_over, may_be_taken, offer_absent_seat
from games.services.table_invitations import decline, invite, invite_person, withdraw
from games.services.tick import run_tick
from games.services.turn_links import email_turn_link
