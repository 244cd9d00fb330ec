"""What the database is: new, of this release or another, of another program, or restored in part."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from django.conf import settings
from django.db.migrations.loader import MigrationLoader
from django.db.models import Model

from accounts.full_disk import cannot_store
from condottiere_site import __version__
from condottiere_site.database_contents import DatabaseContents, Migrations, migrations_table, read_contents
from condottiere_site.key_digest import is_key_of
from condottiere_site.models import Installation

FIRST = ("condottiere_site", "0001_initial")  # every release begins a database with it
BEFORE_RELEASES = ("condottiere_site", "0001_cache_table")
GAMES = {"games_game", "games_logentry"}  # in databases of every age
RESTORING = "condottiere_restoring"  # a table that is there while a restore fills PostgreSQL

INTERRUPTED = "A restore into this database was interrupted. Run the same restore command again."
OLDER = (
    "This database was made before release 0.1.0 and can't be upgraded. Its finished games can be exported "
    "with the old code (export_game) and imported with the new (import_game) into an empty database; running "
    "games and accounts can't be taken along."
)
NEWER = "This database is of a newer release{of}, and this code is {ours}. Start that release or a newer one."
FOREIGN = (
    "This database belongs to another program: it has a table {table}. Let DATABASE_URL name this site's "
    "database, or an empty one."
)
INCOMPLETE = (
    "This database isn't complete: it lacks {what}. It was restored in part, or changed by something else "
    "than this program. Restore a backup into an empty database."
)
EMPTY = "The database is empty. Run `python3 manage.py migrate` first, or restore a backup."
BEHIND = "The database is of release {of}, and this code is {ours}. Run `python3 manage.py upgrade` first."
OTHER_KEY = (
    "The site's key isn't the one that this database was used with: links in emails already sent wouldn't "
    "open, and everyone would be signed out. Set SECRET_KEY as it was, or put back {file}; a backup has the "
    "key too. To use the new key from now on, stop the site and run `python3 manage.py accept_key`."
)
UNCHANGED = " Nothing was changed."


@dataclass(frozen=True)
class DatabaseState:
    """The state of the database. `problem` says in a sentence why nothing may be changed, or is empty."""

    problem: str = ""
    is_newer: bool = False
    is_empty: bool = False
    applied: Migrations = frozenset()
    pending: Migrations = frozenset()
    version: str = ""
    previous_version: str = ""

    @property
    def serving_problem(self) -> str:
        """Return why web, worker and beat of this code can't serve the database, or an empty text.

        Processes of the release before may: an upgrade migrates while they serve.
        """
        if self.problem:
            may_serve = self.is_newer and __version__ in {self.version, self.previous_version}
            return "" if may_serve else self.problem
        if self.is_empty:
            return EMPTY + UNCHANGED
        if self.pending:
            return BEHIND.format(of=self.version or "0.1.0", ours=__version__) + UNCHANGED
        return ""


def database_state(*, with_any_key: bool = False) -> DatabaseState:
    """Look at the database. Raises DatabaseError if it can't be read.

    Another key than the one it was used with is a problem, except `with_any_key`.
    """
    loader = MigrationLoader(None)
    if FIRST not in loader.disk_migrations:
        return DatabaseState()  # tests make the tables from the models
    found = read_contents()
    known = frozenset(loader.disk_migrations)
    if not found.tables - {migrations_table()} and not found.applied:
        return DatabaseState(is_empty=True, pending=known)
    judge = _Judge(found, loader)
    problem = judge.problem()
    if not problem and not with_any_key and not is_key_of(found.key_digest):
        problem = OTHER_KEY.format(file=settings.STATE_DIR / "secret_key")
    return DatabaseState(
        problem=problem and problem + UNCHANGED,
        is_newer=problem == judge.newer,
        applied=found.applied,
        pending=known - found.applied,
        version=found.version,
        previous_version=found.previous_version,
    )


def unusable(error: Exception) -> str:
    """Return in one line that the database can't be used, why, and what to do if its disk is full."""
    said = f"The database can't be used: {' '.join(str(error).split())}"
    return (
        f"{said}. Make room on its disk, and see that it can be written to." if cannot_store(error) else said
    )


def as_numbers(version: str) -> tuple[int, ...]:
    """Return a version's numbers, to compare."""
    return tuple(int(part) for part in version.split(".") if part.isdigit())


class _Judge:
    """Compares what was found with what the migrations of this code make."""

    def __init__(self, found: DatabaseContents, loader: MigrationLoader) -> None:
        self._found, self._loader = found, loader
        self._known = frozenset(loader.disk_migrations)
        applied = found.applied & self._known
        self._applied_models = self._models(applied)
        self._models_of_all = self._applied_models if applied == self._known else self._models(self._known)
        is_named = as_numbers(found.version) > as_numbers(__version__)  # not while that release migrates
        self.newer = NEWER.format(of=f" ({found.version})" if is_named else "", ours=__version__)

    def problem(self) -> str:
        found = self._found
        begun = FIRST in found.applied or Installation._meta.db_table in found.tables
        foreign = sorted(found.tables - _tables(self._models_of_all) - {RESTORING})
        if RESTORING in found.tables:
            return INTERRUPTED
        if not begun and (BEFORE_RELEASES in found.applied or found.tables >= GAMES):
            return OLDER
        if not begun and foreign:
            return FOREIGN.format(table=foreign[0])
        if found.applied - self._known or as_numbers(found.version) > as_numbers(__version__):
            return self.newer
        missing = self._missing()
        return INCOMPLETE.format(what=missing) if missing else ""

    def _missing(self) -> str:
        """Return the first thing that the applied migrations made and that isn't there, or an empty text."""
        not_recorded = self._found.tables & _tables(self._models_of_all) - _tables(self._applied_models)
        if not_recorded:
            return f"the record of the migration that made the table {min(not_recorded)}"
        nodes = self._loader.graph.node_map
        for applied in sorted(self._found.applied & set(nodes)):
            for parent in nodes[applied].parents:
                if parent.key not in self._found.applied:
                    return f"the record of the migration {'.'.join(parent.key)}"
        missing = (what for model in self._applied_models for what in _missing_of(model, self._found))
        return next(missing, "")

    def _models(self, applied: Migrations) -> list[type[Model]]:
        nodes = [node for node in self._loader.graph.nodes if node in applied]
        models = self._loader.project_state(nodes).apps.get_models(include_auto_created=True)
        return [model for model in models if model._meta.managed and not model._meta.proxy]


def _tables(models: list[type[Model]]) -> frozenset[str]:
    """Return the tables of these models, with those that no model has."""
    cache = str(settings.CACHES["default"]["LOCATION"])
    return frozenset({model._meta.db_table for model in models} | {cache, migrations_table()})


def _missing_of(model: type[Model], found: DatabaseContents) -> Iterator[str]:
    table = model._meta.db_table
    if table not in found.tables:
        yield f"the table {table}"
        return
    fields = model._meta.local_concrete_fields
    for field in fields:
        if (table, str(field.column)) not in found.columns:
            yield f"the column {field.column} of {table}"
    for index in model._meta.indexes:
        if index.name not in found.indexes:
            yield f"the index {index.name} of {table}"
    if found.keys is not None:
        primary, foreign = found.keys.get(table, (0, 0))
        if not primary:
            yield f"the primary key of {table}"
        if foreign < sum(bool(field.remote_field and field.db_constraint) for field in cast(Any, fields)):
            yield f"a foreign key of {table}"
