"""The Celery application. Beat only wakes it; what is to be done is read from the database."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "condottiere_site.settings")

app = Celery("condottiere")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
