"""Registry of what each app does with personal data: export it, erase it, leave what an account is part of.

Each app registers its own functions in AppConfig.ready. No app may touch another's rows.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from accounts.models import User


@dataclass(frozen=True)
class PersonalData:
    """One app's functions for the data of one person.

    `export` returns the data as plain values. `leave` runs before anything is deleted, and when an operator
    closes the account. Then `prepare` locks what else must be locked first. `redact` empties what the person
    wrote and others go on reading. `erase` deletes what may be deleted.
    """

    export: Callable[[User], dict[str, Any]]
    erase: Callable[[User], None]
    redact: Callable[[User], None] | None = None
    leave: Callable[[User], None] | None = None
    prepare: Callable[[User], None] | None = None


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


def erase_personal_data(people: Sequence[User], *, with_words: bool = False) -> None:
    """Leave everything and delete what may be deleted in all apps, the accounts' own rows last.

    `with_words` also empties what these people wrote. One step is done for all of them before the next, so
    that rows are locked in the order in which all others lock them.
    """
    _do(people, [data.leave for data in _registered])
    _do(people, [data.prepare for data in _registered])
    if with_words:
        _do(people, [data.redact for data in _registered])
    _do(people, [data.erase for data in _registered])


def leave_in_all_apps(user: User) -> None:
    """Remove a person from tables, seats and seasons when an operator closes the account."""
    _do([user], [data.leave for data in _registered])


def _do(people: Iterable[User], actions: Collection[Callable[[User], None] | None]) -> None:
    for person in people:
        for action in actions:
            if action is not None:
                action(person)
