"""Databases that aren't this release's: every process says so in a sentence, and changes nothing."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import condottiere_site
from tests.releases.own_sites import Done, OwnSite
from tests.servers import HANGS, free_port

NewSite = Callable[..., OwnSite]
Kind = Callable[[OwnSite], str]

pytestmark = pytest.mark.once

VERSION = condottiere_site.__version__

BUILDS_ANOTHER = "CREATE TABLE blog_post (id integer PRIMARY KEY, text text)"
MIGRATIONS = "CREATE TABLE django_migrations (id integer PRIMARY KEY, app text, name text, applied text)"
PROCESSES = {
    "web": ["-m", "gunicorn", "condottiere_site.wsgi", "--bind", "127.0.0.1:{port}"],
    "worker": ["-m", "celery", "-A", "condottiere_site", "worker", "--pool", "threads", "--concurrency", "1"],
    "beat": ["-m", "celery", "-A", "condottiere_site", "beat"],
    "play": ["manage.py", "play", "--port", "{port}"],
    "migrate": ["manage.py", "migrate"],
    "upgrade": ["manage.py", "upgrade", "--no-backup"],
    "backup": ["manage.py", "backup", "{folder}/new.backup"],
    "automatic backup": ["manage.py", "backup", "{folder}", "--keep", "1"],
    "after_restore": ["manage.py", "after_restore"],
    "mail by LMTP": ["manage.py", "receive_mail", "--lmtp", "127.0.0.1:{port}"],
    "mail by a pipe": ["manage.py", "receive_mail"],
}
SETTINGS = {
    "SITE_URL": "http://127.0.0.1:8000",
    "REPLY_ADDRESS": "reply@example.org",
    "REDIS_URL": "redis://127.0.0.1:9",  # no one comes as far as that
}


def made_by_another_program(site: OwnSite) -> str:
    site.ask(BUILDS_ANOTHER)
    site.ask("INSERT INTO blog_post VALUES (1, 'Hello')")
    return "belongs to another program: it has a table blog_post"


def made_by_another_django_program(site: OwnSite) -> str:
    site.ask(MIGRATIONS)
    site.ask("INSERT INTO django_migrations VALUES (1, 'contenttypes', '0001_initial', '2026-01-01')")
    site.ask("INSERT INTO django_migrations VALUES (2, 'accounts', '0001_initial', '2026-01-01')")
    site.ask("CREATE TABLE django_content_type (id integer PRIMARY KEY)")
    site.ask("CREATE TABLE accounts_customer (id integer PRIMARY KEY)")
    return "belongs to another program: it has a table accounts_customer"


def made_before_releases(site: OwnSite) -> str:
    """As the last code before 0.1.0 left it: same names, but for the one that every release begins with."""
    site.ask("DROP TABLE condottiere_site_installation")
    site.ask("UPDATE django_migrations SET name = '0001_cache_table' WHERE app = 'condottiere_site'")
    site.ask("ALTER TABLE games_seat DROP COLUMN misses")
    return "was made before release 0.1.0 and can't be upgraded"


def made_by_a_newer_release(site: OwnSite) -> str:
    site.ask("INSERT INTO django_migrations (app, name, applied) VALUES ('games', '0002_maps', '2027-01-01')")
    site.ask("UPDATE condottiere_site_installation SET version = '0.3.0', previous_version = '0.2.0'")
    return "is of a newer release (0.3.0), and this code is"


def without_a_column(site: OwnSite) -> str:
    site.ask("ALTER TABLE games_seat DROP COLUMN misses")
    return "isn't complete: it lacks the column misses of games_seat"


def without_a_table(site: OwnSite) -> str:
    site.ask("DROP TABLE mail_mailserverhealth")
    return "isn't complete: it lacks the table mail_mailserverhealth"


def without_an_index(site: OwnSite) -> str:
    site.ask("DROP INDEX emails_due")
    return "isn't complete: it lacks the index emails_due of mail_outgoingemail"


def without_its_list_of_migrations(site: OwnSite) -> str:
    site.ask("DELETE FROM django_migrations WHERE app IN ('games', 'condottiere_site', 'chat', 'leagues')")
    return "isn't complete: it lacks the record of the migration that made the table "


FOREIGN = [made_by_another_program, made_by_another_django_program]
OURS = [
    made_before_releases,
    made_by_a_newer_release,
    without_a_column,
    without_a_table,
    without_an_index,
    without_its_list_of_migrations,
]


def started(site: OwnSite, process: str, **environment: str) -> Done:
    words = [word.format(port=free_port(), folder=site.folder) for word in PROCESSES[process]]
    return site.start(*words, **(SETTINGS | environment))


def refused(site: OwnSite, process: str, sentence: str, **environment: str) -> None:
    before = site.trace()
    done = started(site, process, **environment)
    lines = [line for line in done.err.splitlines() if sentence in line]
    assert len(lines) == 1, done
    assert lines[0].endswith("Nothing was changed.")
    assert done.status
    assert "Traceback" not in done.err
    assert site.trace() == before


@pytest.mark.long
@pytest.mark.parametrize("kind", FOREIGN)
def test_a_database_of_another_program_is_left_alone(new_site: NewSite, kind: Kind) -> None:
    site = new_site()
    refused(site, "migrate", kind(site))


@pytest.mark.long
@pytest.mark.parametrize("kind", OURS)
def test_a_database_of_another_release_or_restored_in_part_is_left_alone(site: OwnSite, kind: Kind) -> None:
    refused(site, "migrate", kind(site))


@pytest.mark.long
@pytest.mark.parametrize("process", PROCESSES)
def test_every_process_refuses_what_is_not_its_own(new_site: NewSite, site: OwnSite, process: str) -> None:
    foreign = new_site()
    refused(foreign, process, made_by_another_program(foreign))
    refused(site, process, without_a_table(site))


OTHER_KEY = "The site's key isn't the one that this database was used with"
ANOTHER = {"SECRET_KEY": "another key than the one that the database knows"}


@pytest.mark.long
@pytest.mark.parametrize("process", PROCESSES)
def test_every_process_refuses_another_key(site: OwnSite, process: str) -> None:
    refused(site, process, OTHER_KEY, **ANOTHER)
    assert list(site.folder.glob("*.backup")) == []


AWAY_AND_BACK = """
from django.db import connection
from condottiere_site.startup import begin_to_serve
there = connection.settings_dict["PORT"]
connection.settings_dict["PORT"] = "9"
begin_to_serve()
print("waits")
connection.settings_dict["PORT"] = there
connection.ensure_connection()
print("serves")
"""


@pytest.mark.long
@pytest.mark.parametrize("engine", ["postgresql"])
def test_a_process_that_started_while_the_server_was_away_looks_once_it_is_back(site: OwnSite) -> None:
    assert site.run("shell", "--no-imports", "-c", AWAY_AND_BACK).out.split() == ["waits", "serves"]
    refusal = site.run("shell", "--no-imports", "-c", AWAY_AND_BACK, **ANOTHER)
    assert (refusal.status, refusal.err.count(OTHER_KEY)) == (3, 1)
    assert "serves" not in refusal.out


@pytest.mark.long
def test_a_lost_key_is_noticed_before_it_is_replaced(site: OwnSite) -> None:
    """Settings make a new one where there is none."""
    file = site.folder / "secret_key"
    kept = file.rename(site.folder / "kept")
    refusal = site.run("migrate").refusal
    assert OTHER_KEY in refusal
    assert str(file) in refusal
    kept.replace(file)
    assert site.run("migrate").status == 0


@pytest.mark.long
def test_a_key_can_be_changed_on_purpose(site: OwnSite, tmp_path: Path) -> None:
    (digest,) = site.ask("SELECT key_digest FROM condottiere_site_installation")
    assert site.run("accept_key", **ANOTHER).status == 0
    assert site.ask("SELECT key_digest FROM condottiere_site_installation") != [digest]
    assert OTHER_KEY in site.run("migrate").refusal, "it was the old one"
    assert site.run("migrate", **ANOTHER).status == 0
    assert site.run("backup", str(tmp_path / "new"), **ANOTHER).status == 0


@pytest.mark.long
def test_a_database_without_a_noted_key_takes_the_one_that_is_set(site: OwnSite) -> None:
    """As 0.1.0 left it, once it's upgraded."""
    site.ask("UPDATE condottiere_site_installation SET key_digest = ''")
    assert site.run("migrate", **ANOTHER).status == 0
    assert OTHER_KEY in site.run("migrate").refusal


