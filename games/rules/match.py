"""Playing for Points: what follows a game of a match, and whether one record follows another (R27 to R29).

A match is its games in order. What its players agreed on besides the target is stored elsewhere.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from .record import MOST_GAMES, Match, Record, replay_record
from .shuffle import chain_of_secrets


@dataclass(frozen=True, slots=True)
class NextGame:
    """Another game, started by seat `first` (R29)."""

    first: int


@dataclass(frozen=True, slots=True)
class FinalBattle:
    """A final battle between the tied seats (R28).

    `regions` are the regions each held in the last game. `first` is the starter's place among the tied seats,
    from 0.
    """

    seats: tuple[int, ...]
    regions: tuple[int, ...]
    first: int


@dataclass(frozen=True, slots=True)
class MatchWon:
    """The match is over: one seat has most points, or the final battle was shared."""

    winners: tuple[int, ...]


def after_game(
    target: int, game: int, points: Sequence[int], first: int, regions: Sequence[int]
) -> NextGame | FinalBattle | MatchWon:
    """Return what follows game number `game` of a match (R28, R29).

    The game was started by seat `first` and left these points and regions. A match ends with its hundredth
    game at the latest.
    """
    following = (first + 1) % len(points)
    if max(points) < target and game < MOST_GAMES:
        return NextGame(following)
    tied = tuple([seat for seat, score in enumerate(points) if score == max(points)])
    if len(tied) == 1:
        return MatchWon(tied)
    starter = next(seat for step in range(len(points)) if (seat := (following + step) % len(points)) in tied)
    return FinalBattle(tied, tuple([regions[seat] for seat in tied]), tied.index(starter))


def does_not_follow(before: Record, record: Record) -> str | None:
    """Return why this record is not the next game of the same match, or None if it is.

    Two records that don't claim to be of one match are not compared.
    """
    if before.match is None or not _says_it_follows(before, before.match, record):
        return None
    if record.match is not None and record.match.game != before.match.game + 1:
        return f"game {record.match.game} of a match stands after its game {before.match.game}"
    if before.secret is not None and before.secret.lower() != record.commitment.lower():
        return "the commitment is not the secret of the game before"
    if record.options != before.options or (record.match and record.match.target != before.match.target):
        return "target, edition and variants must be those of the game before"
    if before.result is None or before.final_battle is not None:
        return "no game of the match follows the one before"
    return _wrong_start(before, record)


def _says_it_follows(before: Record, match: Match, record: Record) -> bool:
    """Return whether the record claims to follow: by its number, or by a secret of the same chain."""
    if record.match is None:
        return record.final_battle is not None
    ahead = record.match.game - match.game - 1
    return ahead == 0 or _is_of_the_chain(before, record, ahead)


def _is_of_the_chain(before: Record, record: Record, ahead: int) -> bool:
    """Return whether hashing links the two secrets, as many times as their numbers are apart."""
    if before.secret is None or not record.commitment:
        return False
    secret, committed = bytes.fromhex(before.secret), bytes.fromhex(record.commitment)
    later, earlier = (committed, secret) if ahead > 0 else (secret, committed)
    return chain_of_secrets(later, abs(ahead) + 1)[0] == earlier


def _wrong_start(before: Record, record: Record) -> str | None:
    """Return what is wrong in players, points or starter, which the game before settled (R28, R29)."""
    assert before.match is not None
    assert before.result is not None
    scored = before.result["points"]
    points = [had + got for had, got in zip(before.match.points, scored, strict=True)]
    regions = [holding.bit_count() for holding in replay_record(before).state.holdings]
    after = after_game(before.match.target, before.match.game, points, before.first_condottiere, regions)
    if isinstance(after, MatchWon):
        return "the match was over with the game before"
    if isinstance(after, NextGame):
        seats: tuple[int, ...] = tuple(range(len(before.players)))
        battle = None
    else:
        seats, battle = after.seats, after.regions
    if record.final_battle != battle:
        return "the final battle is not the one that follows the game before"
    if record.players != tuple([before.players[seat] for seat in seats]):
        return "the players are not those who go on after the game before"
    if before.nonces and record.nonces != tuple([before.nonces[seat] for seat in seats]):
        return "the nonces are not those of the game before"
    if record.match and record.match.points != tuple([points[seat] for seat in seats]):
        return "the points before this game are not those after the game before"
    return None if record.first_condottiere == after.first else "the wrong seat starts (R28, R29)"
