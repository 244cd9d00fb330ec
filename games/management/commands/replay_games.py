"""`manage.py replay_games`: replays stored games and names what differs from their logs. Changes nothing."""

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from games.selectors.integrity import all_games, differences


class Command(BaseCommand):
    """One line for each difference, and one at the end."""

    help = "Replays stored games and names where the log and what is copied from it differ. Changes nothing."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Which games; all if none is named."""
        parser.add_argument(
            "--game", type=int, nargs="+", action="extend", metavar="ID", help="only these games"
        )

    def handle(self, *, game: list[int] | None, **options: Any) -> None:
        """The exit status is 1 if anything differs."""
        games = found = 0
        for pk in game or all_games():
            wrong = differences(pk)
            if wrong is None:
                if game:
                    raise CommandError(f"There is no game {pk}.")
                continue  # deleted meanwhile, as old practice games are
            games, found = games + 1, found + len(wrong)
            for ply, what in wrong:
                where = "" if ply is None else f", ply {ply}"
                self.stdout.write(f"game {pk}{where}: {what}")
        self.stdout.write(f"{_counted(games, 'game')} replayed, {_counted(found, 'difference')}.")
        if found:
            sys.exit(1)


def _counted(count: int, thing: str) -> str:
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"
