"""The choices of a turn email: the most interesting first, each with its link."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.http import urlencode
from django.utils.translation import pgettext

from games.map.region_names import region_name
from games.narration.cast import comma_list
from games.narration.vocabulary import card_name, card_rule
from games.presenters.choices import Choice
from games.presenters.hand import HandCard
from games.presenters.orders import order_without_cards
from games.presenters.position import Position
from games.rules import SPEC_OF, neighbours
from games.rules import events as happened

MOST_IN_TEXT = 20
MOST_SHOWN = 6  # the rest is folded: a link leads to it

Interest = tuple[int, ...]


@dataclass(frozen=True)
class LinkedOrder:
    """A choice with a standing order, and the link to its page."""

    name: str
    link: str


@dataclass(frozen=True)
class LinkedChoice:
    """A choice with the link to its page; `card` is the one it plays, `word` what a reply may call it.

    `order` is the same choice with a standing order, a second link below it.
    """

    name: str
    link: str
    card: str
    follows: str
    word: str = ""
    marks: str = ""  # what the page writes on the card
    order: LinkedOrder | None = None
    is_settling: bool = False  # a pass that gives the reader the region or the game

    @property
    def label(self) -> str:
        """Its name with its marks, such as "Play 5 · strength 5, you lead"."""
        return f"{self.name} · {self.marks}" if self.marks else self.name

    @property
    def links(self) -> list[tuple[str, str]]:
        """Its own link and that of its order, each after its label."""
        order = [(self.order.name, self.order.link)] if self.order else []
        return [(self.label, self.link), *order]


@dataclass(frozen=True)
class ChoiceGroup:
    """Choices that lead to the same: what that is is said once."""

    choices: tuple[LinkedChoice, ...]
    follows: str

    @property
    def as_text(self) -> str:
        """A line for each choice, the links in one column, and below them what they lead to."""
        links = [link for choice in self.choices for link in choice.links]
        width = max(len(label) for label, _link in links)
        lines = [f"  {label.ljust(width)}  {link}" for label, link in links]
        return "\n".join([*lines, *([f"    {self.follows}"] if self.follows else [])])

    @property
    def said_at_choice(self) -> str:
        """What the only choice leads to; empty for several."""
        return self.follows if len(self.choices) == 1 else ""

    @property
    def said_below(self) -> str:
        """What all of several choices lead to."""
        return self.follows if len(self.choices) > 1 else ""


@dataclass(frozen=True)
class OfferedChoices:
    """All choices of a turn, the most interesting first; empty if they would reveal a hidden hand."""

    every: tuple[LinkedChoice, ...] = ()
    common: str = ""  # what every card leads to

    @property
    def count(self) -> int:
        return len(self.every)

    @property
    def shown(self) -> list[ChoiceGroup]:
        """The choices that the email shows as buttons."""
        return _grouped(self.every[:MOST_SHOWN] if self.is_folded else self.every)

    @property
    def is_folded(self) -> bool:
        """Whether some are left to the page; one alone is not."""
        return self.count > MOST_SHOWN + 1

    @property
    def in_text(self) -> list[ChoiceGroup]:
        """The choices that the email has as text, which shows no link to all of them."""
        return _grouped(self.every[:MOST_IN_TEXT])

    @property
    def of_turn_in_text(self) -> list[ChoiceGroup]:
        """The same in a turn email, which names all cards of the hand and says how to reply with one."""
        plays_cards = any(choice.card for choice in self.every)
        return self.shown if plays_cards else self.in_text

    @property
    def is_cut_in_text(self) -> bool:
        """Whether a turn email leaves some out of its text."""
        return sum(len(group.choices) for group in self.of_turn_in_text) < self.count


def _said_of_every_card(choices: Sequence[Choice]) -> list[str]:
    """Return what each of several cards leads to, such as that another card is turned up."""
    cards = [choice.beyond for choice in choices if choice.text.startswith("play ") and not choice.has_ways]
    if len(cards) < 2:
        return []
    return [sentence for sentence in cards[0] if all(sentence in beyond for beyond in cards)]


def offered_choices(view: Position, link: str, *, with_cards: bool) -> OfferedChoices:
    """Return the view's choices with their links; none if some would reveal a hidden hand."""
    choices = sorted(view.choices.every, key=lambda choice: _interest(view, choice))
    if not with_cards and any(choice.names_cards for choice in choices):
        return OfferedChoices()
    common = _said_of_every_card(choices)
    return OfferedChoices(tuple(_linked(view, choice, link, common) for choice in choices), " ".join(common))


