"""URLs of the rules pages, and the names of editions and optional rules."""

from __future__ import annotations

from django.urls import reverse
from django.utils.translation import gettext_lazy, pgettext_lazy

from games.rules import EDITIONS


def rule_url(edition: str, *, card: str | None = None, option: str | None = None) -> str:
    """Return the URL of an edition, or of one of its cards or options.

    Raises ValueError for a card or an option the edition does not have, KeyError for an unknown edition.
    """
    if card is not None and option is not None:
        raise ValueError("a rule is that of a card or of an option")
    if option is not None:
        if option not in EDITIONS[edition].variants:
            raise ValueError(f"{option!r} is no option of {edition!r}")
        return reverse(option_address(edition, option))
    page = reverse(edition_address(edition))
    if card is None:
        return page
    if card not in EDITIONS[edition].copies:
        raise ValueError(f"{card!r} is no card of {edition!r}")
    return f"{page}#{card_anchor(card)}"


def edition_address(edition: str) -> str:
    """Return the URL name of an edition."""
    return f"rules_{EDITIONS[edition].name}"


def option_address(edition: str, option: str) -> str:
    """Return the URL name of an option."""
    return f"{edition_address(edition)}_{option}"


def card_anchor(card: str) -> str:
    """Return the anchor of a card on its edition's page."""
    return f"card-{card}"


# Names of editions and optional rules, and each option in a sentence


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
