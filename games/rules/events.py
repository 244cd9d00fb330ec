"""What happened, as values: each rule that fires says so in the past tense. Prose is written elsewhere.

Cards and regions are the record's words, seats are numbers. `redact` takes out what a viewer may not know.
Nobody changes an event; that they are not frozen makes a replay a twelfth faster.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from .cards import CARDS

SeatCards = tuple[tuple[int, tuple[str, ...]], ...]


@dataclass(slots=True)
class CardsShuffled:
    """The table shuffled so many cards into a new pile."""

    count: int


@dataclass(slots=True)
class CardsDealt:
    """A seat was dealt so many cards, or drew them (R19, R25); `cards` is for that seat alone."""

    seat: int
    count: int
    cards: tuple[str, ...] | None


@dataclass(slots=True)
class RegionChosen:
    """The holder of the Condottiere chose where to fight (R3)."""

    seat: int
    region: str


@dataclass(slots=True)
class CardPlayed:
    """A seat played a card; `totals` are all announced totals after its effect (R6). A card played face down
    is for that seat alone (R37, R40)."""

    seat: int
    card: str | None
    totals: tuple[int, ...]
    is_face_down: bool = False


@dataclass(slots=True)
class CardsTurnedUp:
    """Face-down cards, (seat, card) each, were turned up; `totals` are all announced totals then (R37 to
    R39)."""

    cards: tuple[tuple[int, str], ...]
    totals: tuple[int, ...]

    @classmethod
    def of(cls, cards: Iterable[tuple[int, int]], totals: tuple[int, ...]) -> "CardsTurnedUp":
        """The event for cards by number."""
        return cls(tuple([(seat, CARDS[card]) for seat, card in cards]), totals)


@dataclass(slots=True)
class SeasonSwept:
    """Every copy of `season` was discarded from the lines of `seats` by the other season (R7)."""

    season: str
    seats: tuple[int, ...]


@dataclass(slots=True)
class MercenariesRemoved:
    """A Bishop removed the Mercenaries of one printed value, (seat, how many) each; None if there were none
    (R8)."""

    value: str | None
    losses: tuple[tuple[int, int], ...]


@dataclass(slots=True)
class PopePlaced:
    """A seat's Bishop brought the Pope to a region, or off the board (R9)."""

    seat: int
    region: str | None


@dataclass(slots=True)
class MercenaryTakenBack:
    """A Scarecrow took a Mercenary back to its player's hand, or nothing (R10); in 1995 perhaps from
    another's line (R45)."""

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
    """The sole strongest seat took the region (R13), perhaps from another (R34, R44)."""

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
    """The token went to a seat, or stayed with it: by `courtesans`, to the `winner`, to the `defender` (R34,
    R44), to the `left` (R14), or it stayed with the `chooser` (R44)."""

    seat: int
    why: str


@dataclass(slots=True)
class LinesDiscarded:
    """All lines went to the discard pile (R16)."""


@dataclass(slots=True)
class HandsOpened:
    """Hands may be discarded; by whom, nobody is told (R17)."""


@dataclass(slots=True)
class HandDecided:
    """A seat discarded its hand or kept it (R17); for that seat alone until the game is over."""

    seat: int
    discarded: bool
    cards: tuple[str, ...]


@dataclass(slots=True)
class HandsShown:
    """All have decided: the discarded hands, in seat order, perhaps none (R17)."""

    hands: SeatCards


@dataclass(slots=True)
class HandsDropped:
    """After a standstill all hands were discarded and shown, in seat order (R22)."""

    hands: SeatCards


@dataclass(slots=True)
class RoundEnded:
    """At most one seat has cards; `keeper` is the one that does (R18), though in 1995 it keeps none (R46)."""

    keeper: int | None


@dataclass(slots=True)
class CardsKept:
    """The last seat with cards kept some for the next round (R18), in 1995 none (R46); `cards` is for that
    seat alone."""

    seat: int
    count: int
    cards: tuple[str, ...] | None


@dataclass(slots=True)
class FinalBattleBegun:
    """The tied seats fight it out (R21)."""

    seats: tuple[int, ...]
    starter: int


@dataclass(slots=True)
class GameEnded:
    """The game is over; `points` are what each seat scored in Playing for Points (R27)."""

    winners: tuple[int, ...]
    reason: str
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
    """The event as this viewer may know it while the game runs; None if he may not know of it at all."""
    if isinstance(event, HandDecided):
        return event if event.seat == viewer else None
    if isinstance(event, CardsDealt | CardsKept) and event.seat != viewer:
        return replace(event, cards=None)
    if isinstance(event, CardPlayed) and event.is_face_down and event.seat != viewer:
        return replace(event, card=None)
    return event


def redact(events: Iterable[Event], viewer: int | None) -> tuple[Event, ...]:
    """The events as a seat (None: the whole table) may know them while the game runs (R17 to R19, R40)."""
    seen = [_seen(event, viewer) for event in events]
    return tuple([event for event in seen if event is not None])
