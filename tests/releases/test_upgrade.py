"""A later release takes over a site with games under way, wherever it is killed in between."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.releases.own_sites import OwnSite
from tests.servers import ROOT, free_port, wait_until

NewSite = Callable[..., OwnSite]

pytestmark = [pytest.mark.once, pytest.mark.long]

NEXT = {"DJANGO_SETTINGS_MODULE": "tests.releases.next_release.settings"}
CHANGED = {"django_migrations", "condottiere_site_installation", "sqlite_sequence", "next_release_sight"}
MADE_BY_MIGRATE = {"django_content_type", "auth_permission"}

# Kills the process at the nth call of a function of upgrading.py.
KILLED = """
import os, signal, sys
import django; django.setup()
from condottiere_site import upgrading
real, calls = upgrading.{name}, []
def killed(*facts, **more):
    calls.append(facts)
    if len(calls) < {call}: return real(*facts, **more)
    os.kill(os.getpid(), signal.SIGKILL)
upgrading.{name} = killed
from django.core.management import call_command
call_command("upgrade")
"""
STEPS = [
    ("make_backup", 1),
    ("call_command", 1),
    ("call_command", 2),
    ("differences", 1),
    ("note_release", 1),
]


def old_rows(site: OwnSite) -> dict[str, list[str]]:
    return {name: rows for name, rows in site.rows().items() if name not in CHANGED | MADE_BY_MIGRATE}


def backups(site: OwnSite) -> list[Path]:
    return sorted((site.folder / "backups").glob("*"))


def manifest_of(backup: Path) -> dict[str, object]:
    with zipfile.ZipFile(backup) as archive:
        return dict(json.loads(archive.read("manifest.json")))


def version_of(site: OwnSite) -> str:
    return str(site.ask("SELECT version FROM condottiere_site_installation")[0][0])


def test_an_upgrade_says_what_it_does_and_can_be_repeated(played: OwnSite, engine: str) -> None:
    before, ours = old_rows(played), version_of(played)
    done = played.run("upgrade", **NEXT)
    assert done.status == 0, done.err
    lines = done.out.splitlines()
    assert lines[0] == f"Upgrading from {ours} to 0.2.0"
    (backup,) = backups(played)
    assert f"Backup: {backup}" in lines
    assert "Running games replayed: 3, differences: 0" in lines
    assert lines[-1] == "The site is at 0.2.0. Restart web, workers and beat now."
    assert any(line.startswith("The site stood still for") for line in lines) == (engine == "sqlite")
    assert old_rows(played) == before
    assert [name for (name,) in played.ask("SELECT name FROM next_release_sight ORDER BY id")] == [
        "Duomo",
        "Forum",
    ]
    again = played.run("upgrade", **NEXT)
    assert "Backup" not in again.out
    assert again.out.splitlines()[-1].startswith("The site is at 0.2.0.")
    assert backups(played) == [backup]
    assert version_of(played) == "0.2.0"
    assert f"is of a newer release (0.2.0), and this code is {ours}" in played.run("upgrade").refusal


@pytest.mark.parametrize(("step", "call"), STEPS)
def test_killed_before_any_step_the_next_run_goes_on(played: OwnSite, step: str, call: int) -> None:
    before, ours = old_rows(played), version_of(played)
    code = KILLED.format(name=step, call=call)
    assert played.start("-c", code, **NEXT).status == -signal.SIGKILL
    _goes_on(played, before, ours)


def test_killed_in_a_migration_the_next_run_goes_on(played: OwnSite) -> None:
    before, ours = old_rows(played), version_of(played)
    for _try in range(3):  # as a supervisor does that starts it again and again
        assert played.run("upgrade", KILLED_IN_MIGRATION="1", **NEXT).status == -signal.SIGKILL
    _goes_on(played, before, ours)


def _goes_on(site: OwnSite, before: dict[str, list[str]], ours: str) -> None:
    """The next run ends what was begun, and the backup is of what was there before."""
    done = site.run("upgrade", **NEXT)
    assert done.status == 0, done.err
    assert version_of(site) == "0.2.0"
    assert old_rows(site) == before
    assert site.ask("SELECT count(*) FROM next_release_sight") == [(2,)]
    assert 1 <= len(backups(site)) <= 2
    for backup in backups(site):
        assert manifest_of(backup)["version"] == ours
        assert not any("next_release" in str(name) for name in manifest_of(backup)["migrations"])  # type: ignore[union-attr]


def test_the_backup_can_be_put_back_with_the_code_before(played: OwnSite, new_site: NewSite) -> None:
    before = old_rows(played)
    assert played.run("upgrade", KILLED_IN_MIGRATION="1", **NEXT).status == -signal.SIGKILL
    (backup,) = backups(played)
    there = new_site("there")
    assert "Restore it with the code of release" in there.run("restore", str(backup), **NEXT).refusal
    assert there.run("restore", str(backup)).status == 0
    after = old_rows(there)
    assert {name: after[name] for name in ("games_logentry", "games_game", "accounts_user")} == {
        name: before[name] for name in ("games_logentry", "games_game", "accounts_user")
    }
    assert there.staged("go_on")["played"] == 0


def test_a_migration_that_fails_is_told_in_a_sentence(played: OwnSite) -> None:
    refusal = played.run("upgrade", FAILS_IN_MIGRATION="1", **NEXT).refusal
    assert refusal.startswith("The database can't be migrated: ValueError: there are no sights.")
    assert "restore the backup with the code of release" in refusal
    _goes_on(played, old_rows(played), version_of(played))


def test_the_last_three_backups_are_kept(site: OwnSite) -> None:
    for version in ("0.2.0", "0.3.0", "0.4.0", "0.4.1"):
        assert site.run("upgrade", NEXT_VERSION=version, **NEXT).status == 0
    assert [manifest_of(path)["version"] for path in backups(site)] == ["0.2.0", "0.3.0", "0.4.0"]


def test_without_room_for_a_backup_nothing_is_changed(played: OwnSite) -> None:
    before = played.trace()
    (played.folder / "backups").write_text("a file where the folder should be")
    assert "backups" in played.run("upgrade", **NEXT).refusal
    assert played.trace() == before
    assert played.run("upgrade", "--no-backup", **NEXT).status == 0


@pytest.mark.parametrize("engine", ["postgresql"])
def test_without_pg_dump_it_says_how_to_go_on(played: OwnSite) -> None:
    before = played.trace()
    without = {"PATH": str(Path(sys.executable).parent)}
    refusal = played.run("upgrade", **NEXT, **without).refusal
    assert "pg_dump isn't installed" in refusal
    assert refusal.endswith("To upgrade without a backup: `python3 manage.py upgrade --no-backup`.")
    assert played.trace() == before
    assert played.run("upgrade", "--no-backup", **NEXT, **without).status == 0


SERVING = """
import sys
import django; django.setup()
from condottiere_site.startup import begin_to_serve
from django.db import connection
begin_to_serve(); connection.ensure_connection()
print("runs", flush=True); sys.stdin.read()
"""


@contextmanager
def serving(site: OwnSite) -> Iterator[None]:
    command = [sys.executable, "-c", SERVING]
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, cwd=ROOT, env=site.environment, stdin=pipe, stdout=pipe)
    try:
        assert process.stdout
        assert process.stdout.readline() == b"runs\n"
        yield
    finally:
        process.kill()
        process.wait()


def test_the_site_may_run_meanwhile_only_on_postgresql(site: OwnSite, engine: str) -> None:
    before = site.trace()
    with serving(site):
        skipping = site.run("upgrade", NEXT_VERSION="0.7.0", **NEXT).refusal
        assert "releases are skipped. The site runs" in skipping
        assert site.trace() == before
        done = site.run("upgrade", **NEXT)
        assert (done.status == 0) == (engine == "postgresql"), done.err
        if engine == "sqlite":
            assert "The site runs. Stop it first." in done.refusal
            assert site.trace() == before


WAITING = """
import sys
import django; django.setup()
from condottiere_site import upgrading
real = upgrading.call_command
def waiting(*facts, **more):
    print("changes tables", flush=True); sys.stdin.readline()
    return real(*facts, **more)
