"""The use cases of a table and a game, one verb each. Every door (page, link, command) goes through these."""

from games.commands.after import rematch, write_note
from games.commands.closing import keep_open
from games.commands.ending import (
    accept_end,
    close_offer,
    give_up,
    hand_over,
    propose_end,
    refuse_end,
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
from games.commands.refusals import Refused

__all__ = [
    "AlreadyPlayed",
    "NotAsked",
    "Played",
    "Refused",
    "accept_end",
    "be_ready",
    "call_off",
    "close_offer",
    "confirm",
    "decline",
    "give_up",
    "give_words",
    "hand_over",
    "invite",
    "keep_open",
    "leave",
    "make_table",
    "propose_end",
    "refuse_end",
    "rematch",
    "remove",
    "seat_bot",
    "submit_move",
    "take_over",
    "take_seat",
    "withdraw",
    "write_note",
]
