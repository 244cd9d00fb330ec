"""The rules of Condottiere as pure functions over values.

Nothing here does input or output, reads the clock or uses randomness. The rulings (R1 ...) are in RULINGS.md,
the text forms in RECORD.md, both in this folder.
"""

from .board import BORDERS, REGIONS, neighbours, region_name
from .cards import CARDS, MERCENARIES, SEASONS, SPEC_OF, CardSpec
from .engine import Ply, Replay, apply, outcome, preview, replay
from .errors import IllegalMove, InvalidMove, InvalidRecord, Reason, UnknownOption
from .events import (
    BattleCompared,
    BattleStopped,
    CardPlayed,
    CardsDealt,
    CardsKept,
    CardsShuffled,
    CardsTurnedUp,
    CondottiereHanded,
    Event,
    FinalBattleBegun,
    GameEnded,
    HandDecided,
    HandsDropped,
    HandsOpened,
    HandsShown,
    HeldBack,
    LinesDiscarded,
    MercenariesRemoved,
    MercenaryTakenBack,
    NobodyConquered,
    Passed,
    PopePlaced,
    RanOutOfCards,
    RegionChosen,
    RegionConquered,
    RegionDefended,
    RoundEnded,
    SeasonSwept,
    redact,
)
from .legality import Decision, legal_moves, pending
from .match import FinalBattle, MatchWon, NextGame, after_game, does_not_follow
from .moves import Move, parse_move
from .observation import Observation, observe, position, result_json
from .options import EDITIONS, SEATS, VARIANTS, Options
from .outcome import POINTS_FOR_CONNECTED, EndReason, Outcome, regions_scored
from .prizes import prizes
from .record import (
    HIGHEST_TARGET,
    MOST_GAMES,
    Entry,
    Match,
    Record,
    Verification,
    record_json,
    replay_record,
    verify,
)
from .record_reading import read_record
from .shuffle import (
    chain_of_secrets,
    commitment,
    drawn_by_clock,
    drawn_seats,
    first_condottiere,
    game_key,
    nonce_from_secret,
    nonce_from_words,
    shuffled,
)
from .state import Phase, State, new_final_battle, new_game
from .strength import SPRING_BONUS, card_strengths, line_strengths, sole_highest
