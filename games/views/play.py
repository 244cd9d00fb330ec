"""The game page, the confirmation of a move, and the move itself; signed in or by email link."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.html import format_html
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from accounts.mail.models import SuppressedAddress
from accounts.mail.suppression import suppressions_of
from accounts.middleware import in_recipients_locale
from accounts.names import first_in_sentence
from games.access import (
    SAFE,
    GameAccess,
    HasLeft,
    begin_visit,
    followed_in_visit,
    get_game_access,
    get_link_access,
    private_page,
)
from games.chat.access import reader_at
from games.chat.read_markers import mark_read
from games.forms import read_move, read_number
from games.links import BadLink
from games.models import Note, ReadMarker, Seat
from games.models.replay import replayed_for
from games.narration.endings import ways_out
from games.narration.moves import and_list, refusal, unreadable
from games.narration.vocabulary import move_name
from games.presenters.deadlines import times_of
from games.presenters.game_view import GameView, board_of
from games.presenters.hand import step_of, step_order, steps_title
from games.presenters.reading_marks import first_unread, mark_game_read
from games.rules import IllegalMove, InvalidMove, Move, parse_move
from games.selectors.lists import rematch_for
from games.services import AlreadyPlayed, NotAsked, Played, submit_move
from games.views.history import Reading, opened_by
from games.views.page_version import Kind, Viewer, live_url, page_version, viewer_by_link

PAGE = "base.html"


@private_page
@require_safe
@login_required
def game(request: HttpRequest, game_id: int) -> HttpResponse:
    """Show the game as the signed-in player's seat sees it; tell former players that they left."""
    try:
        access = get_game_access(request, game_id)
    except HasLeft:
        return render(request, "games/left_game.html", status=404)
    return show_game(request, access)


@private_page
@require_safe
@login_required
def game_confirm(request: HttpRequest, game_id: int) -> HttpResponse:
    """Show what a move leads to before it is made; changes nothing."""
    return show_confirmation(request, get_game_access(request, game_id))


@private_page
@require_POST
@login_required
def game_move(request: HttpRequest, game_id: int) -> HttpResponse:
    """Make the signed-in player's move."""
    return make_move(request, get_game_access(request, game_id))


@private_page
@require_safe
def answer(request: HttpRequest, token: str) -> HttpResponse:
    """Show the game through an email link.

    The hand is shown while the link's question is open and in the visit that answered it. Otherwise only what
    everyone may see is shown.
    """
    return _by_link(request, token, show_game)


@private_page
@require_safe
def answer_confirm(request: HttpRequest, token: str) -> HttpResponse:
    """Show an email link's move on a page with one button; opening it changes nothing."""
    return _by_link(request, token, show_confirmation)


@private_page
@require_POST
def answer_move(request: HttpRequest, token: str) -> HttpResponse:
    """Make the move of the person who holds the email link."""
    return _by_link(request, token, make_move)


def _by_link(
    request: HttpRequest, token: str, show: Callable[[HttpRequest, GameAccess], HttpResponse]
) -> HttpResponse:
    try:
        access = get_link_access(request, token)
    except BadLink:
        return render(request, "games/bad_seat_link.html", status=404)
    return in_recipients_locale(access.seat.user, request, lambda: show(request, access))


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
    return GameView(access.game, replayed_for(access.game, seat), access.names, seat)


