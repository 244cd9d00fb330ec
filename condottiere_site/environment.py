"""Readers for settings from environment variables, or from files that variables with `_FILE` name.

A bad value is noted in one sentence that names its variable. `refuse_bad_values` raises them all at once;
until then its reader returns the default, so that the others can be read. No sentence has a value: it may be
a password.
"""

import os
import re
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from datetime import timedelta
from email.utils import parseaddr
from functools import wraps
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeVar, cast
from urllib.parse import urlsplit
from zoneinfo import available_timezones

import environ
from django.core.exceptions import ImproperlyConfigured

from accounts.addresses import is_address, normal_address
from condottiere_site.url_faults import AT_BEHIND_HOST, fault_of_site_url, fault_of_url, has_at_behind_host

env = environ.FileAwareEnv()
asked: set[str] = set()  # the names of all settings read so far

TRUE = {"1", "true", "yes", "on"}
FALSE = {"0", "false", "no", "off"}
SMTP = "accounts.mail.smtp_connection.Smtp"
LONGEST_MAILBOX = 20  # characters of 64 (RFC 5321); the signed numbers need up to 44
MAIL_SCHEMES = {"smtp", "smtps", "smtp+tls", "smtp+ssl"}
MAILBOX_SCHEMES = {"imap", "imaps", "pop3", "pop3s"}
WEBHOOK_SERVICES = {"brevo", "mailgun", "postmark", "ses"}
# Private keys of the curve P-256 are below this number.
_KEYS = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
# Of a primary and its standby, connect to the one that takes writes, and notice soon that a machine is gone.
# Without keepalives, a connection that waits for its answer would wait for hours.
_SEVERAL_SERVERS = {
    "target_session_attrs": "read-write",
    "connect_timeout": 3,
    "tcp_user_timeout": 10_000,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
}

_Reader = TypeVar("_Reader", bound=Callable[..., Any])
_bad: dict[str, str] = {}  # what is wrong with a setting, by its name


def refuse(name: str, why: str) -> ImproperlyConfigured:
    """Return the error for a bad value, without the value, which may be a password."""
    return ImproperlyConfigured(f"{name} {why}")


def refuse_bad_values() -> None:
    """Raise ImproperlyConfigured with a line for each bad value read so far."""
    lines = "\n".join(_bad.values())
    _bad.clear()
    if lines:
        raise ImproperlyConfigured(lines)


def _noting(read: _Reader) -> _Reader:
    """Make a reader note a bad value and read on as if none was given."""

    @wraps(read)
    def noting(name: str, *args: Any, **kwargs: Any) -> Any:
        try:
            return read(name, *args, **kwargs)
        except ImproperlyConfigured as error:
            _bad[name] = str(error)
            return read(name, *args, **kwargs)

    return cast(_Reader, noting)


def _given(name: str) -> str:
    """Return what the environment, or the file that it names, has for this setting; "" if nothing."""
    asked.add(name)
    if name in _bad:
        return ""
    own, file = (os.environ.get(each, "").strip() for each in (name, f"{name}_FILE"))
    if not file:
        return own  # not by env.str, which takes a value that begins with $ for the name of another
    if own:
        raise refuse(name, f"is set, and so is {name}_FILE. Unset one of them.")
    try:
        content = str(env.ENVIRON[name]).strip()
    except (OSError, ValueError) as error:
        raise refuse(f"{name}_FILE", f"names a file that can't be read: {_reason(error)}.") from error
    if not content:
        raise refuse(f"{name}_FILE", "names an empty file.")
    return content


@_noting
def text(name: str, default: str) -> str:
    """Return one line of text; an empty or blank value counts as not given."""
    value = _given(name)
    if any(ord(character) < 32 for character in value):
        raise refuse(name, "must be one line without control characters.")
    return value or default


@_noting
def flag(name: str, default: bool) -> bool:
    """Return a boolean; refuse any unknown word instead of reading it as no."""
    value = text(name, "").lower()
    if value and value not in TRUE | FALSE:
        raise refuse(name, "must be one of 1, 0, true, false, yes, no, on, off.")
    return value in TRUE if value else default


@_noting
def seconds(name: str, default: float) -> timedelta:
    """Return a length of time given in seconds, at most a day."""
    value = text(name, str(default))
    if not re.fullmatch(r"\d{1,5}(\.\d{1,3})?", value) or float(value) > 86_400:
        raise refuse(name, "must be a number of seconds between 0 and 86400, such as 60.")
    return timedelta(seconds=float(value))


@_noting
def count(name: str, default: int, most: int, *, least: int = 0) -> int:
    """Return a whole number from `least` to `most`."""
    value = text(name, str(default))
    if not re.fullmatch(r"\d{1,9}", value) or not least <= int(value) <= most:
        raise refuse(name, f"must be a whole number between {least} and {most}.")
    return int(value)


