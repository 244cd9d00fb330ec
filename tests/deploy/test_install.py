"""deploy/install.sh: what it writes, what it keeps, and its sentence for each bad input."""

import os
import re
import shutil
import signal
import subprocess
from hashlib import sha256
from pathlib import Path

import pytest

from tests.servers import HANGS

ROOT = Path(__file__).resolve().parent.parent.parent
INSTALL = ROOT / "deploy" / "install.sh"
NAMES = ("--domain", "games.example.net", "--operator", "ada@example.net")

pytestmark = pytest.mark.once


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """Return the root folder of a bare Debian 13."""
    _write(tmp_path / "etc/os-release", 'ID=debian\nVERSION_ID="13"\n')
    return tmp_path


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def _install(machine: Path, *options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(INSTALL), "--root", str(machine), *options],
        env={"PATH": os.environ["PATH"]} | environment,
        capture_output=True,
        text=True,
        timeout=HANGS,
        check=False,
    )


def _installed(machine: Path, *options: str, **environment: str) -> str:
    """Return what a run printed that went well."""
    done = _install(machine, *options, **environment)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def _refused(machine: Path, *options: str, **environment: str) -> str:
    """Return the one sentence of a run that changed nothing."""
    before = _files(machine)
    done = _install(machine, *options, **environment)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert _files(machine) == before
    return done.stderr.removeprefix("install.sh: ").strip()


def _files(machine: Path) -> dict[str, tuple[str, int]]:
    """Return the digest and the mode of each file."""
    return {
        str(path.relative_to(machine)): (sha256(path.read_bytes()).hexdigest(), path.stat().st_mode)
        for path in machine.rglob("*")
        if path.is_file()
    }


def test_the_scripts_are_sound() -> None:
    scripts = [INSTALL, ROOT / "deploy" / "debian" / "condottiere"]
    for script in scripts:
        subprocess.run(["bash", "-n", str(script)], check=True)
        assert script.stat().st_mode & 0o111 == 0o111
    if shutil.which("shellcheck"):
        done = subprocess.run(["shellcheck", *map(str, scripts)], capture_output=True, text=True, check=False)
        assert done.stdout == ""


@pytest.mark.long
def test_a_dry_run_names_every_file_and_changes_nothing(machine: Path) -> None:
    before = _files(machine)
    said = _installed(machine, *NAMES, "--dry-run")
    assert _files(machine) == before
    assert said.endswith("Nothing was changed.\n")
    named = set(re.findall(r"^Writing /(\S+)$", said, re.MULTILINE))
    assert _installed(machine, *NAMES).count("\nWriting ") == len(named)
    assert named == {name for name in _files(machine) if "/installed/" not in name} - {"etc/os-release"}


def test_files_carry_the_names_of_this_site(machine: Path) -> None:
    _installed(machine, *NAMES)
    files = [name for name in _files(machine) if "/installed/" not in name]
    texts = {name: (machine / name).read_text() for name in files}
    assert [
        name for name, text in texts.items() if "games.example.org" in text or "you@example" in text
    ] == []
    assert "\nSITE_URL=https://games.example.net\n" in texts["etc/condottiere/site.env"]
    assert (machine / "etc/condottiere/site.env").stat().st_mode & 0o777 == 0o640
    assert "\ngames.example.net {\n" in texts["etc/caddy/Caddyfile"]
    assert f"\nWorkingDirectory={ROOT}\n" in texts["etc/systemd/system/condottiere-.service.d/common.conf"]


@pytest.mark.long
def test_a_second_run_needs_no_option_and_changes_no_file(machine: Path) -> None:
    _installed(machine, *NAMES, "--tls", "internal")
    before = _files(machine)
    said = _installed(machine)
    assert "Writing" not in said
    assert _files(machine) == before
    assert "\n\ttls internal\n" in (machine / "etc/caddy/Caddyfile").read_text()


@pytest.mark.long
def test_an_interrupted_run_is_made_whole(machine: Path) -> None:
    _installed(machine, *NAMES)
    again = _installed(machine)
    assert "\n+ chgrp condottiere /etc/condottiere/site.env\n" in again
    (machine / "etc/dkimkeys").mkdir()
    _write(machine / "etc/dkimkeys/condottiere.private", "a key that was made, and not yet given away")
    assert "\n+ chown opendkim:opendkim /etc/dkimkeys/condottiere.private\n" in _installed(machine)


def test_a_first_backup_is_made_at_once(machine: Path) -> None:
    step = "\n+ systemctl start condottiere-backup.service\n"
    assert step in _installed(machine, *NAMES)
    _write(machine / "var/backups/condottiere/games.example.net-2026-03-02-033000.backup", "a backup")
    assert step not in _installed(machine)


