"""Whether the site's parts run: the signs of health as lines, and the age of the last backup."""

from collections.abc import Iterable

from django.conf import settings
from django.db import DatabaseError, connection
from django.template.defaultfilters import filesizeformat

from accounts import clock
from accounts.mail.circuit_breaker import outage
from condottiere_site.health.backup_sign import backup_signs
from condottiere_site.health.readiness import signs_now
from condottiere_site.health.signs import Ages, Sign, SignName
from condottiere_site.site_checks.check_results import CheckResult, failed, passed, skipped, warning

_DAY = 86_400
_MOST_NAMED = 3
_ELSEWHERE = {SignName.BACKUP, SignName.CLOCK}  # a check of their own
_LINE_NAMES: dict[str, str] = {
    SignName.TICKS: "worker and beat",
    SignName.MAIL_SERVER: "mail outage",
    SignName.EMAIL: "outbox",
}
_GOOD: dict[str, str] = {
    SignName.DATABASE: "The database answers.",
    SignName.MIGRATIONS: "The database is of this release.",
    SignName.REDIS: "Redis answers.",
    SignName.TICKS: "All tasks ran in time.",
    SignName.MAIL_SERVER: "The mail server takes emails, as far as the worker knows.",
    SignName.EMAIL: "No email waits too long.",
    SignName.DEADLINES: "No deadline waits too long for the clock.",
}


def check_signs() -> list[CheckResult]:
    """Return a line for each kind of sign."""
    signs = [sign for sign in signs_now() if sign.name not in _ELSEWHERE]
    names = dict.fromkeys(sign.name for sign in signs)
    lines = [_line(name, [sign for sign in signs if sign.name == name]) for name in names]
    if not settings.REDIS_URL:
        lines.insert(1, skipped("redis", "There is none: beat and worker run in one process, as with play."))
    return lines


def _line(name: SignName, signs: list[Sign]) -> CheckResult:
    title = _LINE_NAMES.get(name, name.replace("_", " "))
    bad = [sign for sign in signs if sign.failed]
    if not bad:
        return passed(title, _GOOD.get(name) or _amounts(signs))
    if not all(sign.is_known for sign in bad):
        return skipped(title, "It can't be seen while the database doesn't answer or isn't upgraded.")
    return failed(title, _words_of_failure(name, bad), str(bad[0].what_to_do))


def _words_of_failure(name: SignName, bad: list[Sign]) -> str:
    match name:
        case SignName.DATABASE:
            return "The database doesn't answer."
        case SignName.REDIS:
            return "Redis doesn't answer."
        case SignName.MIGRATIONS:
            return "The database isn't of this release."
        case SignName.TICKS:
            return _late_tasks(bad)
        case SignName.MAIL_SERVER:
            row = outage()
            return f"Emails wait for the mail server. It said: {row.last_error if row else 'nothing'}"
        case SignName.EMAIL:
            return f"The oldest email waits for {_seconds(bad[0])}."
        case SignName.DEADLINES:
            return f"The oldest deadline waits for {_seconds(bad[0])}."
    return _amounts(bad)


def _late_tasks(bad: list[Sign]) -> str:
    never = [sign.about for sign in bad if sign.value is None]
    late = [f"{sign.about} ({_seconds(sign)} ago)" for sign in bad if sign.value is not None]
    told = [f"Never ran: {_some(never)}."] if never else []
    return " ".join([*told, *([f"Last ran too long ago: {_some(late)}."] if late else [])])


def _some(names: list[str]) -> str:
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _seconds(sign: Sign) -> str:
    return "a very long time" if sign.value is None else f"{sign.value:.0f} s"


def _amounts(signs: Iterable[Sign]) -> str:
    return " ".join(f"{filesizeformat(sign.value or 0)} are free." for sign in signs).replace("\xa0", " ")


def check_backup() -> CheckResult:
    """Check that an automatic backup was made lately."""
    name, advice = "backup", "Let a timer run: python3 manage.py backup FOLDER --keep 14 (docs/HOSTING.md)."
    try:
        signs = backup_signs(Ages(clock.now()))
    except DatabaseError:
        connection.close()
        return skipped(name, "It can't be seen while the database doesn't answer or isn't upgraded.")
    if not signs:
        return warning(name, "No automatic backup was ever made.", advice)
    age = signs[0].value or 0
    if signs[0].failed:
        return failed(name, f"The last automatic backup is {age / _DAY:.0f} days old.", advice)
    return passed(name, f"The last automatic backup is {age / 3600:.0f} hours old.")
