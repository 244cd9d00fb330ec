"""What a move leads to, in sentences, before it is made. Gets previewed events only."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from games.map.region_names import region_name
from games.narration.cast import Cast
from games.narration.dealing_sentences import Narrated, merge_deals
from games.narration.event_sentences import SENTENCES
from games.narration.vocabulary import card_name, card_names
from games.rules import events as happened

Names = Sequence[str]


def foretell(events: Iterable[Narrated], names: Names) -> list[str]:
    """Return what will happen, as `narrate` does for what has happened."""
    cast, words = Cast.of(names), SENTENCES | _AHEAD
    return [text for event in merge_deals(events) if (text := words[type(event)](event, cast))]


def _named_by_the_button(event: happened.CardPlayed | happened.MercenaryTakenBack, cast: Cast) -> str:
    """Return nothing: the move's own name says it."""
    return ""


def _region_will_be_fought_for(event: happened.RegionChosen, cast: Cast) -> str:
    # Translators: region is a region of the map.
    return _("The next battle will be for %(region)s.") % {"region": region_name(event.region)}


def _will_pass(event: happened.Passed, cast: Cast) -> str:
    return cast.say(
        event.seat,
        _("You will play no more cards in this battle."),
        # Translators: name is a player.
        _("%(name)s will play no more cards in this battle."),
    )


def _will_hold_back(event: happened.HeldBack, cast: Cast) -> str:
    return cast.say(
        event.seat,
        _("As the defender you will stay in the battle."),
        # Translators: name is a player.
        _("As the defender %(name)s will stay in the battle."),
    )


def _will_run_out_of_cards(event: happened.RanOutOfCards, cast: Cast) -> str:
    return cast.say(
        event.seat,
        _("You will have no cards left, so you will leave this battle."),
        # Translators: name is a player.
        _("%(name)s will have no cards left and leave this battle."),
    )


def _will_turn_up(event: happened.CardsTurnedUp, cast: Cast) -> str:
    return " ".join(_will_show(seat, card, event.totals[seat], cast) for seat, card in event.cards)


def _will_show(seat: int, card: str, strength: int, cast: Cast) -> str:
    return cast.say(
        seat,
        # Translators: card is a card's name, strength is the number that the line will count.
        _("You will turn up %(card)s: strength %(strength)d."),
        # Translators: name is a player, card is a card, strength is the number that the line will count.
        _("%(name)s will turn up %(card)s: strength %(strength)d."),
        card=card_name(card),
        strength=strength,
    )


def _pope_will_go(event: happened.PopePlaced, cast: Cast) -> str:
    if event.region is None:
        return _("The Pope will leave the map.")
    # Translators: region is a region of the map. "He" is the Pope.
    return _("The Pope will go to %(region)s. No one can choose it while he is there.") % {
        "region": region_name(event.region)
    }


def _battle_will_end(event: happened.BattleCompared, cast: Cast) -> str:
    strengths = cast.with_values(enumerate(event.totals))
    # Translators: strengths is a list of players and numbers, such as "Anna 12, Bruno 9".
    return _("The battle will be over. Strength: %(strengths)s.") % {"strengths": strengths}


def _hand_will_be_decided(event: happened.HandDecided, cast: Cast) -> str:
    if event.discarded:
        return _("Your whole hand will be discarded.")
    return _("You will keep your hand.")


def _cards_will_be_kept(event: happened.CardsKept, cast: Cast) -> str:
    if not event.cards:
        return _("You will keep no card.")
    # Translators: cards is a list of card names such as "10, Drummer".
    return _("You will keep %(cards)s.") % {"cards": card_names(event.cards)}


def _season_will_go(event: happened.SeasonSwept, cast: Cast) -> str:
    return cast.say_of_lines(
        event.seats,
        # Translators: card is Winter or Spring.
        _("%(card)s will be discarded from your line."),
        # Translators: card is Winter or Spring, names are the players whose lines have it, "Anna and you".
        ngettext(
            "%(card)s will be discarded from the line of %(names)s.",
            "%(card)s will be discarded from the lines of %(names)s.",
            len(event.seats),
        ),
        card=card_name(event.season),
    )


