"""Cards and regions by what their buttons say in every language of the site, read once."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from django.utils.translation import gettext as _

from games.map.region_names import region_name
from games.narration.orders import aside_label, fight_on_label, hold_label
from games.narration.typed_names import in_every_language, names_of_cards, names_of_regions
from games.narration.vocabulary import card_name
from games.replies.commands import Command, words_for
from games.rules import CARDS, REGIONS


@lru_cache(maxsize=1)
def cards_by_name() -> dict[str, str]:
    """Return the cards by their names, alone and as their buttons say them."""
    return _with_command(Command.PLAY, names_of_cards()) | in_every_language(CARDS, _play_card)


@lru_cache(maxsize=1)
def fight_on_labels() -> dict[str, str]:
    """Return the cards by the buttons that play them and fight on."""
    return in_every_language(CARDS, fight_on_label)


@lru_cache(maxsize=1)
def hold_labels() -> dict[str, str]:
    """Return the cards by the buttons that play them and hold."""
    return in_every_language(CARDS, hold_label)


@lru_cache(maxsize=1)
def aside_labels() -> frozenset[str]:
    """Return what the button to stand aside says."""
    return frozenset(in_every_language(["aside"], lambda _aside: aside_label()))


@lru_cache(maxsize=1)
def regions_by_name() -> dict[str, str]:
    """Return the regions by their names, alone and as their buttons say them."""
    return _with_command(Command.FIGHT_FOR, names_of_regions()) | in_every_language(REGIONS, _fight_for)


def _with_command(command: Command, names: Mapping[str, str]) -> dict[str, str]:
    """Return what is named, by its names and by a command followed by them."""
    return {**names} | {f"{way} {name}": thing for way in words_for(command) for name, thing in names.items()}


def _play_card(card: str) -> str:
    """Return the name of the button that plays a card."""
    return _("Play %(card)s") % {"card": card_name(card)}


def _fight_for(region: str) -> str:
    """Return the name of the button that chooses a region."""
    return _("Fight for %(region)s") % {"region": region_name(region)}
