#!/usr/bin/env python3
"""The one command: `python3 manage.py play` runs the site, `python3 manage.py test` checks it."""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 (an older Python must get this far and no further)
    sys.exit("Condottiere needs Python 3.11 or newer, and this is Python " + sys.version.split()[0] + ".")

from condottiere_site.bootstrap import main

if __name__ == "__main__":
    main(sys.argv)
