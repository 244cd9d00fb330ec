"""Read a game record strictly from a JSON value (RECORD.md).

Opens no files.
"""

import re
from collections.abc import Mapping
from typing import Any

from .board import REGIONS
from .errors import InvalidRecord, UnknownOption, quoted
from .options import SEATS, Options
from .record import (
    ABANDONED,
    AGREEMENT,
    DRAW,
    FORMAT,
    HIGHEST_TARGET,
    MOST_GAMES,
    TABLE,
    Copied,
    Entry,
    Match,
    Record,
)

_REQUIRED = (
    "format",
    "edition",
    "variants",
    "players",
    "first_condottiere",
    "commitment",
    "secret",
    "nonces",
    "log",
    "result",
)
_OPTIONAL = ("ended", "first_by", "match", "final_battle", "copied")


def read_record(obj: object) -> Record:
    """Return the record from a JSON value. Raises InvalidRecord, naming the first thing it cannot read."""
    record = _with_known_keys(obj)
    options = _options(record["edition"], record["variants"])
    players = _players(record["players"])
    _must_be_for_points(record, options)
    final_battle = _final_battle(record.get("final_battle"), len(players))
    scores = options.plays_for_points and final_battle is None
    read = Record(
        options=options,
        players=players,
        first_condottiere=_seat(record["first_condottiere"], len(players)),
        commitment=_commitment(record["commitment"]),
        secret=_secret(record["secret"]),
        nonces=_nonces(record["nonces"], len(players)),
        ended=_one_of(record.get("ended"), "ended", (AGREEMENT, ABANDONED)),
        first_by=_one_of(record.get("first_by"), "first_by", (TABLE, DRAW)) or TABLE,
        match=_match(record.get("match"), len(players)),
        final_battle=final_battle,
        result=_result(record["result"], len(players) if scores else None),
        log=_log(record["log"]),
        copied=_copied(record.get("copied")),
    )
    if read.secret is not None and not (read.commitment and read.nonces):
        raise InvalidRecord("a `secret` needs its `commitment` and `nonces`")
    _must_name_seats(read)
    _must_be_a_game_of_the_match(read)
    _must_be_copied_from_a_game(read)
    return read


def _with_known_keys(obj: object) -> dict[str, Any]:
    if not isinstance(obj, dict):
        raise InvalidRecord("a record is a JSON object")
    if obj.get("format") != FORMAT:
        raise InvalidRecord(f"unknown format {quoted(obj.get('format'))}: expected {FORMAT!r}")
    for key in obj:
        if key not in _REQUIRED and key not in _OPTIONAL:
            raise InvalidRecord(f"unknown key {quoted(key)}")
    for key in _REQUIRED:
        if key not in obj:
            raise InvalidRecord(f"missing key {key!r}")
    return obj


def _must_be_for_points(record: Mapping[str, Any], options: Options) -> None:
    for key in ("match", "final_battle"):
        if record.get(key) is not None and not options.plays_for_points:
            raise InvalidRecord(f"`{key}` belongs to 'playing-for-points', which this game is not")


def _must_name_seats(record: Record) -> None:
    """Check that a result recorded by the site names seats of this game.

    A result of the rules is compared with the replay instead.
    """
    if record.ended is None or record.result is None:
        return
    winners = record.result["winners"]
    if winners != sorted(set(winners) & set(range(len(record.players)))):
        raise InvalidRecord("`winners` must be seats of this game, ascending, each named once")


def _must_be_a_game_of_the_match(record: Record) -> None:
    """Check that the match was still running, or that a final battle is between tied seats (R28).

    Before the first game no seat has points. Once the target is reached, only tied seats play on.
    """
    if record.match is None:
        return
    target, game, points = record.match.target, record.match.game, record.match.points
    if game == 1 and any(points):
        raise InvalidRecord("there are no `points` before the first game of a match")
    is_over = max(points) >= target or game > MOST_GAMES
    if record.final_battle is None and is_over:
        raise InvalidRecord("the match was over before this game")
    if record.final_battle is not None and not (is_over and len(set(points)) == 1):
        raise InvalidRecord("a final battle is for those tied at the end of a match")


def _must_be_copied_from_a_game(record: Record) -> None:
    """Check that the copied entries are in the log, in a single game that drew no one."""
    if not record.copied:
        return
    counts = [part.entries for part in record.copied]
    if counts != sorted(set(counts)) or counts[-1] > len(record.log):
        raise InvalidRecord("the `entries` of `copied` must ascend, and be in the log")
    if record.match is not None or record.first_by == DRAW:
        raise InvalidRecord("a game with `copied` entries has no `match`, and no one was drawn for it")


