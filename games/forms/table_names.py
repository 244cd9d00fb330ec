"""Names that the site proposes for a new table."""

from __future__ import annotations

from secrets import choice

from django.utils.translation import gettext as _
from django.utils.translation import pgettext_lazy

_PLACES = (
    pgettext_lazy("place of an Italian battle", "Anghiari"),
    pgettext_lazy("place of an Italian battle", "Bicocca"),
    pgettext_lazy("place of an Italian battle", "Campomorto"),
    pgettext_lazy("place of an Italian battle", "Caravaggio"),
    pgettext_lazy("place of an Italian battle", "Castagnaro"),
    pgettext_lazy("place of an Italian battle", "Cerignola"),
    pgettext_lazy("place of an Italian battle", "Fornovo"),
    pgettext_lazy("place of an Italian battle", "Garigliano"),
    pgettext_lazy("place of an Italian battle", "Maclodio"),
    pgettext_lazy("place of an Italian battle", "Marignano"),
    pgettext_lazy("place of an Italian battle", "Novara"),
    pgettext_lazy("place of an Italian battle", "Pavia"),
    pgettext_lazy("place of an Italian battle", "Ravenna"),
    pgettext_lazy("place of an Italian battle", "San Romano"),
    pgettext_lazy("place of an Italian battle", "Zagonara"),
)


def proposed_name() -> str:
    """Return a default name for a table: a place where condottieri fought."""
    # Translators: the name of a table; %(place)s is the place of an Italian battle.
    return _("Field of %(place)s") % {"place": choice(_PLACES)}
