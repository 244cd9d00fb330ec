"""A sign is one thing that must hold for the site to work, with a sentence on what to do if it doesn't."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

Words = str | Promise


class SignName(StrEnum):
    """The kinds of signs, in the order in which they are shown. The first that failed may explain others."""

    DATABASE = "database"
    MIGRATIONS = "migrations"
    REDIS = "redis"
    CLOCK = "clock"
    TICKS = "ticks"
    MAIL_SERVER = "mail_server"
    EMAIL = "email"
    DEADLINES = "deadlines"
    DISK = "disk"
    BACKUP = "backup"


class Unit(StrEnum):
    """What the value of a sign counts."""

    NONE = ""
    SECONDS = "seconds"
    BYTES = "bytes"
    MIGRATIONS = "migrations"


TITLES: dict[SignName, Words] = {
    SignName.DATABASE: pgettext_lazy("sign of health", "Database"),
    SignName.MIGRATIONS: _("Changes to the database"),
    SignName.REDIS: pgettext_lazy("sign of health", "Redis"),
    SignName.CLOCK: _("The machine’s clock"),
    SignName.TICKS: _("Tasks of the worker"),
    SignName.MAIL_SERVER: _("Mail server"),
    SignName.EMAIL: _("Waiting emails"),
    SignName.DEADLINES: pgettext_lazy("sign of health", "Deadlines"),
    SignName.DISK: _("Free disk space"),
    SignName.BACKUP: _("Last backup"),
}
WHAT_TO_DO: dict[SignName, Words] = {
    SignName.DATABASE: _("Start the database, or read in its log why it doesn’t answer."),
    SignName.MIGRATIONS: _(
        "Upgrade the database (python3 manage.py upgrade), then restart web, workers and beat."
    ),
    SignName.REDIS: _("Start Redis, or correct REDIS_URL. Until then no email leaves, and nothing is lost."),
    SignName.CLOCK: _("Set the machine’s clock right. If it is right now, restart web, workers and beat."),
    SignName.TICKS: _("Start the worker and beat. If they run, read the task’s error in the worker’s log."),
    SignName.MAIL_SERVER: _(
        "Start the mail server, or correct EMAIL_URL. Emails wait, and leave afterwards."
    ),
    SignName.EMAIL: _("Emails leave late. Look for errors in the worker’s log, or start another worker."),
    SignName.DEADLINES: _("The clock is late. Read in the worker’s log why it could not play."),
    SignName.DISK: _("Delete old backups and logs, or make the disk larger."),
    SignName.BACKUP: _("Read why the timer’s last backup failed, and make one (python3 manage.py backup)."),
}


@dataclass(frozen=True)
class Sign:
    """One thing that holds or has failed. Its figures are for staff and for those who have the token."""

    name: SignName
    failed: bool
    value: float | None = None
    limit: float | None = None  # the most that is well; with `is_least`, the least
    unit: Unit = Unit.NONE
    about: str = ""  # which one of several: the task of a tick
    is_least: bool = False
    is_known: bool = True  # False if something else hides it; it counts as failed then

    @property
    def title(self) -> Words:
        """Return what it is about, for people."""
        return TITLES[self.name]

    @property
    def what_to_do(self) -> Words:
        """Return in a sentence what to do when it has failed."""
        return WHAT_TO_DO[self.name]


@dataclass(frozen=True)
class Ages:
    """Tells how long something has waited, at one moment and for one observer.

    What waited longer than the observer has been up has waited for as long as that: while the site was off,
    nothing was late. A command that looks once has always been there.
    """

    now: datetime
    up_for: float = float("inf")  # seconds

    def since(self, moment: datetime | None) -> float:
        """Return the seconds since this moment, or since ever.

        A moment ahead counts as long ago: the machine's clock was set back, or two machines' clocks differ.
        """
        passed = float("inf") if moment is None else abs((self.now - moment).total_seconds())
        return min(passed, self.up_for)


def within(name: SignName, value: float, limit: float, unit: Unit, about: str = "") -> Sign:
    """Return a sign that fails when its value exceeds the limit."""
    known = None if value == float("inf") else round(value, 1)
    return Sign(name, value > limit, known, limit, unit, about)


def unknown(name: SignName) -> Sign:
    """Return a sign that can't be seen, because what it is read from has failed."""
    return Sign(name, failed=True, is_known=False)


def failed_names(signs: Iterable[Sign]) -> list[SignName]:
    """Return the kinds of signs that have failed, each once; those that can't be seen are left out."""
    return list(dict.fromkeys(sign.name for sign in signs if sign.failed and sign.is_known))
