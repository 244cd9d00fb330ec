"""Worked examples in the site's words: the sentences and totals come from the rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.utils.translation import gettext as _

from games.map.region_names import region_name
from games.narration.cast import and_list
from games.narration.dealing_sentences import merge_deals
from games.narration.event_sentences import narrate
from games.narration.vocabulary import card_names
from games.rulebook.example_players import example_names
from games.rulebook.staging import PlayedScript, Script, lines_at_the_end, play
from games.rules import (
    CardPlayed,
    CardsDealt,
    Event,
    HandDecided,
    MercenariesRemoved,
    MercenaryTakenBack,
    Phase,
    SeasonSwept,
    observe,
    redact,
)

OF_A_CARD = (CardPlayed, SeasonSwept, MercenariesRemoved, MercenaryTakenBack)
"""What the examples say of a card before what it does to the totals of the others."""


@dataclass(frozen=True)
class ExampleRow:
    """One line at the end of an example. `covered` is face down."""

    seat: int
    name: str
    cards: tuple[str, ...]
    covered: str | None
    total: int


@dataclass(frozen=True)
class Told:
    """An example in words: the start, the events sentence by sentence, and the final lines, if any."""

    opening: tuple[str, ...]
    sentences: tuple[str, ...]
    rows: tuple[ExampleRow, ...]


def tell(script: Script) -> Told:
    """Play the script and describe the result."""
    played = play(script)
    return Told(tuple(_opening(played)), tuple(_sentences(played)), _rows(played))


def _names(played: PlayedScript) -> tuple[str, ...]:
    return example_names(played.players)


def _opening(played: PlayedScript) -> Iterator[str]:
    """Yield each player's cards and, in the middle of a battle, the lines on the table."""
    seen = observe(played.states[0], None)
    for seat, name in enumerate(_names(played)):
        held = [region_name(region) for region, owner in seen.control if owner == seat]
        if held:
            # Translators: name is a player; regions is a list such as "Roma and Siena"
            yield _("%(name)s holds %(regions)s.") % {"name": name, "regions": and_list(held)}
    for seat, name in enumerate(_names(played)):
        if seen.phase == Phase.BATTLE and seen.lines[seat]:
            words = {"name": name, "cards": card_names(seen.lines[seat]), "strength": seen.totals[seat]}
            # Translators: name is a player; cards is a list such as "10, Drummer"; strength is a number
            yield _("%(name)s has played %(cards)s: strength %(strength)d.") % words


def _sentences(played: PlayedScript) -> Iterator[str]:
    for before, ply in zip(played.states, played.plies, strict=False):
        changed: list[str] = []
        for event in merge_deals(_for_readers(ply.events)):
            if not isinstance(event, OF_A_CARD):
                yield from changed
                changed = []
            yield from narrate([event], _names(played))
            if isinstance(event, CardPlayed):
                changed = list(_changed(event, observe(before, None).totals, _names(played)))
        yield from changed


def _for_readers(events: Iterable[Event]) -> Iterator[Event]:
    """Replace the cards of whole dealt hands, which would say nothing, with their number."""
    for event in events:
        yield from redact((event,), None) if isinstance(event, CardsDealt | HandDecided) else (event,)


def _changed(event: CardPlayed, before: tuple[int, ...], names: tuple[str, ...]) -> Iterator[str]:
    """Yield how a card changes the totals of the others."""
    for seat, total in enumerate(event.totals):
        if seat != event.seat and total != before[seat]:
            # Translators: name is a player; before and after are the strength of their line, numbers
            yield _("%(name)s: strength %(after)d instead of %(before)d.") % {
                "name": names[seat],
                "before": before[seat],
                "after": total,
            }


def _rows(played: PlayedScript) -> tuple[ExampleRow, ...]:
    state = lines_at_the_end(played.states)
    seen = observe(state, None)
    if not any(seen.lines) and not any(seen.face_down):
        return ()
    return tuple(
        ExampleRow(seat, name, seen.lines[seat], observe(state, seat).own_face_down, seen.totals[seat])
        for seat, name in enumerate(_names(played))
    )
