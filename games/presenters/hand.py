"""A hand as buttons, with each card's effect in a few words. Gets observations, never a State."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from games.map.region_names import region_in_choices, region_name
from games.narration.cast import comma_list
from games.narration.vocabulary import card_name, card_rule
from games.presenters.ending_pass import settled_cards, settled_sentence
from games.presenters.idle_cards import idle_reason
from games.rules import CARDS, MERCENARIES, Move, Observation
from games.rules import events as happened

Foresee = Callable[[Move], tuple[happened.Event, ...]]


@dataclass(frozen=True)
class HandCard:
    """One kind of card in a hand.

    `moves` are the ways to play it now. `gist` is its effect, and `standing` whether the player then leads.
    `does` is its rule in a sentence, `idle` why it would change nothing now.
    """

    card: str
    copies: int
    moves: tuple[Move, ...] = ()
    gist: str = ""
    standing: str = ""
    leads: bool = False
    does: str = ""
    idle: str = ""

    @property
    def is_mercenary(self) -> bool:
        return self.card in MERCENARIES

    @property
    def rule_key(self) -> str:
        """The key of what it does, among the cards of the game."""
        return "mercenary" if self.is_mercenary else self.card

    @property
    def label(self) -> str:
        """The card with all that is written on it, for screen readers."""
        return self._with_facts(card_name(self.card))

    @property
    def button_label(self) -> str:
        """The same for a button that plays the card at once."""
        return self._with_facts(_("Play %(card)s") % {"card": card_name(self.card)})

    def _with_facts(self, name: str) -> str:
        # Translators: how many of this card are in the reader's hand; a label and its value.
        copies = _("copies: %(n)d") % {"n": self.copies} if self.copies > 1 else ""
        facts = comma_list(filter(None, [name, copies, self.gist, self.standing]))
        return f"{facts}. {self.idle}" if self.idle else facts


@dataclass(frozen=True)
class WayToPlay:
    """One way to play a card, as a button; `name` describes the whole move.

    Of a card with several ways, `short` or a card says the difference, `owner` whose card is taken, and
    `follows` what it leads to where the ways differ in that.
    """

    text: str
    name: str
    short: str = ""
    card: str = ""
    owner: str = ""
    follows: str = ""


def step_of(move: Move, name: str, names: Sequence[str], mine: int | None, follows: str = "") -> WayToPlay:
    """Return the button for a Pope's place or a Mercenary to take."""
    if taken := move.taken:
        is_anothers = move.from_seat is not None and move.from_seat != mine
        owner = names[move.from_seat] if is_anothers and move.from_seat is not None else ""
        return WayToPlay(move.text, name, taken, taken, owner, follows)
    if region := move.region:
        return WayToPlay(move.text, name, region_in_choices(region))
    is_bishop = move.card == "bishop"
    short = pgettext("the Pope", "Leaves the map") if is_bishop else pgettext("card taken", "Nothing")
    return WayToPlay(move.text, name, short, follows=follows)


def step_order(move: Move) -> tuple[bool, int, str]:
    """Return the sort key: Mercenaries by number, regions by name; no Mercenary and no region come last."""
    region, taken = move.region, move.taken
    by_name = region_name(region) if region else ""
    return region is None and taken is None, CARDS.index(taken) if taken else 0, by_name


def steps_title(card: str) -> str:
    """Return what is asked about a card that can be played in several ways."""
    if card == "bishop":
        return _("Where do you send the Pope? No one can choose that region while he is there.")
    return _("Which card does the Scarecrow take?")


def hand_cards(seen: Observation, foresee: Foresee) -> tuple[HandCard, ...]:
    """Return the observing seat's hand, Mercenaries by their number first, equal cards together."""
    hand, moves = seen.hand or (), _moves_of_cards(seen)
    cards = [
        _hand_card(seen, HandCard(card, hand.count(card), moves.get(card, ())), foresee)
        for card in CARDS
        if card in hand
    ]
    settled = settled_cards(seen)
    ruled = (_with_rule(held, seen) for held in cards)
    return tuple(_settled(held) if held.card in settled else held for held in ruled)


