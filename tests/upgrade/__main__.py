"""Databases of a release, to test upgrades with.

make            write those of this release to tests/upgrade/kept, with its own code
build, check    what `make` and the tests run for each database: see staging.py and checking.py
"""

from __future__ import annotations

import argparse
import sys


def main() -> int:
    reader = argparse.ArgumentParser(
        prog="python -m tests.upgrade", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    acts = {"make": _make, "build": _build, "check": _check}
    reader.add_argument("act", choices=acts)
    return acts[reader.parse_args().act]()


def _make() -> int:
    from tests import servers
    from tests.upgrade.databases import LARGEST, make

    servers.prepare()
    files = make()
    for file in files:
        print(f"{file.name}: {file.stat().st_size:,} bytes")
    return int(any(file.stat().st_size > LARGEST for file in files))


def _build() -> int:
    import django
    from django.db import connection

    django.setup()
    from tests.upgrade.staging import build

    build()
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("VACUUM")
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return 0


def _check() -> int:
    import django
    from django.core.management import call_command

    django.setup()
    from tests.upgrade.checking import check

    call_command("migrate", interactive=False, verbosity=0)
    check()
    return 0


if __name__ == "__main__":
    sys.exit(main())
