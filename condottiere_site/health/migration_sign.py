"""The sign that the database has every change that this code needs."""

from functools import cache

from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from condottiere_site.health.signs import Ages, Sign, SignName, Unit, within


def migration_signs(_ages: Ages) -> list[Sign]:
    """Return how many migrations of this code are not applied. A newer release's database has all of them."""
    applied = MigrationRecorder.Migration.objects.values_list("app", "name")
    missing = _known() - set(applied)
    return [within(SignName.MIGRATIONS, len(missing), 0, Unit.MIGRATIONS)]


@cache
def _known() -> frozenset[tuple[str, str]]:
    return frozenset(MigrationLoader(None).disk_migrations)