def _moves_of_cards(seen: Observation) -> dict[str, tuple[Move, ...]]:
    """Return the moves by which each card can be played now."""
    moves: dict[str, tuple[Move, ...]] = {}
    for move in seen.legal:
        if card := move.card:
            moves[card] = (*moves.get(card, ()), move)
    return moves


def _with_rule(held: HandCard, seen: Observation) -> HandCard:
    does = str(card_rule(held.card, seen.options.edition).sentence)
    idle = idle_reason(seen, held.card)
    if not idle:
        return replace(held, does=does)
    is_for_pope = held.card == "bishop" and not seen.final_battle
    gist = pgettext("Bishop", "only moves the Pope") if is_for_pope else pgettext("card", "no effect now")
    return replace(held, does=does, idle=idle, gist=gist)


def _settled(held: HandCard) -> HandCard:
    """Return a card that no longer changes how the battle ends: it's no use to lead by it."""
    gist = pgettext("card", "no effect now")
    return replace(held, idle=settled_sentence(), gist=gist, standing="", leads=False)


def _hand_card(seen: Observation, held: HandCard, foresee: Foresee) -> HandCard:
    """Return a card of the hand with its effect, if it can be played now."""
    if not held.moves:
        return held
    has_ways = len(held.moves) > 1
    if has_ways and held.card == "scarecrow":
        return replace(held, gist=pgettext("Scarecrow", "takes a card"))
    events = foresee(held.moves[0])
    lead = None if ends_at_once(events) else lead_of(seen, totals_after(events))
    gist = _gist(seen, events, needs_more=has_ways)
    return replace(held, gist=gist, standing=_standing(lead), leads=bool(lead and lead > 0))


def _standing(lead: int | None) -> str:
    """Return whether the reader would lead the battle or tie; empty if behind."""
    if lead is None or lead < 0:
        return ""
    return pgettext("your line", "you lead") if lead else pgettext("your line", "tied")


def _gist(seen: Observation, events: Sequence[happened.Event], *, needs_more: bool) -> str:
    """Return how the card changes the player's own total. `needs_more`: a second choice follows."""
    if ends_at_once(events):
        return pgettext("card", "ends the battle")
    if any(isinstance(event, happened.CardPlayed) and event.is_face_down for event in events):
        return pgettext("card", "face down")
    assert seen.seat is not None
    after = totals_after(events)[seen.seat]
    total, is_unchanged = {"n": after}, after == seen.totals[seen.seat]
    if needs_more and is_unchanged:
        return pgettext("Bishop", "moves the Pope")
    if is_unchanged:
        # Translators: the strength of the reader's line, which this card does not change.
        return _("strength stays %(n)d") % total
    # Translators: the strength of the reader's line after this card.
    return _("strength %(n)d") % total


def lead_of(seen: Observation, totals: Sequence[int]) -> int | None:
    """Return the lead over all others, below 0 if behind; None where no one has a total."""
    assert seen.seat is not None
    others = [total for seat, total in enumerate(totals) if seat != seen.seat]
    return totals[seen.seat] - max(others) if any(totals) else None


def ends_at_once(foreseen: Sequence[happened.Event]) -> bool:
    """Return whether the first card played ends the battle: a Surrender (R12), in 1995 a Bishop (R43)."""
    return any(
        isinstance(event, happened.BattleStopped)
        or (isinstance(event, happened.CardPlayed) and event.card == "surrender")
        for event in foreseen
    )


def totals_after(events: Sequence[happened.Event]) -> tuple[int, ...]:
    """Return the totals announced last: a card turned up counts after the played card's effect (R37)."""
    announced: tuple[int, ...] = ()
    for event in events:
        if isinstance(event, happened.CardPlayed | happened.CardsTurnedUp):
            announced = event.totals
    return announced
