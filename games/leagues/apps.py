"""The Django app of leagues: seasons of tables that run automatically."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class LeaguesConfig(AppConfig):
    name = "games.leagues"
    label = "leagues"
    verbose_name = _("leagues")
    default_auto_field = "django.db.models.BigAutoField"
