"""The use cases of a table and a game, one verb each. Every door (page, link, command) goes through these."""

from games.commands.after import rematch, write_note
from games.commands.closing import keep_open
from games.commands.gather import (
    call_off,
    confirm,
    decline,
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
    "be_ready",
    "call_off",
    "confirm",
    "decline",
    "invite",
    "keep_open",
    "leave",
    "make_table",
    "rematch",
    "remove",
    "seat_bot",
    "submit_move",
    "take_seat",
    "withdraw",
    "write_note",
]
