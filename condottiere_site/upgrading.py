"""Bring the site to this code's release: backup, migrations, static files, running games replayed.

Every step may be interrupted. The next run goes on, and keeps the backup of what was there before.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path

from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection

from accounts import clock
from condottiere_site import __version__
from condottiere_site.backups import PART, BackupError, make_backup, names_of, read_manifest, remove_part
from condottiere_site.database_state import DatabaseState, database_state, unusable
from condottiere_site.management.commands.migrate import Command as Migrate
from condottiere_site.releases import is_next, note_release
from condottiere_site.running import SiteRuns, alone, only_upgrade
from games.models import Game
from games.selectors.integrity import differences

KEPT = 3  # backups


class UpgradeError(Exception):
    """The upgrade can't go on. The text says why, and what to do."""


class Upgrade:
    """One run of the upgrade, which prints what it does."""

    def __init__(
        self, say: Callable[[str], None], *, with_backup: bool = True, not_collected: Sequence[str] = ()
    ) -> None:
        self._say = say
        self._with_backup = with_backup
        self._not_collected = list(not_collected)

    def run(self, *, always_replay: bool = False) -> bool:
        """Run the steps that are left; return whether there was a new release. Raises UpgradeError."""
        with _in_sentences():
            state = database_state()
            if state.problem:
                raise UpgradeError(state.problem)
            is_new = not state.is_empty and (bool(state.pending) or state.version != __version__)
            with self._alone_if_needed(state, is_new), only_upgrade():
                if is_new:
                    self._say(f"Upgrading from {state.version or 'an unfinished start'} to {__version__}")
                    self._back_up(state)
                if is_new or state.is_empty:
                    self._migrate(state)
            self._collect_static_files()
            if is_new or always_replay:
                self._replay()
            if is_new or state.is_empty:
                note_release()
        return is_new

    @contextmanager
    def _alone_if_needed(self, state: DatabaseState, is_new: bool) -> Iterator[None]:
        """Keep the site from running on SQLite, where it can't play while tables are made or changed.

        On PostgreSQL too if releases were skipped: the old processes would miss columns.
        """
        skips = state.version != "" and not is_next(state.version, __version__)
        needed = (connection.vendor == "sqlite" and (is_new or state.is_empty)) or (is_new and skips)
        began = time.monotonic()
        try:
            with alone() if needed else nullcontext():
                yield
        except SiteRuns as error:
            why = f"From {state.version} to {__version__} releases are skipped. " if skips else ""
            raise UpgradeError(why + str(error)) from error
        if needed and is_new:
            seconds = max(1, round(time.monotonic() - began))
            self._say(f"The site stood still for {seconds} s")

    def _back_up(self, state: DatabaseState) -> None:
        folder = settings.STATE_DIR / "backups"
        if not self._with_backup or not state.version or _is_half_way(state, folder):
            return
        folder.mkdir(mode=0o700, exist_ok=True)
        for left in folder.glob(f".before-*{PART}"):
            remove_part(left)  # of a run that was killed
        path = folder / f"before-{__version__}-{clock.now():%Y%m%d-%H%M%S-%f}.zip"
        try:
            make_backup(path)
        except BackupError as error:
            raise UpgradeError(
                f"{error} To upgrade without a backup: `python3 manage.py upgrade --no-backup`."
            ) from error
        self._say(f"Backup: {path}")
        for old in _backups(folder)[KEPT:]:
            old.unlink()

    def _migrate(self, state: DatabaseState) -> None:
        self._say("Preparing the database")
        command = Migrate()
        command.notes_release = False
        try:
            call_command(command, interactive=False, verbosity=0)
        except CommandError:
            raise
        except Exception as error:  # whatever a migration meets in the data
            why = f"The database can't be migrated: {type(error).__name__}: {str(error).strip().rstrip('.')}."
            back = f" To go back, restore the backup with the code of release {state.version}."
            raise UpgradeError(why + (back if state.version else "")) from error

    def _collect_static_files(self) -> None:
        call_command("collectstatic", interactive=False, verbosity=0, ignore_patterns=self._not_collected)

    def _replay(self) -> None:
        """Replay the running games, and say what differs; the upgrade goes on."""
        games = found = 0
        for pk in Game.objects.running().order_by("pk").values_list("pk", flat=True).iterator(500):
            games += 1
            for ply, what in differences(pk) or ():
                found += 1
                self._say(f"game {pk}{'' if ply is None else f', ply {ply}'}: {what}")
        if games:
            self._say(f"Running games replayed: {games}, differences: {found}")


@contextmanager
def _in_sentences() -> Iterator[None]:
    try:
        yield
    except CommandError as error:
        raise UpgradeError(str(error)) from error
    except SiteRuns as error:
        raise UpgradeError(str(error)) from error
    except DatabaseError as error:
        raise UpgradeError(unusable(error)) from error
    except OSError as error:
        raise UpgradeError(f"{error.filename or settings.STATE_DIR}: {error.strerror}.") from error


def _is_half_way(state: DatabaseState, folder: Path) -> bool:
    """Return whether an earlier run stopped after its backup, which is more useful than a new one."""
    for path in _backups(folder)[:1]:
        try:
            manifest = read_manifest(path)
        except BackupError:
            return False
        return manifest.version == state.version and set(manifest.migrations) < set(names_of(state.applied))
    return False


def _backups(folder: Path) -> list[Path]:
    """Return the backups that upgrades made, the newest first."""
    return sorted(folder.glob("before-*.zip"), key=lambda path: path.stat().st_mtime_ns, reverse=True)
