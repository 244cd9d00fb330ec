"""What the editions and the optional rules are called, and each option in a sentence."""

from __future__ import annotations

from django.utils.translation import gettext_lazy, pgettext_lazy

EDITION_NAMES = {
    "2007": gettext_lazy("The game of 2007"),
    "1995": gettext_lazy("The game of 1995"),
}

OPTION_NAMES = {
    "bigger-kingdoms": pgettext_lazy("option", "Bigger Kingdoms"),
    "capturing-regions": pgettext_lazy("option", "Capturing Regions"),
    "draw-after-battle": pgettext_lazy("option", "Draw After Battle"),
    "hidden-cards": pgettext_lazy("option", "Hidden Cards"),
    "playing-for-points": pgettext_lazy("option", "Playing for Points"),
}

OPTION_GISTS = {
    "bigger-kingdoms": gettext_lazy("A connected group must have one region more to win."),
    "capturing-regions": gettext_lazy("A region that somebody holds may be fought for as well."),
    "draw-after-battle": gettext_lazy("Cards are drawn after each battle; there are no rounds."),
    "hidden-cards": gettext_lazy("Cards that give strength are first played face down."),
    "playing-for-points": gettext_lazy("Several games make a match; each game scores points."),
}


def edition_name(edition: str) -> str:
    """What an edition is called."""
    return str(EDITION_NAMES[edition])


def option_name(option: str) -> str:
    """What an optional rule is called."""
    return str(OPTION_NAMES[option])