upgrading.call_command = waiting
upgrading.Upgrade(lambda line: None).run()
"""


def test_two_first_starts_at_once_do_not_make_the_same_tables(new_site: NewSite) -> None:
    site = new_site()
    pipe = subprocess.PIPE
    first = subprocess.Popen(
        [sys.executable, "-c", WAITING], cwd=ROOT, env=site.environment, stdin=pipe, stdout=pipe
    )
    assert first.stdout
    assert first.stdout.readline() == b"changes tables\n"
    refusal = "A restore or an upgrade is going on. Wait for it. Nothing was changed."
    assert site.run("upgrade").refusal == refusal
    first.communicate(b"\n\n")
    assert first.returncode == 0
    assert site.run("check_leagues").status == 0


class Play:
    """A running `play` of the next release."""

    def __init__(self, site: OwnSite, **environment: str) -> None:
        self.lines: list[str] = []
        self.process = subprocess.Popen(
            [sys.executable, "manage.py", "play", "--port", str(free_port())],
            cwd=ROOT,
            env=site.environment | NEXT | environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        threading.Thread(target=self._read, daemon=True).start()
        wait_until(lambda: "Ctrl-C" in self.printed or self.process.poll() is not None, "the start")

    def _read(self) -> None:
        assert self.process.stdout
        self.lines.extend(self.process.stdout)

    @property
    def printed(self) -> str:
        return "".join(self.lines)

    def stop(self) -> None:
        self.process.send_signal(signal.SIGINT)
        self.process.wait()


@pytest.mark.parametrize("engine", ["sqlite"])
def test_play_upgrades_by_itself_and_says_how_long_the_site_stood_still(played: OwnSite) -> None:
    killed = Play(played, KILLED_IN_MIGRATION="1")
    assert killed.process.wait() == -signal.SIGKILL
    first = Play(played)
    try:
        assert re.search(r"^The site stood still for \d+ s$", first.printed, re.MULTILINE), first.printed
        assert "Running games replayed: 3, differences: 0\n" in first.printed
    finally:
        first.stop()
    assert version_of(played) == "0.2.0"
    assert len(backups(played)) == 1
    second = Play(played)
    second.stop()
    assert "Upgrading" not in second.printed
    assert len(backups(played)) == 1
