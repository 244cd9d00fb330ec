"""URLs of the rules pages."""

from __future__ import annotations

from django.urls import reverse

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
