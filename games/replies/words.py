"""What a line of a reply means: a move, a standing order, or a message to the chat.

Cards, regions and buttons are understood by their names in every language of the site. Nothing is guessed: a
line that says more than a move is none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from games.map.region_names import region_name
from games.narration.typed_names import in_every_language, meant, names_of_cards, names_of_regions, normal
from games.narration.vocabulary import card_name
from games.orders import LISTED, Fight, Order, suggested
from games.presenters.game_view import GameView
from games.rules import CARDS, REGIONS, Move, parse_move

_CHAT = re.compile(r"\W*(\w+)([^:：]{0,200})[:：]\s*(.*)")
_ASIDE = ("aside", "stand aside")
_NOTHING = frozenset({"nothing", "none", "no card", "no cards"})
_OFF = frozenset({"off", "leaves the map", "off the map"})


@dataclass(frozen=True)
class Play:
    """A move, and a standing order that follows it."""

    move: Move
    order: Order | None = None


@dataclass(frozen=True)
class StandAside:
    """A standing order to stand aside."""


@dataclass(frozen=True)
class Unclear:
    """A card that can be played in several ways, and no way named."""

    card: str


@dataclass(frozen=True)
class Unread:
    """Words that are nothing of this."""


@dataclass(frozen=True)
class Message:
    """A message to everyone at the table, or to the players of these names."""

    text: str
    names: tuple[str, ...] = ()


Meaning = Play | StandAside | Unclear | Unread


# Messages to the chat


def message_in(lines: Sequence[str]) -> Message | None:
    """Return the message that these lines begin with "say: ..." or "to Bruno: ..."; None if they do not."""
    found = _CHAT.match(lines[0]) if lines else None
    if found is None:
        return None
    word, names = normal(found[1]), _names_in(found[2])
    text = "\n".join([found[3], *lines[1:]]).strip()
    if word in _words_for_say() and not names:
        return Message(text)
    return Message(text, names) if word in _words_for_to() and names else None


def _names_in(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def matching(name: str, names: Iterable[str]) -> list[str]:
    """Return which of these names someone means: the same one, or else those that begin so."""
    wanted, known = normal(name), {one: normal(one) for one in names}
    same = [one for one, words in known.items() if words == wanted]
    return same or [one for one, words in known.items() if wanted and words.startswith(wanted)]


# Moves and orders


def meaning_of(line: str, view: GameView) -> Meaning:
    """Return what a line says about the viewer's pending decision."""
    words = normal(line)
    if not words or line.rstrip().endswith("?"):
        return Unread()
    if words in _words_for_aside():
        return StandAside()
    asked = view.seen.asked.kind if view.seen.asked else ""
    move = _labelled(view).get(words) or _by_kind(asked, words, view)
    return Play(move) if isinstance(move, Move) else move or Unread()


def _by_kind(asked: str, words: str, view: GameView) -> Move | Play | Unclear | None:
    match asked:
        case "place":
            region = meant(words, _regions())
            return parse_move(f"place {region}") if region else None
        case "battle":
            return _fight(words, view) or _card(words, view)
        case "hand":
            return parse_move(f"{words} hand") if words in ("discard", "keep") else None
        case "keep":
            return _kept(words)
    return None


def _labelled(view: GameView) -> dict[str, Move]:
    """Return the legal moves by the names of their buttons in every language, and as records write them."""
    found = {normal(str(move)): move for move in view.seen.legal}
    for language, _name in settings.LANGUAGES:
        with translation.override(language):
            found |= {normal(view.choices.move_name(move)): move for move in view.seen.legal}
    passing = parse_move("pass")
    return found | (dict.fromkeys(_words_for_pass(), passing) if passing in view.seen.legal else {})


def _fight(words: str, view: GameView) -> Play | None:
    """Return a card to play, with the order to fight on with the cards that the page suggests."""
    endings = (words.removesuffix(ending) for ending in _ways_to_fight_on() if words.endswith(ending))
    begun = next(endings, "")
    card = meant(begun, _cards()) if begun else _fight_labels().get(words, "")
    if card not in LISTED or view.seen.hand is None:
        return None
    order = suggested(view.seen)
    cards = list(order.cards)
    if card in cards:
        cards.remove(card)
    return Play(parse_move(f"play {card}"), Fight(tuple(cards), order.limit))


