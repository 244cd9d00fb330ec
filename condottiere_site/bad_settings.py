"""Stop before anything starts if settings are bad, with a line for each of them and no traceback.

`python -m condottiere_site.bad_settings` does only this.
"""

import os
import sys

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

STATUS = 78  # EX_CONFIG of sysexits.h: starting again doesn't help


def exit_if_any(status: int = STATUS) -> None:
    """Read the settings; exit if any are bad."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "condottiere_site.settings")
    try:
        _ = settings.INSTALLED_APPS
    except ImproperlyConfigured as error:
        for line in str(error).splitlines():
            sys.stderr.write(f"Settings: {line}\n")
        sys.stderr.flush()
        sys.exit(status)


if __name__ == "__main__":
    exit_if_any()
