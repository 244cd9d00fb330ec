"""Emails about a game's clocks: a default move, a pause, a bot for an absent player.

A builder returns None if there is no reason to write any more. Only the player who is asked learns that a
secret decision was put (R17).
"""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from accounts.mail.email_content import Content, own_page
from accounts.mail.email_kinds import email_kind
from accounts.mail.models import OutgoingEmail
from accounts.mail.subjects import name_in_subject
from accounts.names import first_in_sentence
from accounts.reader_links import own_page_url
from accounts.times import moment_with_city
from games.clocks.counted_hours import HIDDEN
from games.emails.game_context import (
    about_game,
    about_position,
    about_turn,
    deadline_for,
    game_of,
    game_without_past,
    own_seat,
    view_of,
)
from games.links import list_of, seat_url
from games.models import Game, LogEntry, Seat, Table, TimeEvent
from games.narration.entries import entry_sentences
from games.narration.times import time_event_text
from games.narration.ways_out import ways_out
from games.presenters.decision import decision_section
from games.presenters.position import Position
from games.rules import redact

PRESENCE = (TimeEvent.Kind.STOOD_IN, TimeEvent.Kind.BACK)
PAUSES = (TimeEvent.Kind.PAUSED, TimeEvent.Kind.RESUMED)


@email_kind("time_out", name=gettext_lazy("You ran out of time"))
def time_out(email: OutgoingEmail) -> Content | None:
    """Build the email to a player who ran out of time: the default move, and what comes next."""
    game = game_without_past(email)
    view = view_of(game, email)
    seat = own_seat(view) if view else None
    if view is None or seat is None or seat.played_by_bot or game.is_over:
        return None
    entry = _clocks(game, view).filter(decision_step=email.context["decision_step"]).first()
    if entry is None:
        return None
    text, at = _answer_text(entry, game, view), moment_with_city(entry.at)
    warning, hours = _warning(game, seat, email, view), own_page(email, "my_hours")
    content = about_game("time_out", email, view, text=text, at=at, warning=warning, hours=hours)
    return about_turn(email, content)


def _clocks(game: Game, view: Position) -> QuerySet[LogEntry]:
    """Return the log entries in which the clock answered for the email's reader."""
    return game.log.filter(seat=view.viewer, via=LogEntry.Via.CLOCK)


def _answer_text(entry: LogEntry, game: Game, view: Position) -> str:
    """Return an answer of the clock as a sentence."""
    events = redact(view.replay.plies[game.place_of(entry.ply)].events, view.viewer)
    return next(iter(entry_sentences(events[0], view.cast, by_clock=True)), "") if events else ""


def _warning(game: Game, seat: Seat, email: OutgoingEmail, view: Position) -> str:
    """Return how many more turns may be missed. A secret decision did not count."""
    left = game.table.most_misses - seat.misses
    is_counted = any(
        state.step == email.context["decision_step"] and state.phase != HIDDEN for state in view.replay.states
    )
    if not is_counted or not seat.misses or left < 1:
        return ""
    text = ngettext(
        "If you miss the next turn too, a bot plays for you until you’re back.",
        "If you miss the next %(n)d turns too, a bot plays for you until you’re back.",
        left,
    )
    return text % {"n": left}


@email_kind("stood_in", name=gettext_lazy("A bot plays for you"))
def stood_in(email: OutgoingEmail) -> Content | None:
    """Build the email to a player whom a bot now replaces: the reason, and the link to come back."""
    game = game_without_past(email)
    view = view_of(game, email)
    seat = own_seat(view) if view else None
    if view is None or seat is None or not seat.played_by_bot or game.is_over:
        return None
    offered, entry = game.table.absent == Table.Absent.OFFER, _clocks(game, view).last()
    text = _answer_text(entry, game, view) if entry else ""
    content = about_position("stood_in", email, view, text=text, link=seat_url(seat), is_offered=offered)
    return about_turn(email, content)


@email_kind("seat_away", name=gettext_lazy("A bot plays for someone who is away"))
def seat_away(email: OutgoingEmail) -> Content | None:
    """Build the email to the others: a bot plays for an absent player.

    The host may offer the seat, if the settings allow it.
    """
    # Translators: the subject of an email; name is a player's, table a game's
    return _of_event(email, _("A bot plays for %(name)s: %(table)s"), PRESENCE)


