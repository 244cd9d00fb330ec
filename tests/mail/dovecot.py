"""A real mailbox: Dovecot, from Debian's packages dovecot-imapd and dovecot-pop3d, with one user and TLS."""

from __future__ import annotations

import grp
import os
import pwd
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.certificates import self_signed
from tests.servers import free_port, wait_until

CONFIG = """
base_dir = {here}/run
state_dir = {here}/state
log_path = {here}/log
protocols = imap pop3
listen = 127.0.0.1
ssl = yes
ssl_cert = <{certificate}
ssl_key = <{certificate}
disable_plaintext_auth = no
auth_failure_delay = 0
default_internal_user = {user}
default_internal_group = {group}
default_login_user = {user}
first_valid_uid = 1
mail_uid = {user}
mail_gid = {group}
mail_location = maildir:{here}/mail
passdb {{
  driver = static
  args = password={password}
}}
userdb {{
  driver = static
  args = uid={user} gid={group} home={here}
}}
service imap-login {{
  chroot =
  inet_listener imap {{
    port = {imap}
  }}
  inet_listener imaps {{
    port = {imaps}
    ssl = yes
  }}
}}
service pop3-login {{
  chroot =
  inet_listener pop3 {{
    port = {pop3}
  }}
  inet_listener pop3s {{
    port = {pop3s}
    ssl = yes
  }}
}}
service anvil {{
  chroot =
  # Else each login from this machine after a wrong password waits for seconds.
  unix_listener anvil-auth-penalty {{
    mode = 0
  }}
}}
"""
PASSWORD = "se/cr@t"  # which the URL must escape


class Mailbox:
    """The mailbox, its URLs, and the messages in its files."""

    def __init__(self, here: Path, owner: pwd.struct_passwd) -> None:
        self.here, self.owner = here, owner
        self.ports = {scheme: free_port() for scheme in ("imap", "imaps", "pop3", "pop3s")}
        self.certificate = self_signed(here)
        self._count = 0

    def url(self, scheme: str) -> str:
        folder = "/INBOX" if scheme.startswith("imap") else ""
        return f"{scheme}://games:se%2Fcr%40t@localhost:{self.ports[scheme]}{folder}"

    def put(self, *sources: bytes) -> None:
        """Deliver these messages, as a mail server does."""
        for source in sources:
            self._count += 1
            new = self.here / "mail/new" / f"{self._count:08}.M{self._count}.host"
            new.write_bytes(source)
            os.chown(new, self.owner.pw_uid, self.owner.pw_gid)

    @property
    def left(self) -> int:
        """How many messages are in the mailbox."""
        return sum(len(list((self.here / "mail" / folder).iterdir())) for folder in ("new", "cur"))

    def empty(self) -> None:
        for folder in ("new", "cur"):
            for file in (self.here / "mail" / folder).iterdir():
                file.unlink()


def program() -> str | None:
    """Return Dovecot's program if it speaks both protocols, or None."""
    found = shutil.which("dovecot", path=f"{os.environ['PATH']}:/usr/sbin")
    parts = (Path("/usr/lib/dovecot/imap"), Path("/usr/lib/dovecot/pop3"))
    return found if all(part.exists() for part in parts) else None


@contextmanager
def running(dovecot: str, here: Path) -> Iterator[Mailbox]:
    """Run Dovecot in this folder, as this user; root's servers run as `nobody`."""
    owner = pwd.getpwuid(os.geteuid() or pwd.getpwnam("nobody").pw_uid)
    box = Mailbox(here, owner)
    for folder in ("run", "state", "mail/new", "mail/cur", "mail/tmp"):
        (here / folder).mkdir(parents=True)
    for folder in (here, *here.rglob("mail"), *here.glob("mail/*")):
        os.chown(folder, owner.pw_uid, owner.pw_gid)
    config = here / "dovecot.conf"
    group = grp.getgrgid(owner.pw_gid).gr_name
    config.write_text(
        CONFIG.format(
            here=here,
            user=owner.pw_name,
            group=group,
            password=PASSWORD,
            certificate=box.certificate,
            **box.ports,
        )
    )
    process = subprocess.Popen([dovecot, "-F", "-c", str(config)])
    try:
        wait_until((here / "run/master.pid").exists, "Dovecot to start")
        yield box
    finally:
        process.terminate()
        process.wait()
