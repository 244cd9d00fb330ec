"""The project as a Django app: commands, checks, templates, static files, one row about the site itself."""

from django.apps import AppConfig


class SiteConfig(AppConfig):
    """App configuration of the project, by which Django finds its commands, templates and static files."""

    name = "condottiere_site"
    verbose_name = "Site"

    def ready(self) -> None:
        """Register the checks, let workers store when tasks ran, and bound what Python remembers."""
        from condottiere_site import checks  # noqa: F401 - importing registers them
        from condottiere_site.character_sets import forget_unknown_names
        from condottiere_site.health import task_runs  # noqa: F401 - importing connects it

        forget_unknown_names()
