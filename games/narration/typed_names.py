"""Cards and regions as people type their names: in any language of the site, or only how a name begins.

Nothing is guessed: a beginning that several names share names none of them.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache

from django.conf import settings
from django.utils import translation

from accounts.normal_forms import normalized
from games.map.region_names import region_name
from games.narration.vocabulary import card_name
from games.rules import CARDS, REGIONS

SHORTEST_BEGINNING = 3  # letters of a name that may stand for it


def normal(text: str) -> str:
    """Return words as they are compared: in lower case, without accents and punctuation."""
    letters = normalized("NFKD", text.casefold()).replace("ł", "l")
    kept = (c if c.isalnum() else "" if unicodedata.combining(c) else " " for c in letters)
    return " ".join("".join(kept).split())


def meant(typed: str, names: Mapping[str, str]) -> str:
    """Return what has this name, or the only thing whose name begins so; empty for none.

    `names` are normal ones, each with what it names.
    """
    words = normal(typed)
    if words in names:
        return names[words]
    last = words.rpartition(" ")[2]
    if len(last) > SHORTEST_BEGINNING:  # perhaps with the ending of a case: "zimę" for Zima
        return (
            _named_by_beginning(words, names)
            or names.get(words[:-1], "")
            or _named_by_beginning(words[:-1], names)
        )
    return _named_by_beginning(words, names) if len(words) >= SHORTEST_BEGINNING else ""


def _named_by_beginning(words: str, names: Mapping[str, str]) -> str:
    begun = {thing for name, thing in names.items() if name.startswith(words)}
    return begun.pop() if len(begun) == 1 else ""


def matching(name: str, names: Iterable[str]) -> list[str]:
    """Return which of these names someone means: the same one, or else those that begin so."""
    wanted, known = normal(name), {one: normal(one) for one in names}
    same = [one for one, words in known.items() if words == wanted]
    return same or [one for one, words in known.items() if wanted and words.startswith(wanted)]


@lru_cache(maxsize=1)
def names_of_cards() -> Mapping[str, str]:
    """Return the cards by their names in every language, and by those in records."""
    return in_every_language(CARDS, card_name) | {card: card for card in CARDS}


@lru_cache(maxsize=1)
def names_of_regions() -> Mapping[str, str]:
    """Return the regions by their names in every language."""
    return in_every_language(REGIONS, region_name) | {region: region for region in REGIONS}


def in_every_language(things: Iterable[str], *ways: Callable[[str], str]) -> dict[str, str]:
    """Return the things by what these ways call them in every language of the site."""
    named, listed = dict[str, str](), tuple(things)
    for language, _name in settings.LANGUAGES:
        with translation.override(language):
            named |= {normal(way(thing)): thing for thing in listed for way in ways}
    return named
