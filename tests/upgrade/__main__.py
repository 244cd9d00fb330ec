"""Test upgrades from earlier releases.

make             write the databases of this release to tests/upgrade/kept, with its own code
while-playing    migrate while processes of an earlier release play
build, check     what `make` and the tests run for each database: see staging.py and checking.py
"""

from __future__ import annotations

import argparse
import sys

from tests.upgrade.while_playing import add_arguments, migrate_while_playing


def main() -> int:
    reader = argparse.ArgumentParser(
        prog="python -m tests.upgrade", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    acts = reader.add_subparsers(required=True)
    for name, act in {"make": _make, "build": _build, "check": _check}.items():
        acts.add_parser(name).set_defaults(act=act)
    playing = acts.add_parser("while-playing")
    add_arguments(playing)
    playing.set_defaults(act=migrate_while_playing)
    how = reader.parse_args()
    return int(how.act(how))


def _make(_how: argparse.Namespace) -> int:
    from tests import servers
    from tests.upgrade.databases import LARGEST, make

    servers.prepare()
    files = make()
    for file in files:
        print(f"{file.name}: {file.stat().st_size:,} bytes")
    return int(any(file.stat().st_size > LARGEST for file in files))


def _build(_how: argparse.Namespace) -> int:
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


def _check(_how: argparse.Namespace) -> int:
    import django
    from django.core.management import call_command

    django.setup()
    from tests.upgrade.checking import check

    call_command("migrate", interactive=False, verbosity=0)
    check()
    return 0


if __name__ == "__main__":
    sys.exit(main())
