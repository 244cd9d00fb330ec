"""Signs that each clock task runs as often as it should."""

from django.conf import settings

from condottiere_site.health.signs import Ages, Sign, SignName, Unit, within
from condottiere_site.models import TaskRun

LATE = 30.0  # seconds beyond two periods; within a minute for tasks that run every few seconds
# These tasks work until all is done, such as drawing the rounds of many leagues. Others stop after a tick.
UNLIMITED = {
    "games.leagues.tasks.run_seasons": 300.0,
    "games.tasks.judge_deals": 300.0,
    "games.tasks.open_seals": 300.0,
}


def tick_signs(ages: Ages) -> list[Sign]:
    """Return a sign for each clock task: how long ago its last good run ended."""
    ended = dict(TaskRun.objects.values_list("task", "ended_at"))
    return [
        within(SignName.TICKS, ages.since(ended.get(task)), limit_of(task), Unit.SECONDS, about=task)
        for task in settings.BEAT_SECONDS
    ]


def limit_of(task: str) -> float:
    """Return the seconds after which a clock task is late."""
    return UNLIMITED.get(task, 0.0) + 2 * float(settings.BEAT_SECONDS[task]) + LATE
