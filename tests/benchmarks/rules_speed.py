"""How fast the rules are, next to python-chess on the same core in the same run.

    python -m pip install chess           # the yardstick, for this benchmark only
    python tests/benchmarks/rules_speed.py [--games 200] [--instructions]

Validated replay: four-player logs of random games against chess games in UCI, each move checked. Random
play: all legal moves are listed at each turn, on both sides. The rounds alternate, so that what else the
machine does meets both. With --instructions, valgrind counts the instructions of a replayed move, whatever
the machine does.
"""

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from statistics import median
from time import process_time

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from games.rules import Options, Record, apply, legal_moves, new_game, parse_move, pending, replay  # noqa: E402 - the path first
from games.rules.selfplay import selfplay_game  # noqa: E402 - the same

PLAYERS = 4
CHESS_PLIES = 150  # about as long as our games
ROUNDS = 7
TARGETS = {"validated replay": (0.75, 2.0), "random play": (1.5, 4.0)}

Work = Callable[[], int]  # does it, and returns how many moves that were


def records(count: int) -> list[Record]:
    """Return finished four-player games of random play."""
    return [selfplay_game(Options(), PLAYERS, "benchmark", number) for number in range(count)]


def replay_ours(games: list[Record]) -> int:
    """Replay each log from its texts."""
    moves = 0
    for game in games:
        played = replay(
            game.options, PLAYERS, game.first_condottiere, [(entry.seat, entry.text) for entry in game.log]
        )
        assert played.error is None
        moves += len(played.plies)
    return moves


def play_ours(count: int) -> int:
    """Play random games to their end."""
    rng = Random(1)
    moves = 0
    for _game in range(count):
        state = new_game(Options(), PLAYERS, 0)
        while not state.is_over:
            pile = state.shuffle_pile
            if pile:
                cards = list(pile)
                rng.shuffle(cards)
                state, _ = apply(state, None, parse_move(" ".join(("shuffle", *cards))))
            else:
                seat = pending(state)[0].seat
                state, _ = apply(state, seat, rng.choice(legal_moves(state, seat)))
            moves += 1
    return moves


def chess_work(count: int) -> tuple[Work, Work]:
    """Return the same two pieces of work in python-chess."""
    try:
        import chess
    except ImportError:
        sys.exit("The yardstick is missing: python -m pip install chess")

    def play() -> list[list[str]]:
        rng = Random(1)
        games = []
        for _game in range(count):
            board, texts = chess.Board(), []
            while len(texts) < CHESS_PLIES:
                moves = list(board.legal_moves)
                if not moves:
                    break
                move = rng.choice(moves)
                board.push(move)
                texts.append(move.uci())
            games.append(texts)
        return games

    logs = play()

    def replay_logs() -> int:
        for texts in logs:
            board = chess.Board()
            for text in texts:
                board.push_uci(text)
        return sum(map(len, logs))

    return replay_logs, lambda: sum(map(len, play()))


def rates(works: list[Work]) -> list[list[float]]:
    """Return moves per second of processor time, for each piece of work in each round."""
    found: list[list[float]] = [[] for _work in works]
    for _round in range(ROUNDS):
        for work, measured in zip(works, found, strict=True):
            began = process_time()
            moves = work()
            measured.append(moves / (process_time() - began))
    return found


def compare(name: str, ours: Work, theirs: Work) -> None:
    """Print both, and the median ratio of the rounds."""
    here, there = rates([ours, theirs])
    ratio = median(mine / yours for mine, yours in zip(here, there, strict=True))
    least, ambition = TARGETS[name]
    print(
        f"{name}: {median(here):,.0f} moves/s; python-chess {median(there):,.0f} moves/s; ratio {ratio:.2f}"
    )
    print(f"    wanted {least}, hoped for {ambition}: {'reached' if ratio >= least else 'NOT reached'}")


def instructions(count: int) -> None:
    """Print the instructions of a replayed move: those of many games minus those of few."""
    few, many = (_counted(number) for number in (count // 4, count))
    per_move = (many[0] - few[0]) / (many[1] - few[1])
    print(f"instructions of a replayed move: {per_move:,.0f} (50,000 is good, 30,000 very good)")


def _counted(count: int) -> tuple[int, int]:
    """Return the instructions that replaying this many games costs, and their number of moves."""
    results = []
    for times in (1, 2):
        command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", sys.executable, __file__]
        done = subprocess.run(
            [*command, "--only-replay", str(times), "--games", str(count)],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": "0"},
        )
        found = re.search(r"Collected : (\d+)", done.stderr)
        assert found
        results.append((int(found[1]), int(done.stdout)))
    return results[1][0] - results[0][0], results[1][1] - results[0][1]


def main() -> None:
    parser = argparse.ArgumentParser(description="The speed of the rules beside python-chess.")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--instructions", action="store_true", help="also count instructions (valgrind)")
    parser.add_argument("--only-replay", type=int, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    ours = records(asked.games)
    if asked.only_replay:
        print(sum(replay_ours(ours) for _time in range(asked.only_replay)))
        return
    their_replay, their_play = chess_work(asked.games)
    compare("validated replay", lambda: replay_ours(ours), their_replay)
    compare("random play", lambda: play_ours(asked.games), their_play)
    if asked.instructions:
        instructions(asked.games // 10)


if __name__ == "__main__":
    main()
