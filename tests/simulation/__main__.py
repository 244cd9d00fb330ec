"""`python -m tests.simulation --games 200`, or `--league` for seasons: simulated people use the site.

Prints what was assumed and what was found. The exit status is 1 if a check fails.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from dataclasses import fields, replace
from typing import TYPE_CHECKING

import django

if TYPE_CHECKING:
    from tests.simulation.games.people import Levers


def main() -> int:
    """Run what the command line asks for."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "condottiere_site.settings")
    django.setup()
    if "--league" in sys.argv[1:]:
        return _season([word for word in sys.argv[1:] if word != "--league"])
    if "--forecast" in sys.argv[1:]:
        return _forecast([word for word in sys.argv[1:] if word != "--forecast"])
    return _games(sys.argv[1:])


def _games(words: list[str]) -> int:
    from games.clocks.policy import PACES
    from games.models import MAX_SEATS, MIN_SEATS
    from tests.simulation.games import quick
    from tests.simulation.games.report import printed, printed_quick
    from tests.simulation.games.running import SimulationFailed, simulated
    from tests.simulation.games.world import Plan

    reader = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    reader.add_argument("--league", action="store_true", help="seasons instead; see --league --help")
    reader.add_argument(
        "--forecast", action="store_true", help="lengths of all tables; see --forecast --help"
    )
    reader.add_argument("--games", type=int, default=40, help="how many games (40)")
    reader.add_argument("--players", type=int, default=4, help=f"seats, {MIN_SEATS} to {MAX_SEATS} (4)")
    reader.add_argument("--pace", choices=[*PACES], default="day", help="time per move (day)")
    reader.add_argument("--seed", type=int, default=1, help="the same seed gives the same games (1)")
    reader.add_argument("--processes", type=int, default=os.cpu_count() or 1, help="one for each core")
    _add_levers(reader)
    reader.add_argument(
        "--quick", action="store_true", help="without the site, so only lengths and turn emails"
    )
    how = reader.parse_args(words)
    if how.games < 1 or how.processes < 1 or not MIN_SEATS <= how.players <= MAX_SEATS:
        reader.error(f"at least one game and process, and {MIN_SEATS} to {MAX_SEATS} players")
    levers = _levers(how)
    plan = Plan(how.players, how.pace, how.seed, levers=levers)
    if how.quick:
        found = quick.simulated(plan, how.games, how.processes)
        sys.stdout.write("\n".join(printed_quick(found, how.pace, how.players, levers)) + "\n")
        return 0
    begun = time.monotonic()
    try:
        figures = simulated(plan, how.games, how.processes)
    except SimulationFailed as failed:
        sys.stderr.write(f"{failed}\n")
        return 1
    for line in printed(figures, how.pace, how.players, time.monotonic() - begun, levers):
        sys.stdout.write(f"{line}\n")
    if figures.problems:
        sys.stdout.write(f"{len(figures.problems)} checks failed.\n")
    return 1 if figures.problems else 0


def _add_levers(reader: argparse.ArgumentParser) -> None:
    """Add an option for each of the levers, for games and for seasons."""
    from tests.simulation.games.people import USUAL

    for name, text in (
        ("orders", "of 100 people who don't play at random, how many fight on and stand aside"),
        ("holds", "of 100 people who don't play at random, how many hold with a card that leads"),
        ("alone", "of 100, how many are emailed at once when a game waits for them alone"),
        ("replies", "of 100 people, how many answer emails by replying"),
        ("hours", "of 100 tables, how many agree on an hour each week, with --quick"),
    ):
        usual = getattr(USUAL, name)
        reader.add_argument(
            f"--{name}", type=_of_a_hundred, metavar="0..100", default=usual, help=f"{text} ({usual})"
        )
    reader.add_argument(
        "--captains", action="store_true", help="all who don't play at random play as captains"
    )


def _levers(how: argparse.Namespace) -> Levers:
    """Take the levers out of the options that were read."""
    from tests.simulation.games.people import Levers

    return Levers(**{lever.name: vars(how).pop(lever.name) for lever in fields(Levers)})


