"""Figures about the site as a whole, read from rows: how much of everything there is, and what waits.

They tell of no game and no person. Each costs the same however many games and emails are stored: it looks at
the last hour or at what waits, over an index, and stops at a limit.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Max, Model, QuerySet

from accounts.mail.models import OutgoingEmail
from accounts.push.models import Push, TargetNotice
from condottiere_site import __version__
from condottiere_site.models import TaskRun
from games.models import Game, LogEntry, Seat

HOUR = timedelta(hours=1)
MOST_READ = 10_000  # of the newest or longest waiting rows that are counted by kind
MOST_COUNTED = 100_000  # of rows that are only counted, by an index that has no others

_QUEUES: tuple[type[Model], ...] = (Push, TargetNotice)

Values = Iterable[tuple[tuple[str, ...], float]]


@dataclass(frozen=True)
class Figure:
    """One figure: its name, what it says, its labels, and how it is read."""

    name: str
    text: str
    read: Callable[[datetime], Values]
    labels: tuple[str, ...] = ()


def read_figures(now: datetime) -> dict[str, list[tuple[tuple[str, ...], float]]]:
    """Return the values of each figure by its name. Raises DatabaseError if they can't be read."""
    return {figure.name: list(figure.read(now)) for figure in FIGURES}


def _emails_of_the_hour(now: datetime) -> Values:
    recent = _newest(OutgoingEmail).filter(created_at__gt=now - HOUR)
    return _counted(recent, "kind", "state")


def _queued_emails(now: datetime) -> Values:
    queued = OutgoingEmail.objects.filter(state=OutgoingEmail.State.QUEUED)
    longest_waiting = queued.order_by("not_before", "pk").values("pk")[:MOST_READ]
    return _counted(OutgoingEmail.objects.filter(pk__in=longest_waiting), "kind")


def _oldest_due_email(now: datetime) -> Values:
    queued = OutgoingEmail.objects.filter(state=OutgoingEmail.State.QUEUED, not_before__lte=now)
    return _age_of_first(queued.order_by("not_before", "pk"), "not_before", now)


def _queued_notifications(_now: datetime) -> Values:
    return [((), sum(_value(_count(_waiting(queue))) for queue in _QUEUES))]


def _oldest_due_notification(now: datetime) -> Values:
    due = [_waiting(queue).filter(not_before__lte=now).order_by("not_before", "pk") for queue in _QUEUES]
    return [((), max(_value(_age_of_first(rows, "not_before", now)) for rows in due))]


def _waiting(queue: type[Model]) -> QuerySet[Any]:
    rows: QuerySet[Any] = queue._default_manager.filter(done_at=None)
    return rows


def _value(values: Values) -> float:
    ((_labels, value),) = values
    return value


def _overdue_deadlines(now: datetime) -> Values:
    return _count(Seat.objects.filter(due_at__lte=now))


def _oldest_overdue_deadline(now: datetime) -> Values:
    return _age_of_first(Seat.objects.filter(due_at__lte=now).order_by("due_at"), "due_at", now)


def _moves_of_the_hour(now: datetime) -> Values:
    moves = _newest(LogEntry).filter(at__gt=now - HOUR).exclude(via="")  # a shuffle is the site's own
    return _counted(moves, "via")


def _running_games(_now: datetime) -> Values:
    return _count(Game.objects.running())


def _task_ages(now: datetime) -> Values:
    return [
        ((task,), (now - at).total_seconds()) for task, at in TaskRun.objects.values_list("task", "ended_at")
    ]


def _task_durations(_now: datetime) -> Values:
    return [((task,), seconds) for task, seconds in TaskRun.objects.values_list("task", "seconds")]


def _version(_now: datetime) -> Values:
    return [((__version__,), 1.0)]


def _newest(model: Any) -> QuerySet[Any]:
    """Return the newest rows of a table, by their numbers: as many as may be read."""
    newest = model.objects.aggregate(newest=Max("pk"))["newest"] or 0
    rows: QuerySet[Any] = model.objects.filter(pk__gt=newest - MOST_READ)
    return rows


def _counted(rows: QuerySet[Any], *columns: str) -> Values:
    counted = rows.order_by().values_list(*columns).annotate(Count("pk"))
    return [(tuple(map(str, row[:-1])), float(row[-1])) for row in counted]


def _count(rows: QuerySet[Any]) -> Values:
    return [((), float(rows.order_by().values("pk")[:MOST_COUNTED].count()))]


def _age_of_first(rows: QuerySet[Any], column: str, now: datetime) -> Values:
    first: datetime | None = rows.values_list(column, flat=True).first()
    return [((), (now - first).total_seconds() if first else 0.0)]


FIGURES = (
    Figure("condottiere_info", "The release of this site.", _version, ("version",)),
    Figure(
        "condottiere_emails_last_hour",
        f"Emails queued in the last hour, of the newest {MOST_READ}, by what became of them.",
        _emails_of_the_hour,
        ("kind", "state"),
    ),
    Figure(
        "condottiere_emails_queued",
        f"Emails that are queued, of the {MOST_READ} that are due first.",
        _queued_emails,
        ("kind",),
    ),
    Figure(
        "condottiere_oldest_due_email_seconds",
        "How long the oldest due email has been waiting.",
        _oldest_due_email,
    ),
    Figure(
        "condottiere_notifications_queued",
        "Notifications to browsers and channels that are queued.",
        _queued_notifications,
    ),
    Figure(
        "condottiere_oldest_due_notification_seconds",
        "How long the oldest due notification has been waiting.",
        _oldest_due_notification,
    ),
    Figure("condottiere_overdue_deadlines", "Players who ran out of time.", _overdue_deadlines),
    Figure(
        "condottiere_oldest_overdue_deadline_seconds",
        "How long the oldest overdue deadline has been waiting.",
        _oldest_overdue_deadline,
    ),
    Figure(
        "condottiere_moves_last_hour",
        f"Moves in the last hour, of the newest {MOST_READ} entries of all logs, by how they were made.",
        _moves_of_the_hour,
        ("via",),
    ),
    Figure("condottiere_running_games", f"Running games, up to {MOST_COUNTED}.", _running_games),
    Figure(
        "condottiere_task_age_seconds", "How long ago a clock task last ended well.", _task_ages, ("task",)
    ),
    Figure(
        "condottiere_task_duration_seconds", "How long that run of the task took.", _task_durations, ("task",)
    ),
)
