"""What a line of a reply means for its player's pending decision: a move or a standing order.

All words are understood in every language of the site, whatever the reader's is. Nothing is guessed: a line
that says more than a move is none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import parse_qs

from django.conf import settings
from django.utils import translation

from games.narration.typed_names import matching, meant, normal
from games.orders import HOLD, LISTED, Aside, Kind, Order, kind_of, suggested
from games.presenters.orders import fight_after
from games.presenters.position import Position
from games.replies.button_names import (
    aside_labels,
    cards_by_name,
    fight_on_labels,
    hold_labels,
    regions_by_name,
)
from games.replies.commands import Command, without, words_for
from games.rules import CARDS, Move, Phase, parse_move

LONGEST_MOVE = 250  # characters of a line that is compared with names of cards, regions and players
_LETTER_BY_DIGIT = re.compile(r"(?<=[^\W\d])(?=\d)|(?<=\d)(?=[^\W\d])")


@dataclass(frozen=True)
class Play:
    """A move, and a standing order that follows it."""

    move: Move
    order: Order | None = None


@dataclass(frozen=True)
class OrderAlone:
    """A standing order without a card: to stand aside or to hold."""

    order: Order


@dataclass(frozen=True)
class Unclear:
    """A card that can be played in several ways, and no way named."""

    card: str


@dataclass(frozen=True)
class Unread:
    """Words that are no move and no standing order."""


Meaning = Play | OrderAlone | Unclear | Unread


def meaning_of(line: str, view: Position) -> Meaning:
    """Return what a line says about the viewer's pending decision.

    A choice may be copied with its link, which must say the same.
    """
    if len(line) > LONGEST_MOVE or line.rstrip().endswith("?"):
        return Unread()
    words, linked = normal(without_links(line)), _linked_choices(line)
    if not words and linked:
        return _of_links(linked, view)
    ways = dict.fromkeys((words, _without_courtesies(words), _spaced(_without_courtesies(words))))
    found = next((one for way in ways if (one := _meaning(way, view)) != Unread()), Unread())
    return found if all(_is_same(found, move, order) for move, order in linked) else Unread()


def without_links(line: str) -> str:
    """Return a line without the links in it."""
    return " ".join(word for word in line.split() if "://" not in word)


def is_farewell(line: str, name: str) -> bool:
    """Return whether a line says no more than thanks and the name of the person who writes it."""
    left, own = _without_courtesies(normal(line)), normal(name)
    return left in ("", own, own.partition(" ")[0])


def _linked_choices(line: str) -> set[tuple[str, str]]:
    """Return the moves that links in a line lead to, each with the kind of order that it names."""
    links = [parse_qs(word.strip("<>()[]").partition("?")[2]) for word in line.split() if "://" in word]
    return {
        (move, order) for link in links for move in link.get("move", []) for order in link.get("order", [""])
    }


def _of_links(linked: set[tuple[str, str]], view: Position) -> Meaning:
    """Return what links without any words lead to: one choice, or nothing is read."""
    (text, order), *others = linked
    if order == Kind.ASIDE and not others:
        return OrderAlone(Aside())
    move = next((move for move in view.seen.legal if str(move) == text), None)
    if others or move is None:
        return Unread()
    match order:
        case Kind.HOLD:
            return Play(move, HOLD)
        case Kind.FIGHT:
            return _fight_on(str(move.card), view)
    return Play(move)


def _is_same(found: Meaning, move: str, order: str) -> bool:
    """Return whether words mean what a link next to them says; they may add an order to it."""
    match found:
        case Play(played, given):
            return str(played) == move and order in {"", kind_of(given) if given else ""}
        case OrderAlone(given):
            return order == kind_of(given)
    return False


def _without_courtesies(words: str) -> str:
    """Return words without a "hello" before them and a "thanks" after them."""
    left = without(words, Command.COURTESY)
    ending = next((way for way in words_for(Command.COURTESY) if f" {left}".endswith(f" {way}")), "")
    left = left.removesuffix(ending).strip()
    return left if left == words else _without_courtesies(left)


def _spaced(words: str) -> str:
    """Return words with a space between letters and numbers: "play10" means "play 10"."""
    return _LETTER_BY_DIGIT.sub(" ", words[:LONGEST_MOVE])


def _meaning(words: str, view: Position) -> Meaning:
    if not words:
        return Unread()
    if words in words_for(Command.ASIDE) or words in aside_labels():
        return OrderAlone(Aside())
    if words in words_for(Command.HOLD):
        return OrderAlone(HOLD)
    asked = view.seen.asked.kind if view.seen.asked else ""
    move = _labelled(view).get(words) or _by_kind(asked, words, view)
    return Play(move) if isinstance(move, Move) else move or Unread()


def _by_kind(asked: str, words: str, view: Position) -> Move | Play | Unclear | None:
    match asked:
        case Phase.PLACE:
            region = meant(words, regions_by_name())
            return parse_move(f"place {region}") if region else None
        case Phase.BATTLE:
            return _hold(words, view) or _fight(words, view) or _card(words, view)
        case Phase.HAND:
            return _hand(words)
        case Phase.KEEP:
            return _kept(words)
    return None


def _labelled(view: Position) -> dict[str, Move]:
    """Return the legal moves by the names of their buttons in every language, and as records write them."""
    found = {normal(str(move)): move for move in view.seen.legal}
    for language, _name in settings.LANGUAGES:
        with translation.override(language):
            found |= {normal(view.choices.move_name(move)): move for move in view.seen.legal}
    passing = parse_move("pass")
    return found | (dict.fromkeys(words_for(Command.PASS), passing) if passing in view.seen.legal else {})


def _hold(words: str, view: Position) -> Play | Unclear | None:
    """Return a card to play, with the order to hold."""
    if card := hold_labels().get(words):
        return Play(parse_move(f"play {card}"), HOLD)
    begun = _before(words, Command.HOLD)
    move = (_labelled(view).get(begun) or _card(begun, view)) if begun else None
    if isinstance(move, Move):
        return Play(move, HOLD) if move.kind == "play" else None
    return move


def _fight(words: str, view: Position) -> Play | None:
    """Return a card to play, with the order to fight on with the cards that the page suggests."""
    begun = _before(words, Command.FIGHT_ON)
    card = meant(begun, cards_by_name()) if begun else fight_on_labels().get(words, "")
    if card not in LISTED or view.seen.hand is None:
        return None
    return _fight_on(card, view)


def _fight_on(card: str, view: Position) -> Play:
    move = parse_move(f"play {card}")
    if card not in LISTED or move not in view.seen.legal:
        return Play(move)
    return Play(move, fight_after(view, move, suggested(view.seen)))


def _before(words: str, command: Command) -> str:
    """Return the words before a command that ends them; empty if it doesn't."""
    endings = (f" {way}" for way in words_for(command))
    return next((words.removesuffix(ending) for ending in endings if words.endswith(ending)), "")


