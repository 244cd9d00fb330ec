#!/usr/bin/env python3
"""The one command: `python3 manage.py play` runs the site, `python3 manage.py test` checks it."""

import os
import sys

from django.core.management import execute_from_command_line

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "condottiere_site.settings")
    execute_from_command_line(sys.argv)
