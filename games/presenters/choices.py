"""A seat's pending decision: the legal moves as buttons, with what they lead to.

Gets observations and previewed events, never a State.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from django.utils.translation import gettext as _

from games.map.region_names import region_in_choices, region_name
from games.narration.cast import comma_list
from games.narration.foretelling import foretell
from games.narration.move_names import move_name
from games.narration.vocabulary import card_name, card_names
from games.orders import Fight, Kind
from games.presenters.ending_pass import PASS, ending_of_pass, pass_gist
from games.presenters.hand import (
    Foresee,
    HandCard,
    WayToPlay,
    ends_at_once,
    hand_cards,
    lead_of,
    step_of,
    step_order,
    steps_title,
    totals_after,
)
from games.rules import CARDS, Move, Observation
from games.rules import events as happened

# Already said by the name of a move, as what will be done.
_NAMED_BY_MOVE = (happened.PopePlaced, happened.MercenaryTakenBack)


@dataclass(frozen=True)
class Choice:
    """One option of the acting seat."""

    text: str
    name: str
    sentences: tuple[str, ...] = ()  # what it leads to
    place: str = ""  # the region to fight for and its holder, as an entry of a list
    has_ways: bool = False  # a card that can be played in several ways
    beyond: tuple[str, ...] = ()  # what it leads to besides what the hand says on the card

    @property
    def follows(self) -> str:
        """What it leads to, as one text."""
        return " ".join(self.sentences)

    @property
    def region(self) -> str:
        """The region to fight for; empty for other choices."""
        return self.text.removeprefix("place ") if self.text.startswith("place ") else ""

    @property
    def names_cards(self) -> bool:
        """Whether the choice reveals something about the hand."""
        return self.text.startswith(("play ", "keep "))


@dataclass(frozen=True)
class CardOrder:
    """A standing order to give with a card or a pass: its button, and what it does."""

    kind: Kind
    label: str
    text: str
    fight: Fight | None = None  # the cards and the limit that are suggested

    @property
    def field(self) -> str:
        """The name of its button in a form; the move is its value."""
        return "fight_on" if self.kind == Kind.FIGHT else self.kind.value


@dataclass(frozen=True)
class Pick:
    """A card of the hand, or an answer without one, to be picked on the page; then `steps` play it.

    `sentences` say what follows now, `asks` says what to choose where there are several steps. A card
    that cannot be played now has no step.
    """

    key: str
    steps: tuple[WayToPlay, ...] = ()
    held: HandCard | None = None
    sentences: tuple[str, ...] = ()
    asks: str = ""
    gist: str = ""  # of a pass that ends the battle: what becomes of the region
    orders: tuple[CardOrder, ...] = ()  # to give with it

    @property
    def label(self) -> str:
        """What it is called and leads to, for screen readers."""
        if self.held is not None:
            return self.held.label
        return comma_list(filter(None, [self.steps[0].name, self.gist]))

    @property
    def takes_lead(self) -> bool:
        """Whether it is a card that leads, and that changes something."""
        return self.held is not None and self.held.leads and not self.held.idle

    @property
    def is_one_press(self) -> bool:
        """Whether one press can play it: a card with one way to play it."""
        return self.held is not None and len(self.steps) == 1

    @property
    def only(self) -> WayToPlay | None:
        """The one way to play it; None where there are several."""
        return self.steps[0] if len(self.steps) == 1 else None


@dataclass(frozen=True)
class Choices:
    """The options of the observing seat; `foresee` previews what a move leads to."""

    seen: Observation
    names: Sequence[str]
    foresee: Foresee

    @cached_property
    def every(self) -> tuple[Choice, ...]:
        """The legal moves; a card with several ways to play it is one choice, with a second step."""
        by_first_words: dict[str, list[Move]] = {}
        for move in sorted(self.seen.legal, key=_offered_order):
            key = f"play {move.card}" if move.kind == "play" else move.text
            by_first_words.setdefault(key, []).append(move)
        return tuple(self._choice(text, moves) for text, moves in by_first_words.items())

    @cached_property
    def picks(self) -> tuple[Pick, ...]:
        """The hand, each kind of card once, and after it the answers that play no card."""
        cards = map(self._pick_of_card, self._hand.values())
        others = [move for move in self.seen.legal if move.kind not in ("play", "keep", "place")]
        return (*cards, *map(self._pick_of_answer, others))

    @cached_property
    def ending_of_pass(self) -> tuple[happened.Event, ...]:
        """What a pass makes of the region and the game; empty unless it is known to end the battle."""
        return ending_of_pass(self.foresee(PASS)) if PASS in self.seen.legal else ()

    @cached_property
    def _hand(self) -> dict[str, HandCard]:
        """Return the hand by its kinds of cards."""
        return {held.card: held for held in hand_cards(self.seen, self.foresee)}

    def _pick_of_card(self, held: HandCard) -> Pick:
        moves = sorted(held.moves, key=step_order) if len(held.moves) > 1 else held.moves
        if not moves:
            return Pick(held.card, held=held)
        if len(moves) == 1:
            return Pick(held.card, (self._only_way(moves[0]),), held, tuple(self._what_follows(moves[0])))
        asks, differs = steps_title(held.card), held.card == "scarecrow"
        same = () if differs else tuple(self._what_follows(moves[0]))
        return Pick(held.card, tuple(self._step(move, differs) for move in moves), held, same, asks)

    def _pick_of_answer(self, move: Move) -> Pick:
        follows = self._what_follows(move)
        if move.kind == "pass" and not follows and self.seen.seat not in self.seen.holds_back:
            follows = [_("You play no more cards in this battle.")]
        gist = pass_gist(self.ending_of_pass, self.names) if move == PASS and self.ending_of_pass else ""
        return Pick(move.text.replace(" ", "-"), (self._only_way(move),), sentences=tuple(follows), gist=gist)

    def _only_way(self, move: Move) -> WayToPlay:
        return WayToPlay(move.text, self.move_name(move))

    def _step(self, move: Move, differs: bool) -> WayToPlay:
        follows = " ".join(self._what_follows(move)) if differs else ""
        return step_of(move, self.move_name(move), self.names, self.seen.seat, follows)

    def _choice(self, text: str, moves: Sequence[Move]) -> Choice:
        if len(moves) == 1:
            move = moves[0]
            follows = tuple(self._what_follows(move))
            beyond = tuple(self._beyond(move, self.foresee(move)))
            return Choice(move.text, self.move_name(move), follows, self._place(move), beyond=beyond)
        # Translators: the dots mean that a second choice follows.
        return Choice(text, _("Play %(card)s …") % {"card": card_name(str(moves[0].card))}, has_ways=True)

    def _place(self, move: Move) -> str:
        """Return the region of this move, with its holder; empty for other moves."""
        if move.kind != "place" or move.region is None:
            return ""
        holder = dict(self.seen.control).get(move.region)
        if holder is None:
            return region_in_choices(move.region)
        words = {"region": region_in_choices(move.region), "name": self.names[holder]}
        if holder == self.seen.seat:
            # Translators: region is a region of the map.
            return _("%(region)s, which you hold") % words
        # Translators: region is a region of the map, name is a player.
        return _("%(region)s, which %(name)s holds") % words

    def _beyond(self, move: Move, foreseen: Sequence[happened.Event]) -> list[str]:
        """Return what a move leads to besides what is written on its card."""
        _own, *others = foreseen
        others = [event for event in others if not isinstance(event, _NAMED_BY_MOVE)]
        if self._idle(move):  # says that there is no Mercenary for the Bishop
            others = [event for event in others if not isinstance(event, happened.MercenariesRemoved)]
        foretold = foretell(others, self.names) if others else []
        return foretold + self._changed_totals(totals_after(foreseen))

    def _what_follows(self, move: Move) -> list[str]:
        """Return the consequences shown next to a button; the confirmation also says what its name omits."""
        foreseen = self.foresee(move)
        own, totals = foreseen[0], totals_after(foreseen)
        sentences = self._idle(move) + self._beyond(move, foreseen)
        if not isinstance(own, happened.CardPlayed) or ends_at_once(foreseen):
            return sentences
        if own.is_face_down:
            words = {"strength": totals[own.seat]}
            # Translators: strength is a number.
            text = _("The card lies face down. Your face-up strength becomes %(strength)d.")
            return [text % words, *sentences]
        return [*_own_strength(self.seen, totals), *sentences]

    def move_name(self, move: Move) -> str:
        """Return the label of the button for this move."""
        if move.kind == "pass" and self.seen.seat in self.seen.holds_back:
            return _("Pass and wait: as the defender you can still play")
        holder = dict(self.seen.control).get(move.region) if move.kind == "place" and move.region else None
        if holder is None:
            return move_name(move, self.names, self.seen.seat)
        words = {"region": region_in_choices(str(move.region)), "name": self.names[holder]}
        if holder == self.seen.seat:
            # Translators: a button. region is a region of the map.
            return _("Fight for %(region)s, which you hold") % words
        # Translators: a button. region is a region of the map, name is a player.
        return _("Fight for %(region)s, which %(name)s holds") % words

    def follows(self, move: Move) -> list[str]:
        """Return what a move leads to, as far as the seat can know beforehand, in sentences."""
        own, *others = self.foresee(move)
        said = [own, *(event for event in others if isinstance(event, _NAMED_BY_MOVE))]
        return foretell(said, self.names) + self._what_follows(move)

    @cached_property
    def _idle_moves(self) -> dict[str, str]:
        """Return why cards would change nothing, by the moves that play them."""
        return {move.text: held.idle for held in self._hand.values() if held.idle for move in held.moves}

    def _idle(self, move: Move) -> list[str]:
        """Return why the card of this move would change nothing, if so."""
        return [self._idle_moves[move.text]] if move.text in self._idle_moves else []

    def _changed_totals(self, totals: Sequence[int]) -> list[str]:
        """Return how the totals after a move change those of others, with the card that it turns up."""
        return [
            # Translators: name is a player; before and after are the strength of their line, numbers
            _("%(name)s: strength %(after)d instead of %(before)d.")
            % {"name": self.names[seat], "before": self.seen.totals[seat], "after": total}
            for seat, total in enumerate(totals)
            if seat != self.seen.seat and total != self.seen.totals[seat]
        ]


def _own_strength(seen: Observation, totals: Sequence[int]) -> list[str]:
    """Return the sentences on the reader's strength after a move, and on whether they then lead."""
    assert seen.seat is not None
    words, lead = {"strength": totals[seen.seat]}, lead_of(seen, totals)
    if totals[seen.seat] == seen.totals[seen.seat]:
        # Translators: strength is a number.
        told = [_("Your strength stays %(strength)d.") % words]
    else:
        # Translators: strength is a number.
        told = [_("Your strength becomes %(strength)d.") % words]
    if lead is None or lead < 0:
        return told
    return [*told, _("You then lead.") if lead else _("You are then tied for the lead.")]


