"""Names of editions and optional rules, and each option in a sentence."""

from __future__ import annotations

from django.utils.translation import gettext_lazy, pgettext_lazy

EDITION_NAMES = {
    "2007": gettext_lazy("The 2007 edition"),
    "1995": gettext_lazy("The 1995 edition"),
}

OPTION_NAMES = {
    "bigger-kingdoms": pgettext_lazy("option", "Bigger Kingdoms"),
    "capturing-regions": pgettext_lazy("option", "Capturing Regions"),
    "draw-after-battle": pgettext_lazy("option", "Draw After Battle"),
    "hidden-cards": pgettext_lazy("option", "Hidden Cards"),
    "playing-for-points": pgettext_lazy("option", "Playing for Points"),
}

OPTION_GISTS = {
    "bigger-kingdoms": gettext_lazy("A connected group must have one more region to win."),
    "capturing-regions": gettext_lazy("Players can also fight for regions that someone holds."),
    "draw-after-battle": gettext_lazy("Everyone draws cards after each battle; there are no rounds."),
    "hidden-cards": gettext_lazy("Cards that give strength are played face down at first."),
    "playing-for-points": gettext_lazy("Several games make a match, and each game scores points."),
}


def edition_name(edition: str) -> str:
    """Return an edition's name."""
    return str(EDITION_NAMES[edition])


def option_name(option: str) -> str:
    """Return an optional rule's name."""
    return str(OPTION_NAMES[option])
