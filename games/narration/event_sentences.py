"""Sentences for redacted events."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from games.narration import battle_sentences, card_sentences, dealing_sentences, round_sentences
from games.narration.cast import Cast
from games.narration.dealing_sentences import DealtAlike, Narrated, merge_deals
from games.rules import events as happened

Names = Sequence[str]

SENTENCES: dict[type[Narrated], Callable[..., str]] = {
    happened.CardsShuffled: dealing_sentences.cards_shuffled,
    happened.CardsDealt: dealing_sentences.cards_dealt,
    DealtAlike: dealing_sentences.dealt_alike,
    happened.RegionChosen: battle_sentences.region_chosen,
    happened.CardPlayed: card_sentences.card_played,
    happened.CardsTurnedUp: card_sentences.cards_turned_up,
    happened.SeasonSwept: card_sentences.season_swept,
    happened.MercenariesRemoved: card_sentences.mercenaries_removed,
    happened.PopePlaced: card_sentences.pope_placed,
    happened.MercenaryTakenBack: card_sentences.mercenary_taken_back,
    happened.Passed: battle_sentences.passed,
    happened.HeldBack: battle_sentences.held_back,
    happened.RanOutOfCards: battle_sentences.ran_out_of_cards,
    happened.BattleCompared: battle_sentences.battle_compared,
    happened.BattleStopped: battle_sentences.battle_stopped,
    happened.RegionConquered: battle_sentences.region_conquered,
    happened.RegionDefended: battle_sentences.region_defended,
    happened.NobodyConquered: battle_sentences.nobody_conquered,
    happened.CondottiereHanded: battle_sentences.condottiere_handed,
    happened.LinesDiscarded: battle_sentences.lines_discarded,
    happened.HandsOpened: round_sentences.hands_opened,
    happened.HandDecided: round_sentences.hand_decided,
    happened.HandsShown: round_sentences.hands_shown,
    happened.HandsDropped: round_sentences.hands_dropped,
    happened.RoundEnded: round_sentences.round_ended,
    happened.CardsKept: round_sentences.cards_kept,
    happened.FinalBattleBegun: round_sentences.final_battle_begun,
    happened.GameEnded: round_sentences.game_ended,
}


def narrate(events: Iterable[Narrated], names: Names) -> list[str]:
    """Return what is said of each notable event, in order.

    `names` are the seats' shown names; a `Cast` also says who of them is the reader.
    """
    cast = Cast.of(names)
    return [text for event in merge_deals(events) if (text := sentence(event, cast))]


def sentence(event: Narrated, cast: Cast) -> str:
    """Return what is said of one event; empty where the events around it say it already."""
    return SENTENCES[type(event)](event, cast)