@_noting
def time_zone(name: str, default: str) -> str:
    """Return an IANA time zone name."""
    value = text(name, default)
    if value not in available_timezones():
        raise refuse(name, "must be the name of a time zone, such as Europe/Rome.")
    return value


@_noting
def mail_address(name: str, default: str) -> str:
    """Return an email address, with or without a name before it; the default is not checked."""
    value = text(name, "")
    if not value:
        return default
    address = parseaddr(value)[1]
    before, _address, after = value.rpartition(address)
    if not is_address(address) or not re.fullmatch(r"[ >]*(\([^()]*\))?", after):
        raise refuse(name, "must be one email address, such as Games <games@example.org>.")
    return f"{before}{normal_address(address)}{after}"


@_noting
def own_mailbox(name: str) -> str:
    """Return a bare email address to which signed numbers can still be added after a plus, or ""."""
    value = normal_address(text(name, ""))
    if not value:
        return ""
    if not is_address(value):
        raise refuse(name, "must be a bare email address, such as reply@example.org.")
    if len(value.rpartition("@")[0]) > LONGEST_MAILBOX:
        raise refuse(name, f"may have at most {LONGEST_MAILBOX} characters before the @.")
    return value


@_noting
def site_url(name: str, default: str) -> str:
    """Return the site's public URL: scheme, host and perhaps a port, in small letters."""
    value = text(name, default).rstrip("/").lower()
    if fault := fault_of_site_url(value):
        raise refuse(name, fault)
    return value


@_noting
def redis_url(name: str) -> str | None:
    """Return the broker's URL, or None if not given."""
    value = text(name, "")
    if not value:
        return None
    parts = _parsed(name, value)
    if parts.scheme not in {"redis", "rediss", "redis+socket"} or not (parts.hostname or parts.path):
        raise refuse(name, "must be the address of a Redis server, such as redis://127.0.0.1:6379/0.")
    if parts.scheme != "redis+socket" and not re.fullmatch(r"(/\d{0,9})?", parts.path):
        raise refuse(name, "must end with the number of a database, such as redis://127.0.0.1:6379/0.")
    if parts.query:
        _check_broker_options(name, value)
    return value


def _check_broker_options(name: str, value: str) -> None:
    from kombu import Connection  # late: few sites give any

    try:
        Connection(value)
    except (KeyError, TypeError, ValueError) as error:
        raise refuse(name, "has options after the question mark that Celery doesn't know.") from error


@_noting
def database(name: str, default: Path, password: str = "") -> dict[str, Any]:
    """Return Django's settings for PostgreSQL or SQLite; `default` is the SQLite file if nothing is given.

    The password of PostgreSQL may be part of the URL, or given apart.
    """
    value = text(name, "") or f"sqlite:///{default}"
    scheme = value.partition(":")[0]
    if scheme in {"postgres", "postgresql", "psql", "pgsql"}:
        return _postgresql(name, value, password)
    if scheme == "sqlite":
        return _sqlite(name, value)
    raise refuse(name, "must begin with postgresql:// or sqlite:///.")


@_noting
def mail_server(name: str) -> dict[str, Any] | None:
    """Return Django's EMAIL_ settings for this server, or None if not given."""
    value = text(name, "")
    if not value:
        return None
    parts = _parsed(name, value)
    if parts.scheme not in MAIL_SCHEMES or not parts.hostname:
        raise refuse(
            name,
            "must be the address of a mail server, such as smtp+tls://name:password@mail.example.org:587.",
        )
    options = dict(environ.Env.email_url_config(value))
    if options.pop("OPTIONS", None):
        raise refuse(name, "takes no options after a question mark.")
    return options | {"EMAIL_BACKEND": SMTP}


@_noting
def email_webhook(name: str) -> tuple[str, str]:
    """Return the mail service that posts events, and the secret that proves it; two empty texts if none."""
    value = text(name, "")
    service, _colon, secret = value.partition(":")
    if not value:
        return "", ""
    if service not in WEBHOOK_SERVICES:
        raise refuse(name, "must begin with brevo:, mailgun:, postmark: or ses:.")
    if not re.fullmatch(r"[A-Za-z0-9_-]{20,200}", secret):
        raise refuse(name, "must have a secret of 20 to 200 letters, digits, - and _ after the colon.")
    return service, secret


@_noting
def mailbox(name: str) -> str:
    """Return the URL of a mailbox from which received mail is fetched, or ""."""
    value = text(name, "")
    if not value:
        return ""
    parts = _parsed(name, value)
    if parts.scheme not in MAILBOX_SCHEMES or not parts.hostname or not parts.username:
        raise refuse(name, "must be a mailbox, such as imaps://name:password@mail.example.org/INBOX.")
    return value