def show_game(
    request: HttpRequest,
    access: GameAccess,
    problem: str = "",
    status: int = 200,
    frame: str = PAGE,
) -> HttpResponse:
    """Render the game page and mark it as read. `problem` says why the last attempt failed."""
    viewer = viewer_at(access)
    reader = reader_at(access.seat.table, access.seat.user) if access.is_seated else None
    was_read = access.game if reader and request.method in SAFE else None
    # Before the log is read: anything that happens in between is news.
    pulse = page_version(viewer, was_read, reader.channels if reader else None)
    seen = _seen_before(access) if access.is_seated else None
    if pulse and access.is_seated and request.method == "GET":
        mark_game_read(access.game, access.seat.person, seen)
    if reader and reader.main_channel and request.method == "GET":
        mark_read(reader.main_channel, access.seat.person, reader.main_channel.newest)
    view = replace(view_through(access), new_from=first_unread(seen, access.game), opened=opened_by(request))
    is_closed_link = access.is_link and view.viewer is None
    is_asked_again = (
        view.decision_step is None and access.seat.number in view.seen.waiting_for
    )  # all see it (R17)
    links = (
        tuple((str(move.region), _confirm_link(access, view, move)) for move in view.seen.legal)
        if view.seen.asked and view.seen.asked.kind == "place"
        else ()
    )
    reading = Reading(access.game, view.names, *access.address)
    marks = _failing_at(access)
    context = {
        "frame": frame,
        "live_url": live_url(viewer) if pulse else "",
        "pulse": pulse,
        "poll_seconds": settings.POLL_SECONDS,
        "chat_reader": reader,
        "access": access,
        "reading": reading,
        "view": view,
        "game": access.game,
        "table": access.seat.table,
        "links": links,
        "proof_url": "" if access.game.is_over else reading.proof_url,
        "problem": problem,
        "is_closed_link": is_closed_link,
        "is_asked_again": is_asked_again,
        "visit_told": _visit_told(view) if access.is_visit and not view.question else "",
        "my_name": view.names[access.seat.number],
        "times": times_of(view, None if is_closed_link else access.seat),
        "failing": marks,
        **(_beside_the_game(access, view, marks) if access.is_seated else {}),
    }
    return render(request, "games/game.html", context, status=status)


def _visit_told(view: GameView) -> str:
    """Return what a link visit reads after its answer: who is next, as far as everyone may know."""
    waiting_for = view.seen.waiting_for
    if view.viewer in waiting_for:
        return _("It’s your turn again. We’ve emailed you a new link.")
    if not waiting_for:  # a secret question, or the end
        return _("Your move is in.")
    names = and_list([view.names[seat] for seat in waiting_for])
    # Translators: names are the players whose turn it is.
    told = ngettext(
        "Your move is in. %(names)s is next.", "Your move is in. %(names)s are next.", len(waiting_for)
    )
    return told % {"names": first_in_sentence(names)}


def viewer_at(access: GameAccess) -> Viewer:
    """Return the viewer for this access, used by the open page to poll for news."""
    game, seat = access.game.pk, access.seat
    if access.question is not None:
        kind = Kind.VISIT if access.is_visit else Kind.LINK
        return viewer_by_link(access.token, access.question, kind)
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


def _beside_the_game(
    access: GameAccess, view: GameView, marks: Mapping[str, SuppressedAddress]
) -> dict[str, Any]:
    """Return the player's private extras. Email links and guests get none of them."""
    ways = ways_out(access.game, access.seat, access.names)
    return {
        "failing_mail": marks.get(access.seat.person.email),
        "arrangements_url": reverse("game_arrangements", args=[access.game.pk]),
        "waiting_elsewhere": 0 if view.question else _waiting_elsewhere(access),
        "note": note_at(access),
        "rematch": rematch_for(access.game, access.seat.person),
        "ways_out": ways if ways and (ways.proposal or ways.offer) else None,
    }


def _confirm_link(access: GameAccess, view: GameView, move: Move) -> str:
    return f"{access.confirm_url}?{urlencode({'move': str(move), 'decision_step': str(view.decision_step)})}"


def show_confirmation(request: HttpRequest, access: GameAccess) -> HttpResponse:
    """Show the consequences of the chosen move with one button, or a Bishop's or Scarecrow's second step."""
    view = view_through(access)
    decision_step = request.GET.get("decision_step", "")
    if view.decision_step is None or (decision_step and decision_step != str(view.decision_step)):
        return show_game(request, access, _closed_question(view), 409)
    chosen = read_move(request.GET)
    if isinstance(chosen, str) or (chosen not in view.seen.legal and _steps_after(view, str(chosen))):
        return _second_step(request, access, view, str(chosen))
    if chosen not in view.seen.legal:
        return show_game(request, access, _why_illegal(view, chosen), 400)
    name, follows = view.move_name(chosen), view.follows(chosen)
    cards = [chosen.card] if chosen.card else chosen.cards
    return _confirmation(
        request, access, view, move=chosen, move_name=name, follows=follows, shown_cards=cards
    )


def _steps_after(view: GameView, begun: str) -> list[Move]:
    """Return the legal moves that continue these words. The cards to keep are chosen in one step."""
    if not begun or view.seen.phase == "keep":
        return []
    return sorted((move for move in view.seen.legal if str(move).startswith(begun + " ")), key=step_order)


