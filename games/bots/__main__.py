"""`python -m games.bots duel`: play bots against each other and against random play; print the results.

This is the only file of the bots that reads and prints.
"""

import argparse
import sys
from collections.abc import Sequence
from typing import NoReturn

from games.rules import EDITIONS, SEATS, VARIANTS, Options, UnknownOption

from .duel import KINDS, RANDOM, WITH_ORDERS, described, duel

FINE, UNREADABLE, INTERRUPTED = 0, 2, 130
_MOST_GAMES = 1_000_000


class _Parser(argparse.ArgumentParser):
    """An argument parser that prints errors in one sentence, without the usage text."""

    def error(self, message: str) -> NoReturn:
        print(f"{self.prog}: {message}", file=sys.stderr)
        raise SystemExit(UNREADABLE)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status, which is 2 if an argument could not be read."""
    asked = _parser().parse_args(arguments)
    try:
        options = Options(asked.edition, tuple(name for name in asked.variants.split(",") if name))
        seats = _with_orders(asked.seats) if asked.orders else asked.seats
        for line in described(duel(seats, asked.games, asked.seed, options)):
            print(line)
    except UnknownOption as unknown:
        print(f"python -m games.bots: {unknown}", file=sys.stderr)
        return UNREADABLE
    except KeyboardInterrupt:
        return INTERRUPTED
    return FINE


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="python -m games.bots", description="Measure how well bots play.")
    commands = parser.add_subparsers(required=True, metavar="duel", parser_class=_Parser)
    command = commands.add_parser(
        "duel",
        help="play games and print the share each kind of player won",
        description="Seats rotate from game to game, and each seat begins in turn. A victory shared by n "
        "seats counts 1/n for each. Intervals are Wilson's at 95 %%.",
    )
    command.add_argument("--games", type=_games, required=True, metavar="N")
    command.add_argument("--seed", default="1", metavar="S", help="the same seed gives the same games")
    command.add_argument(
        "--seats", type=_seats, required=True, metavar="A,B,...", help=f"two to six of {', '.join(KINDS)}"
    )
    command.add_argument("--orders", action="store_true", help="every second seat gives standing orders")
    command.add_argument(
        "--edition", default=Options().edition, metavar="E", help=f"{' or '.join(EDITIONS)}; 2007 if not said"
    )
    command.add_argument("--variants", default="", metavar="a,b", help=f"any of {', '.join(VARIANTS)}")
    return parser


def _with_orders(seats: Sequence[str]) -> tuple[str, ...]:
    """Return the kinds with standing orders in every second seat that doesn't play at random."""
    return tuple(
        f"{kind}{WITH_ORDERS}" if place % 2 and kind != RANDOM else kind for place, kind in enumerate(seats)
    )


def _games(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(_MOST_GAMES))):
        raise argparse.ArgumentTypeError(f"{_quoted(text)} is not a number of games")
    number = int(text)
    if not 1 <= number <= _MOST_GAMES:
        raise argparse.ArgumentTypeError(f"the number of games is 1 to {_MOST_GAMES}, not {number}")
    return number


def _seats(text: str) -> tuple[str, ...]:
    kinds = tuple(text.split(","))
    for kind in kinds:
        if kind not in KINDS:
            raise argparse.ArgumentTypeError(f"{_quoted(kind)} is none of {', '.join(KINDS)}")
    if len(kinds) not in SEATS:
        raise argparse.ArgumentTypeError(f"two to six seats can play, not {len(kinds)}")
    return kinds


def _quoted(text: str) -> str:
    return ascii(text if len(text) <= 40 else f"{text[:40]}...")


if __name__ == "__main__":
    raise SystemExit(main())
