"""Where a rule is told."""

from __future__ import annotations

from django.urls import reverse

from games.rules import CARDS, EDITIONS, Options


def rule_url(edition: str, *, card: str | None = None, option: str | None = None) -> str:
    """The page of an edition, of one of its cards, or of one of its options. Raises ValueError for a card or
    an option the edition does not have, KeyError for an unknown edition."""
    if card is not None and option is not None:
        raise ValueError("a rule is that of a card or of an option")
    if option is not None:
        if option not in EDITIONS[edition].variants:
            raise ValueError(f"{option!r} is no option of {edition!r}")
        return reverse(option_address(edition, option))
    page = reverse(edition_address(edition))
    if card is None:
        return page
    if card not in cards_of(edition):
        raise ValueError(f"{card!r} is no card of {edition!r}")
    return f"{page}#{card_anchor(card)}"


def edition_address(edition: str) -> str:
    """The name of an edition's address."""
    return f"rules_{EDITIONS[edition].name}"


def option_address(edition: str, option: str) -> str:
    """The name of an option's address."""
    return f"{edition_address(edition)}_{option}"


def card_anchor(card: str) -> str:
    """Where on its edition's page a card stands."""
    return f"card-{card}"


def cards_of(edition: str) -> tuple[str, ...]:
    """The cards an edition has, each once, in their usual order."""
    deck = set(Options(edition).deck)
    return tuple(card for number, card in enumerate(CARDS) if number in deck)
