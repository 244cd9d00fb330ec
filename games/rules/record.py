"""The game record: its parts, writing, replay and verification (RECORD.md).

Works on values that came out of JSON; opens no files.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from .engine import Replay, replay
from .legality import legal_moves
from .observation import result_json
from .options import Options
from .shuffle import commitment, drawn_by_clock, first_condottiere, game_key, shuffled
from .state import State

FORMAT = "condottiere-game-record/1"
TABLE, DRAW = "table", "draw"
CLOCK = "clock"  # `via` of an entry that the clock made
AGREEMENT, ABANDONED = "agreement", "abandoned"
HIGHEST_TARGET = 200
MOST_GAMES = 100  # in a match; its chain has a secret for each game and one for a final battle


class Entry(NamedTuple):
    """One log entry: the seat that moved (None: the site), the move's text, and the site's note on it."""

    seat: int | None
    text: str
    note: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Match:
    """Which game of a match this is, from 1, and each seat's points before it (R28)."""

    target: int
    game: int
    points: tuple[int, ...]


class Copied(NamedTuple):
    """How far the log is a copy: until `entries`, of the game with this commitment ("" if unknown)."""

    entries: int
    commitment: str


@dataclass(frozen=True, slots=True)
class Record:
    """A game as it is stored and exported; the keys are those of RECORD.md.

    `secret`, `commitment` and `nonces` are hex digits; `result` is kept as it was stated. `final_battle` is
    set if this record is a match's final battle. It gives the regions each seat held before (R28). `copied`
    says from which games the log's first entries were copied, in their order.
    """

    options: Options
    players: tuple[str, ...]
    first_condottiere: int
    log: tuple[Entry, ...]
    commitment: str = ""
    secret: str | None = None
    nonces: tuple[str, ...] = ()
    result: Mapping[str, Any] | None = None
    ended: str | None = None
    first_by: str = TABLE
    match: Match | None = None
    final_battle: tuple[int, ...] | None = None
    copied: tuple[Copied, ...] = ()

    @property
    def copied_entries(self) -> int:
        """How many entries the log begins with that another game's key made."""
        return self.copied[-1].entries if self.copied else 0


class Verification(NamedTuple):
    """Whether a record is valid and its shuffles are proved, or where and why it fails.

    In a record with copied entries only the later shuffles are proved, those from entry `proved_from` on.
    """

    ok: bool
    proved: bool
    entry: int | None = None
    error: str | None = None
    proved_from: int | None = None


def record_json(record: Record) -> dict[str, Any]:
    """Return the JSON object of a record; `read_record` turns it back into the same record."""
    written: dict[str, Any] = {
        "format": FORMAT,
        "edition": record.options.edition,
        "variants": list(record.options.variants),
        "players": list(record.players),
        "first_condottiere": record.first_condottiere,
        "first_by": record.first_by,
        "commitment": record.commitment,
        "secret": record.secret,
        "nonces": list(record.nonces),
        "log": [
            [seat, text] if note is None else [seat, text, dict(note)] for seat, text, note in record.log
        ],
        "ended": record.ended,
        "result": None if record.result is None else dict(record.result),
    }
    if record.match is not None:
        match = record.match
        written["match"] = {"target": match.target, "game": match.game, "points": list(match.points)}
    if record.final_battle is not None:
        written["final_battle"] = list(record.final_battle)
    if record.copied:
        written["copied"] = [part._asdict() for part in record.copied]
    return written


def replay_record(record: Record) -> Replay:
    """Play the record's log.

    If the log doesn't lead to the stated result, that is an error at the log's length.
    """
    entries = [(entry.seat, entry.text) for entry in record.log]
    played = replay(
        record.options, len(record.players), record.first_condottiere, entries, record.final_battle
    )
    if played.error is None and not _leads_to_result(record, played.state):
        return played._replace(error=(len(entries), "the log does not lead to the result that is stated"))
    return played


def verify(record: Record) -> Verification:
    """Check commitment, first Condottiere (if drawn), shuffles, the clock's drawn regions, moves and result.

    A record without its secret can be valid, but proves nothing. Copied entries must be legal, but their
    shuffles follow from another game's key.
    """
    played = replay_record(record)
    key = None
    if record.secret is not None:
        secret = bytes.fromhex(record.secret)
        if commitment(secret) != record.commitment.lower():
            return Verification(False, False, None, "the secret does not fit the commitment")
        key = game_key(secret, [bytes.fromhex(nonce) for nonce in record.nonces])
        if (
            record.first_by == DRAW
            and first_condottiere(key, len(record.players)) != record.first_condottiere
        ):
            return Verification(False, False, None, "the first Condottiere is not the one that was drawn")
    wrong = None if key is None else _unproved_entry(record, played, key)
    error = wrong or played.error
    if error is not None:
        return Verification(False, False, *error)
    if record.copied_entries:
        return Verification(True, False, proved_from=None if key is None else record.copied_entries)
    return Verification(True, key is not None)


def _unproved_entry(record: Record, played: Replay, key: bytes) -> tuple[int, str] | None:
    return _unproved_shuffle(record, played, key) or _unproved_draw(record, played, key)


def _unproved_shuffle(record: Record, played: Replay, key: bytes) -> tuple[int, str] | None:
    """Return the first shuffle that doesn't follow from the key, as far as the log could be played."""
    for number, ply in enumerate(played.plies):
        before = played.states[number]
        if number < record.copied_entries:
            continue
        if ply.seat is None and ply.move.cards != shuffled(key, before.shuffles, before.shuffle_pile):
            return number, f"shuffle {before.shuffles} is not the one that the secret makes"
    return None


def _unproved_draw(record: Record, played: Replay, key: bytes) -> tuple[int, str] | None:
    """Return the first region that the clock chose but the key doesn't draw."""
    for number, ply in enumerate(played.plies):
        note = record.log[number].note or {}
        if number < record.copied_entries:
            continue
        if note.get("via") == CLOCK and ply.move.kind == "place" and ply.seat is not None:
            regions = legal_moves(played.states[number], ply.seat)
            if ply.move != regions[drawn_by_clock(key, number, len(regions))]:
                return number, "the clock's region is not the one that the secret draws"
    return None


def _leads_to_result(record: Record, state: State) -> bool:
    """Return whether the log leads to the stated result.

    If `ended` is set, the site recorded the result, and it is not checked.
    """
    return (
        record.result is None or record.ended is not None or dict(record.result) == result_json(state.result)
    )
