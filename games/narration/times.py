"""A game's clock events in words: default moves, pauses, time given, bots for absent players.

Gets redacted events and stored rows only. Nothing here reveals who had a secret question (R17).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, tzinfo

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.names import first_in_sentence
from accounts.times import hours_and_minutes, moment, moment_with_city
from games.models import Game, SeatChange, TimeEvent
from games.narration.endings import holder_before, seat_change_text
from games.narration.moves import Narrated, narrate
from games.narration.vocabulary import card_names
from games.rules import events as happened
from games.rules import region_name

Names = Sequence[str]


def entry_sentences(event: Narrated, names: Names, *, by_clock: bool) -> list[str]:
    """Return an event as a sentence, or none; moves the clock made for a player are told as such."""
    if by_clock and type(event) in _BY_CLOCK:
        return [_BY_CLOCK[type(event)](event, names)]
    return narrate([event], names)


def _passed(event: happened.Passed | happened.HeldBack, names: Names) -> str:
    return _("Time was out: the clock passed for %(name)s.") % {"name": names[event.seat]}


def _region_drawn(event: happened.RegionChosen, names: Names) -> str:
    return _("Time was out: the clock drew %(region)s for %(name)s.") % {
        "region": region_name(event.region),
        "name": names[event.seat],
    }


def _hand_decided(event: happened.HandDecided, names: Names) -> str:
    return _("Time was out: the clock kept the hand of %(name)s.") % {"name": names[event.seat]}


def _cards_kept(event: happened.CardsKept, names: Names) -> str:
    words = {"name": names[event.seat], "count": event.count}
    if event.cards is not None:
        words["cards"] = card_names(event.cards)
        return _("Time was out: the clock kept %(cards)s for %(name)s.") % words
    return (
        ngettext(
            "Time was out: the clock kept %(count)d card for %(name)s.",
            "Time was out: the clock kept %(count)d cards for %(name)s.",
            event.count,
        )
        % words
    )


def _card_played(event: happened.CardPlayed, names: Names) -> str:
    return " ".join([_("Time was out, and the clock answered."), *narrate([event], names)])


_BY_CLOCK: dict[type[Narrated], Callable[..., str]] = {
    happened.Passed: _passed,
    happened.HeldBack: _passed,
    happened.RegionChosen: _region_drawn,
    happened.HandDecided: _hand_decided,
    happened.CardsKept: _cards_kept,
    happened.CardPlayed: _card_played,
}


def time_event_text(event: TimeEvent, names: Names, zone: tzinfo | None = None) -> str:
    """Return who did what to a game's clocks; with a zone, in its time and with its name."""
    words = {
        "by": first_in_sentence(event.by.shown_name) if event.by else "",
        "name": first_in_sentence(names[event.seat]) if event.seat is not None else "",
        "until": _until(event.until, zone) if event.until else "",
        "amount": hours_and_minutes(event.amount) if event.amount else "",
    }
    return _EVENTS[event.kind](event) % words


def _until(until: datetime, zone: tzinfo | None) -> str:
    return moment_with_city(until, zone) if zone else moment(until)


def _paused(event: TimeEvent) -> str:
    if event.by:
        return _("%(by)s paused the game: nobody's time is counted until %(until)s.")
    return _("All agreed to pause the game: nobody's time is counted until %(until)s.")


def _resumed(event: TimeEvent) -> str:
    if event.by:
        return _("%(by)s ended the pause: time is counted again.")
    return _("All agreed to end the pause: time is counted again.")


def _extended(event: TimeEvent) -> str:
    if event.seat is not None:
        return _("%(name)s got %(amount)s more.")
    if event.by:
        return _("%(by)s gave whoever is asked %(amount)s more.")
    return _("All agreed to give whoever is asked %(amount)s more.")


def _credited(event: TimeEvent) -> str:
    if event.seat is not None:
        return _("An email to %(name)s left late: the time is given back.")
    if event.amount:
        return _("This site could not be reached for %(amount)s: that time is given back.")
    return _("This site could not be reached for a while: that time is given back.")


def _stood_in(event: TimeEvent) -> str:
    return _("%(name)s stayed away: a bot plays for now.")


def _back(event: TimeEvent) -> str:
    return _("%(name)s is back and plays again.")


_EVENTS: dict[str, Callable[[TimeEvent], str]] = {
    TimeEvent.Kind.PAUSED: _paused,
    TimeEvent.Kind.RESUMED: _resumed,
    TimeEvent.Kind.EXTENDED: _extended,
    TimeEvent.Kind.CREDITED: _credited,
    TimeEvent.Kind.STOOD_IN: _stood_in,
    TimeEvent.Kind.BACK: _back,
}


def table_events(game: Game, names: Names, changes: Sequence[SeatChange]) -> dict[int, list[str]]:
    """Return seat changes and clock events outside the log, by the entry they came before."""
    mine = [(game.place_of(c.ply), c.at, seat_change_text(c)) for c in changes if c.game_id == game.pk]
    times = [
        (
            game.place_of(e.ply),
            e.at,
            time_event_text(e, _with_earlier(game, names, [c for c in changes if c.at >= e.at])),
        )
        for e in (game.time_events.select_related("by") if game.newest_time_event is not None else ())
    ]
    told: dict[int, list[str]] = {}
    for ply, _at, sentence in sorted([*mine, *times]):
        told.setdefault(ply, []).append(sentence)
    return told


def changes_since(game: Game) -> list[SeatChange]:
    """Return the seats that changed hands in this game or a later one of the match, oldest first."""
    if game.newest_change is None:
        return []
    later = SeatChange.objects.filter(game__table=game.table_id, game__number__gte=game.number)
    return list(later.select_related("game__table", "before", "after").order_by("game__number", "ply", "pk"))


def names_at(ply: int, game: Game, names: Names, changes: Sequence[SeatChange]) -> Names:
    """Return who had each seat when this entry was made.

    A player's actions are not attributed to the person who took the seat later.
    """
    return _with_earlier(
        game, names, [c for c in changes if c.game_id != game.pk or game.place_of(c.ply) > ply]
    )


def _with_earlier(game: Game, names: Names, later: Sequence[SeatChange]) -> Names:
    """Return the names as they were before these changes, which are oldest first."""
    earlier = list(names)
    for change in reversed(later):
        earlier[change.seat] = holder_before(change)
    return earlier
