"""The names of the regions, in the reader's language."""

from __future__ import annotations

from django.utils.translation import pgettext, pgettext_lazy

from games.rules import board

# The rules know regions by their ids, so each name stands here once for the translators.
_NAMES = {
    # Translators: a region of the map, an Italian city. Most languages keep the Italian name.
    "torino": pgettext_lazy("region", "Torino"),
    "milano": pgettext_lazy("region", "Milano"),
    "venezia": pgettext_lazy("region", "Venezia"),
    "genova": pgettext_lazy("region", "Genova"),
    "mantova": pgettext_lazy("region", "Mantova"),
    "ferrara": pgettext_lazy("region", "Ferrara"),
    "parma": pgettext_lazy("region", "Parma"),
    "modena": pgettext_lazy("region", "Modena"),
    "bologna": pgettext_lazy("region", "Bologna"),
    "lucca": pgettext_lazy("region", "Lucca"),
    "firenze": pgettext_lazy("region", "Firenze"),
    "siena": pgettext_lazy("region", "Siena"),
    "urbino": pgettext_lazy("region", "Urbino"),
    "spoleto": pgettext_lazy("region", "Spoleto"),
    "ancona": pgettext_lazy("region", "Ancona"),
    "roma": pgettext_lazy("region", "Roma"),
    "napoli": pgettext_lazy("region", "Napoli"),
}


def region_name(region: str) -> str:
    """Return a region's name. Raises KeyError for an unknown id."""
    return str(_NAMES[region])


def region_in_choices(region: str) -> str:
    """Return a region's name, followed by the one on the map where that is another. Raises KeyError as above.

    The map is one picture for all languages.
    """
    name, on_map = region_name(region), board.region_name(region)
    if name == on_map:
        return name
    # Translators: a region to choose. region is its name in your language, on_map the Italian one on the map.
    return pgettext("region", "%(region)s (%(on_map)s)") % {"region": name, "on_map": on_map}