def state_dir(name: str, default: Path) -> Path:
    """Return the folder in which the site keeps everything; it need not exist yet."""
    if os.environ.get(f"{name}_FILE", "").strip():
        _bad[name] = f"{name}_FILE isn't read: set {name} itself."
    if os.environ.get(name, "").strip().startswith("~"):
        _bad[name] = f"{name} begins with ~, which only shells know. Write the whole path."
    return Path(text(name, str(default))).absolute()


def make_folder(name: str, path: Path) -> None:
    """Make the folder that this setting names, for its owner alone."""
    try:
        path.mkdir(0o700, parents=True, exist_ok=True)
        (path / "static").mkdir(exist_ok=True)
    except OSError as error:
        _bad[name] = f"{name} must be a folder that can be used. Now: {error.strerror}."


@_noting
def secret_key(name: str, keep_in: Path) -> str:
    """Return the given key, or one generated once and kept in a file only its owner can read.

    None is generated while another setting is bad.
    """
    given = _given(name)
    if given or _bad:
        if given and len(given) < 32:
            raise refuse(name, "must have at least 32 characters.")
        return given
    try:
        if not keep_in.exists():
            _write_new(keep_in, secrets.token_urlsafe(50))
        kept = keep_in.read_text(encoding="ascii").strip()
    except (OSError, ValueError) as error:
        raise refuse(
            name, f"isn't set, and its file in STATE_DIR can't be used: {_reason(error)}."
        ) from error
    if len(kept) < 32:
        raise refuse(name, "isn't set, and its file in STATE_DIR holds no key.")
    return kept


@_noting
def bearer_token(name: str) -> str:
    """Return a token that a program sends in a header, or ""."""
    value = text(name, "")
    if value and not re.fullmatch(r"[A-Za-z0-9._~+/=-]{20,}", value):
        raise refuse(name, "must be at least 20 letters, digits or any of . _ ~ + / = - without spaces.")
    return value


@_noting
def push_key(name: str, secret: str) -> str:
    """Return the private key that push services know (RFC 8292): as given, or made from the site's secret."""
    given = text(name, "")
    if given and not re.fullmatch(r"[A-Za-z0-9_-]{43}", given):
        raise refuse(name, "must be 32 random bytes, as docs/HOSTING.md says how to make them.")
    own = blake2b(secret.encode(), digest_size=32, person=b"push key").digest()
    number = int.from_bytes(urlsafe_b64decode(f"{given}=") if given else own)
    # One number of four billion is no key of the curve, and becomes another.
    return urlsafe_b64encode(((number - 1) % (_KEYS - 1) + 1).to_bytes(32)).decode().rstrip("=")


def _reason(error: OSError | ValueError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or "it isn't text"


def _write_new(path: Path, content: str) -> None:
    # Written to a temporary file and linked: two processes starting at once must end with the same key.
    aside = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    handle = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(content)
    try:
        os.link(aside, path)
    except FileExistsError:
        pass
    finally:
        aside.unlink()


def _parsed(name: str, value: str) -> Any:
    if fault := fault_of_url(value):
        raise refuse(name, fault)
    return urlsplit(value)


def _postgresql(name: str, value: str, password: str) -> dict[str, Any]:
    if has_at_behind_host(value):
        raise refuse(name, AT_BEHIND_HOST)
    hosts = value.partition("://")[2].partition("/")[0].rpartition("@")[2].split(",")
    ports = [_parsed(name, f"postgresql://{host}").port for host in hosts]
    if any(ports) and not all(ports):
        raise refuse(name, "must name the port of each server, or of none.")
    options = environ.Env.db_url_config(value)
    if password and options["PASSWORD"]:
        raise refuse(name, "has a password, and another one is given apart from it.")
    options["PASSWORD"] = password or options["PASSWORD"]
    if not options["NAME"]:
        raise refuse(
            name, "must end with the name of a database, such as postgresql://user@host/condottiere."
        )
    # The pool keeps the connections; Django refuses to keep them too. The short reconnect_timeout makes new
    # requests retry a lost server, because the pool's own attempts become rarer. A health check before each
    # use prevents connections to a dead server.
    pool = {"min_size": 1, "max_size": 16, "timeout": 8, "reconnect_timeout": 4}
    options |= {"CONN_MAX_AGE": 0, "CONN_HEALTH_CHECKS": True}
    several = _SEVERAL_SERVERS if len(hosts) > 1 else {}
    options["OPTIONS"] = {"pool": pool} | several | options.get("OPTIONS", {})
    return dict(options)


def _sqlite(name: str, value: str) -> dict[str, Any]:
    path = value.removeprefix("sqlite://").removeprefix("/")
    if not value.startswith("sqlite:///") or not path or "?" in path:
        raise refuse(
            name, "must be sqlite:/// and the path of a file, such as sqlite:////srv/condottiere.sqlite3."
        )
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": path,
        # A file like the real one: an in-memory database locks differently, and no other process sees it.
        "TEST": {"NAME": f"{path}.test"},
        "OPTIONS": {
            # Writers wait for the lock instead of failing when a read becomes a write.
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
        },
    }
