"""A game's clock events in words: pauses, time given, bots for absent players. Reads stored rows only."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, tzinfo

from django.utils.translation import gettext as _

from accounts.durations import exact_duration
from accounts.names import first_in_sentence
from accounts.time_elements import moment_element, with_times
from accounts.times import moment_with_city
from games.models import Game, SeatChange, TimeEvent
from games.narration.cast import Cast
from games.narration.seat_change_words import holder_before, seat_change_text

Names = Sequence[str]
Players = Mapping[int, int | None]


def time_event_text(
    event: TimeEvent, names: Names, zone: tzinfo | None = None, players: Players | None = None
) -> str:
    """Return who did what to a game's clocks; with a zone, in its time and with its name.

    `players` are the game's players, for callers with many events.
    """
    cast = Cast.of(names)
    words = {
        "by": first_in_sentence(event.by.shown_name) if event.by else "",
        "name": first_in_sentence(cast[event.seat]) if event.seat is not None else "",
        "until": _until(event.until, zone) if event.until else "",
        "amount": exact_duration(event.amount) if event.amount else "",
    }
    if event.seat is not None:
        is_you = event.seat == cast.reader
    else:
        is_you = _is_by_reader(event, cast, players_of(event.game) if players is None else players)
    return with_times(_EVENTS[event.kind](event, is_you), words)


def players_of(game: Game) -> Players:
    """Return the user ID of each seat's player, by seat number."""
    return {seat.number: seat.user_id for seat in game.table.all_seats()}


def _is_by_reader(event: TimeEvent, cast: Cast, players: Players) -> bool:
    """Return whether the reader did it, rather than someone else or everyone."""
    return event.by_id is not None and cast.reader is not None and players[cast.reader] == event.by_id


def _until(until: datetime, zone: tzinfo | None) -> str:
    return moment_with_city(until, zone) if zone else moment_element(until)


def _paused(event: TimeEvent, is_you: bool) -> str:
    if is_you:
        # Translators: until is a date and time.
        return _("You paused the game until %(until)s. No one’s time runs until then.")
    if event.by:
        # Translators: by is a person, until is a date and time.
        return _("%(by)s paused the game until %(until)s. No one’s time runs until then.")
    # Translators: until is a date and time.
    return _("Everyone agreed to pause the game until %(until)s. No one’s time runs until then.")


def _resumed(event: TimeEvent, is_you: bool) -> str:
    if is_you:
        return _("You ended the pause, so time runs again.")
    if event.by:
        # Translators: by is a person.
        return _("%(by)s ended the pause, so time runs again.")
    return _("Everyone agreed to end the pause, so time runs again.")


def _extended(event: TimeEvent, is_you: bool) -> str:
    if event.seat is not None:
        # Translators: name is a player, amount is a length of time such as "12 hours".
        return _("You got %(amount)s more.") if is_you else _("%(name)s got %(amount)s more.")
    if is_you:
        # Translators: amount is a length of time such as "12 hours".
        return _("You gave %(amount)s more to everyone whose turn it was.")
    if event.by:
        # Translators: by is a person, amount is a length of time such as "12 hours".
        return _("%(by)s gave %(amount)s more to everyone whose turn it was.")
    # Translators: amount is a length of time such as "12 hours".
    return _("The players agreed to give %(amount)s more to everyone whose turn it was.")


def _credited(event: TimeEvent, is_you: bool) -> str:
    if event.seat is not None:
        if is_you:
            return _("Our email to you was late, so you got that time back.")
        # Translators: name is a player.
        return _("%(name)s got time back, because our email was late.")
    if event.amount:
        # Translators: amount is a length of time such as "2 hours".
        return _("The site couldn’t be reached for %(amount)s, so everyone got that time back.")
    return _("The site couldn’t be reached for a while, so everyone got that time back.")


def _stood_in(event: TimeEvent, is_you: bool) -> str:
    if is_you:
        return _("You were away, so a bot played for you.")
    # Translators: name is a player.
    return _("%(name)s is away, so a bot plays for now.")


def _back(event: TimeEvent, is_you: bool) -> str:
    # Translators: name is a player.
    return _("You came back to play.") if is_you else _("%(name)s is back and plays again.")


_EVENTS: dict[str, Callable[[TimeEvent, bool], str]] = {
    TimeEvent.Kind.PAUSED: _paused,
    TimeEvent.Kind.RESUMED: _resumed,
    TimeEvent.Kind.EXTENDED: _extended,
    TimeEvent.Kind.CREDITED: _credited,
    TimeEvent.Kind.STOOD_IN: _stood_in,
    TimeEvent.Kind.BACK: _back,
}


def table_events(game: Game, names: Names, changes: Sequence[SeatChange]) -> dict[int, list[str]]:
    """Return seat changes and clock events outside the log, by the entry they came before."""
    mine = [
        (game.place_of(c.ply), c.at, seat_change_text(c, _with_earlier(names, changes[number:])))
        for number, c in enumerate(changes, 1)
        if c.game_id == game.pk
    ]
    events = game.time_events.select_related("by") if game.newest_time_event is not None else ()
    players = players_of(game) if events else {}
    times = [
        (
            game.place_of(e.ply),
            e.at,
            time_event_text(e, _with_earlier(names, [c for c in changes if c.at >= e.at]), players=players),
        )
        for e in events
    ]
    sentences: dict[int, list[str]] = {}
    for ply, _at, sentence in sorted([*mine, *times]):
        sentences.setdefault(ply, []).append(sentence)
    return sentences


def changes_since(game: Game) -> list[SeatChange]:
    """Return the seats that changed hands in this game or a later one of the match, oldest first."""
    if game.newest_change is None:
        return []
    later = SeatChange.objects.filter(game__table=game.table_id, game__number__gte=game.number)
    return list(later.to_tell().order_by("game__number", "ply", "pk"))


def names_at(ply: int, game: Game, names: Names, changes: Sequence[SeatChange]) -> Cast:
    """Return who had each seat when this entry was made.

    A player's actions are not attributed to the person who took the seat later.
    """
    return _with_earlier(names, [c for c in changes if c.game_id != game.pk or game.place_of(c.ply) > ply])


def _with_earlier(names: Names, later: Sequence[SeatChange]) -> Cast:
    """Return the names as they were before these changes, which are oldest first."""
    cast = Cast.of(names)
    earlier, reader = list(cast), cast.reader
    for change in reversed(later):
        earlier[change.seat] = holder_before(change)
        reader = None if change.seat == reader else reader
    return Cast(earlier, reader)
