"""Tournaments: a line of a file for each game, continued where they stopped. Not part of choosing moves."""

import json
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, field
from math import log10
from pathlib import Path
from statistics import median
from typing import Any

from games.rules import VARIANTS, Options

from .duel import duel_of, play_game, wilson
from .seated_players import PREVIOUS, RANDOM, STRATEGIST, Thought

CAPTAIN, RECRUIT = "captain", "recruit"


_OF_A_GAME = {
    "table": str,
    "game": int,
    "kinds": list,
    "won": dict,
    "moves": int,
    "thinking": float,
    "slowest": float,
}


class OtherTournament(ValueError):
    """The file has something else, or games of another seed or of another thinking time."""


@dataclass(frozen=True)
class TournamentTable:
    """Players and rules of a row of games."""

    name: str
    kinds: tuple[str, ...]
    options: Options = field(default_factory=Options)


def _against(kind: str, seats: int) -> tuple[str, ...]:
    return (STRATEGIST, *[kind] * (seats - 1))


_THREE = _against(CAPTAIN, 3)
TABLES: tuple[TournamentTable, ...] = (
    *[TournamentTable(f"{seats} seats", _against(CAPTAIN, seats)) for seats in (3, 4, 5, 2, 6)],
    *[TournamentTable(variant, _THREE, Options("2007", (variant,))) for variant in VARIANTS],
    TournamentTable("all five", _THREE, Options("2007", VARIANTS)),
    TournamentTable("1995", _THREE, Options("1995")),
    TournamentTable("recruits", _against(RECRUIT, 3)),
    TournamentTable("mixed", (STRATEGIST, STRATEGIST, CAPTAIN, RECRUIT)),
    TournamentTable("previous training", _against(PREVIOUS, 3)),
    TournamentTable("random play", _against(RANDOM, 2)),
)


def play_tournament(
    path: Path, names: Iterable[str], games: int, seed: str, thought: Thought, processes: int | None
) -> Iterator[str]:
    """Play the games that the file lacks, adding a line for each, and yield the tables as lines of text.

    Raises OtherTournament.
    """
    same = _same_of_all_games(seed, thought)
    for line in read_games(path):
        if {name: line.get(name) for name in same} != same:
            raise OtherTournament(f"{path} has games of another seed or thinking time: name another file")
    tables = [table for table in TABLES if table.name in names]
    done = {(line["table"], line["game"]) for line in read_games(path)}
    missing = [
        (table, number) for number in range(games) for table in tables if (table.name, number) not in done
    ]
    _end_last_line(path)
    with path.open("a", encoding="utf-8") as file, ProcessPoolExecutor(processes) as pool:
        running = [pool.submit(played_line, table, number, seed, thought) for table, number in missing]
        try:
            for finished in as_completed(running):
                file.write(finished.result() + "\n")
                file.flush()
        finally:
            pool.shutdown(cancel_futures=True)  # an interrupt ends only the games that are being played
    yield from described_tournament(read_games(path))


def _same_of_all_games(seed: str, thought: Thought) -> dict[str, Any]:
    return {"seed": seed, **asdict(thought), "without": list(thought.without)}


def _end_last_line(path: Path) -> None:
    """End a line that was cut off, so that the next game gets its own."""
    if path.exists() and path.read_text(encoding="utf-8")[-1:] not in ("", "\n"):
        with path.open("a", encoding="utf-8") as file:
            file.write("\n")


def played_line(table: TournamentTable, number: int, seed: str, thought: Thought) -> str:
    """Play one game and return its line."""
    played = duel_of(table.kinds)
    play_game(played, table.kinds, number, f"{seed}/{table.name}", table.options, thought)
    return json.dumps(
        {
            "table": table.name,
            "game": number,
            "kinds": table.kinds,
            **_same_of_all_games(seed, thought),
            "won": {kind: score.won for kind, score in played.scores.items()},
            "moves": played.scores[STRATEGIST].moves,
            "thinking": round(played.scores[STRATEGIST].seconds, 3),
            "slowest": round(played.scores[STRATEGIST].slowest, 3),
        }
    )


def read_games(path: Path) -> list[dict[str, Any]]:
    """Return the games of a file; none if there is no file. A line that was cut off doesn't count.

    Raises OtherTournament for a line that is something else.
    """
    if not path.exists():
        return []
    games = []
    for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
        game = _read(line)
        if game is None:
            raise OtherTournament(f"line {number} of {path} is no game of a tournament: name another file")
        games += [game] if game else []
    return games


def _read(line: str) -> dict[str, Any] | None:
    """Return the game of a line; an empty one if it was cut off, None if it's something else."""
    try:
        game = json.loads(line)
    except (ValueError, RecursionError):
        begins = json.dumps({"table": ""})[:-2]
        return {} if line.startswith(begins) or begins.startswith(line) else None
    is_game = isinstance(game, dict) and all(
        isinstance(game.get(name), kind) for name, kind in _OF_A_GAME.items()
    )
    is_known = is_game and game["table"] in [table.name for table in TABLES] and STRATEGIST in game["won"]
    return game if is_known else None


def described_tournament(games: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield a line for each table: Strategist's share, with its interval, and as a multiple of a fair one."""
    by_table: dict[str, list[Mapping[str, Any]]] = {}
    for game in games:
        by_table.setdefault(game["table"], []).append(game)
    for name, some in by_table.items():
        kinds = some[0]["kinds"]
        fair = kinds.count(STRATEGIST) / len(kinds)
        won = sum([game["won"][STRATEGIST] for game in some])
        low, high = wilson(won, len(some))
        thinking = median([game["thinking"] / max(game["moves"], 1) for game in some])
        slowest = max([game["slowest"] for game in some])
        yield (
            f"{name}: won {won:g} of {len(some)} games, {won / len(some) / fair:.2f} times its fair share"
            f" ({low / fair:.2f} to {high / fair:.2f}), Elo {_elo(won / len(some), fair):+.0f},"
            f" {thinking * 1000:.0f} ms a move, {slowest * 1000:.0f} ms the slowest"
        )


def _elo(rate: float, fair: float) -> float:
    """Return how much higher a rating each seat has than the others, on average.

    As with Elo, 400 more make a seat ten times as likely to be the winner.
    """
    rate = min(max(rate, 0.001), 0.999)
    return 400.0 * log10(rate / (1.0 - rate) * (1.0 - fair) / fair)
