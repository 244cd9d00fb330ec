"""The Django app of leagues: seasons of tables that run automatically."""

from django.apps import AppConfig
from django.utils.translation import pgettext_lazy


class LeaguesConfig(AppConfig):
    name = "games.leagues"
    label = "leagues"
    verbose_name = pgettext_lazy("admin", "leagues")
    default_auto_field = "django.db.models.BigAutoField"
