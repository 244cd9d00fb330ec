"""Standing orders in words: what one does, why it asks its player, and what is wrong with one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from django.utils.translation import gettext as _

from games.narration.cast import Cast
from games.narration.vocabulary import and_cards, card_name, card_names
from games.orders import HIGHEST_LIMIT, Aside, Fight, Order, Problem, Why, Wrong
from games.rules import Observation


def aside_label() -> str:
    """Return the label of the button that stands aside."""
    return _("Stand aside in this battle")


def hold_label(card: str) -> str:
    """Return the label of the button that plays a card and holds."""
    # Translators: a button. card is a card's name.
    return _("Play %(card)s, and pass once everyone else has") % {"card": card_name(card)}


def fight_on_label(card: str) -> str:
    """Return the label of the button that plays a card and fights on."""
    return _("Play %(card)s and fight on") % {"card": card_name(card)}


def order_text(order: Order) -> str:
    """Return what a standing order does for its player, and when they decide again."""
    if isinstance(order, Aside):
        if order.even_with_one_rival:
            return _("Your standing order passes for you in this battle.")
        return _("Your standing order passes for you in this battle. We ask you if only one rival is left.")
    if not order.cards:
        return _(
            "Your standing order passes for you once everyone else has and you are ahead. We ask you if "
            "anything else happens."
        )
    # Translators: cards is a list of card names in the order of play; limit is a strength.
    text = (
        _(
            "Your standing order plays these cards one by one: %(cards)s. It passes once everyone else has "
            "passed and you are ahead, or once another player’s strength is %(limit)d or more. We ask you "
            "when another player plays a Winter or Spring, or takes a card from your line."
        )
        if order.passes_at_limit
        else _(
            "Your standing order plays these cards one by one: %(cards)s. It passes once everyone else has "
            "passed and you are ahead. We ask you once another player’s strength is %(limit)d or more. We "
            "also ask when another player plays a Winter or Spring, or takes a card from your line."
        )
    )
    return text % {"cards": card_names(order.cards), "limit": order.limit}


def aside_text(*, waits: bool) -> str:
    """Return what standing aside would do; `waits` is true for a defender who can pass and wait (R33)."""
    if waits:
        return _(
            "You pass now, and again once everyone else has if that keeps your region. If anything else "
            "happens, you decide again."
        )
    return _("You pass, and play no more cards in this battle.")


def aside_later_text() -> str:
    """Return what standing aside would do while others decide."""
    return _("You pass as soon as it’s your turn again in this battle. We ask you if only one rival is left.")


def hold_text() -> str:
    """Return what holding would do, before the order is given."""
    return _("You pass once everyone else has and you are ahead. If anything else happens, you decide again.")


def fight_on_text(order: Fight) -> str:
    """Return what fighting on with these cards would do, before the order is given."""
    words = {"cards": and_cards(order.cards), "limit": order.limit}
    # Translators: cards is a list of card names in the order of play, such as "1, 3 and 6"; limit is
    # a strength.
    text = _(
        "Fight on with %(cards)s. You decide again once another player’s strength is %(limit)d or more, or "
        "when something special happens."
    )
    return text % words


def stop_text(stop: Sequence[object], names: Sequence[str], seen: Observation) -> str:
    """Return why a standing order ended and asks its player: `stop` is the reason, seat and card.

    `seen` is the position at which it ended.
    """
    reason, seat, card = stop
    why, by = Why(str(reason)), seat if isinstance(seat, int) else None
    words = {
        "name": "" if by is None else Cast.of(names)[by],
        "card": card_name(str(card)) if card else "",
    }
    if why == Why.SPECIAL and card == "scarecrow":
        return (
            _("Your standing order has ended: %(name)s took a Mercenary from your line with a Scarecrow.")
            % words
        )
    if why == Why.LIST_DONE and by is not None:  # it held, and this player is still in
        return _played_on(seen, by, is_known=bool(card)) % words
    return _STOPS[why]() % words


def _played_on(seen: Observation, seat: int, *, is_known: bool) -> str:
    """Return why holding ended, as a message: what the player of this seat did instead of passing."""
    if is_known:
        return _STOPS[Why.SPECIAL]()
    if seen.face_down[seat]:
        # Translators: name is a player.
        return _("Your standing order has ended: %(name)s played a card face down.")
    if seat in seen.holds_back:
        # Translators: name is a player, who has passed and may still play a card.
        return _("Your standing order has ended: %(name)s, as the defender, is still in this battle.")
    # Translators: name is a player.
    return _("Your standing order has ended: %(name)s is still in this battle.")


_STOPS: dict[Why, Callable[[], str]] = {
    Why.HELD_BACK: lambda: _(
        "Your standing order has ended: you passed, but as the defender you’re still in this battle."
    ),
    Why.ALONE: lambda: _("Your standing order has ended: everyone else is out of this battle."),
    # Translators: name is a player.
    Why.ONE_RIVAL: lambda: _("Your standing order has ended: only %(name)s is left with you."),
    # Translators: name is a player.
    Why.SPECIAL: lambda: _("Your standing order has ended: %(name)s played %(card)s."),
    # Translators: name is a player.
    Why.TURNED_UP: lambda: _("Your standing order has ended: %(name)s turned up %(card)s."),
    # Translators: name is a player; the limit is a strength that the reader chose.
    Why.LIMIT: lambda: _("Your standing order has ended: %(name)s has reached its limit."),
    Why.LIST_DONE: lambda: _("Your standing order has ended: it has played all its cards."),
    Why.CARD_GONE: lambda: _("Your standing order has ended: you no longer hold its next card, %(card)s."),
}


def refused_order(problems: Sequence[Problem]) -> str:
    """Return the first thing that is wrong with an order, and what to do."""
    return " ".join([_problem_text(problems[0]), _("Nothing was changed.")])


def _problem_text(problem: Problem) -> str:
    words = {"card": card_name(problem.card or ""), "most": HIGHEST_LIMIT}
    return _PROBLEMS[problem.wrong]() % words


_PROBLEMS: dict[Wrong, Callable[[], str]] = {
    Wrong.TURNED_OFF: lambda: _("This table plays without standing orders."),
    Wrong.NO_BATTLE: lambda: _("A standing order needs a battle. Give it once the next one has begun."),
    Wrong.OUT: lambda: _("You are out of this battle, so a standing order would do nothing."),
    Wrong.NOT_LISTED: lambda: _(
        "A standing order can’t play “%(card)s”. Use Mercenaries, Courtesan, Heroine or Drummer."
    ),
    Wrong.NOT_HELD: lambda: _("You don’t hold as many cards “%(card)s”. Choose cards from your hand."),
    Wrong.LIMIT: lambda: _("Enter a limit from 1 to %(most)d."),
}
