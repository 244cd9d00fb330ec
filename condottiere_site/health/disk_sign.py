"""The sign that there is room on the disk for what the site writes."""

import shutil
from pathlib import Path

from django.conf import settings

from condottiere_site.health.signs import Sign, SignName, Unit

LEAST = 1024**3  # bytes
LEAST_PART = 0.05  # of a small disk


def disk_signs() -> list[Sign]:
    """Return the free bytes where the site keeps its state: of several disks, of the one that is worst off.

    The disk of a PostgreSQL server is another machine's, or the same.
    """
    signs = [_sign_of(folder) for folder in _folders() if folder.is_dir()]
    return [min(signs, key=lambda sign: (sign.value or 0) / (sign.limit or 1))] if signs else []


def _folders() -> set[Path]:
    database = settings.DATABASES["default"]
    folders = {Path(settings.STATE_DIR)}
    if database["ENGINE"].endswith("sqlite3"):
        folders.add(Path(str(database["NAME"])).absolute().parent)
    return folders


def _sign_of(folder: Path) -> Sign:
    usage = shutil.disk_usage(folder)
    least = min(LEAST, LEAST_PART * usage.total)
    failed = usage.free < least
    return Sign(SignName.DISK, failed, usage.free, least, Unit.BYTES, is_least=True)