def _of_a_hundred(text: str) -> int:
    number = int(text)
    if not 0 <= number <= 100:
        raise argparse.ArgumentTypeError("of a hundred people, 0 to 100 can do so")
    return number


def _forecast(words: list[str]) -> int:
    from tests.simulation.games.forecast import measured, table

    reader = argparse.ArgumentParser(prog="python -m tests.simulation --forecast", description=__doc__)
    reader.add_argument("--games", type=int, default=100, help="how many of each pace and size (100)")
    reader.add_argument("--seed", type=int, default=1, help="the same seed gives the same games (1)")
    reader.add_argument("--processes", type=int, default=os.cpu_count() or 1, help="one for each core")
    how = reader.parse_args(words)
    lengths = {}
    for (pace, seats), found in measured(how.games, how.seed, how.processes):
        sys.stderr.write(f"{pace}, {seats} players: {len(found)} games\n")
        lengths[pace, seats] = found
    sys.stdout.write("\n".join(table(lengths)) + "\n")
    return 0


def _season(words: list[str]) -> int:
    from games.clocks.policy import PACES
    from games.leagues.models import Season
    from tests.simulation.leagues.habits import OF_EVERY_RULE, Plan
    from tests.simulation.leagues.quick import calendar_of
    from tests.simulation.leagues.report import assumed
    from tests.simulation.leagues.running import BadPlan, lived, require_playable

    usual = Plan()
    reader = argparse.ArgumentParser(prog="python -m tests.simulation --league", description=__doc__)
    reader.add_argument("--players", type=int, default=usual.players, help=f"places ({usual.players})")
    reader.add_argument("--divisions", type=int, default=usual.divisions, help=f"({usual.divisions})")
    reader.add_argument("--tables", type=int, default=usual.tables, help=f"of a player ({usual.tables})")
    reader.add_argument("--at-once", type=int, default=usual.at_once, help=f"tables ({usual.at_once})")
    reader.add_argument("--size", type=int, default=usual.size, help=f"seats at a table ({usual.size})")
    reader.add_argument("--pace", choices=[*PACES], default=usual.pace, help=f"({usual.pace})")
    reader.add_argument(
        "--format", choices=Season.Format.values, default=usual.format, help=f"({usual.format})"
    )
    _add_levers(reader)
    reader.add_argument("--seed", type=int, default=usual.seed, help="the same seed gives the same one (1)")
    reader.add_argument("--seasons", type=int, default=1, help="how many, each with the next seed (1)")
    reader.add_argument(
        "--small", action="store_true", help="only the small seasons that use every rule of leagues"
    )
    reader.add_argument("--big", action="store_true", help="only the season of these options")
    reader.add_argument("--quick", action="store_true", help="without the site, and only the calendar")
    reader.add_argument("--keep", action="store_true", help="leave the last database in place, to look at")
    how = reader.parse_args(words)
    levers, read = _levers(how), vars(how)
    keep, small, big, quick, seasons = (
        read.pop(name) for name in ("keep", "small", "big", "quick", "seasons")
    )
    plan = Plan(**read, levers=levers)
    try:
        require_playable(plan)
    except BadPlan as refusal:
        reader.error(str(refusal))
    if quick and (plan.divisions > 1 or plan.format != "balanced"):
        reader.error("quick seasons have one division with balanced rounds")
    sys.stdout.write("\n".join(assumed(plan)) + "\n\n")
    sys.stdout.flush()
    if quick:
        calendar = calendar_of(plan, seasons)
        sys.stdout.write("\n  ".join([f"{seasons} seasons: {plan}", *calendar.printed()]) + "\n")
        return 0
    plans = [] if small else [replace(plan, seed=plan.seed + number) for number in range(seasons)]
    return 0 if lived([*(() if big else OF_EVERY_RULE), *plans], keep=keep) else 1


if __name__ == "__main__":
    sys.exit(main())
