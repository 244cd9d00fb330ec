"""Sentences for shuffles and deals; seats that were dealt alike share one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from django.utils.translation import ngettext, npgettext

from games.narration.cast import Cast
from games.narration.vocabulary import card_names
from games.rules import events as happened


@dataclass(frozen=True)
class DealtAlike:
    """Several seats were dealt the same number of cards, which the reader does not see."""

    seats: tuple[int, ...]
    count: int


Narrated = happened.Event | DealtAlike


def merge_deals(events: Iterable[Narrated]) -> list[Narrated]:
    """Merge the seats of one deal into one event where the same is said of each."""
    merged: list[Narrated] = []
    for kind, run in groupby(events, type):
        if kind is happened.CardsDealt:
            merged.extend(_merge_alike(run))
        else:
            merged.extend(run)
    return merged


def _merge_alike(dealings: Iterable[Narrated]) -> Iterator[Narrated]:
    """Yield one event for seats that were dealt alike, and one for each other seat."""
    alike: dict[object, list[happened.CardsDealt]] = {}
    for dealing in dealings:
        assert isinstance(dealing, happened.CardsDealt)
        key = dealing.count if dealing.cards is None else (dealing.seat, dealing.cards)
        alike.setdefault(key, []).append(dealing)
    for first, *more in alike.values():
        seats = (first.seat, *(dealing.seat for dealing in more))
        yield DealtAlike(seats, first.count) if more else first


def cards_shuffled(event: happened.CardsShuffled, cast: Cast) -> str:
    text = ngettext("The site shuffled %(count)d card.", "The site shuffled %(count)d cards.", event.count)
    return text % {"count": event.count}


def cards_dealt(event: happened.CardsDealt, cast: Cast) -> str:
    count = event.count
    if event.cards is None:
        return cast.say(
            event.seat,
            ngettext("You drew %(count)d card.", "You drew %(count)d cards.", count),
            # Translators: name is a player.
            ngettext("%(name)s drew %(count)d card.", "%(name)s drew %(count)d cards.", count),
            count=count,
        )
    return cast.say(
        event.seat,
        # Translators: cards is a list such as "10, 4, Drummer".
        ngettext("You drew %(count)d card: %(cards)s.", "You drew %(count)d cards: %(cards)s.", count),
        # Translators: name is a player, cards is a list such as "10, 4, Drummer".
        ngettext(
            "%(name)s drew %(count)d card: %(cards)s.", "%(name)s drew %(count)d cards: %(cards)s.", count
        ),
        count=count,
        cards=card_names(event.cards),
    )


def dealt_alike(event: DealtAlike, cast: Cast) -> str:
    count = event.count
    if len(event.seats) == len(cast):
        text = ngettext("Everyone drew %(count)d card.", "Everyone drew %(count)d cards.", count)
        return text % {"count": count}
    return cast.say_of_several(
        event.seats,
        # Translators: names are players, such as "You and Anna".
        npgettext(
            "the reader and others",
            "%(names)s drew %(count)d card each.",
            "%(names)s drew %(count)d cards each.",
            count,
        ),
        # Translators: names are players, such as "Anna and Bruno".
        ngettext("%(names)s drew %(count)d card each.", "%(names)s drew %(count)d cards each.", count),
        count=count,
    )
