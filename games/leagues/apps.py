"""The Django app of leagues: seasons of tables that run automatically."""

from django.apps import AppConfig
from django.utils.translation import pgettext_lazy

from accounts.signals import hours_changed
from games.signals import table_finished


class LeaguesConfig(AppConfig):
    name = "games.leagues"
    label = "leagues"
    verbose_name = pgettext_lazy("admin", "leagues")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Connect signals of holidays and finished tables; register the personal data and news of leagues."""
        from accounts.personal_data import PersonalData, register_personal_data
        from accounts.push.subjects import Subjects, register_subjects
        from accounts.push.targets import register_source_choices
        from games.leagues import privacy
        from games.leagues.services import league_news
        from games.leagues.services.rated_tables import note_finished
        from games.leagues.services.schedule import recheck_waiting_seasons

        hours_changed.connect(recheck_waiting_seasons)
        table_finished.connect(note_finished)
        register_subjects(league_news.LEAGUE, Subjects(league_news.KINDS, league_news.name_of))
        register_source_choices(league_news.leagues_to_choose)
        register_personal_data(
            PersonalData(privacy.export, privacy.erase, redact=privacy.redact, leave=privacy.leave)
        )