def move_made(move: Move, names: Sequence[str], mine: int | None) -> str:
    """Return what the player has just done, in a sentence to them. `mine` is their seat."""
    match move.kind:
        case "place":
            return _("You chose to fight for %(region)s.") % {"region": region_name(str(move.region))}
        case "play":
            return _card_played(move, names, mine)
        case "pass":
            return _("You passed and turned your card up.") if move.reveals else _("You passed.")
        case "discard hand":
            return _("You discarded your whole hand.")
        case "keep hand":
            return _("You kept your hand.")
    if not move.cards:
        return _("You kept no cards.")
    # Translators: cards is a list of cards
    return _("You kept these cards: %(cards)s.") % {"cards": card_names(move.cards)}


def _card_played(move: Move, names: Sequence[str], mine: int | None) -> str:
    if move.card == "bishop" and str(move) != "play bishop":  # 1995 has no Pope
        if move.region is None:
            return _("You played the Bishop, and the Pope left the map.")
        words = {"region": region_name(move.region)}
        return _("You played the Bishop and sent the Pope to %(region)s.") % words
    if move.card == "scarecrow":
        if move.taken is None:
            return _("You played a Scarecrow and took nothing.")
        if move.from_seat is not None and move.from_seat != mine:
            words = {"card": move.taken, "name": names[move.from_seat]}
            # Translators: %(card)s is the number of a Mercenary.
            return _("You played a Scarecrow and took the %(card)s from %(name)s.") % words
        # Translators: %(card)s is the number of a Mercenary.
        return _("You played a Scarecrow and took back the %(card)s.") % {"card": move.taken}
    return _("You played %(card)s.") % {"card": card_name(str(move.card))}


def _offered_order(move: Move) -> tuple[int, int, str]:
    """Return the sort key of a move: cards in their canonical order, then the rest; regions by name."""
    card, region = move.card, move.region
    by_name = region_name(region) if region else ""
    return (0, CARDS.index(card), by_name) if card else (1, 0, by_name)