def _card(words: str, view: GameView) -> Move | Unclear | None:
    """Return the move that plays a card, perhaps with where or what follows its name."""
    card = meant(words, _cards())
    if card:
        legal = [move for move in view.seen.legal if move.kind == "play" and move.card == card]
        any_way = {"bishop": " off", "scarecrow": " nothing"}.get(card, "")
        return Unclear(card) if len(legal) > 1 else legal[0] if legal else parse_move(f"play {card}{any_way}")
    begun = max((name for name in _cards() if words.startswith(name + " ")), key=len, default="")
    card, rest = _cards().get(begun, ""), words.removeprefix(begun).strip()
    if card == "bishop":
        return _bishop(rest.removeprefix("to ").strip())
    return _scarecrow(rest, view) if card == "scarecrow" else None


def _bishop(rest: str) -> Move | None:
    region = "off" if rest in _OFF else meant(rest, _regions())
    return parse_move(f"play bishop {region}") if region else None


def _scarecrow(rest: str, view: GameView) -> Move | None:
    """Return the move that takes this Mercenary, in 1995 from the line of the player named after it."""
    taken, _from, owner = rest.partition(" from ")
    if taken in _NOTHING:
        return parse_move("play scarecrow nothing")
    owners = matching(owner, view.names) if owner else []
    seats = [f"from {view.names.index(one)}" for one in owners]
    if len(seats) > 1 or (owner and not seats):
        return None
    text = " ".join(["play scarecrow", taken, *seats])
    fitting = [move for move in view.seen.legal if str(move) == text or str(move).startswith(f"{text} from ")]
    return fitting[0] if len(fitting) == 1 else None


def _kept(words: str) -> Move | None:
    """Return the move that keeps these cards for the next round (R18)."""
    named = words.removeprefix("keep ")
    if named in _NOTHING:
        return parse_move("keep nothing")
    cards = [meant(word, _cards()) for word in named.split() if word != "and"]
    if not all(cards) or not 1 <= len(cards) <= 2:
        return None
    return parse_move(" ".join(["keep", *sorted(cards, key=CARDS.index)]))


# Names in every language of the site, read once


def _in_every_language(say: Callable[[], str]) -> frozenset[str]:
    found = set[str]()
    for language, _name in settings.LANGUAGES:
        with translation.override(language):
            found.add(normal(say()))
    return frozenset(found)


@lru_cache(maxsize=1)
def _cards() -> dict[str, str]:
    labels = in_every_language(
        CARDS, _play_card, lambda card: f"{_play_card(card).split()[0]} {card_name(card)}"
    )
    return {**names_of_cards(), **labels, **{f"play {card}": card for card in CARDS}}


def _play_card(card: str) -> str:
    """Return the name of the button that plays a card."""
    return _("Play %(card)s") % {"card": card_name(card)}


@lru_cache(maxsize=1)
def _fight_labels() -> dict[str, str]:
    return in_every_language(CARDS, lambda card: _("Play %(card)s and fight on") % {"card": card_name(card)})


@lru_cache(maxsize=1)
def _ways_to_fight_on() -> tuple[str, ...]:
    # Translators: in a reply by email these words after a card ask to fight on, as in "10 and fight on".
    said = _in_every_language(lambda: pgettext("end of a reply", "and fight on"))
    return tuple(f" {words}" for words in sorted(said | {"fight on"}, key=len, reverse=True))


@lru_cache(maxsize=1)
def _regions() -> dict[str, str]:
    labels = in_every_language(REGIONS, _fight_for)
    return {
        **names_of_regions(),
        **labels,
        **{f"{verb} {region}": region for region in REGIONS for verb in ("place", "fight for")},
    }


def _fight_for(region: str) -> str:
    """Return the name of the button that chooses a region."""
    return _("Fight for %(region)s") % {"region": region_name(region)}


@lru_cache(maxsize=1)
def _words_for_pass() -> frozenset[str]:
    # Translators: a reply by email that says only this passes.
    said = _in_every_language(lambda: pgettext("first word of a reply", "pass"))
    return said | _in_every_language(lambda: pgettext("button", "Pass")) | {"pass", "i pass"}


@lru_cache(maxsize=1)
def _words_for_aside() -> frozenset[str]:
    return _in_every_language(lambda: _("Stand aside")) | set(_ASIDE)


@lru_cache(maxsize=1)
def _words_for_say() -> frozenset[str]:
    # Translators: a reply by email that begins with this word and a colon writes to the chat.
    return _in_every_language(lambda: pgettext("first word of a reply", "say")) | {"say"}


@lru_cache(maxsize=1)
def _words_for_to() -> frozenset[str]:
    # Translators: a reply by email that begins with this word, a name and a colon writes to that player.
    return _in_every_language(lambda: pgettext("first word of a reply", "to")) | {"to"}