def _copied(value: object) -> tuple[Copied, ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        raise InvalidRecord("`copied` must be null or a list")
    return tuple([_part_copied(part) for part in value])


def _part_copied(part: object) -> Copied:
    if not isinstance(part, dict) or set(part) != {"entries", "commitment"}:
        raise InvalidRecord("each of `copied` is an object with `entries` and `commitment`")
    if not _is_number(part["entries"]) or part["entries"] < 0:
        raise InvalidRecord(f"`entries` must be a number from 0, not {quoted(part['entries'])}")
    return Copied(part["entries"], _commitment(part["commitment"]))


def _match(value: object, players: int) -> Match | None:
    if value is None:
        return None
    if not isinstance(value, dict) or set(value) != {"target", "game", "points"}:
        raise InvalidRecord("`match` must be null or an object with `target`, `game` and `points`")
    target, game = value["target"], value["game"]
    if not _is_number(target) or not 1 <= target <= HIGHEST_TARGET:
        raise InvalidRecord(f"`target` must be a number from 1 to {HIGHEST_TARGET}, not {quoted(target)}")
    if not _is_number(game) or not 1 <= game <= MOST_GAMES + 1:  # one more for a final battle
        raise InvalidRecord(f"`game` must be a number from 1 to {MOST_GAMES}, not {quoted(game)}")
    return Match(target, game, _numbers_per_seat(value["points"], players, "points"))


def _final_battle(value: object, players: int) -> tuple[int, ...] | None:
    """Return the regions of each seat; together at most as many as on the map."""
    if value is None:
        return None
    regions = _numbers_per_seat(value, players, "final_battle")
    if sum(regions) > len(REGIONS):
        raise InvalidRecord(f"`final_battle` names more than {len(REGIONS)} regions")
    return regions


def _numbers_per_seat(value: object, players: int, name: str) -> tuple[int, ...]:
    if not isinstance(value, list) or len(value) != players:
        raise InvalidRecord(f"`{name}` must be a list of one number per seat")
    for number in value:
        if not _is_number(number) or number < 0:
            raise InvalidRecord(f"each of `{name}` must be a number from 0, not {quoted(number)}")
    return tuple(value)


def _options(edition: object, variants: object) -> Options:
    names = _list_of(str, variants, "variants")
    if not isinstance(edition, str):
        raise InvalidRecord(f"unknown edition {quoted(edition)}")
    if names != sorted(set(names)):
        raise InvalidRecord("`variants` must be sorted, each named once")
    try:
        return Options(edition, tuple(names))
    except UnknownOption as unknown:
        raise InvalidRecord(str(unknown)) from None


def _list_of(kind: type[str], value: object, name: str) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(item, kind) for item in value):
        raise InvalidRecord(f"`{name}` must be a list of texts")
    return value


def _players(value: object) -> tuple[str, ...]:
    players = _list_of(str, value, "players")
    if len(players) not in SEATS:
        raise InvalidRecord(f"wrong number of players: {len(players)}; two to six can play")
    return tuple(players)


def _is_number(value: object) -> bool:
    """Return whether this is a number. Python counts JSON's true and false as ints."""
    return isinstance(value, int) and not isinstance(value, bool)


def _seat(value: object, players: int) -> int:
    if not _is_number(value) or value not in range(players):
        raise InvalidRecord(f"`first_condottiere` must be a seat of this game, not {quoted(value)}")
    assert isinstance(value, int)
    return value


def _is_hex(value: object, digits: int) -> bool:
    return isinstance(value, str) and re.fullmatch(f"[0-9a-fA-F]{{{digits}}}", value) is not None


def _secret(value: object) -> str | None:
    if value is None or _is_hex(value, 64):
        return value if isinstance(value, str) else None
    raise InvalidRecord("`secret` must be 64 hex digits or null")


def _commitment(value: object) -> str:
    if isinstance(value, str) and (value == "" or _is_hex(value, 64)):
        return value
    raise InvalidRecord("`commitment` must be 64 hex digits or empty")


def _nonces(value: object, players: int) -> tuple[str, ...]:
    nonces = _list_of(str, value, "nonces")
    if nonces and len(nonces) != players:
        raise InvalidRecord(f"`nonces` must be empty or one per seat, not {len(nonces)}")
    for nonce in nonces:
        if not _is_hex(nonce, 32):
            raise InvalidRecord("each of `nonces` must be 32 hex digits")
    return tuple(nonces)


def _one_of(value: object, name: str, known: tuple[str, ...]) -> str | None:
    """Return one of the known words, or None where the key is missing or null."""
    if value is None or (isinstance(value, str) and value in known):
        return value
    raise InvalidRecord(f"unknown `{name}` {quoted(value)}")


def _result(value: object, scored: int | None) -> dict[str, Any] | None:
    """Return a stated result: winners, a reason and, if `scored` is the number of seats, their points.

    Replay checks whether the log leads to it.
    """
    if value is None:
        return None
    keys = ["winners", "reason"] if scored is None else ["winners", "reason", "points"]
    if not isinstance(value, dict) or set(value) != set(keys):
        raise InvalidRecord(
            f"`result` must be null or an object with {', '.join(f'`{key}`' for key in keys)}"
        )
    if scored is not None:
        _numbers_per_seat(value["points"], scored, "points")
    winners = value["winners"]
    if not isinstance(winners, list) or not all(_is_number(winner) for winner in winners):
        raise InvalidRecord("`winners` must be a list of seats")
    if not isinstance(value["reason"], str | None):
        raise InvalidRecord("`reason` must be a text")
    return value


def _log(value: object) -> tuple[Entry, ...]:
    if not isinstance(value, list):
        raise InvalidRecord("`log` must be a list")
    return tuple([_entry(number, item) for number, item in enumerate(value)])


def _entry(number: int, item: object) -> Entry:
    if not isinstance(item, list) or len(item) not in (2, 3):
        raise InvalidRecord("a log entry is [seat, move] or [seat, move, object]", number)
    seat, text, note = (*item, None)[:3]
    if seat is not None and not _is_number(seat):
        raise InvalidRecord(f"unknown seat {quoted(seat)}", number)
    if not isinstance(text, str):
        raise InvalidRecord(f"a move is a text, not {quoted(text)}", number)
    if len(item) == 3 and not isinstance(note, dict):
        raise InvalidRecord("the third element of a log entry is an object", number)
    return Entry(seat, text, note)
