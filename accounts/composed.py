"""Rows of models read by statements that are composed once.

Composing a statement from a queryset costs ten times what it takes to ask it. That matters for the few that
every page asks: who reads, and what lies on the table. Everything else goes the usual way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, cached_property
from itertools import zip_longest
from typing import Any
from weakref import WeakSet

from django.db import DEFAULT_DB_ALIAS, ProgrammingError, connection, connections, models

Model = type[models.Model]
Parameters = tuple[Any, ...] | dict[str, Any]
Answer = list[tuple[Any, ...]]
Reader = Callable[[str, Parameters], Answer]


def ask(statement: str, parameters: Parameters | None) -> Answer:
    """What the database answers now, as it answers it; without parameters a per cent sign is one."""
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        found: Answer = cursor.fetchall()
    return found


class Series:
    """Statements that are asked time and again, in this order; PostgreSQL is told them all at once."""

    def __init__(self, questions: Iterable[tuple[str, Parameters]]) -> None:
        self._questions = tuple(questions)

    def answers(self) -> list[Answer]:
        """What the database answers to each now."""
        if not self._questions or connection.vendor != "postgresql":
            return [ask(*question) for question in self._questions]
        with connection.cursor() as cursor:
            cursor.execute(self._at_once)
            found = [cursor.fetchall()]
            while cursor.nextset():
                found.append(cursor.fetchall())
        return found

    @cached_property
    def _at_once(self) -> str:
        """With the parameters in their places, as the database's own library puts them there."""
        with connection.cursor() as cursor:
            return "; ".join([cursor.mogrify(*question) for question in self._questions])


_reader: ContextVar[Reader] = ContextVar("reader", default=ask)


def rows(statement: str, *parameters: Any, **named: Any) -> Answer:
    """What the database answers, as it answers it; parameters stand in order, or have names."""
    return _reader.get()(statement, named or parameters)


@contextmanager
def read_by(reader: Reader) -> Iterator[None]:
    """While this lasts, `reader` is asked instead of the database by this thread."""
    before = _reader.set(reader)
    try:
        yield
    finally:
        _reader.reset(before)


class Planned:
    """A statement about whole numbers that PostgreSQL plans once for each of its connections.

    For one of many parts that is asked all the time: to plan it takes three times what it takes to answer it.
    """

    is_possible = True  # a pooler between here and PostgreSQL may refuse it, and is not asked a second time

    def __init__(self, name: str, text: str) -> None:
        self._text = text
        parts = text.split("%s")
        places = [f"${number}" for number in range(1, len(parts))]
        self._planning = f"PREPARE {name} AS " + "".join(
            map("".join, zip_longest(parts, places, fillvalue=""))
        )
        self._asking = f"EXECUTE {name}({', '.join(['%d'] * len(places))})"
        self._known_to: WeakSet[Any] = WeakSet()

    def rows(self, *parameters: int) -> Answer:
        """What the database answers; who takes notes (`read_by`) asks the statement itself."""
        is_plain = _reader.get() is not ask or connection.vendor != "postgresql"
        if is_plain or not self.is_possible:
            return rows(self._text, *parameters)
        try:
            return self._answer(parameters)
        except ProgrammingError:
            if connection.in_atomic_block:
                raise
            Planned.is_possible = False
            return ask(self._text, parameters)

    def _answer(self, parameters: tuple[int, ...]) -> Answer:
        here = connections[DEFAULT_DB_ALIAS]  # `connection` looks for it each time
        here.ensure_connection()
        server = here.connection
        if server not in self._known_to:
            with here.wrap_database_errors:
                server.execute(self._planning)
            self._known_to.add(server)
        return ask(self._asking % parameters, None)


class Statement:
    """A statement in which `{name}` stands for all columns of a model, whose table has that alias in it:
    `Statement("SELECT {seat} FROM games_seat AS seat WHERE seat.id = %s", seat=Seat)`."""

    def __init__(self, text: str, **read: Model) -> None:
        self._text = text
        self._models = read

    def rows(self, *parameters: Any) -> list[tuple[Any, ...]]:
        """For each row the instances that querysets would give, in the order in which the models were named;
        None for one that an outer join did not find."""
        return [self._instances(row) for row in rows(self._composed, *parameters)]

    def first(self, *parameters: Any) -> tuple[Any, ...] | None:
        """The first of these rows; None where there is none."""
        return next(iter(self.rows(*parameters)), None)

    @cached_property
    def _composed(self) -> str:
        return self._text.format(**{alias: _columns(model, alias) for alias, model in self._models.items()})

    def _instances(self, row: Sequence[Any]) -> tuple[Any, ...]:
        found, start = [], 0
        for model in self._models.values():
            names = _names(model)
            found.append(_instance(model, names, list(row[start : start + len(names)])))
            start += len(names)
        return tuple(found)


def _columns(model: Model, alias: str) -> str:
    return ", ".join(f'{alias}."{field.column}"' for field in model._meta.concrete_fields)


def _instance(model: Model, names: list[str], values: list[Any]) -> models.Model | None:
    if values[_place_of_key(model)] is None:
        return None
    for place, column, convert in _conversions(model, connection.vendor):
        values[place] = convert(values[place], column, connection)
    return model.from_db(DEFAULT_DB_ALIAS, names, values)


@cache
def _names(model: Model) -> list[str]:
    return [field.attname for field in model._meta.concrete_fields]


@cache
def _place_of_key(model: Model) -> int:
    return _names(model).index(model._meta.pk.attname)


@cache
def _conversions(model: Model, vendor: str) -> list[tuple[int, Any, Callable[..., Any]]]:
    """What has to be done to the values that this database gives in another form than the model has."""
    columns = [field.get_col(model._meta.db_table) for field in model._meta.concrete_fields]
    return [
        (place, column, convert)
        for place, column in enumerate(columns)
        for convert in (
            *connection.ops.get_db_converters(column),
            *column.get_db_converters(connection),
        )
    ]
