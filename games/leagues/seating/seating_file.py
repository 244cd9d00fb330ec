"""A division's seating as a file, and the check that it can be reproduced."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import zip_longest
from typing import Any, TypeVar

from games.leagues.seating.search import seat_next
from games.leagues.seating.values import SIZES, Seated

T = TypeVar("T")

KIND = "condottiere-seating-1"
MOST_PLAYERS, MOST_ROUNDS = 120, 20

_NUMBER = re.compile(r"-?[0-9]{1,200}(/0*[1-9][0-9]{0,199})?")


class BadFile(ValueError):
    """The file is invalid; the message says what cannot be read."""


@dataclass(frozen=True, slots=True)
class RoundOfFile:
    """A round, its players and their scores before it; None if scores were not stored."""

    number: int
    players: tuple[int, ...]
    scores: Mapping[int, Fraction] | None
    seated: Seated


@dataclass(frozen=True, slots=True)
class SeatingFile:
    """A division's seating so far; `rounds` are those drawn, from the first on."""

    seed: bytes
    gathers_scores: bool
    size: int
    planned: int
    names: Mapping[int, str]
    rounds: tuple[RoundOfFile, ...]


def read_seating(stated: object) -> SeatingFile:
    """Parse a seating file. Raises BadFile."""
    if not isinstance(stated, dict) or stated.get("file") != KIND:
        raise BadFile(f"it is not a seating file ({KIND})")
    planned = _whole(stated, "rounds_planned", 1, MOST_ROUNDS)
    gathers_scores = _format(stated) == "swiss"
    return SeatingFile(
        seed=_seed(stated),
        gathers_scores=gathers_scores,
        size=_whole(stated, "size", SIZES[0], SIZES[-1]),
        planned=planned,
        names=dict(_each(stated, "players", _player)),
        rounds=_rounds(stated, planned, gathers_scores),
    )


def _of_type(stated: object, name: str, kind: type) -> Any:
    value = stated.get(name) if isinstance(stated, dict) else None
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise BadFile(f'"{name}" is missing or cannot be read')
    return value


def _whole(stated: object, name: str, least: int, most: int) -> int:
    value: int = _of_type(stated, name, int)
    if not least <= value <= most:
        raise BadFile(f'"{name}" is not from {least} to {most}')
    return value


def _each(stated: object, name: str, read: Callable[[Any], T]) -> tuple[T, ...]:
    return tuple([read(one) for one in _of_type(stated, name, list)])


def _seed(stated: object) -> bytes:
    seed: str = _of_type(stated, "seed", str)
    if not re.fullmatch("[0-9a-fA-F]{64}", seed):
        raise BadFile('"seed" is not 64 hexadecimal digits')
    return bytes.fromhex(seed)


def _format(stated: object) -> str:
    named: str = _of_type(stated, "format", str)
    if named not in ("balanced", "swiss", "all"):
        raise BadFile('"format" is not balanced, swiss or all')
    return named


def _player(stated: object) -> tuple[int, str]:
    return _of_type(stated, "number", int), _of_type(stated, "name", str)


def _rounds(stated: object, planned: int, gathers_scores: bool) -> tuple[RoundOfFile, ...]:
    rounds = _each(stated, "rounds", lambda one: _round(one, gathers_scores))
    if [one.number for one in rounds] != list(range(1, len(rounds) + 1)):
        raise BadFile("its rounds do not begin with round 1 or are out of order")
    if len(rounds) > planned:
        raise BadFile("it has more rounds than were planned")
    return rounds


def _round(stated: object, gathers_scores: bool) -> RoundOfFile:
    number: int = _of_type(stated, "round", int)
    try:
        players = _players(_of_type(stated, "players", list))
        seated = Seated(_each(stated, "tables", _table), _players(_of_type(stated, "byes", list)))
        return RoundOfFile(number, players, _scores(stated, players) if gathers_scores else None, seated)
    except BadFile as bad:
        raise BadFile(f"round {number}: {bad}") from None


def _table(stated: object) -> tuple[int, ...]:
    players = _players(stated)
    if len(players) not in SIZES:
        raise BadFile(f"a table does not have {SIZES[0]} to {SIZES[-1]} players")
    return players


def _players(stated: object) -> tuple[int, ...]:
    if not isinstance(stated, list) or not all(type(player) is int for player in stated):
        raise BadFile("players are not listed by their numbers")
    if len(set(stated)) < len(stated):
        raise BadFile("a player is listed twice")
    if len(stated) > MOST_PLAYERS:
        raise BadFile(f"it has more than {MOST_PLAYERS} players")
    return tuple(stated)


def _scores(stated: object, players: tuple[int, ...]) -> Mapping[int, Fraction] | None:
    if isinstance(stated, dict) and "scores" in stated and stated["scores"] is None:
        return None
    scores: dict[str, object] = _of_type(stated, "scores", dict)
    if set(scores) != {str(player) for player in players}:
        raise BadFile("the scores are not those of its players")
    return {player: _score(scores[str(player)]) for player in players}


def _score(stated: object) -> Fraction:
    if not isinstance(stated, str) or not _NUMBER.fullmatch(stated):
        raise BadFile("a score is not a fraction such as 7 or 22/3")
    return Fraction(stated)


# Seating the rounds of a file again, each by those before it, and describing what differs


def differences(file: SeatingFile, at: int) -> list[str]:
    """Return how the round at this index differs from the draw."""
    round_ = file.rounds[at]
    if file.gathers_scores and round_.scores is None:
        return ["not checked, for the file does not say what everybody had before it"]
    before = [earlier.seated for earlier in file.rounds[:at]]
    drawn = _drawn(file, round_, before)
    return list(_compared(file, round_.seated, drawn))


def _drawn(file: SeatingFile, round_: RoundOfFile, before: Sequence[Seated]) -> Seated:
    return seat_next(round_.players, file.size, file.planned, file.seed, before=before, scores=round_.scores)


def _compared(file: SeatingFile, found: Seated, drawn: Seated) -> Iterator[str]:
    tables = zip_longest(found.tables, drawn.tables, fillvalue=())
    for number, (here, there) in enumerate(tables, start=1):
        if here != there:
            yield f"table {number} has {_named(file, here)}, but the seed draws {_named(file, there)}"
    if set(found.byes) != set(drawn.byes):
        sitting_out, by_seed = _named(file, sorted(found.byes)), _named(file, sorted(drawn.byes))
        yield f"byes: {sitting_out}, but the seed draws {by_seed}"


def _named(file: SeatingFile, players: Iterable[int]) -> str:
    return ", ".join(f"{file.names.get(player, '?')} ({player})" for player in players) or "no one"
