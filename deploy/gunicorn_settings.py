"""Gunicorn's settings: `gunicorn --config deploy/gunicorn_settings.py`, started in the folder of manage.py.

Nothing of the site is imported here: this process outlives a reload, and would pass old code to new workers.
"""

import subprocess
import sys
from pathlib import Path

wsgi_app = "condottiere_site.wsgi"
bind = "127.0.0.1:8000"
workers, threads = 3, 4
worker_tmp_dir = "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108 (memory, so no disk stalls it)
control_socket_disable = True  # it would be a file in the home folder, which may be read-only

# Bad settings are named here once. Each worker would name them, and gunicorn would add tracebacks.
_checked = subprocess.run([sys.executable, "-m", "condottiere_site.bad_settings"], check=False)
if _checked.returncode:
    sys.exit(_checked.returncode)
