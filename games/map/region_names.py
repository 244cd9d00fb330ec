"""The names of the regions, in the reader's language."""

from __future__ import annotations

from django.utils.translation import pgettext_lazy

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
