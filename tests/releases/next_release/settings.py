"""The site's settings as of the release that NEXT_VERSION names."""

import os

import condottiere_site

condottiere_site.__version__ = os.environ.get("NEXT_VERSION", "0.2.0")

from condottiere_site.settings import *  # noqa: E402, F403 - Django's way to change settings
from condottiere_site.settings import INSTALLED_APPS as BEFORE  # noqa: E402

INSTALLED_APPS = [*BEFORE, "tests.releases.next_release"]
