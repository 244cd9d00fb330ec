"""The players of worked examples and pictures, in seating order; texts about them name them too."""

from __future__ import annotations

from django.utils.translation import pgettext_lazy

# The players of worked examples and pictures, in seating order; texts about them name them too.
_EXAMPLE_NAMES = (
    pgettext_lazy("player in an example", "Anna"),
    pgettext_lazy("player in an example", "Bruno"),
    pgettext_lazy("player in an example", "Carla"),
    pgettext_lazy("player in an example", "Dario"),
    pgettext_lazy("player in an example", "Elena"),
    pgettext_lazy("player in an example", "Fabio"),
)


def example_names(players: int = len(_EXAMPLE_NAMES)) -> tuple[str, ...]:
    """Return the names of this many players of an example, in the reader's language."""
    return tuple(str(name) for name in _EXAMPLE_NAMES[:players])
