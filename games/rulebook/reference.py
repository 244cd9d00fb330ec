"""The numbers on the rules pages, computed from the rules: decks, goals, hands, and card effects."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from games.rules import (
    BORDERS,
    EDITIONS,
    MERCENARIES,
    MOST_GAMES,
    REGIONS,
    SEATS,
    SPEC_OF,
    SPRING_BONUS,
    Options,
    Phase,
    legal_moves,
    line_strengths,
    observe,
)
from games.rules.dealing import DRAWN_AFTER_BATTLE
from games.rules.legality import KEPT_AT_MOST
from games.rules.outcome import POINTS_FOR_CONNECTED

from .staging import Script, play

WORKSHOP = ("6", "6", "4", "1")


@dataclass(frozen=True)
class GoalRow:
    """The winning conditions for a number of players; `total` is None where no total wins."""

    players: str
    connected: int
    total: int | None


@dataclass(frozen=True)
class CardFacts:
    """A card's facts: how many are in the deck, its strength, where it ends up, and how it is played."""

    card: str
    copies: int
    strength: int | None
    fate: str
    goes_face_down: bool  # with Hidden Cards (R37)


@dataclass(frozen=True)
class Weather:
    """The same line under other circumstances, and its strength then."""

    words: str
    total: int


@dataclass(frozen=True)
class Reach:
    """Which cards one card acts on, and in whose lines."""

    card: str
    own_mercenaries: bool
    others_mercenaries: bool
    heroines: bool
    courtesans: bool


@dataclass(frozen=True)
class Reference:
    """The numbers of an edition with these options."""

    options: Options

    # The same in every edition
    regions = len(REGIONS)
    borders = len(BORDERS)
    fewest_players = min(SEATS)
    most_players = max(SEATS)
    kept = KEPT_AT_MOST
    drawn = DRAWN_AFTER_BATTLE
    points_for_connected = POINTS_FOR_CONNECTED
    most_games = MOST_GAMES
    spring_bonus = SPRING_BONUS
    heroine = SPEC_OF["heroine"].strength
    courtesan = SPEC_OF["courtesan"].strength
    workshop_line = WORKSHOP

    @property
    def edition(self) -> str:
        return self.options.edition

    @property
    def variants(self) -> tuple[str, ...]:
        """The optional rules that may be chosen with this edition."""
        return EDITIONS[self.edition].variants

    @property
    def deck_size(self) -> int:
        return len(self.options.deck)

    @property
    def first_hand(self) -> int:
        return self.options.first_hand_size

    @property
    def hand(self) -> int:
        return self.options.hand_size

    @property
    def per_region(self) -> int:
        return self.options.cards_per_region

    @cached_property
    def goals(self) -> tuple[GoalRow, ...]:
        """The goals, with numbers of players that share the same goals together."""
        together = groupby(SEATS, key=self.options.goals)
        return tuple(GoalRow(_range(list(counts)), goal.connected, goal.total) for goal, counts in together)

    @cached_property
    def cards(self) -> dict[str, CardFacts]:
        """Each card of the edition by its name in the record."""
        return {
            card: CardFacts(
                card,
                copies,
                SPEC_OF[card].strength or None,
                _fate(self.edition, card),
                SPEC_OF[card].goes_face_down,
            )
            for card, copies in self.options.copies.items()
        }

    @property
    def mercenaries(self) -> list[CardFacts]:
        return [facts for card, facts in self.cards.items() if card in MERCENARIES]

    @property
    def specials(self) -> list[CardFacts]:
        return [facts for card, facts in self.cards.items() if card not in MERCENARIES]

    @property
    def mercenary_count(self) -> int:
        return sum(facts.copies for facts in self.mercenaries)

    @property
    def special_kinds(self) -> int:
        return len(self.specials)

    @cached_property
    def workshop(self) -> tuple[Weather, ...]:
        """One line scored repeatedly, with one thing changed each time."""
        return tuple(
            Weather(words, line_strengths((WORKSHOP + more, others))[0])
            for words, more, others in _weathers()
            if {*more, *others} <= set(self.cards)
        )

    @cached_property
    def reaches(self) -> tuple[Reach, ...]:
        """What acts on what, tried card by card; cards that act on no line are left out."""
        tried = [_reach(self.edition, facts.card) for facts in self.specials if not facts.strength]
        return tuple(reach for reach in tried if reach.own_mercenaries or reach.others_mercenaries)


