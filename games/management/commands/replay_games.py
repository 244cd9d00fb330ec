"""`manage.py replay_games`: replay stored games and report differences from their logs. Changes nothing."""

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from games.selectors.integrity import all_games, differences


class Command(BaseCommand):
    """Print one line for each difference, and one at the end."""

    help = (
        "Replays stored games and reports where the log and the data copied from it differ. Changes nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add arguments: the games to replay; the default is all."""
        parser.add_argument(
            "--game", type=int, nargs="+", action="extend", metavar="ID", help="only these games"
        )

    def handle(self, *, game: list[int] | None, **options: Any) -> None:
        """Replay the games; exit with status 1 if anything differs."""
        games = found = 0
        for pk in game or all_games():
            wrong = differences(pk)
            if wrong is None:
                if game:
                    raise CommandError(f"There is no game {pk}.")
                continue  # deleted since, as old practice games are
            games, found = games + 1, found + len(wrong)
            for ply, what in wrong:
                where = "" if ply is None else f", ply {ply}"
                self.stdout.write(f"game {pk}{where}: {what}")
        self.stdout.write(f"{_counted(games, 'game')} replayed, {_counted(found, 'difference')}.")
        if found:
            sys.exit(1)


def _counted(count: int, thing: str) -> str:
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"
