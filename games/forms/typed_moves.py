"""Moves and standing orders as a page or a link posts them."""

from __future__ import annotations

import re

from django.http import QueryDict

from accounts.characters import cut
from games.forms.typed_text import read_number
from games.narration.typed_names import meant, names_of_cards
from games.orders import LISTED, Fight
from games.rules import CARDS, Move, parse_move

MOST_LISTED, LONGEST_CARD = 100, 20  # far more than a hand holds and a card's name has
LONGEST_MOVE = 60  # any move of a person's; only the site's own shuffles are longer


def read_move(asked: QueryDict) -> Move | str:
    """Return the move a form or a link names.

    A str is the beginning of a move that needs a second step, or no move. Cards ticked one by one (R18)
    arrive as `card` and are put into the one exact order.
    """
    text = asked.get("fight_on") or asked.get("move", "")
    if text == "keep":
        kept = sorted(asked.getlist("card")[:3], key=lambda card: CARDS.index(card) if card in CARDS else 0)
        text = "keep " + (" ".join(kept) or "nothing")
    try:
        return parse_move(text) if len(text) <= LONGEST_MOVE else text
    except ValueError:
        return text


def read_fight(asked: QueryDict, after: str | None = None) -> Fight:
    """Return the cards and the limit to fight on with; what cannot be read is refused with the order.

    `after` is a card that is played first, so the list holds one fewer of it.
    """
    words = re.split(r"[\s,;]+", asked.get("cards", ""), maxsplit=MOST_LISTED)
    named = {name: card for name, card in names_of_cards().items() if card in LISTED}
    cards = [meant(word, named) or cut(word, LONGEST_CARD) for word in words if word]
    if after in cards:
        cards.remove(after)
    limit = read_number(asked.get("limit", "").strip()) or 0
    return Fight(tuple(cards), limit, "pass" in asked)
