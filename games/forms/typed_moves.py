"""Moves and standing orders as a page or a link posts them."""

from __future__ import annotations

import re
from collections.abc import Callable

from django.http import QueryDict

from accounts.characters import cut
from games.forms.typed_text import read_number
from games.narration.typed_names import meant, names_of_cards
from games.orders import HOLD, LISTED, MARGIN, Aside, Fight, Order
from games.rules import CARDS, Move, parse_move

MOST_LISTED, LONGEST_CARD = 100, 20  # far more than a hand holds and a card's name has
_BUTTONS = ("hold", "fight_on", "aside", "move")  # the last gives no standing order
LONGEST_MOVE = 60  # any move of a person's; only the site's own shuffles are longer


def read_move(asked: QueryDict) -> Move | str:
    """Return the move a form or a link names.

    A str is the beginning of a move that needs a second step, or no move. Cards ticked one by one (R18)
    arrive as `card` and are put into the one exact order.
    """
    text = next((text for name in _BUTTONS if (text := asked.get(name))), "")
    if text == "keep":
        kept = sorted(asked.getlist("card")[:3], key=lambda card: CARDS.index(card) if card in CARDS else 0)
        text = "keep " + (" ".join(kept) or "nothing")
    try:
        return parse_move(text) if len(text) <= LONGEST_MOVE else text
    except ValueError:
        return text


def read_order(asked: QueryDict, move: Move, limit_above_line: Callable[[int], int]) -> Order | None:
    """Return the standing order to give with a move; None for none."""
    if "hold" in asked:
        return HOLD
    if "aside" in asked:
        return Aside()
    return read_fight(asked, limit_above_line, move.card) if "fight_on" in asked else None


def read_fight(asked: QueryDict, limit_above_line: Callable[[int], int], after: str | None = None) -> Fight:
    """Return the cards and the limit to fight on with; what cannot be read is refused with the order.

    What is typed counts before what is picked. No card at all is the order to hold. `limit_above_line`
    returns the limit that is so far above the strongest line. `after` is a card that is played first, so the
    list holds one fewer of it.
    """
    listed = asked.get("listed", "").strip() or " ".join(asked.getlist("cards")[:MOST_LISTED])
    words = re.split(r"[\s,;]+", listed, maxsplit=MOST_LISTED)
    named = {name: card for name, card in names_of_cards().items() if card in LISTED}
    cards = [meant(word, named) or cut(word, LONGEST_CARD) for word in words if word]
    if after in cards:
        cards.remove(after)
    if not cards:
        return HOLD
    typed, margin = asked.get("limit", "").strip(), read_number(asked.get("above", ""))
    limit = (read_number(typed) or 0) if typed else limit_above_line(MARGIN if margin is None else margin)
    return Fight(tuple(cards), limit, "pass" in asked)