def test_settings_are_never_readable_by_others(
    machine: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    programs = tmp_path_factory.mktemp("programs")
    noting = programs / "chmod"
    noting.write_text('#!/bin/sh\nstat -c "%a %n" "$2" >>"${0%/*}/modes"\nexec /bin/chmod "$@"\n')
    noting.chmod(0o755)
    _installed(machine, *NAMES, PATH=f"{programs}:{os.environ['PATH']}")
    assert f"600 {machine}/etc/condottiere/site.env.part\n" in (programs / "modes").read_text()
    assert (machine / "etc/condottiere/site.env").stat().st_mode & 0o777 == 0o640


def test_a_strict_umask_hides_no_unit(machine: Path) -> None:
    before = os.umask(0o077)
    try:
        _installed(machine, *NAMES)
    finally:
        os.umask(before)
    assert (machine / "etc/systemd/system/condottiere-.service.d").stat().st_mode & 0o777 == 0o755


def test_what_a_step_starts_does_not_keep_the_lock(tmp_path: Path) -> None:
    functions = "".join(INSTALL.read_text().splitlines(keepends=True)[:-1])  # all but the call of main
    program = (
        f'{functions}\nexec 9>"$1"; flock -n 9\n'
        "run bash -c 'sleep 60 >/dev/null 2>&1 & echo $!'\nexec 9>&-; flock -n \"$1\" echo free\n"
    )
    done = subprocess.run(
        ["bash", "-c", program, str(INSTALL), str(tmp_path / "lock")],
        capture_output=True,
        text=True,
        timeout=HANGS,
        check=False,
    )
    service, *said = done.stdout.split()
    os.kill(int(service), signal.SIGKILL)
    assert said == ["free"], done.stderr


def test_changes_of_the_operator_stay(machine: Path) -> None:
    _installed(machine, *NAMES)
    settings, main_cf = machine / "etc/condottiere/site.env", machine / "etc/postfix/main.cf"
    for file in (settings, main_cf):
        _write(file, file.read_text() + "# mine\n")
    before = _files(machine)
    said = _installed(machine)
    assert _files(machine) == before
    assert "changes of yours" not in said


def test_a_new_release_replaces_only_what_no_one_has_changed(machine: Path) -> None:
    _installed(machine, *NAMES)
    kept = machine / "etc/condottiere/installed"
    for name in ("etc/postfix/main.cf", "etc/opendkim.conf"):
        _write(kept / name, "# of an older release\n")
        _write(machine / name, "# of an older release\n")
    _write(machine / "etc/postfix/main.cf", "# of an older release\n# mine\n")
    said = _installed(machine)
    assert "/etc/postfix/main.cf has changes of yours, so it stays" in said
    assert (machine / "etc/postfix/main.cf").read_text().endswith("# mine\n")
    assert "relay_domains = games.example.net" in (machine / "etc/postfix/main.cf.new").read_text()
    assert "condottiere.private" in (machine / "etc/opendkim.conf").read_text()
    before = _files(machine)
    assert "Writing" not in _installed(machine)
    assert _files(machine) == before


def test_what_was_there_before_comes_back_when_the_site_goes(machine: Path) -> None:
    _write(machine / "etc/caddy/Caddyfile", "# Debian's\n")
    _installed(machine, *NAMES)
    said = _installed(machine, "--uninstall")
    assert "+ mv /etc/condottiere/installed/etc/caddy/Caddyfile.before /etc/caddy/Caddyfile" in said
    assert "+ rm -f /etc/systemd/system/condottiere-web.service" in said
    assert "rm -f /etc/condottiere/site.env" not in said
    assert "dropdb" not in said
    assert "+ runuser -u postgres -- dropdb --if-exists condottiere" in _installed(
        machine, "--uninstall", "--purge"
    )


def test_the_first_run_takes_settings_from_its_environment(machine: Path) -> None:
    said = _installed(machine, *NAMES, SITE_NAME="Anna & Bruno play", TIME_ZONE="Europe/Rome")
    settings = (machine / "etc/condottiere/site.env").read_text()
    assert "\nSITE_NAME=Anna & Bruno play\n" in settings
    assert "\nTIME_ZONE=Europe/Rome\n" in settings
    assert "postfix" in said


@pytest.mark.long
def test_with_another_mail_server_none_is_installed(machine: Path) -> None:
    server = "smtp+tls://name:pass&word@mail.example.net:587"
    said = _installed(machine, *NAMES, EMAIL_URL=server)
    settings = (machine / "etc/condottiere/site.env").read_text()
    assert f"\nEMAIL_URL={server}\n" in settings
    assert "\nREPLY_ADDRESS=" not in settings
    assert "pass&word" not in said
    for left_out in ("postfix", "opendkim", "condottiere-mail.service\n+"):
        assert left_out not in said.replace("Writing /etc/systemd/system/condottiere-mail.service", "")
    assert "enable --quiet condottiere.target condottiere-web.service" in said


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ((), "Give the site's name: --domain games.example.org."),
        (("--domain",), "--domain needs a value. See deploy/install.sh --help."),
        (("--domain", "games.example.net"), "Give the operator's email address: --operator you@example.org."),
        (("--domain", "localhost", *NAMES[2:]), "--domain takes a full name in small letters"),
        (
            ("--domain", "https://games.example.net", *NAMES[2:]),
            "--domain takes a full name in small letters",
        ),
        ((*NAMES[:2], "--operator", "Ada"), "--operator takes one email address"),
        ((*NAMES, "--tls", "none"), "--tls takes only the word internal."),
        ((*NAMES, "--port", "80"), "There is no option --port."),
        ((*NAMES, "--purge"), "--purge deletes games and accounts, and goes only with --uninstall."),
        ((*NAMES, "--restore", "nowhere.backup"), "There is no backup nowhere.backup."),
    ],
)
def test_each_bad_option_gets_one_sentence(machine: Path, options: tuple[str, ...], sentence: str) -> None:
    assert _refused(machine, *options).startswith(sentence)


@pytest.mark.parametrize("system", ['ID=debian\nVERSION_ID="11"\n', 'ID=fedora\nVERSION_ID="43"\n', ""])
def test_another_system_is_named(machine: Path, system: str) -> None:
    _write(machine / "etc/os-release", system)
    assert _refused(machine, *NAMES).startswith("This is for Debian 12 and 13, and here is ")


def test_a_site_keeps_its_name(machine: Path) -> None:
    _installed(machine, *NAMES)
    assert _refused(machine, "--domain", "other.example.net").startswith("This site is games.example.net.")


def test_a_setting_that_the_file_cannot_hold_is_refused(machine: Path) -> None:
    assert _refused(machine, *NAMES, SITE_NAME='The "club"').startswith(
        "SITE_NAME must be one line without quotes"
    )