def _mercenaries_will_go(event: happened.MercenariesRemoved, cast: Cast) -> str:
    if not event.losses:
        return _("There is no Mercenary for the Bishop to remove.")
    return cast.say_of_lines(
        [seat for seat, _count in event.losses],
        # Translators: card is the number of a Mercenary.
        _("The Bishop will remove every %(card)s from your line."),
        # Translators: card is the number of a Mercenary; names are the players whose lines have it.
        ngettext(
            "The Bishop will remove every %(card)s from the line of %(names)s.",
            "The Bishop will remove every %(card)s from the lines of %(names)s.",
            len(event.losses),
        ),
        card=card_name(str(event.value)),
    )


def _battle_will_stop(event: happened.BattleStopped, cast: Cast) -> str:
    # Translators: region is a region of the map.
    return _("The Bishop will end the battle for %(region)s at once. No one will win it.") % {
        "region": region_name(event.region)
    }


def _will_conquer(event: happened.RegionConquered, cast: Cast) -> str:
    region = region_name(event.region)
    if event.lost_by is not None:
        return cast.say_of_two(
            event.seat,
            event.lost_by,
            # Translators: region is a region of the map, other is the player who holds it.
            _("You will take %(region)s, which %(other)s holds."),
            # Translators: name is a player, region is a region of the map.
            _("%(name)s will take %(region)s, which you hold."),
            # Translators: name is a player, region is a region of the map, other is the player who holds it.
            _("%(name)s will take %(region)s, which %(other)s holds."),
            region=region,
        )
    return cast.say(
        event.seat,
        # Translators: region is a region of the map.
        _("You will take %(region)s."),
        # Translators: name is a player, region is a region of the map.
        _("%(name)s will take %(region)s."),
        region=region,
    )


def _will_defend(event: happened.RegionDefended, cast: Cast) -> str:
    return cast.say(
        event.seat,
        # Translators: region is a region of the map.
        _("You will keep %(region)s."),
        # Translators: name is a player, region is a region of the map.
        _("%(name)s will keep %(region)s."),
        region=region_name(event.region),
    )


def _nobody_will_conquer(event: happened.NobodyConquered, cast: Cast) -> str:
    # Translators: region is a region of the map.
    return _("No one will take %(region)s.") % {"region": region_name(event.region)}


def _will_be_condottiere(event: happened.CondottiereHanded, cast: Cast) -> str:
    return cast.say(
        event.seat,
        _("You will be the Condottiere."),
        # Translators: name is a player; the Condottiere is the player with that token.
        _("%(name)s will be the Condottiere."),
    )


def _will_win(event: happened.GameEnded, cast: Cast) -> str:
    if len(event.winners) == 1:
        # Translators: name is a player.
        return cast.say(event.winners[0], _("You will win the game."), _("%(name)s will win the game."))
    return cast.say_of_several(
        event.winners,
        # Translators: names are players, such as "You and Anna".
        pgettext("the reader and others", "%(names)s will share the victory."),
        # Translators: names are players, such as "Anna and Bruno".
        _("%(names)s will share the victory."),
    )


_AHEAD: dict[type[Narrated], Callable[..., str]] = {
    happened.CardPlayed: _named_by_the_button,
    happened.MercenaryTakenBack: _named_by_the_button,
    happened.RegionChosen: _region_will_be_fought_for,
    happened.Passed: _will_pass,
    happened.HeldBack: _will_hold_back,
    happened.RanOutOfCards: _will_run_out_of_cards,
    happened.CardsTurnedUp: _will_turn_up,
    happened.PopePlaced: _pope_will_go,
    happened.BattleCompared: _battle_will_end,
    happened.HandDecided: _hand_will_be_decided,
    happened.CardsKept: _cards_will_be_kept,
    happened.SeasonSwept: _season_will_go,
    happened.MercenariesRemoved: _mercenaries_will_go,
    happened.BattleStopped: _battle_will_stop,
    happened.RegionConquered: _will_conquer,
    happened.RegionDefended: _will_defend,
    happened.NobodyConquered: _nobody_will_conquer,
    happened.CondottiereHanded: _will_be_condottiere,
    happened.GameEnded: _will_win,
}
