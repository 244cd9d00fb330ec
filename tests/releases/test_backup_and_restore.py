"""A site goes on from its backup on another machine, and no one is the worse for the time between."""

from __future__ import annotations

import json
import os
import resource
import signal
import stat
import subprocess
import sys
import zipfile
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tests.releases.own_sites import OwnSite
from tests.servers import HANGS, ROOT

NewSite = Callable[..., OwnSite]

pytestmark = [pytest.mark.once, pytest.mark.long]


@pytest.fixture
def backup(site: OwnSite, tmp_path: Path) -> Path:
    """A backup of a site without games."""
    path = tmp_path / "site.backup"
    assert site.run("backup", str(path)).status == 0
    return path


def changed(backup: Path, **members: str) -> Path:
    """Return a copy of the backup in which these members are others."""
    other = backup.with_name("changed.backup")
    with zipfile.ZipFile(backup) as old, zipfile.ZipFile(other, "w") as new:
        for name in old.namelist():
            new.writestr(name, members.get(name.partition(".")[0], old.read(name)))
    return other


def with_manifest(backup: Path, **facts: object) -> Path:
    with zipfile.ZipFile(backup) as archive:
        manifest = json.loads(archive.read("manifest.json"))
    return changed(backup, manifest=json.dumps(manifest | facts))


def test_three_hours_later_on_another_machine(played: OwnSite, new_site: NewSite, tmp_path: Path) -> None:
    """No email about what is past or closed, and no deadline that ran out since the backup."""
    file = tmp_path / "site.backup"
    queued = {kind for (kind,) in played.ask("SELECT kind FROM mail_outgoingemail WHERE state = 'queued'")}
    assert {"your_turn", "started", "account"} <= queued
    ((tick,),) = played.ask("SELECT at FROM games_heartbeat")
    assert played.run("backup", str(file)).status == 0
    numbers = played.numbers()
    there = new_site("there")
    done = there.run("restore", str(file))
    assert "Players get back the time since then." in done.out, done.err
    then = there.staged("go_on")
    assert then["played"] == 0
    assert 100 <= then["minutes left"] <= 121, "as much as when the backup was made"
    assert [subject for _to, subject in then["sent"]] == ["Your turn: Answered", "Your turn: Just asked"]
    began, ended = map(datetime.fromisoformat, then["outages"][0])
    assert began.isoformat()[:19] == str(tick).replace(" ", "T")[:19]
    assert ended > began + timedelta(hours=2, minutes=59)
    assert then["code"] == [{}, "", "overtaken"]
    assert all(number >= 10_000 for number in there.staged("new_rows").values())
    raised = there.numbers()
    assert all(raised[table] >= numbers.get(table, 0) + 10_000 for table in raised)
    assert (there.folder / "secret_key").read_text() == (played.folder / "secret_key").read_text()


def test_links_sent_before_open_after_a_restore(site: OwnSite, new_site: NewSite, backup: Path) -> None:
    sign = "from django.core.signing import dumps; print(dumps('seat 7'))"
    link = site.run("shell", "-v0", "-c", sign).out.strip()
    there = new_site("there")
    assert there.run("restore", str(backup)).status == 0
    check = f"from django.core.signing import loads; print(loads('{link}'))"
    assert there.run("shell", "-v0", "-c", check).out.strip() == "seat 7"


def test_what_follows_a_restore_is_done_once(played: OwnSite, new_site: NewSite, tmp_path: Path) -> None:
    assert played.run("backup", str(tmp_path / "site.backup")).status == 0
    there = new_site("there")
    assert there.run("restore", str(tmp_path / "site.backup")).status == 0
    before, numbers = there.rows(), there.numbers()
    assert "This was done already." in there.run("after_restore").out
    assert (there.rows(), there.numbers()) == (before, numbers)


def test_a_database_restored_by_other_means_gets_the_same(played: OwnSite) -> None:
    assert "Done." in played.run("after_restore").out
    went_on = played.staged("go_on")
    assert (went_on["played"], len(went_on["sent"])) == (0, 2)


def test_a_site_that_only_moved_begins_higher_and_closes_no_emails(played: OwnSite) -> None:
    numbers, states = (
        played.numbers(),
        "SELECT state, count(*) FROM mail_outgoingemail GROUP BY state ORDER BY state",
    )
    before = played.ask(states)
    assert "Done." in played.run("after_restore", "--moved").out
    assert played.ask(states) == before
    raised = played.numbers()
    assert all(raised[table] >= numbers.get(table, 0) + 10_000 for table in raised)


