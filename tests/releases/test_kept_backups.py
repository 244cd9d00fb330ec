"""Automatic backups: so many are kept, nothing else is deleted, and the database knows the last one."""

from __future__ import annotations

import fcntl
import json
import os
import zipfile
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from accounts import clock
from condottiere_site import backups, kept_backups, upgrading
from condottiere_site.backups import BackupError, Manifest, read_manifest
from condottiere_site.database_state import DatabaseState
from condottiere_site.kept_backups import make_kept_backup
from condottiere_site.models import Installation
from tests.releases.own_sites import OwnSite

NewSite = Callable[..., OwnSite]

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
DAY = timedelta(days=1)
LAST = "SELECT backup_made_at, backup_size, backup_file FROM condottiere_site_installation"


def written(path: Path, made_at: datetime, site: str = "") -> Manifest:
    """Write a file that reads as a backup."""
    manifest = Manifest(site or settings.SITE_URL, "0.1.0", made_at.isoformat(), "sqlite", [])
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("manifest.json", json.dumps(asdict(manifest)))
    return manifest


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch, db: None) -> None:
    """Let a backup be its manifest alone, which is what is looked at here."""
    monkeypatch.setattr(kept_backups, "make_backup", lambda path: written(path, clock.now()))


def made_at(folder: Path, moment: datetime, keep: int) -> Path:
    with clock.use_clock(lambda: moment):
        return make_kept_backup(folder, keep)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_the_newest_few_are_kept(quick: None, tmp_path: Path) -> None:
    for day in range(5):
        made_at(tmp_path, NOON + day * DAY, keep=3)
    assert names(tmp_path) == [f"{settings.SITE_HOST}-2026-03-0{day}-120000.backup" for day in (4, 5, 6)]


def test_one_is_enough(quick: None, tmp_path: Path) -> None:
    for day in range(2):
        last = made_at(tmp_path, NOON + day * DAY, keep=1)
    assert list(tmp_path.iterdir()) == [last]


def test_only_what_it_wrote_itself_is_deleted(quick: None, tmp_path: Path) -> None:
    """Not what upgrades keep, another site's, a person's, a damaged one's, a link, or a folder."""
    old = f"{settings.SITE_HOST}-2020-01-01-120000.backup"
    aside = tmp_path / "aside"
    aside.mkdir()
    written(aside / "kept", NOON)
    written(tmp_path / "before-0.2.0-20200101-120000-000000.zip", NOON)
    written(tmp_path / "mine.backup", NOON)
    written(tmp_path / old.replace("01-01", "01-02"), NOON, site="http://127.0.0.1:8001")
    (tmp_path / old.replace("01-01", "01-03")).write_text("cut off")
    (tmp_path / old.replace("01-01", "01-04")).symlink_to(aside / "kept")
    (tmp_path / old.replace("01-01", "01-05")).mkdir()
    (tmp_path / ".before-0.2.0-20200101.zip.x.part").write_text("an upgrade is writing this")
    before = names(tmp_path)
    written(tmp_path / old, NOON - 100 * DAY)
    last = made_at(tmp_path, NOON, keep=1)
    assert names(tmp_path) == sorted([*before, last.name])


