"""The events of a log entry in words, also where the clock made a default move for a player.

Gets redacted events only. Nothing here reveals who had a secret decision (R17).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext

from games.map.region_names import region_name
from games.models import LogEntry
from games.narration.cast import Cast
from games.narration.dealing_sentences import Narrated
from games.narration.event_sentences import sentence
from games.narration.vocabulary import card_names
from games.rules import events as happened

Names = Sequence[str]

# What a player does, apart from what comes of it.
OWN_ACTIONS = (
    happened.RegionChosen,
    happened.CardPlayed,
    happened.PopePlaced,
    happened.MercenaryTakenBack,
    happened.Passed,
    happened.HandDecided,
    happened.CardsKept,
)


def entry_sentences(event: Narrated, cast: Cast, *, by_clock: bool) -> list[str]:
    """Return an event as a sentence, or none; it says so where the clock or a bot moved for a player."""
    if by_clock and type(event) in _BY_CLOCK:
        return [_BY_CLOCK[type(event)](event, cast)]
    if cast.stand_in and isinstance(event, (*OWN_ACTIONS, happened.HeldBack)) and event.seat == cast.away:
        cast = cast.moved_by(cast.stand_in, event.seat)
    text = sentence(event, cast)
    return [text] if text else []


def stand_in(via: str, seat: int | None, cast: Cast) -> str:
    """Return what moved instead of a seat's player: a standing order or, for the reader, a bot."""
    if seat is None or (via != LogEntry.Via.ORDER and seat != cast.reader):
        return ""
    if via == LogEntry.Via.BOT:
        # Translators: stands for a player's name at the start of a sentence, such as "Anna passed."
        return _("The bot playing for you")
    if via != LogEntry.Via.ORDER:
        return ""
    return cast.say(
        seat,
        # Translators: stands for a player's name at the start of a sentence, such as "Anna passed."
        _("Your standing order"),
        # Translators: stands for a player's name at the start of a sentence. name is a player.
        _("%(name)s’s standing order"),
    )


def chooser_text(chosen_by: str) -> str:
    """Return which bot chose a move; empty where none did, or it isn't known."""
    return str(_CHOOSERS.get(chosen_by, ""))


_CHOOSERS = {
    LogEntry.ChosenBy.RECRUIT.value: gettext_lazy("The bot Recruit chose this move."),
    LogEntry.ChosenBy.CAPTAIN.value: gettext_lazy("The bot Captain chose this move."),
    LogEntry.ChosenBy.STRATEGIST.value: gettext_lazy("The bot Strategist chose this move."),
    LogEntry.ChosenBy.STAND_IN.value: gettext_lazy("The bot Captain chose this move in Strategist’s place."),
}


def _passed(event: happened.Passed | happened.HeldBack, cast: Cast) -> str:
    return cast.say(
        event.seat,
        _("You ran out of time, so the site passed for you."),
        # Translators: name is a player.
        _("%(name)s ran out of time, so the site passed."),
    )


def _region_drawn(event: happened.RegionChosen, cast: Cast) -> str:
    return cast.say(
        event.seat,
        # Translators: region is a region of the map.
        _("You ran out of time, so the site drew %(region)s to fight for."),
        # Translators: name is a player, region is a region of the map.
        _("%(name)s ran out of time, so the site drew %(region)s to fight for."),
        region=region_name(event.region),
    )


def _hand_decided(event: happened.HandDecided, cast: Cast) -> str:
    return cast.say(
        event.seat,
        _("You ran out of time, so the site kept your hand."),
        # Translators: name is a player.
        _("%(name)s ran out of time, so the site kept their hand."),
    )


def _cards_kept(event: happened.CardsKept, cast: Cast) -> str:
    seat, count = event.seat, event.count
    if event.cards is not None:
        return cast.say(
            seat,
            # Translators: cards is a list of card names such as "10, Drummer".
            _("You ran out of time, so the site kept %(cards)s for you."),
            # Translators: name is a player, cards is a list of card names such as "10, Drummer".
            _("%(name)s ran out of time, so the site kept %(cards)s."),
            cards=card_names(event.cards),
        )
    return cast.say(
        seat,
        ngettext(
            "You ran out of time, so the site kept %(count)d card for you.",
            "You ran out of time, so the site kept %(count)d cards for you.",
            count,
        ),
        # Translators: name is a player.
        ngettext(
            "%(name)s ran out of time, so the site kept %(count)d card.",
            "%(name)s ran out of time, so the site kept %(count)d cards.",
            count,
        ),
        count=count,
    )


def _card_played(event: happened.CardPlayed, cast: Cast) -> str:
    late = cast.say(
        event.seat,
        _("You ran out of time, so the site moved for you."),
        # Translators: name is a player.
        _("%(name)s ran out of time, so the site moved."),
    )
    # Translators: stands for a player's name at the start of a sentence, such as "Anna played Winter."
    site = pgettext("instead of a player", "The site")
    return " ".join([late, sentence(event, cast.moved_by(site, event.seat))])


_BY_CLOCK: dict[type[Narrated], Callable[..., str]] = {
    happened.Passed: _passed,
    happened.HeldBack: _passed,
    happened.RegionChosen: _region_drawn,
    happened.HandDecided: _hand_decided,
    happened.CardsKept: _cards_kept,
    happened.CardPlayed: _card_played,
}
