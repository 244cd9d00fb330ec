"""The secret key in a backup: checked before anything is restored, then put where settings read it."""

import os
import secrets
from pathlib import Path

from django.conf import settings

from condottiere_site import environment
from condottiere_site.backups import KEY, NOT_A_BACKUP, BackupError
from condottiere_site.restore_checks import UNCHANGED


def require_key(path: Path, key: str) -> None:
    """Raise BackupError unless this is a key, and no other one is set."""
    if len(key) < 32:
        raise BackupError(f"{NOT_A_BACKUP.format(path=path)} {UNCHANGED}")
    if environment.text("SECRET_KEY", "") not in {"", key}:
        raise BackupError(
            "SECRET_KEY isn't the key of this backup: links in emails already sent would not open. Unset it, "
            f"or set it to the backup's (`unzip -p {path} {KEY}` shows it). {UNCHANGED}"
        )


def keep_key(key: str) -> None:
    """Put the key where the settings read it, unless SECRET_KEY is given. Another key there is kept."""
    path = settings.STATE_DIR / "secret_key"
    if environment.text("SECRET_KEY", "") or (path.exists() and path.read_text("ascii").strip() == key):
        return
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(key)
    if path.exists():
        os.link(path, path.with_name(f"{path.name}.{secrets.token_hex(4)}.replaced"))
    part.replace(path)
