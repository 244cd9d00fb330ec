#!/usr/bin/env python3
# /// script
# requires-python = ">=3.11"
# dependencies = []
# ///
"""The one command: `python3 manage.py play` runs the site, `python3 manage.py test` checks it.

The lines above tell `uv run` to choose a Python and install nothing: packages come from the lock files.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 (an older Python must get this far and no further)
    sys.exit("Condottiere needs Python 3.11 or newer, and this is Python " + sys.version.split()[0] + ".")

from condottiere_site.bootstrap import main

if __name__ == "__main__":
    main(sys.argv)
