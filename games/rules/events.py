"""Events: what happened in the game, as values in the past tense. Their text is written elsewhere.

Cards and regions are the record's words, seats are numbers. `redact` removes what a viewer may not know.
Events are never changed. They are not frozen, because that makes a replay a twelfth faster.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from .cards import CARDS
from .outcome import EndReason

SeatCards = tuple[tuple[int, tuple[str, ...]], ...]


@dataclass(slots=True)
class CardsShuffled:
    """The site shuffled `count` cards into a new pile."""

    count: int


@dataclass(slots=True)
class CardsDealt:
    """A seat was dealt `count` cards, or drew them (R19, R25); only that seat may see `cards`."""

    seat: int
    count: int
    cards: tuple[str, ...] | None


@dataclass(slots=True)
class RegionChosen:
    """The holder of the Condottiere token chose where to fight (R3)."""

    seat: int
    region: str


@dataclass(slots=True)
class CardPlayed:
    """A seat played a card; `totals` are all announced strengths after its effect (R6).

    Only that seat may see a card played face down (R37, R40).
    """

    seat: int
    card: str | None
    totals: tuple[int, ...]
    is_face_down: bool = False


@dataclass(slots=True)
class CardsTurnedUp:
    """Face-down cards were turned up, each a pair of seat and card (R37 to R39).

    `totals` are all announced strengths after that.
    """

    cards: tuple[tuple[int, str], ...]
    totals: tuple[int, ...]

    @classmethod
    def of(cls, cards: Iterable[tuple[int, int]], totals: tuple[int, ...]) -> "CardsTurnedUp":
        """Build the event from cards by number."""
        return cls(tuple([(seat, CARDS[card]) for seat, card in cards]), totals)


@dataclass(slots=True)
class SeasonSwept:
    """The other season discarded every copy of `season` from the lines of `seats` (R7)."""

    season: str
    seats: tuple[int, ...]


@dataclass(slots=True)
class MercenariesRemoved:
    """A Bishop removed the Mercenaries of one printed value (R8).

    `losses` are pairs of seat and count. `value` is None if there were no Mercenaries.
    """

    value: str | None
    losses: tuple[tuple[int, int], ...]


@dataclass(slots=True)
class PopePlaced:
    """A seat's Bishop brought the Pope to a region, or off the map (R9)."""

    seat: int
    region: str | None


@dataclass(slots=True)
class MercenaryTakenBack:
    """A Scarecrow took a Mercenary back to its player's hand, or nothing (R10).

    In 1995 it may come from another seat's line (R45).
    """

    seat: int
    card: str | None
    from_seat: int | None = None


@dataclass(slots=True)
class Passed:
    """A seat passed for the rest of the battle (R4)."""

    seat: int


@dataclass(slots=True)
class HeldBack:
    """The defender passed and stays in the battle (R33)."""

    seat: int


@dataclass(slots=True)
class RanOutOfCards:
    """A seat left the battle because its hand is empty (R5)."""

    seat: int


@dataclass(slots=True)
class BattleCompared:
    """The lines were compared (R13); `region` is None in a final battle."""

    region: str | None
    totals: tuple[int, ...]
    surrendered_by: int | None


@dataclass(slots=True)
class RegionConquered:
    """The only strongest seat took the region (R13), perhaps from another (R34, R44)."""

    seat: int
    region: str
    lost_by: int | None = None


@dataclass(slots=True)
class RegionDefended:
    """The region stayed with its defender (R34, R44)."""

    seat: int
    region: str


@dataclass(slots=True)
class BattleStopped:
    """A seat's Bishop ended the battle without a comparison (R43)."""

    seat: int
    region: str


@dataclass(slots=True)
class NobodyConquered:
    """A tie for the highest strength left the region free (R13)."""

    region: str


@dataclass(slots=True)
class CondottiereHanded:
    """The token went to a seat, or stayed with it. `why` is one of five words.

    `courtesans`, `winner` (R14), `defender` (R34, R44), `left` (R14), or `chooser`, with whom it stayed
    (R44).
    """

    seat: int
    why: str


@dataclass(slots=True)
class LinesDiscarded:
    """All lines went to the discard pile (R16)."""


@dataclass(slots=True)
class HandsOpened:
    """Hands may be discarded; no one learns whose (R17)."""


@dataclass(slots=True)
class HandDecided:
    """A seat discarded its hand or kept it (R17); only that seat may see this until the game is over."""

    seat: int
    discarded: bool
    cards: tuple[str, ...]


@dataclass(slots=True)
class HandsShown:
    """Everyone has decided: the discarded hands, in seat order, perhaps none (R17)."""

    hands: SeatCards


@dataclass(slots=True)
class HandsDropped:
    """After R22's battles without a card, all hands were discarded and shown, in seat order."""

    hands: SeatCards


@dataclass(slots=True)
class RoundEnded:
    """At most one seat has cards; `keeper` is that seat (R18), although in 1995 it keeps none (R46)."""

    keeper: int | None


@dataclass(slots=True)
class CardsKept:
    """The last seat with cards kept some for the next round (R18), in 1995 none (R46).

    Only that seat may see `cards`.
    """

    seat: int
    count: int
    cards: tuple[str, ...] | None


@dataclass(slots=True)
class FinalBattleBegun:
    """The final battle between the tied seats began (R21)."""

    seats: tuple[int, ...]
    starter: int


@dataclass(slots=True)
class GameEnded:
    """The game is over; `points` are what each seat scored in Playing for Points (R27)."""

    winners: tuple[int, ...]
    reason: EndReason
    points: tuple[int, ...] | None = None


Event = (
    CardsShuffled
    | CardsDealt
    | RegionChosen
    | CardPlayed
    | CardsTurnedUp
    | SeasonSwept
    | MercenariesRemoved
    | PopePlaced
    | MercenaryTakenBack
    | Passed
    | HeldBack
    | RanOutOfCards
    | BattleCompared
    | BattleStopped
    | RegionConquered
    | RegionDefended
    | NobodyConquered
    | CondottiereHanded
    | LinesDiscarded
    | HandsOpened
    | HandDecided
    | HandsShown
    | HandsDropped
    | RoundEnded
    | CardsKept
    | FinalBattleBegun
    | GameEnded
)


def _seen(event: Event, viewer: int | None) -> Event | None:
    """Return the event as this viewer may know it while the game runs; None if they may not know of it."""
    if isinstance(event, HandDecided):
        return event if event.seat == viewer else None
    if isinstance(event, CardsDealt | CardsKept) and event.seat != viewer:
        return replace(event, cards=None)
    if isinstance(event, CardPlayed) and event.is_face_down and event.seat != viewer:
        return replace(event, card=None)
    return event


def redact(events: Iterable[Event], viewer: int | None) -> tuple[Event, ...]:
    """Return the events as a seat (None: everyone) may know them while the game runs (R17 to R19, R40)."""
    seen = [_seen(event, viewer) for event in events]
    return tuple([event for event in seen if event is not None])
