"""`python -m games.bots`: measure bots, let them play records, and train Strategist.

This is the only file of the bots that reads arguments and prints.
"""

import argparse
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from games.rules import EDITIONS, SEATS, VARIANTS, Options, UnknownOption, record_json
from games.rules.commands import FINE, CommandParser, Unusable, count, ended, players, quoted

from . import STRENGTHS
from .bot_records import bot_record
from .duel import described, duel
from .planted_blunders import described as described_blunders
from .seated_players import KINDS, PARTS, PREVIOUS, WITH_ORDERS, Thought
from .strategist import Budget, DamagedWeights
from .strategist.training import train
from .strategist.weights import PATH, read_weights
from .tournament import TABLES, OtherTournament, play_tournament

PROGRAM = "python -m games.bots"
_MOST_SECONDS = 60
_SEATS = f"two to six of {', '.join(KINDS)}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status, which is 2 if an argument or a file could not be used."""
    asked = _parser().parse_args(arguments)
    return ended(PROGRAM, lambda: _printed(asked))


def _printed(asked: argparse.Namespace) -> int:
    try:
        for line in asked.run(asked):
            print(line, flush=True)
    except (UnknownOption, DamagedWeights, OtherTournament) as problem:
        raise Unusable(str(problem)) from None
    return FINE


def _duel(asked: argparse.Namespace) -> Iterator[str]:
    _check_previous(asked, asked.seats)
    seats = _with_orders(asked.seats) if asked.orders else asked.seats
    return described(duel(seats, asked.games, asked.seed, _options(asked), _thought(asked)))


def _selfplay(asked: argparse.Namespace) -> Iterator[str]:
    _check_previous(asked, asked.seats)
    for number in range(asked.games):
        record = bot_record(asked.seats, _options(asked), asked.seed, number, _thought(asked))
        yield json.dumps(record_json(record))


def _options(asked: argparse.Namespace) -> Options:
    return Options(asked.edition, tuple(name for name in asked.variants.split(",") if name))


def _tournament(asked: argparse.Namespace) -> Iterator[str]:
    names = asked.tables
    if names is None:
        names = [table.name for table in TABLES if asked.previous or PREVIOUS not in table.kinds]
    _check_previous(asked, [kind for table in TABLES if table.name in names for kind in table.kinds])
    return play_tournament(asked.file, names, asked.games, asked.seed, _thought(asked), asked.processes)


def _check_previous(asked: argparse.Namespace, kinds: Sequence[str]) -> None:
    """Raise Unusable if someone is to play by another training, and it isn't said which."""
    if PREVIOUS in kinds and asked.previous is None:
        raise Unusable("'previous' plays by the weights of another training: name their file with --previous")


def _train(asked: argparse.Namespace) -> Iterator[str]:
    return train(asked.file, asked.seed, asked.games, asked.rounds, asked.playouts, asked.processes)


def _blunders(asked: argparse.Namespace) -> Iterator[str]:
    return described_blunders(asked.games, asked.players, asked.seed, Budget(asked.playouts))


def _thought(asked: argparse.Namespace) -> Thought:
    thought = Thought(asked.playouts) if asked.seconds is None else Thought.lasting(asked.seconds)
    return replace(thought, without=asked.without, previous=asked.previous)


