"""The sign that automatic backups go on."""

from datetime import timedelta

from condottiere_site.health.signs import Ages, Sign, SignName, Unit, within
from condottiere_site.models import Installation

OLDEST = timedelta(days=2).total_seconds()  # with a timer that makes one each day


def backup_signs(ages: Ages) -> list[Sign]:
    """Return how old the last automatic backup is; nothing if there was never one.

    A site that has just started gets no time: a restart makes no backup younger.
    """
    made_at = Installation.objects.values_list("backup_made_at", flat=True).first()
    if made_at is None:
        return []
    return [within(SignName.BACKUP, Ages(ages.now).since(made_at), OLDEST, Unit.SECONDS)]