def test_a_table_that_had_no_rows_begins_higher_too(new_site: NewSite, backup: Path) -> None:
    there = new_site("there")
    assert there.run("restore", str(backup)).status == 0
    assert all(number >= 10_000 for number in there.staged("new_rows").values())


def test_a_backup_is_for_its_owner_alone_and_overwrites_nothing(site: OwnSite, backup: Path) -> None:
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    before = backup.read_bytes()
    assert "exists already" in site.run("backup", str(backup)).refusal
    assert backup.read_bytes() == before
    assert [path.name for path in backup.parent.iterdir() if "part" in path.name] == []


def test_nothing_is_restored_over_a_database(site: OwnSite, backup: Path) -> None:
    before = site.trace()
    refusal = site.run("restore", str(backup)).refusal
    assert ("There's a database already" in refusal) or ("The database isn't empty" in refusal)
    assert site.trace() == before


RUNNING = """
import sys, threading
import django; django.setup()
from condottiere_site.startup import begin_to_serve
from django.db import connection
begin_to_serve(); connection.ensure_connection()
print("runs", flush=True); sys.stdin.read()
"""


def test_nothing_is_restored_over_a_running_site(site: OwnSite, backup: Path) -> None:
    """Not even where its database was taken away from it."""
    process = subprocess.Popen(
        [sys.executable, "-c", RUNNING],
        cwd=ROOT,
        env=site.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        assert process.stdout
        assert process.stdout.readline() == b"runs\n"
        if site.file.exists():
            for file in site.folder.glob("condottiere.sqlite3*"):
                if file.suffix != ".lock":
                    file.unlink()
        else:
            site.ask("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
        assert "The site runs" in site.run("restore", str(backup)).refusal
        assert "The site runs" in site.run("after_restore").refusal or not site.tables()
    finally:
        process.kill()
        process.wait()
    assert site.run("restore", str(backup)).status == 0


def test_a_backup_that_does_not_fit_is_refused_in_a_sentence(new_site: NewSite, backup: Path) -> None:
    there = new_site("there")
    other_engine = with_manifest(backup, engine="oracle")
    assert "This is a backup of oracle" in there.run("restore", str(other_engine)).refusal
    other_site = with_manifest(backup, site="https://games.example.net")
    assert "This is a backup of https://games.example.net" in there.run("restore", str(other_site)).refusal
    newer = with_manifest(backup, version="9.9.9", migrations=["games.0001_initial", "games.0099_maps"])
    assert "This backup is of release 9.9.9" in there.run("restore", str(newer)).refusal
    key = {"SECRET_KEY": "another key, with more than enough characters"}
    assert "SECRET_KEY isn't the key of this backup" in there.run("restore", str(backup), **key).refusal
    for text in ("", "PK", "no archive", "{}"):
        path = backup.with_name("wrong")
        path.write_text(text)
        assert "isn't a backup made by this program" in there.run("restore", str(path)).refusal
    assert "There is no file" in there.run("restore", str(backup.with_name("none"))).refusal
    assert there.run("restore", str(backup)).status == 0


def test_a_damaged_backup_leaves_the_database_empty(new_site: NewSite, backup: Path) -> None:
    there, whole = new_site("there"), backup.read_bytes()
    for place in range(len(whole) // 3, len(whole) - 1000, len(whole) // 4):
        damaged = backup.with_name("damaged")
        damaged.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert (
            "isn't a backup made by this program, or it's damaged"
            in there.run("restore", str(damaged)).refusal
        )
    cut = backup.with_name("cut")
    cut.write_bytes(whole[: len(whole) // 2])
    assert "isn't a backup" in there.run("restore", str(cut)).refusal
    assert there.run("restore", str(backup)).status == 0


def test_the_key_that_was_there_is_kept(new_site: NewSite, backup: Path) -> None:
    there = new_site("there")
    (there.folder / "secret_key").write_text("the key of the site that was here before")
    assert there.run("restore", str(backup)).status == 0
    kept = [path.read_text() for path in there.folder.glob("secret_key.*.replaced")]
    assert kept == ["the key of the site that was here before"]
    assert stat.S_IMODE((there.folder / "secret_key").stat().st_mode) == 0o600


def test_a_full_disk_leaves_no_backup_and_no_database(site: OwnSite, new_site: NewSite, backup: Path) -> None:
    """Every size from which on the disk is full: the limit of files stands for it."""
    size = backup.stat().st_size
    there = new_site("there")
    for limit in (0, 1_000, size // 2, size - 100):
        full = backup.with_name(f"full-{limit}")
        done = limited(site, limit, "backup", str(full))
        if limit > 32_768 or site.environment.get("DATABASE_URL"):
            assert "The backup can't be written to" in done, limit
        else:  # to read SQLite's file, another one of that size must be made
            assert "The database can't be used: disk I/O error. Make room on its disk, and" in done, limit
        assert not full.exists()
        assert [path.name for path in backup.parent.iterdir() if "part" in path.name] == []
        if there.environment.get("DATABASE_URL") is None and limit:
            done = limited(there, limit, "restore", str(backup))
            assert "The backup can't be restored" in done, limit
            assert not there.file.exists()
    assert there.run("restore", str(backup)).status == 0


def limited(site: OwnSite, limit: int, *words: str) -> str:
    """Run a command whose files can't grow beyond the limit; return what it said."""
    site.run("check")  # compiles, and makes the key
    done = subprocess.run(
        [sys.executable, "-B", "manage.py", *words],
        cwd=ROOT,
        env=site.environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=HANGS,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )
    assert done.returncode, done.stdout
    assert "Traceback" not in done.stderr, done.stderr
    return done.stderr


@pytest.mark.parametrize("engine", ["postgresql"])
def test_without_the_programs_of_postgresql_it_says_what_to_install(
    site: OwnSite, new_site: NewSite, backup: Path
) -> None:
    without = {"PATH": str(Path(sys.executable).parent)}
    refusal = site.run("backup", str(backup.with_name("other")), **without).refusal
    assert "pg_dump isn't installed (on Debian and Ubuntu: apt install postgresql-client)" in refusal
    assert not backup.with_name("other").exists()
    there = new_site("there")
    assert "pg_restore isn't installed" in there.run("restore", str(backup), **without).refusal
    assert there.tables() == []


@pytest.mark.parametrize("engine", ["postgresql"])
def test_what_pg_dump_says_is_passed_on(site: OwnSite, backup: Path, tmp_path: Path) -> None:
    fake, words = tmp_path / "pg_dump", "error: aborting because of server version mismatch"
    fake.write_text(f"#!/bin/sh\necho 'pg_dump: {words}' >&2\nexit 1\n")
    fake.chmod(0o755)
    path = {"PATH": f"{tmp_path}{os.pathsep}{site.environment['PATH']}"}
    refusal = site.run("backup", str(backup.with_name("other")), **path).refusal
    assert f"pg_dump failed: pg_dump: {words}." in refusal
    assert not backup.with_name("other").exists()


KILLED = """
import os, signal, sys
import django; django.setup()
from condottiere_site import {module}
real = {module}.{name}
def killed(*facts, **more):
    if {after}: real(*facts, **more)
    os.kill(os.getpid(), signal.SIGKILL)
{module}.{name} = killed
from django.core.management import call_command
call_command(*sys.argv[1:])
"""
STEPS_OF_RESTORE = {
    "sqlite": ["_extract", "after_restore", "keep_key"],
    "postgresql": ["load", "after_restore", "keep_key"],
}


@pytest.mark.parametrize("step", range(3))
def test_a_restore_killed_after_any_step_is_done_by_the_same_command(
    new_site: NewSite, backup: Path, engine: str, step: int
) -> None:
    """Until then no process serves what is there, and nothing migrates it."""
    there = new_site("there")
    code = KILLED.format(module=f"restore_{engine}", name=STEPS_OF_RESTORE[engine][step], after=True)
    assert there.start("-c", code, "restore", str(backup)).status == -signal.SIGKILL
    look = "from condottiere_site.startup import begin_to_serve; begin_to_serve()"
    served = there.run("shell", "-v0", "-c", look)
    assert served.status == 3
    assert "A restore into this database was interrupted" in served.err or "database is empty" in served.err
    assert there.run("restore", str(backup)).status == 0
    assert all(number >= 10_000 for number in there.staged("new_rows").values())
    assert [path.name for path in there.folder.iterdir() if "restoring" in path.name] == []


def test_a_backup_killed_halfway_is_no_backup(site: OwnSite, backup: Path, engine: str) -> None:
    name = {"sqlite": "_copy_sqlite", "postgresql": "dump"}[engine]
    other = backup.with_name("other")
    code = KILLED.format(module="backups", name=name, after=True)
    assert site.start("-c", code, "backup", str(other)).status == -signal.SIGKILL
    assert not other.exists()
    assert site.run("backup", str(other)).status == 0