def _parser() -> argparse.ArgumentParser:
    parser = CommandParser(prog=PROGRAM, description="Measure how well bots play, and train one.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=CommandParser)
    _add_duel(commands)
    _add_selfplay(commands)
    _add_tournament(commands)
    _add_train(commands)
    _add_blunders(commands)
    return parser


def _add_duel(commands: Any) -> None:
    command = commands.add_parser(
        "duel",
        help="play games and print the share each kind of player won",
        description="Seats rotate from game to game, and each seat begins in turn. A victory shared by n "
        "seats counts 1/n for each. Intervals are Wilson's at 95 %%.",
    )
    command.set_defaults(run=_duel)
    _add_usual(command)
    command.add_argument("--seats", type=_seats, required=True, metavar="A,B,...", help=_SEATS)
    _add_rules(command)
    command.add_argument("--orders", action="store_true", help="every second seat gives standing orders")


def _add_selfplay(commands: Any) -> None:
    command = commands.add_parser(
        "selfplay",
        help="write finished records of games between bots, as JSON Lines",
        description="The same arguments give the same bytes, unless a time is given. "
        "`python -m games.rules verify` accepts the records.",
    )
    command.set_defaults(run=_selfplay)
    _add_usual(command)
    command.add_argument(
        "--seats",
        type=_seats,
        default=("captain",) * 3,
        metavar="A,B,...",
        help=f"{_SEATS}; three captains if not said",
    )
    _add_rules(command)


def _add_rules(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--edition", default=Options().edition, metavar="E", help=f"{' or '.join(EDITIONS)}; 2007 if not said"
    )
    command.add_argument("--variants", default="", metavar="a,b", help=f"any of {', '.join(VARIANTS)}")


def _add_tournament(commands: Any) -> None:
    command = commands.add_parser(
        "tournament",
        help="measure Strategist at many tables, a line of a file for each game",
        description="Plays the games that the file lacks. A file has games of one seed and thinking time.",
    )
    command.set_defaults(run=_tournament)
    _add_usual(command)
    names = [table.name for table in TABLES]
    command.add_argument("--file", type=_writable, required=True, help="where the games are kept")
    command.add_argument(
        "--tables", type=_tables, metavar="A,B,...", help=f"any of {', '.join(names)}; all if not said"
    )
    command.add_argument("--processes", type=count, default=None, metavar="N", help="all cores if not said")


def _add_train(commands: Any) -> None:
    command = commands.add_parser(
        "train",
        help="learn Strategist's weights from games of captains, and from its own",
        description="The same arguments give the same weights.",
    )
    command.set_defaults(run=_train)
    command.add_argument("--games", type=count, default=300, metavar="N", help="of each kind, in each step")
    command.add_argument("--rounds", type=_rounds, default=0, metavar="N", help="rounds of its own games")
    command.add_argument("--playouts", type=count, default=60, metavar="N", help="thought in them")
    command.add_argument("--seed", default="1", metavar="S")
    command.add_argument("--file", type=_writable, default=PATH, help="where the weights go")
    command.add_argument("--processes", type=count, default=None, metavar="N", help="all cores if not said")


def _add_blunders(commands: Any) -> None:
    command = commands.add_parser(
        "blunders",
        help="count how often an analysis names a blunder planted in a game by captains",
        description="One decision of each game is replaced by the legal one that costs most, 0.2 of the "
        "chance to win or more. Named are the three that cost most.",
    )
    command.set_defaults(run=_blunders)
    command.add_argument("--games", type=count, required=True, metavar="N")
    command.add_argument("--players", type=players, default=3, metavar="N", help="two to six")
    command.add_argument("--playouts", type=count, default=40, metavar="N", help="thought on each decision")
    command.add_argument("--seed", default="1", metavar="S", help="the same seed gives the same games")


def _add_usual(command: argparse.ArgumentParser) -> None:
    command.add_argument("--games", type=count, required=True, metavar="N")
    command.add_argument("--seed", default="1", metavar="S", help="the same seed gives the same games")
    command.add_argument(
        "--playouts", type=count, default=Thought().playouts, metavar="N", help="how much Strategist thinks"
    )
    command.add_argument("--seconds", type=_seconds, metavar="T", help="how long it thinks instead")
    command.add_argument(
        "--without",
        type=_parts,
        default=(),
        metavar="A,B,...",
        help=f"any of {', '.join(PARTS)}: what they give",
    )
    command.add_argument(
        "--previous", type=_weights, metavar="FILE", help="weights of another training, for `previous`"
    )


def _with_orders(seats: Sequence[str]) -> tuple[str, ...]:
    """Return the kinds with standing orders in every second seat whose bot gives them."""
    return tuple(
        f"{kind}{WITH_ORDERS}" if place % 2 and kind in STRENGTHS else kind
        for place, kind in enumerate(seats)
    )


def _rounds(text: str) -> int:
    return 0 if text == "0" else count(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0.0 < seconds <= _MOST_SECONDS:
        raise argparse.ArgumentTypeError(f"{quoted(text)} is not a time up to {_MOST_SECONDS} seconds")
    return seconds


def _seats(text: str) -> tuple[str, ...]:
    kinds = tuple(text.split(","))
    for kind in kinds:
        if kind not in KINDS:
            raise argparse.ArgumentTypeError(f"{quoted(kind)} is none of {', '.join(KINDS)}")
    if len(kinds) not in SEATS:
        raise argparse.ArgumentTypeError(f"two to six seats can play, not {len(kinds)}")
    return kinds


def _writable(text: str) -> Path:
    """Return where to write: what doesn't do should be said before hours of work."""
    path = Path(text)
    if path.exists() and not path.is_file():
        raise argparse.ArgumentTypeError(f"{quoted(text)} is no file: name one")
    if not path.parent.is_dir():
        raise argparse.ArgumentTypeError(f"{quoted(text)} is in no folder that exists: make it first")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise argparse.ArgumentTypeError(f"{quoted(text)} can't be written: name another file")
    return path


def _tables(text: str) -> list[str]:
    names = text.split(",")
    for name in names:
        if name not in [table.name for table in TABLES]:
            raise argparse.ArgumentTypeError(
                f"{quoted(name)} is none of {', '.join([table.name for table in TABLES])}"
            )
    return names


def _weights(text: str) -> str:
    """Return a file of weights that can be read."""
    try:
        read_weights(Path(text))
    except DamagedWeights as error:
        raise argparse.ArgumentTypeError(f"no weights: {error}. Name a file that `train` wrote") from None
    return text


def _parts(text: str) -> tuple[str, ...]:
    names = tuple(text.split(","))
    for name in names:
        if name not in PARTS:
            raise argparse.ArgumentTypeError(f"{quoted(name)} is none of {', '.join(PARTS)}")
    return names


if __name__ == "__main__":
    raise SystemExit(main())