def _grouped(choices: Sequence[LinkedChoice]) -> list[ChoiceGroup]:
    by_follows: dict[str, list[LinkedChoice]] = {}
    # A pass comes after the cards, unless they can no longer help.
    for choice in sorted(choices, key=lambda choice: (not choice.is_settling, not choice.card)):
        by_follows.setdefault(choice.follows, []).append(choice)
    return [ChoiceGroup(tuple(linked), follows) for follows, linked in by_follows.items()]


def _linked(view: Position, choice: Choice, link: str, common: Sequence[str]) -> LinkedChoice:
    card = choice.text.split()[1] if choice.text.startswith("play ") else ""
    held = _held(view, card) if card else None
    rule = _rule(view, held) if held else ""
    sentences = choice.beyond if held else choice.sentences
    follows = " ".join(filter(None, [rule, *(one for one in sentences if one not in common)]))
    address = f"{link}confirm/?{urlencode({'move': choice.text})}"
    order = order_without_cards(view, choice.text)
    linked = LinkedOrder(order.label, f"{address}&{urlencode({'order': order.kind})}") if order else None
    settles = choice.text == "pass" and _gains_by_passing(view)
    return LinkedChoice(
        choice.name, address, card, follows, _word(choice, card), _marks(held), linked, settles
    )


def _gains_by_passing(view: Position) -> bool:
    """Return whether a pass ends the battle, and the reader has the region or the game by it."""
    match view.choices.ending_of_pass[-1:]:
        case [happened.GameEnded(winners=winners)]:
            return view.viewer in winners
        case [happened.RegionConquered(seat=seat) | happened.RegionDefended(seat=seat)]:
            return seat == view.viewer
    return False


def _held(view: Position, card: str) -> HandCard:
    return next(pick.held for pick in view.choices.picks if pick.held and pick.held.card == card)


def _marks(held: HandCard | None) -> str:
    """Return what the page writes on a card: its strength, whether it leads, or that it does nothing."""
    return comma_list(filter(None, [held.gist, held.standing])) if held else ""


def _word(choice: Choice, card: str) -> str:
    """Return one word that is enough for a reply; empty where a move needs more."""
    if choice.text == "pass":
        return pgettext("button", "Pass")
    if choice.region:
        return region_name(choice.region)
    return card_name(card) if card and not choice.has_ways else ""


def _rule(view: Position, held: HandCard) -> str:
    """Return what a card does; a Mercenary's strength says it all, and what is idle does nothing."""
    if held.is_mercenary or held.idle:
        return ""
    return str(card_rule(held.card, view.seen.options.edition).sentence)


def _interest(view: Position, choice: Choice) -> Interest:
    """Return the sort key of a choice; those alike stay in the page's order."""
    kind, *words = choice.text.split()
    match kind:
        case "play":
            return _interest_of_card(view, words[0])
        case "place":
            return _interest_of_region(view, words[0])
        case "keep" if words != ["hand"]:
            return (-len(words), -sum(SPEC_OF[card].strength for card in words if card in SPEC_OF))
    return (0,)  # a pass, which is never folded, or what to do with the hand


def _interest_of_card(view: Position, card: str) -> Interest:
    """Return the key of a card: those that lead or tie, those with an effect, then the strongest."""
    held = _held(view, card)
    if held.idle:
        return (5,)
    if held.standing:
        return (1 if held.leads else 2,)
    return (4, -SPEC_OF[card].strength) if held.is_mercenary else (3,)


def _interest_of_region(view: Position, region: str) -> Interest:
    """Return the key of a region: one that wins the game comes first, then the reader's neighbours."""
    holders = {dict(view.seen.control).get(other) for other in neighbours(region)}
    wins = view.viewer in view.prizes.get(region, ())
    return (0 if wins else 1 if view.viewer in holders else 2 if region in view.prizes else 3,)
