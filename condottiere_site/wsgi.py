"""WSGI entry point: `gunicorn condottiere_site.wsgi`."""

import os

from django.core.wsgi import get_wsgi_application

from condottiere_site import bad_settings
from condottiere_site.short_headers import with_short_headers

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "condottiere_site.settings")
bad_settings.exit_if_any(3)  # after this status gunicorn starts no new worker

application = with_short_headers(get_wsgi_application())

from condottiere_site.startup import begin_to_serve  # noqa: E402 - after Django has its apps

begin_to_serve()