def editions() -> tuple[Reference, ...]:
    """Return all editions without options, newest first."""
    return tuple(Reference(Options(edition)) for edition in EDITIONS)


def _range(counts: list[int]) -> str:
    """Return consecutive numbers in short: one number, or the first and the last."""
    return str(counts[0]) if len(counts) < 2 else f"{counts[0]}–{counts[-1]}"


def _fate(edition: str, card: str) -> str:
    """Return where a card goes after being played, found by playing it."""
    moves = f"Anna: place siena\nAnna: {_play(edition, card)}"
    played = play(Script(edition=edition, hands={"Anna": f"{card} 2", "Bruno": "2"}, moves=moves))
    after = played.states[-1]
    if after.phase != Phase.BATTLE:
        return _("It ends the battle at once.")
    if card in observe(after, None).lines[0]:
        return _("It stays in the line until the battle is over.")
    return _("It leaves play as soon as it has taken effect.")


def _play(edition: str, card: str) -> str:
    """Return the move that plays this card and makes no other choice."""
    if card == "scarecrow":
        return "play scarecrow nothing"
    return "play bishop off" if (edition, card) == ("2007", "bishop") else f"play {card}"


def _weathers() -> list[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    """Return each circumstance in words, what else is in the line, and what is in another's."""
    return [
        (pgettext("a line of cards", "as it is"), (), ()),
        (pgettext("a line of cards", "with a Drummer in it"), ("drummer",), ()),
        (pgettext("a line of cards", "with two Drummers in it"), ("drummer", "drummer"), ()),
        (pgettext("a line of cards", "with a Drummer in another line"), (), ("drummer",)),
        (pgettext("a line of cards", "under Winter"), (), ("winter",)),
        (pgettext("a line of cards", "under Winter, with a Drummer"), ("drummer",), ("winter",)),
        (pgettext("a line of cards", "in Spring"), (), ("spring",)),
        (pgettext("a line of cards", "in Spring, with a Drummer"), ("drummer",), ("spring",)),
        (pgettext("a line of cards", "in Spring, while another line has a 10"), (), ("spring", "10")),
        (pgettext("a line of cards", "with a Heroine"), ("heroine",), ()),
        (
            pgettext("a line of cards", "with a Heroine and a Drummer, under Winter"),
            ("heroine", "drummer"),
            ("winter",),
        ),
        (pgettext("a line of cards", "with a Courtesan and a Drummer"), ("courtesan", "drummer"), ()),
    ]


def _reach(edition: str, card: str) -> Reach:
    """Play the card once against each kind of card, in its own line and in another's."""
    kinds = [kind for kind in ("heroine", "courtesan") if kind in EDITIONS[edition].copies]
    acts = {kind: any(_acts_on(edition, card, kind, owner) for owner in (0, 1)) for kind in kinds}
    return Reach(
        card,
        own_mercenaries=_acts_on(edition, card, "5", 0),
        others_mercenaries=_acts_on(edition, card, "5", 1),
        heroines=acts["heroine"],
        courtesans=acts.get("courtesan", False),
    )


def _acts_on(edition: str, card: str, target: str, owner: int) -> bool:
    """Return whether this card changes the total of a line with just that card, or can take it."""
    laid = [f"play {target}", "play scarecrow nothing"]
    hands = {"Anna": f"{card} 2 {laid[owner].split()[1]}", "Bruno": f"2 {laid[1 - owner].split()[1]}"}
    before = f"Anna: place siena\nAnna: {laid[owner]}\nBruno: {laid[1 - owner]}"
    state = play(Script(edition=edition, hands=hands, moves=before)).states[-1]
    if card == "scarecrow":
        return any(move.card == card and move.taken == target for move in legal_moves(state, 0))
    script = Script(edition=edition, hands=hands, before=before, moves=f"Anna: {_play(edition, card)}")
    after = play(script).states[-1]
    return (
        after.phase == Phase.BATTLE
        and observe(after, None).totals[owner] != observe(state, None).totals[owner]
    )