@email_kind("seat_back", name=gettext_lazy("Someone is back"))
def seat_back(email: OutgoingEmail) -> Content | None:
    """Build the email to the others: an absent player is back."""
    # Translators: the subject of an email; name is a player's, table a game's
    return _of_event(email, _("%(name)s is back: %(table)s"), PRESENCE)


@email_kind("clocks_changed", name=gettext_lazy("A game was paused or resumed"))
def clocks_changed(email: OutgoingEmail) -> Content | None:
    """Build the email to all others: the game is paused or resumed, with the reader's own new deadline."""
    paused = _("Paused: %(table)s")
    resumed = _("Resumed: %(table)s")
    event = TimeEvent.objects.get(pk=email.context["event"])
    return _of_event(email, paused if event.kind == TimeEvent.Kind.PAUSED else resumed, PAUSES)


def _of_event(email: OutgoingEmail, subject: str, kinds: tuple[str, ...]) -> Content | None:
    """Describe the event, unless the game is over or the event was undone since."""
    game = game_without_past(email)
    view = view_of(game, email)
    event = game.time_events.select_related("by").get(pk=email.context["event"])
    later = game.time_events.filter(pk__gt=event.pk, kind__in=kinds, seat=event.seat)
    if view is None or game.is_over or later.exists():
        return None
    words, zone = _subject_words(event, view), email.to_user.zone if email.to_user else None
    text = time_event_text(event, view.cast, zone)
    return about_game("clocks", email, view, subject=subject % words, text=text, **_more(event, view, email))


def _subject_words(event: TimeEvent, view: Position) -> dict[str, str]:
    """Return the placeholders of the subject: the game's name, and that of the seat the event is about."""
    name = "" if event.seat is None else first_in_sentence(view.names[event.seat])
    return {"table": name_in_subject(view.game.table.name), "name": name_in_subject(name)}


def _more(event: TimeEvent, view: Position, email: OutgoingEmail) -> dict[str, Any]:
    """Return what the email's reader learns besides the event itself."""
    if event.kind in PAUSES:
        waiting = decision_section(view).waiting if event.kind == TimeEvent.Kind.RESUMED else ""
        return {"deadline": deadline_for(view, names_pause=False), "waiting": waiting}
    return {"offers": _page_of_offers(view.game, email) if _may_offer(event, view.game.table, email) else ""}


def _page_of_offers(game: Game, email: OutgoingEmail) -> str:
    path = reverse("game_arrangements", args=[game.pk])
    return own_page_url(email.to_user or email, f"{path}#absent")


def _may_offer(event: TimeEvent, table: Table, email: OutgoingEmail) -> bool:
    """Return whether the email's reader may offer the absent player's seat to an address."""
    is_host = email.to_user_id is not None and email.to_user_id == table.host_id
    away = table.seats.exclude(played_by_bot="").values_list("number", flat=True)
    return is_host and table.absent == Table.Absent.OFFER and event.seat in away


@email_kind("time_proposed", name=gettext_lazy("Someone proposed a pause or more time"), asks=True)
def time_proposed(email: OutgoingEmail) -> Content | None:
    """Build the email to the others: a proposal to pause the clocks, resume them, or give more time."""
    game = game_of(email)
    view = view_of(game, email)
    seat = own_seat(view) if view else None
    proposal = game.proposals.filter(pk=email.context["proposal"], closed_at=None).first()
    if view is None or seat is None or proposal is None or seat.number in proposal.accepted or game.is_over:
        return None
    ways = ways_out(game, seat, view.names)
    return about_game("time_proposed", email, view, ways=ways, link=seat_url(seat))


@email_kind("seat_taken", name=gettext_lazy("Someone took your seat"))
def seat_taken(email: OutgoingEmail) -> Content | None:
    """Build the email to an absent player whose seat someone else has taken."""
    game = game_without_past(email)
    return Content("seat_taken", {"table": game.table}, list_of(game), list_of(game), game.table.name)
