"""The Django app of tables and games."""

from django.apps import AppConfig

from accounts.signals import frequency_changed, hours_changed, reminders_changed


class GamesConfig(AppConfig):
    """App configuration of games."""

    name = "games"

    def ready(self) -> None:
        """Connect the signals about people's hours and preferences; register the personal data of games."""
        from accounts.personal_data import PersonalData, register_personal_data
        from accounts.push.subjects import Subjects, register_subjects
        from games import privacy
        from games.clocks import calendars
        from games.services import notifications, reminders, table_news

        hours_changed.connect(calendars.follow_hours)
        reminders_changed.connect(reminders.apply_lead_times)
        frequency_changed.connect(notifications.move_digests_up)
        register_subjects(table_news.TABLE, Subjects(table_news.KINDS, table_news.name_of))
        register_personal_data(PersonalData(privacy.export, privacy.erase, leave=privacy.leave))
