"""Sentences for the ends of rounds, what becomes of hands, and the end of the game."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext

from games.narration.cast import Cast
from games.narration.vocabulary import card_names
from games.rules import EndReason
from games.rules import events as happened

# How a game was won, after the sentence that names the winners.
REASONS = {
    EndReason.ADJACENT_REGIONS: gettext_lazy("A connected group of regions decided it."),
    EndReason.TOTAL_REGIONS: gettext_lazy("The number of regions decided it."),
    EndReason.MOST_REGIONS: gettext_lazy("No region was left to fight for, so the most regions decided it."),
    EndReason.FINAL_BATTLE: gettext_lazy("A final battle decided it."),
}


def hands_opened(event: happened.HandsOpened, cast: Cast) -> str:
    return _("Players without a Mercenary may discard their whole hand. The site keeps secret who they are.")


def hand_decided(event: happened.HandDecided, cast: Cast) -> str:
    if event.discarded:
        return cast.say(
            event.seat,
            _("You decided to discard your hand."),
            # Translators: name is a player.
            _("%(name)s decided to discard their hand."),
        )
    return cast.say(
        event.seat,
        _("You decided to keep your hand."),
        # Translators: name is a player.
        _("%(name)s decided to keep their hand."),
    )


def hands_shown(event: happened.HandsShown, cast: Cast) -> str:
    if not event.hands:
        return _("No hand was discarded.")
    return _discarded(event.hands, cast)


def _discarded(hands: happened.SeatCards, cast: Cast) -> str:
    """Return a sentence for each hand that was discarded."""
    return " ".join(_hand_discarded(seat, cards, cast) for seat, cards in hands)


def _hand_discarded(seat: int, cards: Sequence[str], cast: Cast) -> str:
    return cast.say(
        seat,
        # Translators: cards is a list such as "Courtesan, Drummer".
        _("You discarded your hand: %(cards)s."),
        # Translators: name is a player, cards is a list such as "Courtesan, Drummer".
        _("%(name)s discarded their hand: %(cards)s."),
        cards=card_names(cards),
    )


def hands_dropped(event: happened.HandsDropped, cast: Cast) -> str:
    why = _("As many battles in a row as there are players saw no card played, so all hands are discarded.")
    return " ".join(filter(None, [why, _discarded(event.hands, cast)]))


def round_ended(event: happened.RoundEnded, cast: Cast) -> str:
    if event.keeper is None:
        return _("The round is over: no one has cards left.")
    return cast.say(
        event.keeper,
        _("The round is over: only you have cards left."),
        # Translators: name is a player.
        _("The round is over: only %(name)s has cards left."),
    )


def cards_kept(event: happened.CardsKept, cast: Cast) -> str:
    seat, count = event.seat, event.count
    if count == 0:
        # Translators: name is a player.
        return cast.say(seat, _("You kept no card."), _("%(name)s kept no card."))
    if event.cards is None:
        return cast.say(
            seat,
            ngettext("You kept %(count)d card.", "You kept %(count)d cards.", count),
            # Translators: name is a player.
            ngettext("%(name)s kept %(count)d card.", "%(name)s kept %(count)d cards.", count),
            count=count,
        )
    return cast.say(
        seat,
        # Translators: cards is a list of card names such as "10, Drummer".
        _("You kept %(cards)s."),
        # Translators: name is a player, cards is a list of card names such as "10, Drummer".
        _("%(name)s kept %(cards)s."),
        cards=card_names(event.cards),
    )


def final_battle_begun(event: happened.FinalBattleBegun, cast: Cast) -> str:
    # Translators: names are players, such as "Anna and Bruno".
    fight = _("A final battle decides the game. In it fight: %(names)s.") % {
        "names": cast.listed(event.seats)
    }
    # Translators: name is a player.
    first = cast.say(event.starter, _("You play first."), _("%(name)s plays first."))
    return f"{fight} {first}"


def game_ended(event: happened.GameEnded, cast: Cast) -> str:
    sentences = [_victory(event.winners, cast), str(REASONS[event.reason]), points_of(event, cast)]
    return " ".join(filter(None, sentences))


def points_of(event: happened.GameEnded, cast: Cast) -> str:
    """Return what each player got, in a game for points; empty in any other."""
    if event.points is None:
        return ""
    # Translators: points is a list of players and numbers, such as "Anna 4, Bruno 2".
    return _("Points: %(points)s.") % {"points": cast.with_values(enumerate(event.points))}


def _victory(winners: Sequence[int], cast: Cast) -> str:
    if len(winners) == 1:
        # Translators: name is a player.
        return cast.say(winners[0], _("You won the game."), _("%(name)s won the game."))
    return cast.say_of_several(
        winners,
        # Translators: names are players, such as "You and Anna".
        pgettext("the reader and others", "%(names)s share the victory."),
        # Translators: names are players, such as "Anna and Bruno".
        _("%(names)s share the victory."),
    )
