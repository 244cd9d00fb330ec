"""Lookups that the admin accepts in a URL's query string."""

from collections.abc import Iterable

_KINDS = frozenset({"", "exact", "in", "isnull", "gte", "lt"})  # the lookups of Django's own filters


def is_offered(lookup: str, filters: Iterable[object]) -> bool:
    """Return whether an admin page offers this lookup itself.

    Django allows any column of the row: `?password__startswith=` would reveal one piece by piece.
    """
    field, _separator, kind = lookup.partition("__")
    return field in filters and kind in _KINDS