@pytest.mark.parametrize("engine", ["sqlite"])
def test_migrate_refuses_a_database_older_than_the_first_release(new_site: NewSite) -> None:
    """It is known by the name of the first migration: all others are not needed here."""
    site = new_site()
    assert site.run("migrate", "condottiere_site").status == 0
    site.ask("DROP TABLE condottiere_site_installation")
    site.ask("UPDATE django_migrations SET name = '0001_cache_table' WHERE app = 'condottiere_site'")
    before = site.trace()
    refusal = site.run("migrate").refusal
    assert "finished games can be exported with the old code" in refusal
    assert "running games and accounts can't be taken along" in refusal
    assert site.trace() == before


@pytest.mark.long
@pytest.mark.parametrize("process", ["web", "worker", "beat"])
def test_an_empty_database_is_not_served(new_site: NewSite, process: str) -> None:
    done = started(new_site(), process)
    assert "The database is empty. Run `python3 manage.py migrate` first" in done.err
    assert done.status == 3


@pytest.mark.long
@pytest.mark.parametrize("engine", ["postgresql"])
def test_a_restore_that_broke_off_is_noticed_wherever_it_did(new_site: NewSite, site: OwnSite) -> None:
    """pg_restore without a transaction makes tables, then rows, then keys and links."""
    for section in (["pre-data"], ["pre-data", "data"]):
        other = new_site("-".join(section))
        options = [f"--section={name}" for name in section]
        dump = ["pg_dump", "--format=custom", *options, site.environment["DATABASE_URL"]]
        load = ["pg_restore", "--dbname", other.environment["DATABASE_URL"]]
        copy = subprocess.run(dump, env=site.environment, capture_output=True, check=True, timeout=HANGS)
        subprocess.run(load, env=site.environment, input=copy.stdout, check=True, timeout=HANGS)
        assert "isn't complete: it lacks" in other.run("migrate").refusal


