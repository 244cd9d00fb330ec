"""The sign that the clock plays for players who ran out of time."""

from datetime import timedelta

from condottiere_site.health.signs import Ages, Sign, SignName, Unit, within
from games.models import Seat

LONGEST_WAIT = timedelta(minutes=10).total_seconds()  # many may run out at once, after an outage for example


def deadline_signs(ages: Ages) -> list[Sign]:
    """Return how long the oldest overdue deadline has been waiting for the clock."""
    overdue = Seat.objects.filter(due_at__lte=ages.now).order_by("due_at")
    oldest = overdue.values_list("due_at", flat=True).first()
    waited = ages.since(oldest) if oldest else 0
    return [within(SignName.DEADLINES, waited, LONGEST_WAIT, Unit.SECONDS)]
