"""The site's own settings for the worker and beat of a journey, with a beat that delivers more often."""

import copy

from condottiere_site import settings
from condottiere_site.settings import *  # noqa: F403 - Django's way to change settings

CELERY_BEAT_MAX_LOOP_INTERVAL = 0.1
CELERY_BEAT_SCHEDULE = copy.deepcopy(settings.CELERY_BEAT_SCHEDULE)
CELERY_BEAT_SCHEDULE["accounts.mail.tasks.deliver_due"]["schedule"] = 0.1
