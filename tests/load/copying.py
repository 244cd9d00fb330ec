"""Copies rows of all tables many times, with everything that refers to one another among them.

Only PostgreSQL copies rows fast enough; nothing here is part of the site.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

from django.apps import apps
from django.db import connection, models

APPS = ("accounts", "games", "leagues", "chat", "mail", "account")
# Kept once a site, so that a second row would change what the site does; or once a day, person and action.
SINGLE = ("games.Heartbeat", "games.Outage", "mail.MailServerHealth", "accounts.RateLimitCounter")

MANY = 100  # copies, from which on indexes are built faster at the end
# Indexes of a table that are no constraints, and how to build them.
INDEXES = """
SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid) FROM pg_index
WHERE indrelid = %s::regclass AND NOT indisunique
"""


@dataclass(frozen=True)
class Block:
    """The rows of one table that are copied: those above an id, and how far a copy's ids are from them."""

    model: type[models.Model]
    above: int
    stride: int


def marks() -> dict[str, int]:
    """Return the highest id of each table."""
    return {model._meta.label: _highest(model) for model in _models()}


def copy_since(before: dict[str, int], times: int) -> None:
    """Copy all rows that came after these marks this many times."""
    blocks = {
        model: Block(model, before[model._meta.label], _highest(model) - before[model._meta.label])
        for model in _models()
    }
    with connection.cursor() as cursor:
        # Foreign keys hold by the way ids are chosen; checking each takes longer than writing it.
        cursor.execute("SET session_replication_role = replica")
        cursor.execute("SET maintenance_work_mem = '256MB'")
        for block in blocks.values():
            if block.stride:
                with _without_indexes(cursor, block) if times >= MANY else nullcontext():
                    cursor.execute(_statement(block, blocks, times))
                sequence = f"pg_get_serial_sequence('{block.model._meta.db_table}', 'id')"
                cursor.execute(
                    f"SELECT setval({sequence}, (SELECT max(id) FROM {block.model._meta.db_table}))"
                )
        cursor.execute("SET session_replication_role = origin")
        cursor.execute("ANALYZE")


@contextmanager
def _without_indexes(cursor: Any, block: Block) -> Iterator[None]:
    """Drop the table's indexes while rows are copied; all but those of constraints."""
    cursor.execute(INDEXES, [block.model._meta.db_table])
    indexes = cursor.fetchall()
    for name, _how in indexes:
        cursor.execute(f"DROP INDEX {name}")
    yield
    for _name, how in indexes:
        cursor.execute(how)


def _models() -> list[type[models.Model]]:
    return [
        model
        for app in APPS
        for model in apps.get_app_config(app).get_models(include_auto_created=True)
        if model._meta.label not in SINGLE and isinstance(model._meta.pk, models.AutoField)
    ]


def _highest(model: type[models.Model]) -> int:
    found: int = model._default_manager.aggregate(highest=models.Max("pk"))["highest"] or 0
    return found


def _statement(block: Block, blocks: dict[type[models.Model], Block], times: int) -> str:
    table, fields = block.model._meta.db_table, block.model._meta.concrete_fields
    columns = ", ".join(f'"{field.column}"' for field in fields)
    values = ", ".join(_value(field, block, blocks) for field in fields)
    return (
        f"INSERT INTO {table} ({columns}) SELECT {values} FROM {table}, generate_series(1, {times}) AS copy"
        f" WHERE {table}.id > {block.above} ORDER BY copy, {table}.id"
    )


def _value(field: models.Field[object, object], block: Block, blocks: dict[type[models.Model], Block]) -> str:
    """Return a copy's value: another id, a reference to another copy, or a text that is unique again."""
    column = f'"{field.column}"'
    if field.primary_key:
        return f"id + copy * {block.stride}"
    if isinstance(field, models.ForeignKey):
        of = blocks.get(field.related_model)
        if of is None or not of.stride:
            return column
        return f"CASE WHEN {column} > {of.above} THEN {column} + copy * {of.stride} ELSE {column} END"
    if field.unique or field.column in _in_unique_texts(block.model):
        return _made_unique(field, column)
    return column


def _in_unique_texts(model: type[models.Model]) -> Iterator[str]:
    """Yield the columns of text in constraints that hold across tables' copies."""
    for field in model._meta.concrete_fields:
        if isinstance(field, models.EmailField) and model._meta.app_label == "account":
            yield field.column


def _made_unique(field: models.Field[object, object], column: str) -> str:
    if isinstance(field, models.UUIDField):
        return f"md5({column}::text || copy)::uuid"
    if isinstance(field, models.CharField):
        return f"left(copy || '.' || {column}, {field.max_length})"
    return column
