"""The release that the database belongs to, noted when all migrations are applied."""

from condottiere_site import __version__
from condottiere_site.database_state import as_numbers, database_state
from condottiere_site.key_digest import note_key
from condottiere_site.models import Installation


def note_release() -> None:
    """Note this code's release in the database, and the site's key, if all of its migrations are applied."""
    state = database_state()
    if state.problem or state.pending or not state.applied:
        return
    if state.version != __version__:
        previous = state.version if is_next(state.version, __version__) else ""
        Installation.objects.update_or_create(
            pk=1, defaults={"version": __version__, "previous_version": previous}
        )
    note_key()


def is_next(before: str, after: str) -> bool:
    """Return whether no release that may change tables lies between the two.

    Then processes of the first may go on serving what the second has migrated. Numbers are
    major.minor.patch, and a patch changes no tables.
    """
    old, new = as_numbers(before), as_numbers(after)
    return len(old) > 1 and len(new) > 1 and old[0] == new[0] and 0 <= new[1] - old[1] <= 1
