"""What may be asked of the operator's administration by a lookup typed into an address."""

from collections.abc import Iterable

_KINDS = frozenset({"", "exact", "in", "isnull", "gte", "lt"})  # what Django's own filters ask with


def is_offered(lookup: str, filters: Iterable[object]) -> bool:
    """Whether a page of the administration offers this lookup itself.

    Django allows any column of the row: `?password__startswith=` would tell one by pieces.
    """
    field, _separator, kind = lookup.partition("__")
    return field in filters and kind in _KINDS
