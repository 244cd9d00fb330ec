"""The files of deploy/ for Debian agree with each other, with the commands and the documented settings."""

import pickle
import re
import shlex
import subprocess
import sys
from configparser import ConfigParser
from pathlib import Path

import pytest
from django.core.management import get_commands

ROOT = Path(__file__).resolve().parent.parent.parent
DEBIAN, SYSTEMD = ROOT / "deploy" / "debian", ROOT / "deploy" / "systemd"
COMMON = "condottiere-.service.d/common.conf"
PROGRAMS = "/opt/condottiere/var/venv/bin/"

pytestmark = pytest.mark.once


def _unit(name: str) -> ConfigParser:
    unit = ConfigParser(interpolation=None, strict=False, delimiters=("=",), comment_prefixes=("#",))
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read_string((SYSTEMD / name).read_text().replace("\\\n", " "))
    return unit


def _command(service: str) -> list[str]:
    return shlex.split(_unit(f"condottiere-{service}.service")["Service"]["ExecStart"])


def _settings() -> dict[str, str]:
    """Return the settings that the file gives or names, as examples."""
    lines = re.findall(r"^#?([A-Z_]+)=(.*)$", (DEBIAN / "site.env").read_text(), re.MULTILINE)
    return dict(lines)


def _documented() -> set[str]:
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    return {
        name
        for page in pages
        for name in re.findall(r"^\| `([A-Z_]+)` \|", page.read_text(encoding="utf-8"), re.MULTILINE)
    }


def test_every_setting_is_documented() -> None:
    assert sorted(set(_settings()) - _documented()) == []
    script = (ROOT / "deploy" / "install.sh").read_text()
    taken = re.search(r'^readonly first_settings="([^"]*)"$', script, re.MULTILINE)
    assert taken
    assert set(taken[1].split()) <= set(_settings())


def test_a_site_starts_with_the_settings_of_the_file(tmp_path: Path) -> None:
    given = _settings() | {"STATE_DIR": str(tmp_path)}
    script = "from condottiere_site import settings; print(settings.REPLY_ADDRESS, settings.EMAIL_HOST)"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, env=given, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "reply@games.example.org 127.0.0.1\n"


def test_services_run_programs_that_the_site_has() -> None:
    web, worker, beat = _command("web"), _command("worker"), _command("beat")
    assert web == [f"{PROGRAMS}gunicorn", "--config", "deploy/gunicorn_settings.py"]
    assert worker[:4] == [f"{PROGRAMS}celery", "-A", "condottiere_site", "worker"]
    assert beat[:4] == [f"{PROGRAMS}celery", "-A", "condottiere_site", "beat"]
    for name in ("mail", "backup"):
        command = _command(name)
        assert command[:2] == [f"{PROGRAMS}python", "manage.py"]
        assert command[2] in get_commands()


def test_both_ends_of_a_connection_name_the_same_port() -> None:
    mail = _command("mail")
    web = re.search(r'^bind = "(\S+)"$', (ROOT / "deploy/gunicorn_settings.py").read_text(), re.MULTILINE)
    assert web
    assert f"http://{web[1]}/healthz" in (SYSTEMD / "condottiere-web.service").read_text()
    caddy, postfix = (DEBIAN / "Caddyfile").read_text(), (DEBIAN / "main.cf").read_text()
    assert f"\treverse_proxy {web[1]} {{" in caddy
    assert f"lmtp:inet:{mail[mail.index('--lmtp') + 1]} " in postfix
    assert "Socket                  inet:8891@127.0.0.1\n" in (DEBIAN / "opendkim.conf").read_text()
    assert re.findall(r"^\w+milters = (\S+)$", postfix, re.MULTILINE) == ["inet:127.0.0.1:8891"] * 2
    ports = re.search(r"for port in ([\d ]+);", (ROOT / "deploy" / "install.sh").read_text())
    assert ports
    assert ports[1].split() == ["80", "443", "25", "8000", "2525", "8891"]


def test_mail_for_the_site_comes_to_the_site() -> None:
    postfix = (DEBIAN / "main.cf").read_text()
    for name in ("REPLY_ADDRESS", "BOUNCE_ADDRESS"):
        host = _settings()[name].rpartition("@")[2]
        assert f"relay_domains = {host}\n" in postfix
        assert f"{{ {host} = lmtp:" in postfix


