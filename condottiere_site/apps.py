"""The wiring as a Django app: commands, checks, templates, static files, the cache table's migration."""

from django.apps import AppConfig


class SiteConfig(AppConfig):
    """Has no models; it is an app for what Django finds by app."""

    name = "condottiere_site"
    verbose_name = "Site"

    def ready(self) -> None:
        """Registers the checks."""
        from condottiere_site import checks  # noqa: F401
