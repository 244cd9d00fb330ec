"""Find rows that are saved from a stale copy: a column that has changed since the copy was read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from typing import Any

import pytest
from django.db.models import Model


@contextmanager
def stale_saves() -> Iterator[list[str]]:
    """Yield a list of saves that overwrote a change they had not read; it grows while models are saved.

    Replaces Django's `Model.from_db`, `Model.refresh_from_db` and `Model.save_base`, which every read and
    every save of an object goes through.
    """
    found: list[str] = []
    from_db, refresh, save_base = Model.from_db.__func__, Model.refresh_from_db, Model.save_base  # type: ignore[attr-defined]

    def read(cls: type[Model], db: str | None, names: Any, values: Any) -> Model:
        row: Model = from_db(cls, db, names, values)
        row.__dict__["_read"] = _columns(row)
        return row

    def read_again(row: Model, *args: Any, **options: Any) -> None:
        refresh(row, *args, **options)
        row.__dict__["_read"] = _columns(row)

    def save(row: Model, *args: Any, **options: Any) -> None:
        names = options.get("update_fields")
        if "_read" in row.__dict__:
            found.extend(_overwritten(row, names))
        save_base(row, *args, **options)
        row.__dict__["_read"] = row.__dict__.get("_read", {}) | _columns(row, names)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Model, "from_db", classmethod(read))
        patch.setattr(Model, "refresh_from_db", read_again)
        patch.setattr(Model, "save_base", save)
        yield found


def _columns(row: Model, update_fields: Any = None) -> dict[str, Any]:
    """Return the columns of the row that are known, as they are now."""
    names = [field.attname for field in _fields(row, update_fields)]
    known = {name: row.__dict__[name] for name in names if name in row.__dict__}
    return {
        name: deepcopy(value) if isinstance(value, (list, dict)) else value for name, value in known.items()
    }


def _fields(row: Model, update_fields: Any) -> list[Any]:
    fields = row._meta.concrete_fields
    return [one for one in fields if update_fields is None or {one.name, one.attname} & set(update_fields)]


def _overwritten(row: Model, update_fields: Any) -> Iterator[str]:
    columns = [name for name in _columns(row, update_fields) if name in row.__dict__["_read"]]
    stored = type(row)._base_manager.filter(pk=row.pk).values(*columns).first() or {}
    for column, value in stored.items():
        was, new = row.__dict__["_read"][column], row.__dict__[column]
        if value not in (was, new):
            yield f"{type(row).__name__}.{column} of {row.pk}: read {was}, stored {value}, saved {new}"
