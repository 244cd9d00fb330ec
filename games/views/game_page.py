"""The game page: a game as one access shows it, with the extras of that player."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts import clock
from accounts.mail.models import SuppressedAddress
from accounts.mail.suppression import suppressions_of
from accounts.models import User
from accounts.names import first_in_sentence
from games.access import SAFE, GameAccess
from games.chat.access import reader_at
from games.chat.read_markers import mark_read
from games.forms.bots import PracticeForm
from games.models import Game, Note, ReadMarker, Seat, Table
from games.models.locking import Refused
from games.models.replay import replayed_for
from games.narration.cast import and_list
from games.narration.ways_out import ways_out
from games.presenters.deadlines import times_of
from games.presenters.game_view import GameView
from games.presenters.guide import Hint, next_hint
from games.presenters.orders import order_panel
from games.rules import Phase
from games.selectors.hours import HoursNow, hour_rows, hours_now
from games.selectors.rematches import rematch_for
from games.views.history import Reading, opened_by
from games.views.page_version import Kind, Viewer, live_url, page_version, viewer_by_link


def view_through(access: GameAccess) -> GameView:
    """Return the game as this access shows it.

    A closed question's link shows what everyone may see. In the visit that has just answered, it shows what
    the seat sees.
    """
    if access.is_visit or access.opens(access.seat.decision_step):
        view = _view_of(access, access.seat.number)
        if not access.is_link or access.opens(
            view.decision_step
        ):  # it may have been answered since the seat was read
            return view
        if access.is_visit:
            return replace(view, is_answered_elsewhere=True)
    return _view_of(access, None)


def _view_of(access: GameAccess, seat: int | None) -> GameView:
    return GameView(access.game, replayed_for(access.game, seat), access.names, seat, reader=seat)


def show_game(
    request: HttpRequest,
    access: GameAccess,
    problem: str = "",
    status: int = 200,
    frame: str = "base.html",
    picked: str = "",
) -> HttpResponse:
    """Render the game page and mark it as read.

    `problem` says why the last attempt failed; `picked` is the card that is already picked.
    """
    viewer = viewer_at(access)
    reader = reader_at(access.seat.table, access.seat.user) if access.is_seated else None
    was_read = access.game if reader and request.method in SAFE else None
    # Before the log is read: anything that happens in between is news.
    version = page_version(viewer, was_read, reader.channels if reader else None)
    seen = _seen_before(access) if access.is_seated else None
    if version and access.is_seated and request.method == "GET":
        _mark_game_read(access.game, access.seat.person, seen)
    if reader and reader.main_channel and request.method == "GET":
        mark_read(reader.main_channel, access.seat.person, reader.main_channel.newest)
    view = replace(view_through(access), new_from=_first_unread(seen, access.game), opened=opened_by(request))
    is_closed_link = access.is_link and view.viewer is None
    # All see it (R17)
    is_asked_again = view.decision_step is None and access.seat.number in view.seen.waiting_for
    reading = Reading(access.game, view.names, *access.address)
    failing = _failing_at(access)
    hours = _hours_now(access)
    context = {
        "frame": frame,
        "live_url": live_url(viewer) if version else "",
        "version": version,
        "poll_seconds": settings.HOUR_POLL_SECONDS if hours and hours.until else settings.POLL_SECONDS,
        "hours": hours,
        "chat_reader": reader,
        "access": access,
        "reading": reading,
        "view": view,
        "game": access.game,
        "table": access.seat.table,
        "links": _links_to_regions(view),
        "proof_url": "" if access.game.is_over else reading.proof_url,
        "problem": problem,
        "hint": hint_at(access, view),
        "picked": picked,
        "order": order_panel(access.game, view.seen) if _may_order(access) else None,
        "typed": _typed_order(request),
        "plays_at_once": access.is_seated and access.seat.person.plays_at_once,
        "is_closed_link": is_closed_link,
        "is_asked_again": is_asked_again,
        "visit_message": _visit_message(view) if access.is_visit and not view.question else "",
        "my_name": view.names[access.seat.number],
        "times": times_of(view, None if is_closed_link else access.seat),
        "failing": failing,
        "again": _practice_again(access.seat.table) if access.is_guest and view.result else None,
        **(_sidebar(access, view, failing) if access.is_seated else {}),
    }
    return render(request, "games/game.html", context, status=status)


def _links_to_regions(view: GameView) -> tuple[tuple[str, str], ...]:
    """Return the regions that the player can fight for, each with the address of its button."""
    if view.seen.asked is None or view.seen.asked.kind != Phase.PLACE:
        return ()
    return tuple([(str(move.region), f"#fight-{move.region}") for move in view.seen.legal])


def turn_away(request: HttpRequest, access: GameAccess, refused: Refused) -> HttpResponse:
    """Say why nothing was done, and open the page again: the seat may no longer be this player's."""
    messages.error(request, str(refused))
    return redirect(access.page_url)


