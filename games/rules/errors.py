"""Errors for moves, options and records.

Messages are plain English for logs and the command line; pages translate `IllegalMove.reason`. They never
name a card, seat or decision that must stay hidden from the person who made the mistake.
"""

from enum import Enum


class Reason(Enum):
    """Why a readable move was refused. The names are stable: pages key their sentences to them."""

    GAME_OVER = "The game is over."
    SHUFFLE_OWED = "The table must shuffle first."
    NO_SHUFFLE_OWED = "No shuffle is owed."
    NOT_THE_PILE = "The shuffle is not a permutation of the pile."
    NOT_ASKED = "This seat is not asked for a move now."
    # Its name is stored with replies that are not yet answered.
    NOT_THE_QUESTION = "This move does not answer the open decision."
    REGION_CONTROLLED = "The region is already controlled."
    REGION_UNDER_POPE = "The region has the favour of the Pope."
    CARD_NOT_IN_HAND = "The card is not in the hand."
    REGION_OWN = "The region is one's own already."
    NOTHING_FACE_DOWN = "There is no card of one's own face down."
    BISHOP_WITHOUT_POPE = "A Bishop is played with where the Pope goes, or `off`."
    NO_POPE = "In this edition there is no Pope: a Bishop is played alone."
    SCARECROW_OWN_LINE = "In this edition a Scarecrow takes from one's own line: no seat is named."
    SCARECROW_WITHOUT_SEAT = "In this edition a Scarecrow names the seat whose line it takes from."
    POPE_REGION_CONTROLLED = "The Pope cannot go to a region that is controlled."
    POPE_REGION_FOUGHT_FOR = "The Pope cannot go to the region that is being fought for."
    POPE_STAYS = "In the final battle a Bishop is played with `off`."
    NO_SUCH_MERCENARY = "There is no such Mercenary to take back."
    CARDS_NOT_IN_HAND = "The cards to keep are not in the hand."


class UnknownOption(ValueError):
    """An edition, variant or number of players that this version doesn't know; the message names it."""


class InvalidMove(ValueError):
    """A text that is not a move; the message names what cannot be read."""


class InvalidRecord(ValueError):
    """A game record that cannot be read; `entry` is the number of the bad log entry, if there is one."""

    def __init__(self, message: str, entry: int | None = None) -> None:
        super().__init__(message)
        self.entry = entry


class IllegalMove(ValueError):
    """A readable move that the rules refuse now."""

    def __init__(self, reason: Reason, message: str = "") -> None:
        super().__init__(message or reason.value)
        self.reason = reason


def quoted(text: object, limit: int = 40) -> str:
    """Return a player's input in a form that is safe in a message: printable ASCII, cut when long."""
    if isinstance(text, list | dict):  # may be nested deeper than can be printed
        return "a list" if isinstance(text, list) else "an object"
    shown = ascii(text[: limit + 1] if isinstance(text, str) else text)
    return shown if len(shown) <= limit + 2 else shown[:limit] + "..."