def _card(words: str, view: Position) -> Move | Unclear | None:
    """Return the move that plays a card, perhaps with where or what follows its name."""
    card = meant(words, cards_by_name())
    if card:
        legal = [move for move in view.seen.legal if move.kind == "play" and move.card == card]
        any_way = {"bishop": " off", "scarecrow": " nothing"}.get(card, "")
        return Unclear(card) if len(legal) > 1 else legal[0] if legal else parse_move(f"play {card}{any_way}")
    named = words.split()
    for end in range(len(named) - 1, 0, -1):
        card, rest = meant(" ".join(named[:end]), cards_by_name()), " ".join(named[end:])
        if card == "bishop":
            return _bishop(rest)
        if card == "scarecrow":
            return _scarecrow(rest, view)
    return None


def _bishop(rest: str) -> Move | None:
    region = (
        "off" if rest in words_for(Command.OFF) else meant(without(rest, Command.POPE_TO), regions_by_name())
    )
    return parse_move(f"play bishop {region}") if region else None


def _scarecrow(rest: str, view: Position) -> Move | None:
    """Return the move that takes this Mercenary, in 1995 from the line of the player named after it."""
    rest = without(without(rest, Command.AND), Command.TAKE)
    if rest in words_for(Command.NOTHING):
        return parse_move("play scarecrow nothing")
    taken, _space, after = rest.partition(" ")
    owner = without(after, Command.FROM)
    owners = matching(owner, view.names) if owner else []
    if len(owners) > 1 or (after and not owners):
        return None
    text = " ".join(["play scarecrow", taken, *(f"from {view.names.index(one)}" for one in owners)])
    fitting = [move for move in view.seen.legal if str(move) == text or str(move).startswith(f"{text} from ")]
    return fitting[0] if len(fitting) == 1 else None


def _hand(words: str) -> Move | None:
    """Return the move that discards or keeps the hand (R17)."""
    if words in words_for(Command.DISCARD):
        return parse_move("discard hand")
    return parse_move("keep hand") if words in words_for(Command.KEEP) else None


def _kept(words: str) -> Move | None:
    """Return the move that keeps these cards for the next round (R18)."""
    named = without(words, Command.KEEP)
    if named in words_for(Command.NOTHING):
        return parse_move("keep nothing")
    cards = [meant(word, cards_by_name()) for word in named.split() if word not in words_for(Command.AND)]
    if not all(cards) or not 1 <= len(cards) <= 2:
        return None
    return parse_move(" ".join(["keep", *sorted(cards, key=CARDS.index)]))
