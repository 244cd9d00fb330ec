"""Registry of what each app does with personal data: export it, erase it, leave what an account is part of.

Each app registers its own functions in AppConfig.ready. No app may touch another's rows.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from accounts.models import User


@dataclass(frozen=True)
class PersonalData:
    """One app's functions for the data of one person.

    `export` returns the data as plain values. `erase` deletes what may be deleted. `redact` empties what the
    person wrote and others go on reading; it runs before any `erase`. `leave` runs when an operator closes
    the account.
    """

    export: Callable[[User], dict[str, Any]]
    erase: Callable[[User], None]
    redact: Callable[[User], None] | None = None
    leave: Callable[[User], None] | None = None


_registered: list[PersonalData] = []


def register_personal_data(data: PersonalData) -> None:
    """Register an app's functions. They run in this order, so upper apps come first in INSTALLED_APPS."""
    _registered.append(data)


def export_personal_data(user: User) -> dict[str, Any]:
    """Return what all apps store about a person."""
    exported: dict[str, Any] = {}
    for data in _registered:
        exported |= data.export(user)
    return exported


def redact_personal_data(user: User) -> None:
    """Empty what the person wrote in all apps."""
    for data in _registered:
        if data.redact is not None:
            data.redact(user)


def erase_personal_data(user: User) -> None:
    """Delete what may be deleted in all apps, the account's own row last."""
    for data in _registered:
        data.erase(user)


def leave_in_all_apps(user: User) -> None:
    """Remove a person from tables, seats and seasons when an operator closes the account."""
    for data in _registered:
        if data.leave is not None:
            data.leave(user)
