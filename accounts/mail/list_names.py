"""Names of the lists that an email's reader can turn off, by the first word of the list's id."""

from collections.abc import Callable
from typing import TypeVar

from django.utils.translation import pgettext

INVITATIONS = "invitations"  # the one list of all invitations, for every table
N = TypeVar("N", bound="Callable[[int], str]")

# Each is registered in the `emails` module of its app.
LIST_NAMES: dict[str, Callable[[int], str]] = {}


def names_list(kind: str) -> Callable[[N], N]:
    """Register the decorated function: it returns the name of the list "<kind>-<number>", or ""."""

    def register(name_of: N) -> N:
        LIST_NAMES[kind] = name_of
        return name_of

    return register


@names_list(INVITATIONS)
def _invitations(_number: int) -> str:
    return pgettext("kind of email", "Invitations")


def name_of_list(list_id: str) -> str:
    """Return the display name of a list; empty if what it was about is gone."""
    kind, _hyphen, number = list_id.partition("-")
    name_of = LIST_NAMES.get(kind)
    return name_of(int(number or 0)) if name_of else ""