def _closed_question(view: GameView) -> str:
    if view.decision_step is not None:
        return _("That question is closed. This is what you are asked now.")
    return _("That question is closed; nothing was changed.")


def _second_step(request: HttpRequest, access: GameAccess, view: GameView, begun: str) -> HttpResponse:
    moves = _steps_after(view, begun)
    if not moves:
        return show_game(request, access, _not_a_choice(view, begun), 400)
    steps = [step_of(move, view.move_name(move), view.names, view.viewer) for move in moves]
    return _confirmation(request, access, view, steps=steps, asks=steps_title(begun))


def _not_a_choice(view: GameView, begun: str) -> str:
    """Explain what is wrong with the beginning of a move that no legal move has."""
    for ending in ("off", "nothing"):
        try:
            return _why_illegal(view, parse_move(f"{begun} {ending}"))
        except InvalidMove:
            continue
    return unreadable(begun) if begun else _("Choose a move first.")


def _why_illegal(view: GameView, move: Move) -> str:
    error = view.why_not(move)
    return refusal(error) if error else ""


def _confirmation(request: HttpRequest, access: GameAccess, view: GameView, **more: Any) -> HttpResponse:
    links = {}
    if "steps" in more:
        pope = [move for move in view.seen.legal if move.card == "bishop" and move.region]
        bishop = any(step.text.startswith("play bishop") for step in more["steps"])
        links = {str(move.region): _confirm_link(access, view, move) for move in pope} if bishop else {}
    move = more.get("move")
    board = board_of(view, links, selected=move.region if move else None)
    context = {
        "access": access,
        "view": view,
        "game": access.game,
        "table": access.seat.table,
        "board": board,
    }
    return render(request, "games/confirm.html", {**context, **more})


def make_move(request: HttpRequest, access: GameAccess) -> HttpResponse:
    """Play the posted move, then redirect to the seat's next question if it follows at once."""
    move = read_move(request.POST)
    if isinstance(move, str):
        return show_game(request, access, unreadable(move) if move else _("Choose a move first."), 400)
    decision_step = _decision_step(request, access)
    if decision_step is None:
        return show_game(request, access, _("Choose a move from the page; nothing was changed."), 400)
    try:
        played = submit_move(access.game, access.seat.number, move, decision_step, access.via)
    except AlreadyPlayed:
        return show_game(
            request, access, _("You have answered that question before; your answer stands."), 409
        )
    except NotAsked:
        return show_game(request, access, _closed_question(view_through(access)), 409)
    except IllegalMove as error:
        return show_game(request, access, refusal(error), 400)
    return _go_on(request, access, move, played)


def _decision_step(request: HttpRequest, access: GameAccess) -> int | None:
    if access.question is not None:
        return access.question.decision_step
    return read_number(request.POST.get("decision_step", ""))


def _go_on(request: HttpRequest, access: GameAccess, move: Move, played: Played) -> HttpResponse:
    messages.success(
        request, _("Done: %(move)s.") % {"move": move_name(move, access.names, access.seat.number)}
    )
    if not played.next_question:
        _tell_of_other_games(request, access)
    following = played.next_question.decision_step if played.next_question else None
    if access.is_link:
        following = _visit_goes_on(request, access, following, played)
    return redirect(access.next_page_url(following))


def _tell_of_other_games(request: HttpRequest, access: GameAccess) -> None:
    """Add a link to the next game that waits. Email links, which sign nobody in, and guests get none."""
    if not access.is_seated:
        return
    others = Seat.objects.waiting_for(access.seat.person).exclude(table=access.game.table_id).count()
    if others:
        said = ngettext("%(n)d other game waits for you.", "%(n)d other games wait for you.", others)
        link = format_html('<a href="{}">{}</a>', reverse("next_game"), _("On to the next"))
        messages.info(request, format_html("{} {}", said % {"n": others}, link))


def _visit_goes_on(
    request: HttpRequest, access: GameAccess, following: int | None, played: Played
) -> int | None:
    """Return the question that the link's holder goes on to at once, or None.

    It follows an answer given now. The same answer sent again opens nothing: otherwise an old email would
    open newer questions. The session of the first answer distinguishes a double click from that.
    """
    if not played.again:
        begin_visit(request, access, following)
        return following
    return following if following == followed_in_visit(request, access) else None
