"""What a card is called and what it does, in the reader's language. Only this module says it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy, pgettext_lazy

from games.narration.cast import and_list, comma_list
from games.rules import SPEC_OF, SPRING_BONUS

# A Mercenary is called by its printed value.
CARD_NAMES = {
    "courtesan": pgettext_lazy("card", "Courtesan"),
    "heroine": pgettext_lazy("card", "Heroine"),
    "drummer": pgettext_lazy("card", "Drummer"),
    "scarecrow": pgettext_lazy("card", "Scarecrow"),
    "bishop": pgettext_lazy("card", "Bishop"),
    "winter": pgettext_lazy("card", "Winter"),
    "spring": pgettext_lazy("card", "Spring"),
    "surrender": pgettext_lazy("card", "Surrender"),
}

# Where a card can have no picture: signs of which no font has a coloured version.
CARD_SIGNS = {
    "courtesan": "❀",
    "heroine": "♛",
    "drummer": "♫",
    "scarecrow": "↶",
    "bishop": "♝",
    "winter": "❆",
    "spring": "❦",
    "surrender": "⚐",
}


class CardRule(NamedTuple):
    """What a card does, in one sentence, and the rulings that say so."""

    sentence: str | Promise
    rulings: tuple[int, ...]


_CARD_RULES: Mapping[str, CardRule] = {
    "mercenary": CardRule(gettext_lazy("Adds its printed strength to your line."), (6,)),
    "courtesan": CardRule(
        gettext_lazy(
            "With more Courtesans in your line than anyone else, you become the Condottiere after the "
            "battle, even if you lose it."
        ),
        (14,),
    ),
    "heroine": CardRule(
        # Translators: %(strength)d is a number.
        gettext_lazy("Adds %(strength)d to your line, and no other card changes that."),
        (6,),
    ),
    "drummer": CardRule(
        gettext_lazy("Doubles the Mercenaries in your line, including those you play later."), (6,)
    ),
    "scarecrow": CardRule(
        gettext_lazy("Takes one Mercenary from your line back into your hand, or none."), (10,)
    ),
    "bishop": CardRule(
        gettext_lazy(
            "Removes every Mercenary with the highest printed strength from all lines, and sends the Pope "
            "to a region or off the map."
        ),
        (8, 9),
    ),
    "winter": CardRule(
        gettext_lazy("Discards every Spring in play, and makes every Mercenary in every line count 1."),
        (6, 7),
    ),
    "spring": CardRule(
        # Translators: %(bonus)d is a number.
        gettext_lazy(
            "Discards every Winter in play, and adds %(bonus)d to every Mercenary with the highest "
            "printed strength of all lines."
        ),
        (6, 7),
    ),
    "surrender": CardRule(
        gettext_lazy("Ends the battle at once: the lines are compared as they are."), (12,)
    ),
}
_CARD_RULES_1995: Mapping[str, CardRule] = {
    "mercenary": CardRule(_CARD_RULES["mercenary"].sentence, (47,)),
    "heroine": CardRule(_CARD_RULES["heroine"].sentence, (47,)),
    "drummer": CardRule(_CARD_RULES["drummer"].sentence, (47,)),
    "scarecrow": CardRule(gettext_lazy("Takes one Mercenary from any line into your hand, or none."), (45,)),
    "bishop": CardRule(gettext_lazy("Ends the battle at once, and no one wins it."), (43,)),
    "winter": CardRule(gettext_lazy("Makes every Mercenary in every line count 1."), (47,)),
}


def card_name(card: str) -> str:
    """Return a card's name: a Mercenary by its printed value."""
    return str(CARD_NAMES.get(card, card))


def card_rule(card: str, edition: str) -> CardRule:
    """Return what a card does in an edition."""
    spec = SPEC_OF[card]
    key = "mercenary" if spec.is_mercenary else card
    changed = _CARD_RULES_1995 if edition == "1995" else {}
    rule = changed.get(key) or _CARD_RULES[key]
    return CardRule(str(rule.sentence) % {"strength": spec.strength, "bonus": SPRING_BONUS}, rule.rulings)


def card_names(cards: Iterable[str]) -> str:
    """Return several cards in one phrase; a dash for none."""
    return comma_list([card_name(card) for card in cards]) or "–"


def and_cards(cards: Iterable[str]) -> str:
    """Return several cards in one phrase for a sentence, such as "1, 3 and 6"."""
    return and_list([card_name(card) for card in cards])
