"""Sentences for cards that are played and what they do at once."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games.map.region_names import region_name
from games.narration.cast import Cast
from games.narration.vocabulary import card_name
from games.rules import events as happened


def card_played(event: happened.CardPlayed, cast: Cast) -> str:
    seat = event.seat
    if event.card is None:
        # Translators: name is a player.
        return cast.say(seat, _("You played a card face down."), _("%(name)s played a card face down."))
    if event.card == "surrender":
        return cast.say(
            seat,
            # Translators: Surrender is a card.
            _("You played Surrender: the battle ends at once."),
            # Translators: name is a player, Surrender is a card.
            _("%(name)s played Surrender: the battle ends at once."),
        )
    card, strength = card_name(event.card), event.totals[seat]
    if event.is_face_down:
        return cast.say(
            seat,
            # Translators: card is a card's name.
            _("You played %(card)s face down."),
            # Translators: name is a player, card is a card's name.
            _("%(name)s played %(card)s face down."),
            card=card,
        )
    return cast.say(
        seat,
        # Translators: card is a card's name, strength is the number that the line now counts.
        _("You played %(card)s: strength %(strength)d."),
        # Translators: name is a player, card is a card, strength is the number that the line now counts.
        _("%(name)s played %(card)s: strength %(strength)d."),
        card=card,
        strength=strength,
    )


def cards_turned_up(event: happened.CardsTurnedUp, cast: Cast) -> str:
    return " ".join(_turned_up(seat, card, event.totals[seat], cast) for seat, card in event.cards)


def _turned_up(seat: int, card: str, strength: int, cast: Cast) -> str:
    return cast.say(
        seat,
        # Translators: card is a card's name, strength is the number that the line now counts.
        _("You turned up %(card)s: strength %(strength)d."),
        # Translators: name is a player, card is a card, strength is the number that the line now counts.
        _("%(name)s turned up %(card)s: strength %(strength)d."),
        card=card_name(card),
        strength=strength,
    )


def season_swept(event: happened.SeasonSwept, cast: Cast) -> str:
    return cast.say_of_lines(
        event.seats,
        # Translators: card is Winter or Spring.
        _("%(card)s was discarded from your line."),
        # Translators: card is Winter or Spring, names are the players whose lines had it, "Anna and you".
        ngettext(
            "%(card)s was discarded from the line of %(names)s.",
            "%(card)s was discarded from the lines of %(names)s.",
            len(event.seats),
        ),
        card=card_name(event.season),
    )


def mercenaries_removed(event: happened.MercenariesRemoved, cast: Cast) -> str:
    if not event.losses:
        return _("There was no Mercenary for the Bishop to remove.")
    return cast.say_of_lines(
        [seat for seat, _count in event.losses],
        # Translators: card is the number of a Mercenary.
        _("The Bishop removed every %(card)s from your line."),
        # Translators: card is the number of a Mercenary; names are the players whose lines had it.
        ngettext(
            "The Bishop removed every %(card)s from the line of %(names)s.",
            "The Bishop removed every %(card)s from the lines of %(names)s.",
            len(event.losses),
        ),
        card=card_name(str(event.value)),
    )


def pope_placed(event: happened.PopePlaced, cast: Cast) -> str:
    if event.region is None:
        return cast.say(
            # Translators: name is a player.
            event.seat,
            _("You took the Pope off the map."),
            _("%(name)s took the Pope off the map."),
        )
    return cast.say(
        event.seat,
        # Translators: region is a region of the map. "He" is the Pope.
        _("You sent the Pope to %(region)s. No one can choose it while he is there."),
        # Translators: name is a player, region is a region of the map. "He" is the Pope.
        _("%(name)s sent the Pope to %(region)s. No one can choose it while he is there."),
        region=region_name(event.region),
    )


def mercenary_taken_back(event: happened.MercenaryTakenBack, cast: Cast) -> str:
    seat, owner = event.seat, event.from_seat
    if event.card is None:
        # Translators: name is a player. A Mercenary is a card with a number.
        return cast.say(seat, _("You took no Mercenary."), _("%(name)s took no Mercenary."))
    if owner is not None and owner != seat:
        return cast.say_of_two(
            seat,
            owner,
            # Translators: card is the number on a card, other is a player.
            _("You took the %(card)s that %(other)s had played."),
            # Translators: name is a player, card is the number on a card.
            _("%(name)s took the %(card)s that you had played."),
            # Translators: name and other are players, card is the number on a card.
            _("%(name)s took the %(card)s that %(other)s had played."),
            card=card_name(event.card),
        )
    return cast.say(
        seat,
        # Translators: card is the number on a card.
        _("You took back the %(card)s."),
        # Translators: name is a player, card is the number on a card.
        _("%(name)s took back the %(card)s."),
        card=card_name(event.card),
    )