@pytest.mark.long
def test_an_interrupted_first_start_goes_on(new_site: NewSite) -> None:
    """Each migration is one transaction, so a killed `migrate` leaves some of them."""
    site = new_site()
    for app in ("contenttypes", "condottiere_site", "accounts"):
        assert site.run("migrate", app).status == 0
    assert site.run("migrate").status == 0
    assert site.ask("SELECT version FROM condottiere_site_installation")


@pytest.mark.long
@pytest.mark.parametrize("engine", ["sqlite"])
def test_a_file_that_is_no_database_is_named_in_a_sentence(new_site: NewSite) -> None:
    site = new_site()
    site.file.write_text("not a database, but long enough to be read as one" * 100)
    before = site.trace()
    for process in PROCESSES:
        done = started(site, process)
        assert "The database can't be used: file is not a database" in done.err, (process, done)
        assert done.status
        assert "Traceback" not in done.err
    assert site.trace() == before


@pytest.mark.long
def test_processes_of_the_release_before_may_serve_while_the_next_one_upgrades(site: OwnSite) -> None:
    """And those of any other may not: web starts with a database that has one more migration."""
    site.ask("INSERT INTO django_migrations (app, name, applied) VALUES ('games', '0002_maps', '2027-01-01')")
    look = "from condottiere_site.startup import begin_to_serve; begin_to_serve(); print('serves')"
    for version, previous, serves in (
        ("{}", "", 1),
        ("9.1.0", "{}", 1),
        ("9.1.0", "9.0.0", 0),
        ("9.1.0", "", 0),
    ):
        site.ask(
            f"UPDATE condottiere_site_installation SET version = '{version.format(VERSION)}', "
            f"previous_version = '{previous.format(VERSION)}'"
        )
        assert ("serves" in site.run("shell", "-c", look).out) == serves, (version, previous)
        assert "newer release" in site.run("migrate").refusal
