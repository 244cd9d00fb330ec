"""The words of a reply that are no name of a card, region or button, in every language of the site."""

from __future__ import annotations

from enum import Enum, auto
from functools import cache

from django.conf import settings
from django.utils import translation
from django.utils.translation import pgettext_lazy

from games.narration.typed_names import normal


class Command(Enum):
    """What such words ask for, or what they join."""

    PASS = auto()
    ASIDE = auto()
    HOLD = auto()
    FIGHT_ON = auto()
    SAY = auto()
    TO = auto()
    PLAY = auto()
    FIGHT_FOR = auto()
    POPE_TO = auto()
    OFF = auto()
    TAKE = auto()
    FROM = auto()
    NOTHING = auto()
    KEEP = auto()
    DISCARD = auto()
    AND = auto()
    COURTESY = auto()


_WORDS = {
    # Translators: replies by email are read in all languages of the site. List every way in which people may
    # write this, separated by commas. Capitals, accents and punctuation don't matter.
    # This one passes: “pass”.
    Command.PASS: pgettext_lazy("words of a reply", "pass, I pass"),
    # Translators: list every way to write this in a reply by email, separated by commas. It stands aside for
    # the rest of the battle: “aside”. Emails name the first way.
    Command.ASIDE: pgettext_lazy("words of a reply", "aside, stand aside, I stand aside"),
    # Translators: list every way to write this in a reply by email, separated by commas. It follows a card,
    # or comes alone after a move. It passes once everyone else has: “10 and hold”. Emails name the first way.
    Command.HOLD: pgettext_lazy("words of a reply", "and hold, hold, and I hold, I hold"),
    # Translators: list every way to write this in a reply by email, separated by commas. It follows a card:
    # “10 and fight on”. Emails name the first way.
    Command.FIGHT_ON: pgettext_lazy("words of a reply", "and fight on, fight on, and I fight on"),
    # Translators: list every way to write this in a reply by email, separated by commas. It writes to the
    # chat: “say: Hello!”. Emails name the first way.
    Command.SAY: pgettext_lazy("words of a reply", "say, write"),
    # Translators: list every way to write this in a reply by email, separated by commas. It writes to one
    # player: “to Bruno: Hello!”.
    Command.TO: pgettext_lazy("words of a reply", "to"),
    # Translators: list every way to write this in a reply by email, separated by commas. A card follows:
    # “play Winter”.
    Command.PLAY: pgettext_lazy("words of a reply", "play, I play"),
    # Translators: list every way to write this in a reply by email, separated by commas. A region follows:
    # “fight for Siena”.
    Command.FIGHT_FOR: pgettext_lazy("words of a reply", "fight for, I fight for, place"),
    # Translators: list every way to write this in a reply by email, separated by commas. It's between the
    # Bishop and the region of the Pope: “Bishop to Siena”.
    Command.POPE_TO: pgettext_lazy("words of a reply", "to, Pope to, the Pope to, the Pope goes to"),
    # Translators: list every way to write this in a reply by email, separated by commas. It follows the
    # Bishop, and the Pope leaves the map: “Bishop off the map”.
    Command.OFF: pgettext_lazy(
        "words of a reply", "off, off the map, leaves the map, the Pope leaves the map"
    ),
    # Translators: list every way to write this in a reply by email, separated by commas. It's between the
    # Scarecrow and the card it takes: “Scarecrow, take 10”.
    Command.TAKE: pgettext_lazy("words of a reply", "take, take the, takes, take back, take back the"),
    # Translators: list every way to write this in a reply by email, separated by commas. It's between a card
    # and the player who played it: “Scarecrow 10 from Bruno”.
    Command.FROM: pgettext_lazy("words of a reply", "from, of"),
    # Translators: list every way to write this in a reply by email, separated by commas. It stands for no
    # card: “Scarecrow nothing”, “keep nothing”.
    Command.NOTHING: pgettext_lazy("words of a reply", "nothing, none, no card, no cards"),
    # Translators: list every way to write this in a reply by email, separated by commas. Cards may follow, or
    # it keeps the whole hand: “keep 10”, “keep”.
    Command.KEEP: pgettext_lazy("words of a reply", "keep, I keep, keep my hand"),
    # Translators: list every way to write this in a reply by email, separated by commas. It discards the
    # whole hand: “discard”.
    Command.DISCARD: pgettext_lazy("words of a reply", "discard, I discard, discard my hand"),
    # Translators: list every way to write this in a reply by email, separated by commas. It's between two
    # cards: “keep 10 and Drummer”.
    Command.AND: pgettext_lazy("words of a reply", "and"),
    # Translators: list every way to write this in a reply by email, separated by commas. People write it
    # before or after a move, and it changes nothing: “pass, thanks”, “hello, 10 please”.
    Command.COURTESY: pgettext_lazy(
        "words of a reply",
        "thanks, thank you, thx, please, ok, okay, sorry, cheers, hi, hello, hi all, hello everyone, "
        "good luck, good game, well played, have fun",
    ),
}


def first_word(command: Command) -> str:
    """Return what emails to the reader call a command."""
    return str(_WORDS[command]).partition(",")[0]


@cache
def words_for(command: Command) -> tuple[str, ...]:
    """Return all ways to write a command, the longest first, as `normal` writes them."""
    found = set[str]()
    for language, _name in settings.LANGUAGES:
        with translation.override(language):
            found |= {normal(way) for way in str(_WORDS[command]).split(",")}
    return tuple(sorted(found - {""}, key=len, reverse=True))


def without(words: str, command: Command) -> str:
    """Return these words without the command that they may begin with."""
    begun = next((way for way in words_for(command) if f"{words} ".startswith(f"{way} ")), "")
    return words[len(begun) :].strip()