def test_a_damaged_or_foreign_backup_is_refused_in_a_sentence(tmp_path: Path) -> None:
    """One bit of a damaged file differs. Some of them say that it's encrypted, or packed in a newer way."""
    path = tmp_path / "site.backup"
    manifest = written(path, NOON)
    whole, refused = path.read_bytes(), 0
    for place in range(2 * len(whole)):
        changed = bytearray(whole)
        changed[place // 2] ^= 1 if place % 2 else 128
        path.write_bytes(changed)
        try:
            assert read_manifest(path) == manifest
        except BackupError:
            refused += 1
    assert refused > len(whole) // 2
    for facts in ({"made_at": 1}, {"engine": []}, {"migrations": 5}, {"site": None}):
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("manifest.json", json.dumps(asdict(manifest) | facts))
        with pytest.raises(BackupError):
            read_manifest(path)


def test_upgrades_and_automatic_backups_share_a_folder(
    quick: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    """Neither deletes what the other keeps, or is writing."""
    settings.STATE_DIR, folder = tmp_path, tmp_path / "backups"
    folder.mkdir()
    kept = made_at(folder, NOON, keep=1)
    part = folder / f".{kept.name}.abc.part"
    part.write_text("half")
    monkeypatch.setattr(upgrading, "make_backup", lambda path: written(path, NOON))
    monkeypatch.setattr(upgrading, "KEPT", 1)
    for _ in range(2):
        upgrading.Upgrade(str)._back_up(DatabaseState(version="0.1.0"))
    (before,) = folder.glob("before-*.zip")
    assert sorted(folder.iterdir()) == sorted([kept, part, before])
    last = made_at(folder, NOON + DAY, keep=1)
    assert sorted(folder.iterdir()) == sorted([last, before])


def test_what_a_killed_run_left_is_removed(quick: None, tmp_path: Path) -> None:
    name = f".{settings.SITE_HOST}-2026-03-01-120000.backup"
    (tmp_path / f"{name}.abc.part").write_text("half")
    copy = tmp_path / f"{name}.def.part"
    copy.mkdir()
    (copy / "database").write_text("half")
    last = made_at(tmp_path, NOON, keep=3)
    assert list(tmp_path.iterdir()) == [last]


def test_nothing_is_deleted_if_the_backup_fails(
    quick: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for day in range(2):
        made_at(tmp_path, NOON + day * DAY, keep=2)
    before, noted = names(tmp_path), Installation.objects.values().get()

    def fails(_path: Path) -> Manifest:
        raise BackupError("The disk is full.")

    monkeypatch.setattr(kept_backups, "make_backup", fails)
    with pytest.raises(BackupError):
        made_at(tmp_path, NOON + 2 * DAY, keep=1)
    assert (names(tmp_path), Installation.objects.values().get()) == (before, noted)


@pytest.mark.parametrize("wrong", [timedelta(days=-400), timedelta(days=400)])
def test_a_clock_that_was_wrong_costs_no_newer_backup(quick: None, tmp_path: Path, wrong: timedelta) -> None:
    """The order is the one in which they were made, as far as it can be known."""
    for day in range(3):
        made_at(tmp_path, NOON + day * DAY, keep=3)
    odd = made_at(tmp_path, NOON + 3 * DAY + wrong, keep=3)
    assert odd.exists()
    assert len(names(tmp_path)) == 3
    right = [made_at(tmp_path, NOON + day * DAY, keep=3) for day in (4, 5, 6)]
    assert sorted(tmp_path.iterdir()) == right


def test_two_at_once_do_not_disturb_each_other(quick: None, tmp_path: Path) -> None:
    handle = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    with pytest.raises(BackupError, match=r"is being made\. Wait for it. Nothing was changed."):
        made_at(tmp_path, NOON, keep=1)
    os.close(handle)
    assert names(tmp_path) == []
    assert made_at(tmp_path, NOON, keep=1).exists()


def test_a_disk_with_too_little_room_is_not_filled(
    db: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = type("Usage", (), {"free": 1024 * 1024})
    monkeypatch.setattr(backups.shutil, "disk_usage", lambda _path: usage)
    with pytest.raises(BackupError, match=r"has too little room: 1.0.MB free, and a backup may need \d"):
        made_at(tmp_path, NOON, keep=1)
    assert names(tmp_path) == []


def test_a_folder_that_is_not_there_is_not_made(db: None, tmp_path: Path) -> None:
    """It may be a disk that isn't mounted."""
    with pytest.raises(BackupError, match=r"There's no folder .*/gone. Make it, or mount its disk."):
        made_at(tmp_path / "gone", NOON, keep=1)
    assert names(tmp_path) == []


def test_the_last_one_is_noted(quick: None, tmp_path: Path) -> None:
    Installation.objects.create(pk=1, version="0.1.0")
    last = made_at(tmp_path, NOON, keep=1)
    row = Installation.objects.get()
    noted = (row.backup_made_at, row.backup_size, row.backup_file, row.version)
    assert noted == (NOON, last.stat().st_size, str(last), "0.1.0")


@pytest.mark.once
@pytest.mark.long
def test_a_restored_database_claims_no_fresher_backup(
    played: OwnSite, new_site: NewSite, tmp_path: Path
) -> None:
    folder = tmp_path / "kept"
    folder.mkdir()
    assert played.ask(LAST) == [(None, None, "")]
    first = played.run("backup", str(folder), "--keep", "2")
    assert first.status == 0, first.err
    (noted,) = played.ask(LAST)
    (file,) = folder.iterdir()
    assert noted[1:] == (file.stat().st_size, str(file))
    assert "is complete" in first.out
    there = new_site("there")
    done = there.run("restore", str(file))
    assert done.status == 0, done.err
    assert there.ask(LAST) == [(None, None, "")]


@pytest.mark.once
@pytest.mark.long
def test_it_says_in_a_sentence_why_not(site: OwnSite, tmp_path: Path) -> None:
    refusal = site.run("backup", str(tmp_path / "gone"), "--keep", "2").refusal
    assert refusal.endswith("Make it, or mount its disk. Nothing was changed.")
    for number in ("0", "-1", "many", ""):
        done = site.run("backup", str(tmp_path), "--keep", number)
        assert done.status
        assert "must be a whole number between 1 and 9999" in done.err
    site.ask("DELETE FROM django_migrations WHERE app = 'games' AND name != '0001_initial'")
    assert site.run("backup", str(tmp_path), "--keep", "2").status
    assert list(tmp_path.glob("*.backup")) == []


def test_a_file_is_written_where_none_may_be(quick: None, tmp_path: Path, monkeypatch: Any) -> None:
    """The tests may run as root, who may write everywhere."""

    def refused(*_facts: Any, **_more: Any) -> Any:
        raise PermissionError(13, "Permission denied", str(tmp_path))

    monkeypatch.setattr(backups.tempfile, "mkstemp", refused)
    monkeypatch.setattr(kept_backups, "make_backup", backups.make_backup)
    with pytest.raises(BackupError, match=r"can't be written to .*: Permission denied. Nothing was changed."):
        made_at(tmp_path, NOON, keep=1)
