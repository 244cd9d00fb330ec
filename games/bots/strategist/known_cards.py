"""What a seat remembers: cards that it saw go into the hands of others."""

from collections.abc import Iterable

from games.rules import CardPlayed, CardsKept, Event, HandsDropped, HandsShown, MercenaryTakenBack

from .card_numbers import GOES_FACE_DOWN, NUMBER_OF, Cards


class KnownCards:
    """Per seat, cards that everyone knows to be in its hand, because a Scarecrow took them."""

    __slots__ = ("hands",)

    def __init__(self, hands: Iterable[Iterable[int]]) -> None:
        self.hands: tuple[Cards, ...] = tuple([tuple(sorted(hand)) for hand in hands])

    @classmethod
    def none(cls, players: int) -> "KnownCards":
        """Return the knowledge of someone who remembers nothing."""
        return cls([()] * players)

    def after(self, events: Iterable[Event]) -> "KnownCards":
        """Return what is known once these redacted events have happened."""
        hands = [list(hand) for hand in self.hands]
        for event in events:
            match event:
                case MercenaryTakenBack(seat, str(card)):
                    hands[seat].append(NUMBER_OF[card])
                case CardPlayed(seat, None):
                    # It lies face down and may be any that can, so what remains is only what can't.
                    hands[seat] = [card for card in hands[seat] if not GOES_FACE_DOWN[card]]
                case CardPlayed(seat, str(card)) if NUMBER_OF[card] in hands[seat]:
                    hands[seat].remove(NUMBER_OF[card])
                case HandsShown(shown) | HandsDropped(shown):
                    for seat, _cards in shown:
                        hands[seat] = []
                case CardsKept(seat):
                    hands[seat] = []
        return KnownCards(hands)
