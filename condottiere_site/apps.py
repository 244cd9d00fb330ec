"""The wiring as a Django app: its commands, checks, static files and the cache table's migration."""

from django.apps import AppConfig


class SiteConfig(AppConfig):
    """Named `site_wiring` so that its label cannot be taken for an app with models."""

    name = "condottiere_site"
    label = "condottiere_site"
    verbose_name = "Site"
