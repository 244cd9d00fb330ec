"""The use cases of a table and a game, one verb each. Every door (page, link, command) goes through these."""

from games.commands.gather import (
    call_off,
    confirm,
    decline,
    invite,
    leave,
    make_table,
    remove,
    take_seat,
    withdraw,
)
from games.commands.move import AlreadyPlayed, NotAsked, Played, submit_move
from games.commands.refusals import Refused

__all__ = [
    "AlreadyPlayed",
    "NotAsked",
    "Played",
    "Refused",
    "call_off",
    "confirm",
    "decline",
    "invite",
    "leave",
    "make_table",
    "remove",
    "submit_move",
    "take_seat",
    "withdraw",
]
