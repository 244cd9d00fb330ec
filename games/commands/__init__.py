"""The use cases of a table and a game, one verb each. Every door (page, link, command) goes through these."""

from games.commands.after import rematch, write_note
from games.commands.away import come_back
from games.commands.clock import run_clock
from games.commands.closing import keep_open
from games.commands.convening import adjudicate, convene
from games.commands.ending import (
    close_offer,
    fill_seat,
    give_up,
    hand_over,
    may_be_taken,
    offer_absent_seat,
    take_absent_seat,
    take_over,
)
from games.commands.gather import (
    call_off,
    confirm,
    decline,
    give_words,
    invite,
    leave,
    make_table,
    remove,
    seat_bot,
    take_seat,
    withdraw,
)
from games.commands.match import be_ready
from games.commands.move import AlreadyPlayed, NotAsked, Played, submit_move
from games.commands.proposing import accept_proposal, propose_end, propose_time, refuse_proposal
from games.commands.refusals import Refused
from games.commands.timing import host_gives_time, host_goes_on, host_pauses

__all__ = [
    "AlreadyPlayed",
    "NotAsked",
    "Played",
    "Refused",
    "accept_proposal",
    "adjudicate",
    "be_ready",
    "call_off",
    "close_offer",
    "come_back",
    "confirm",
    "convene",
    "decline",
    "fill_seat",
    "give_up",
    "give_words",
    "hand_over",
    "host_gives_time",
    "host_goes_on",
    "host_pauses",
    "invite",
    "keep_open",
    "leave",
    "make_table",
    "may_be_taken",
    "offer_absent_seat",
    "propose_end",
    "propose_time",
    "refuse_proposal",
    "rematch",
    "remove",
    "run_clock",
    "seat_bot",
    "submit_move",
    "take_absent_seat",
    "take_over",
    "take_seat",
    "withdraw",
    "write_note",
]