def _practice_again(table: Table) -> PracticeForm:
    """Return the filled-in form that starts another practice game like this one."""
    bots = [seat.bot for seat in table.all_seats() if seat.bot]
    return PracticeForm(initial={"opponents": len(bots), "strength": bots[0]})


def _may_order(access: GameAccess) -> bool:
    return not access.is_link and not access.seat.played_by_bot


def _typed_order(request: HttpRequest) -> QueryDict | None:
    """Return the form with an order to fight on that was refused, so that no one types it twice."""
    is_fight = "fight_on" in request.POST or request.POST.get("order") == "fight"
    return request.POST if is_fight else None


def hint_at(access: GameAccess, view: GameView) -> Hint | None:
    """Return the guide's hint for this turn; None except at a practice table."""
    if not access.has_guide or view.seen.asked is None:
        return None
    return next_hint(view.seen, view.since_own_move(), access.seat.hints_read)


def _visit_message(view: GameView) -> str:
    """Return what a link visit reads after its answer: who is next, as far as everyone may know."""
    waiting_for = view.seen.waiting_for
    if view.viewer in waiting_for:
        return _("It’s your turn again. We’ve emailed you a new link.")
    if not waiting_for:  # a secret question, or the end
        return _("Your move is in.")
    names = and_list([view.names[seat] for seat in waiting_for])
    # Translators: names are the players whose turn it is.
    text = ngettext(
        "Your move is in. %(names)s is next.", "Your move is in. %(names)s are next.", len(waiting_for)
    )
    return text % {"names": first_in_sentence(names)}


def viewer_at(access: GameAccess) -> Viewer:
    """Return the viewer for this access, used by the open page to poll for news."""
    game, seat = access.game.pk, access.seat
    if access.decision is not None:
        kind = Kind.VISIT if access.is_visit else Kind.LINK
        return viewer_by_link(access.token, access.decision, kind)
    if seat.table.practice_key is not None:
        return Viewer(Kind.GUEST, game, seat.number, seat.table.practice_key)
    return Viewer(Kind.PLAYER, game, seat.number, seat.user_id or 0, seat.user_id)


def note_at(access: GameAccess) -> str:
    """Return the player's own note about the game; empty for none."""
    notes = Note.objects.filter(game=access.game, user=access.seat.person)
    return notes.values_list("text", flat=True).first() or ""


def _waiting_elsewhere(access: GameAccess) -> int:
    """Return the number of other games that wait for the player."""
    asked = Seat.objects.filter(user=access.seat.person, asked_since__isnull=False)
    return asked.exclude(pk=access.seat.pk).count()


def _seen_before(access: GameAccess) -> ReadMarker | None:
    return ReadMarker.objects.filter(table=access.game.table_id, user=access.seat.person).first()


def _failing_at(access: GameAccess) -> dict[str, SuppressedAddress]:
    """Return the failing email addresses at this table."""
    users = [seat.user for seat in access.seat.table.all_seats() if seat.user is not None]
    return suppressions_of(user.email for user in users)


def _hours_now(access: GameAccess) -> HoursNow | None:
    """Return what a signed-in player reads about shared hours; None without others, or once it's over."""
    seats = access.seat.table.all_seats()
    people = [seat for seat in seats if seat.user_id is not None]
    if not access.is_seated or access.game.is_over or len(people) < 2:
        return None
    now = clock.now()
    has_hours = access.game.newest_hour is not None
    rows = hour_rows(access.seat, seats, access.names, now) if has_hours else []
    return hours_now(access.seat, seats, access.names, rows, now)


def _sidebar(access: GameAccess, view: GameView, failing: Mapping[str, SuppressedAddress]) -> dict[str, Any]:
    """Return the player's private extras. Email links and guests get none of them."""
    ways = ways_out(access.game, access.seat, access.names)
    return {
        "failing_mail": failing.get(access.seat.person.email),
        "arrangements_url": reverse("game_arrangements", args=[access.game.pk]),
        "waiting_elsewhere": 0 if view.question else _waiting_elsewhere(access),
        "note": note_at(access),
        "rematch": rematch_for(access.game, access.seat.person),
        "ways_out": ways if ways and (ways.proposal or ways.offer) else None,
    }


# How far a player has read their games


def _mark_game_read(game: Game, user: User, before: ReadMarker | None) -> None:
    """Record that a player opens the game now; writes only if something is new to them.

    The row belongs to the player and to no game, so a GET may write it.
    """
    here = (game.number, game.step)
    if before is None:
        first = ReadMarker(table_id=game.table_id, user=user, number=game.number, step=game.step)
        ReadMarker.objects.bulk_create([first], ignore_conflicts=True)
    elif here > (before.number, before.step):  # an earlier game of a match marks nothing
        ReadMarker.objects.filter(pk=before.pk).update(number=game.number, step=game.step)


def _first_unread(seen: ReadMarker | None, game: Game) -> int | None:
    """Return the step from which this game's log is new to them; None where nothing is marked."""
    if seen is None or seen.number > game.number:
        return None
    return seen.step if seen.number == game.number else 0
