"""`manage.py replay_games`: replay stored games and report differences from their logs. Changes nothing."""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db.models import Q

from games.management.moments import read_moment
from games.management.replaying import cores, replay_batches
from games.models import Game
from games.models.games import GameQuerySet
from games.selectors.integrity import Difference
from games.selectors.stored_games import MOST_AT_ONCE

PROGRESS_EVERY = 10.0  # seconds
LARGEST = 2**63 - 1  # number that a database can hold
WORTH_A_PROCESS = 500  # games, which take as long as to start one


class Command(BaseCommand):
    """Print one line for each difference, and one at the end; tell on standard error how far it is."""

    help = (
        "Replays stored games and reports where the log and the data copied from it differ. Changes nothing. "
        "Uses all cores."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add arguments: the games to replay; the default is all."""
        parser.add_argument(
            "--game", type=int, nargs="+", action="extend", metavar="ID", help="only these games"
        )
        parser.add_argument("--running", action="store_true", help="only games that are not over")
        parser.add_argument(
            "--since",
            metavar="TIME",
            help="only games with a move or an end since then, such as 2026-03-02T14:00, in the site's zone",
        )

    def handle(self, *, game: list[int] | None, running: bool, since: str | None, **options: Any) -> None:
        """Replay the games; exit with status 1 if anything differs."""
        if game and (running or since is not None):
            raise CommandError("--game names the games. Leave --running and --since out.")
        if unknown := [pk for pk in game or () if abs(pk) > LARGEST]:
            raise CommandError(f"There is no game {unknown[0]}.")
        chosen = _chosen(running, since)
        progress = _Progress(len(game) if game else chosen.count())
        try:
            self._replay(_cut(game) if game else _batches(chosen), progress, all_exist=bool(game))
        except KeyboardInterrupt:
            raise CommandError(f"Stopped: {progress.line()}", returncode=130) from None
        except BrokenProcessPool as error:
            raise CommandError(
                f"A process was killed, perhaps for lack of memory: {progress.line()} Start again."
            ) from error
        self.stdout.write(f"{_counted(progress.games, 'game')} replayed, {progress.found_text}.")
        if progress.found:
            sys.exit(1)

    def _replay(self, batches: Iterable[Sequence[int]], progress: _Progress, *, all_exist: bool) -> None:
        for batch, differences in replay_batches(batches, _processes(progress.total)):
            for pk in batch:
                if pk in differences:
                    self._report(pk, differences[pk])
                    progress.add(len(differences[pk]))
                elif all_exist:
                    raise CommandError(f"There is no game {pk}.")
                else:
                    progress.total -= 1  # deleted since, as old practice games are
            if progress.is_due():
                self.stderr.write(progress.line(), style_func=str)  # it is no error
                self.stderr.flush()

    def _report(self, pk: int, differences: Iterable[Difference]) -> None:
        for ply, what in differences:
            where = "" if ply is None else f", ply {ply}"
            self.stdout.write(f"game {pk}{where}: {what}")


class _Progress:
    """How many games are done, and when to say so again."""

    def __init__(self, total: int) -> None:
        self.total, self.games, self.found = total, 0, 0
        self._began = self._said = time.monotonic()

    def add(self, found: int) -> None:
        self.games, self.found = self.games + 1, self.found + found

    def is_due(self) -> bool:
        """Return whether a line should be said now; it then counts as said."""
        now = time.monotonic()
        if self.games >= self.total or now - self._said < PROGRESS_EVERY:
            return False
        self._said = now
        return True

    def line(self) -> str:
        """Return how far it is, and how long the rest takes at the same speed."""
        line = f"{self.games:,} of {self.total:,} games replayed, {self.found_text}"
        if not self.games:
            return f"{line}."
        seconds = (time.monotonic() - self._began) / self.games * max(0, self.total - self.games)
        return f"{line}, {timedelta(seconds=round(seconds))} left."

    @property
    def found_text(self) -> str:
        return _counted(self.found, "difference")


def _chosen(running: bool, since: str | None) -> GameQuerySet:
    games = Game.objects.all()
    if running:
        games = games.running()
    if since is not None:
        moment = read_moment(since)
        games = games.filter(Q(moved_at__gte=moment) | Q(ended_at__gte=moment))
    return games


def _batches(games: GameQuerySet) -> Iterator[Sequence[int]]:
    """Yield the games' numbers, in batches: no open cursor, and at most one batch in memory."""
    last = 0
    while batch := list(games.filter(pk__gt=last).order_by("pk").values_list("pk", flat=True)[:MOST_AT_ONCE]):
        yield batch
        last = batch[-1]


def _cut(pks: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(pks), MOST_AT_ONCE):
        yield pks[start : start + MOST_AT_ONCE]


def _processes(games: int) -> int:
    return max(1, min(cores(), games // WORTH_A_PROCESS))


def _counted(count: int, thing: str) -> str:
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"
