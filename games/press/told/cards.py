"""What the table says of cards that were shown: who held which, at what moment, and how that can be checked.

While a game runs its moment is a step, which the whole table counts alike; a ply would tell more (R17).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.names import FORMER_PLAYER, first_in_sentence
from games.models import Game, Table
from games.press.access import Reader
from games.press.models import Message, ShownCards
from games.press.told.said import TELLERS, Names, Said
from games.replaying import BrokenLog, replayed
from games.rules import observe
from games.telling.vocabulary import card_names

PART = "press/_said_shown.html"


@dataclass(frozen=True)
class Shown:
    """Cards that the table attests; what stands below `held` is known when the game is over."""

    name: str
    cards: tuple[str, ...]
    held: str  # a sentence: when
    is_right: bool | None = None  # whether the record says so too; None while it is secret
    position_url: str = ""
    proof_url: str = ""
    ply: int = 0

    @property
    def copies(self) -> list[tuple[str, int]]:
        """Each card once, with how many of it."""
        return list(Counter(self.cards).items())


def shown_in(messages: Sequence[Message], reader: Reader, names: Names) -> dict[int, Said]:
    """The attestations in these messages of one circle."""
    by_key = {message.pk: message for message in messages}
    told: dict[int, Said] = {}
    games: dict[int, Game] = {}
    for shown in ShownCards.objects.filter(message__in=by_key).select_related("game"):
        message, shown.game = by_key[shown.message_id], games.setdefault(shown.game_id, shown.game)
        shown.game.table = reader.table
        name = names.get(message.author_id, _(FORMER_PLAYER))
        told[message.number] = _said(shown, reader, name)
    return told


def _said(shown: ShownCards, reader: Reader, name: str) -> Said:
    value = _value(shown, reader, name)
    sentence = _("The table attests: %(name)s showed %(cards)s. %(held)s")
    words = {"name": name, "cards": card_names(value.cards), "held": value.held}
    return Said(f"{sentence % words} {checked(value)}".rstrip(), PART, value)


def checked(value: Shown) -> str:
    """What comparing with the record found, in a sentence; empty while the record is secret."""
    if value.is_right is None:
        return ""
    if value.is_right:
        return _("Checked against the record: so it was.")
    return _("The record of the game says otherwise: it was changed, or this was.")


def _value(shown: ShownCards, reader: Reader, name: str) -> Shown:
    cards = tuple(shown.cards)
    name = first_in_sentence(name)
    if not shown.game.is_over:
        return Shown(name, cards, _held_at_step(shown))
    history, proof = _addresses(shown, reader)
    return Shown(name, cards, _held_at_ply(shown), is_in_record(shown), history, proof, shown.ply)


def _held_at_step(shown: ShownCards) -> str:
    if shown.game.number > 1 or shown.game.table.is_match:
        said = _("Held in the hand at step %(step)d of game %(game)d; the table attests it.")
        return said % {"step": shown.step, "game": shown.game.number}
    return _("Held in the hand at step %(step)d; the table attests it.") % {"step": shown.step}


def _held_at_ply(shown: ShownCards) -> str:
    if shown.game.number > 1 or shown.game.table.is_match:
        said = _("Held in the hand at ply %(ply)d of game %(game)d; the table attests it.")
        return said % {"ply": shown.ply, "game": shown.game.number}
    return _("Held in the hand at ply %(ply)d; the table attests it.") % {"ply": shown.ply}


def is_in_record(shown: ShownCards) -> bool:
    """Whether a replay of the finished game finds the cards in that hand at that ply."""
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
    """Where this reader finds the position and the proof; empty where he may not."""
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


TELLERS[Message.Kind.SHOWN] = shown_in
