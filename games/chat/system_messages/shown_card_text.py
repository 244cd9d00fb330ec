"""System messages about shown cards.

A running game gives the moment in steps, because a ply would reveal more (R17).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.names import first_in_sentence
from games.chat.access import Reader
from games.chat.models import Message, ShownCards
from games.chat.system_messages.system_message import SystemMessage
from games.models import Game, Table
from games.models.replay import BrokenLog, replayed
from games.narration.vocabulary import card_names
from games.rules import observe

SHOWN_PART = "chat/_system_shown.html"


@dataclass(frozen=True)
class Shown:
    """Cards that the site confirms; fields below `held` are known once the game is over."""

    cards: tuple[str, ...]
    held: str  # a sentence: when
    is_right: bool | None = None  # whether the game's record agrees; None while the record is secret
    position_url: str = ""
    proof_url: str = ""
    ply: int = 0

    @property
    def copies(self) -> list[tuple[str, int]]:
        """Return each card once, with its number of copies."""
        return list(Counter(self.cards).items())

    @property
    def checked(self) -> str:
        """Return a sentence comparing the cards with the record; empty while the record is secret."""
        if self.is_right is None:
            return ""
        if self.is_right:
            return _("The game’s record confirms it.")
        return _("The game’s record says something else: either the record or this message was changed.")


def shown_in(messages: Sequence[Message], reader: Reader) -> dict[int, SystemMessage]:
    """Return the messages about shown cards among these messages of one channel, by number."""
    by_key = {message.pk: message for message in messages}
    found: dict[int, SystemMessage] = {}
    games: dict[int, Game] = {}
    for shown in ShownCards.objects.filter(message__in=by_key).select_related("game"):
        message, shown.game = by_key[shown.message_id], games.setdefault(shown.game_id, shown.game)
        shown.game.table = reader.table
        found[message.number] = _shown_message(shown, reader, message.author_id)
    return found


def _shown_message(shown: ShownCards, reader: Reader, author: int | None) -> SystemMessage:
    value = _value(shown, reader)
    words = {"name": first_in_sentence(reader.name_of(author)), "cards": card_names(value.cards)}
    # Translators: name is a player, cards is a list of cards
    showed = _("You showed %(cards)s.") if reader.is_you(author) else _("%(name)s showed %(cards)s.")
    return SystemMessage(f"{showed % words} {value.held} {value.checked}".rstrip(), SHOWN_PART, value)


def _value(shown: ShownCards, reader: Reader) -> Shown:
    cards = tuple(shown.cards)
    if not shown.game.is_over:
        return Shown(cards, _held_at_step(shown))
    history, proof = _addresses(shown, reader)
    return Shown(cards, _held_at_ply(shown), is_in_record(shown), history, proof, shown.ply)


def _held_at_step(shown: ShownCards) -> str:
    words = {"step": shown.step, "game": shown.game.number}
    if shown.game.number > 1 or shown.game.table.is_match:
        # Translators: step and game are numbers.
        return _("The site confirms that this was in the hand at step %(step)d of game %(game)d.") % words
    # Translators: step is a number.
    return _("The site confirms that this was in the hand at step %(step)d.") % words


def _held_at_ply(shown: ShownCards) -> str:
    words = {"entry": shown.ply, "game": shown.game.number}
    if shown.game.number > 1 or shown.game.table.is_match:
        # Translators: entry, of the game's log, and game are numbers.
        return _("The site confirms that this was in the hand at entry %(entry)d of game %(game)d.") % words
    # Translators: entry, of the game's log, is a number.
    return _("The site confirms that this was in the hand at entry %(entry)d.") % words


def is_in_record(shown: ShownCards) -> bool:
    """Return whether a replay of the finished game finds the cards in that hand at that ply."""
    try:
        played = replayed(shown.game)
    except BrokenLog:
        return False
    if shown.ply >= len(played.states):
        return False
    state = played.states[shown.ply]
    hand = observe(state, shown.seat).hand or ()
    return state.step == shown.step and not Counter(shown.cards) - Counter(hand)


def _addresses(shown: ShownCards, reader: Reader) -> tuple[str, str]:
    """Return the addresses of the position and the proof; empty if this reader may not see them."""
    game, table = shown.game, reader.table
    if reader.seat is not None:
        return reverse("game_history", args=[game.pk, shown.ply]), reverse("game_proof", args=[game.pk])
    if table.watch == Table.Watch.NOBODY:
        return "", ""
    if table.is_match:
        place = [table.watch_key, game.number]
        history = reverse("watch_game_history", args=[*place, shown.ply])
        return history, reverse("watch_game_proof", args=place)
    history = reverse("watch_history", args=[table.watch_key, shown.ply])
    return history, reverse("watch_proof", args=[table.watch_key])
