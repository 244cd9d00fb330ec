"""Migrate while processes of an earlier release play: on PostgreSQL, through their pages."""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.faults.counts import Counts
from tests.faults.players import Play
from tests.faults.site import Site
from tests.upgrade.databases import ROOT

PLAYERS = 6  # games at once
BEFORE, AFTER = 40, 60  # moves

COPIED_ENTRIES = """
INSERT INTO games_logentry SELECT (jsonb_populate_record(pattern, jsonb_build_object(
    'id', nextval(pg_get_serial_sequence('games_logentry', 'id')), 'ply', 1000 + number
))).*
FROM games_logentry AS pattern, generate_series(1, %s) AS number
WHERE pattern.game_id = %s AND pattern.ply = 0
"""
PLANTED = """
from django.db import migrations, models

from accounts.online_indexes import AddIndexOnline


class Migration(migrations.Migration):
    dependencies = [("games", "{after}")]
    operations = [{operation}]
    atomic = {atomic}
"""
COLUMN = "migrations.AddField('logentry', 'planted', models.IntegerField({defaults}))"
INDEX = "AddIndexOnline('logentry', models.Index(fields=['move', 'at'], name='planted_index'))"
DEFAULTS = {"safe": "default=0, db_default=0", "unsafe": "default=0"}


def add_arguments(reader: argparse.ArgumentParser) -> None:
    reader.add_argument("--release", default="", help="a tag or commit (the last tag)")
    reader.add_argument(
        "--python", default=sys.executable, help="with the release's packages, where they differ (this one)"
    )
    reader.add_argument("--entries", type=int, default=0, help="rows to add to the log (0)")
    reader.add_argument(
        "--planted", choices=DEFAULTS, help="also add a column and an index; unsafe: without db_default"
    )


def migrate_while_playing(how: argparse.Namespace) -> int:
    release = how.release or _git("describe", "--tags", "--abbrev=0")
    if not release:
        print("There is no tag. Name a release with --release COMMIT.", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        old, new = Path(folder, "old"), ROOT
        _extract(release, old)
        if how.planted:
            new = Path(folder, "new")
            _copy(new)
            _plant(new, DEFAULTS[how.planted])
        with Site(old, how.python) as site:
            site.run("manage.py", "check")  # says at once if it can't run with these packages
            counts = _play(site, new, how.entries)
            if counts.problems:
                print(site.logs(["web", "worker", "beat"]))
    for problem in counts.problems:
        print(f"BROKEN: {problem}")
    return int(bool(counts.problems))


def _play(site: Site, new: Path, entries: int) -> Counts:
    counts = Counts("migrated while people play")
    if entries:
        (filled,) = site.staged("games", "1")["games"]
        site.ask(COPIED_ENTRIES, entries, filled)
    play = Play(site, PLAYERS, random.Random(1), 10 * (BEFORE + AFTER))
    site.start_missing("web", "worker", "beat")
    site.wait_page()
    play.start()
    play.wait_moves(BEFORE)
    seconds = _migrate(site, new)
    during = len(play.answered)
    play.wait_moves(AFTER)
    play.stop()
    play.check(counts)
    failed = play.retries + play.pages_broken
    print(f"Migrated in {seconds:.1f} s. {during} moves were made by then, {len(play.answered)} in all.")
    print(f"Failed requests: {failed}. Longest wait for a move: {max(play.seconds):.2f} s.")
    counts.expect(not failed, f"{failed} requests failed")
    return counts


def _migrate(site: Site, new: Path) -> float:
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "manage.py", "migrate", "--no-input"],
        cwd=new,
        env=os.environ | site.environment(DJANGO_SETTINGS_MODULE="condottiere_site.settings"),
        stdin=subprocess.DEVNULL,
        check=False,
    )
    if done.returncode:
        raise RuntimeError("migrate failed")
    return time.monotonic() - began


def _extract(release: str, folder: Path) -> None:
    folder.mkdir()
    archive = folder.with_suffix(".tar")
    subprocess.run(["git", "archive", "--output", str(archive), release], cwd=ROOT, check=True)
    shutil.unpack_archive(archive, folder, filter="data")


def _copy(folder: Path) -> None:
    """Copy this code with what is not committed yet."""
    for name in _git("ls-files", "--cached", "--others", "--exclude-standard").splitlines():
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, folder / name)


def _plant(code: Path, defaults: str) -> None:
    """Add two migrations to the code: a column, then an index."""
    migrations = code / "games" / "migrations"
    after = max(path.stem for path in migrations.glob("0*.py"))
    planted = [("9998_column", COLUMN.format(defaults=defaults), True), ("9999_index", INDEX, False)]
    for name, operation, atomic in planted:
        text = PLANTED.format(after=after, operation=operation, atomic=atomic)
        (migrations / f"{name}.py").write_text(text)
        after = name


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip()
