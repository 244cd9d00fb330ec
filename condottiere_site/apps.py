"""The project as a Django app: commands, checks, templates, static files, one row about the site itself."""

from django.apps import AppConfig


class SiteConfig(AppConfig):
    """App for what Django finds by app."""

    name = "condottiere_site"
    verbose_name = "Site"

    def ready(self) -> None:
        """Register the checks."""
        from condottiere_site import checks  # noqa: F401 - importing registers them
