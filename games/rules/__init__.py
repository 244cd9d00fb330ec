"""The rules of Condottiere: a pure book. Values go in, values come out; nothing here reads, prints, asks the time or
draws lots. The rulings (R1 ...) are in RULINGS.md, the text forms in RECORD.md beside this file.
"""

from .board import BORDERS, REGIONS, neighbours, region_name
from .cards import CARDS
from .engine import Ply, Replay, apply, outcome, preview, replay
from .errors import IllegalMove, InvalidMove, InvalidRecord, Reason, UnknownOption
from .events import (
    BattleCompared, CardPlayed, CardsDealt, CardsKept, CardsShuffled, CondottiereHanded, Event, FinalBattleBegun,
    GameEnded, HandDecided, HandsDropped, HandsOpened, HandsShown, LinesDiscarded, MercenariesRemoved,
    MercenaryTakenBack, NobodyConquered, Passed, PopePlaced, RanOutOfCards, RegionChosen, RegionConquered, RoundEnded,
    SeasonSwept, redact,
)  # fmt: skip
from .legality import Decision, legal_moves, pending
from .moves import Move, parse_move
from .observation import Observation, observe, position
from .options import EDITIONS, SEATS, VARIANTS, Options
from .outcome import Outcome
from .shuffle import commitment, first_condottiere, game_key, nonce_from_secret, nonce_from_words, shuffled
from .state import State, new_game

__all__ = [
    "BORDERS", "CARDS", "EDITIONS", "REGIONS", "SEATS", "VARIANTS",
    "BattleCompared", "CardPlayed", "CardsDealt", "CardsKept", "CardsShuffled", "CondottiereHanded", "Decision",
    "Event", "FinalBattleBegun", "GameEnded", "HandDecided", "HandsDropped", "HandsOpened", "HandsShown",
    "IllegalMove", "InvalidMove", "InvalidRecord", "LinesDiscarded", "MercenariesRemoved", "MercenaryTakenBack",
    "Move", "NobodyConquered", "Observation", "Options", "Outcome", "Passed", "Ply", "PopePlaced", "RanOutOfCards",
    "Reason", "RegionChosen", "RegionConquered", "Replay", "RoundEnded", "SeasonSwept", "State", "UnknownOption",
    "apply", "commitment", "first_condottiere", "game_key", "legal_moves", "neighbours", "new_game",
    "nonce_from_secret", "nonce_from_words", "observe", "outcome", "parse_move", "pending", "position", "preview",
    "redact", "region_name", "replay", "shuffled",
]  # fmt: skip
