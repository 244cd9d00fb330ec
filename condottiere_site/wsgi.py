"""WSGI entry point: `gunicorn condottiere_site.wsgi`."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "condottiere_site.settings")

application = get_wsgi_application()