def test_only_this_machine_may_send_anywhere() -> None:
    postfix = (DEBIAN / "main.cf").read_text()
    assert "\nmynetworks = 127.0.0.0/8 [::1]/128\n" in postfix
    restrictions = "permit_mynetworks,reject_unauth_destination"
    found = re.findall(r"^smtpd_(?:relay|recipient)_restrictions =((?:.|\n\s)*)", postfix, re.MULTILINE)
    assert len(found) == 2
    assert [re.sub(r"\s", "", each).startswith(restrictions) for each in found] == [True, True]


def test_a_backup_goes_where_its_service_may_write() -> None:
    unit = _unit("condottiere-backup.service")["Service"]
    folder = _command("backup")[3]
    assert unit["ReadWritePaths"] == folder
    assert f"readonly backups={folder}\n" in (ROOT / "deploy" / "install.sh").read_text()


def test_every_service_is_confined_by_the_shared_file() -> None:
    shared = _unit(COMMON)["Service"]
    assert shared["User"] == "condottiere"
    assert f"/var/lib/{shared['StateDirectory']}" == _settings()["STATE_DIR"]
    for name in ("NoNewPrivileges", "ProtectSystem", "ProtectHome", "PrivateTmp", "CapabilityBoundingSet"):
        assert name in shared
    for path in SYSTEMD.glob("*.service"):
        own = set(_unit(path.name)["Service"])
        assert own & set(shared) == set(), path.name


def test_services_may_do_what_the_site_does() -> None:
    """Strategist lowers its priority, which is a call of the group @resources."""
    filters = re.findall(r"^SystemCallFilter=(.*)$", (SYSTEMD / COMMON).read_text(), re.MULTILINE)
    assert filters == ["@system-service", "~@privileged"]


def test_strategist_thinks_where_it_may_not_lower_its_priority() -> None:
    program = (
        "import os, runpy\ndef nice(_by): raise PermissionError\nos.nice = nice\n"
        "runpy.run_module('games.bots.thinker', run_name='__main__')"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        input=pickle.dumps((len, ("four",))),
        capture_output=True,
        check=False,
    )
    assert pickle.loads(done.stdout) == (True, 4), done.stderr


def _wrapped(folder: Path, settings: str) -> subprocess.CompletedProcess[str]:
    """Run deploy/debian/condottiere with these settings, by a user for whom everything is in one folder."""
    (folder / "site.env").write_text(settings)
    python = folder / "python"
    python.write_text('#!/bin/sh\nprintf "%s|" "$SITE_URL" "$SITE_NAME" "$@"\n')
    python.chmod(0o755)
    script = (DEBIAN / "condottiere").read_text()
    for place, ours in (
        (PROGRAMS, f"{folder}/"),
        ("/etc/condottiere/", f"{folder}/"),
        ("cd /opt/condottiere", "cd /"),
        ("id -un", "echo condottiere"),
        ("id -u)", "echo 1000)"),
    ):
        assert place in script
        script = script.replace(place, ours)
    command = ["sh", "-c", script, "condottiere", "backup", "a file"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_command_reads_settings_as_systemd_does(tmp_path: Path) -> None:
    done = _wrapped(tmp_path, "# a comment\nSITE_URL=https://a.example\nSITE_NAME=Games of $us = all")
    assert done.stdout == "https://a.example|Games of $us = all|manage.py|backup|a file|"
    quoted = _wrapped(tmp_path, 'SITE_URL=https://a.example\nSITE_NAME="Games"\n')
    assert (quoted.returncode, quoted.stdout) == (78, "")
    assert quoted.stderr.startswith("condottiere: write SITE_NAME in ")


def test_the_script_installs_every_unit() -> None:
    files = {path.relative_to(SYSTEMD).as_posix() for path in SYSTEMD.rglob("*") if path.is_file()}
    listed = re.search(
        r'^readonly units="([^"]*)"', (ROOT / "deploy" / "install.sh").read_text(), re.MULTILINE
    )
    assert listed
    assert set(listed[1].split()) == files
