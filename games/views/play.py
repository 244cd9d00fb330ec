"""The game page, the confirmation of a move, and the move itself; signed in or by a letter's link."""

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
from games.forms import read_move
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
from games.selectors import questions_to, rematch_for
from games.services import AlreadyPlayed, NotAsked, Played, submit_move
from games.views.history import Reading, opened_by
from games.views.page_version import Kind, Viewer, live_url, page_version, viewer_by_link

PAGE = "base.html"


@private_page
@require_safe
@login_required
def game(request: HttpRequest, game_id: int) -> HttpResponse:
    """The game as the signed-in player's seat sees it; who once had a seat in it is told that he left."""
    try:
        door = get_game_access(request, game_id)
    except HasLeft:
        return render(request, "games/left_game.html", status=404)
    return show_game(request, door)


@private_page
@require_safe
@login_required
def game_confirm(request: HttpRequest, game_id: int) -> HttpResponse:
    """What a move leads to, before it is made; changes nothing."""
    return show_confirmation(request, get_game_access(request, game_id))


@private_page
@require_POST
@login_required
def game_move(request: HttpRequest, game_id: int) -> HttpResponse:
    """The move of the signed-in player."""
    return make_move(request, get_game_access(request, game_id))


@private_page
@require_safe
def answer(request: HttpRequest, token: str) -> HttpResponse:
    """The game by an email's link: with the hand while its question is open and in the visit that answered
    it, else what everyone may see."""
    return _by_link(request, token, show_game)


@private_page
@require_safe
def answer_confirm(request: HttpRequest, token: str) -> HttpResponse:
    """A letter's link to one move: a page with one button; opening it changes nothing."""
    return _by_link(request, token, show_confirmation)


@private_page
@require_POST
def answer_move(request: HttpRequest, token: str) -> HttpResponse:
    """The move of whoever holds the letter's link."""
    return _by_link(request, token, make_move)


def _by_link(
    request: HttpRequest, token: str, show: Callable[[HttpRequest, GameAccess], HttpResponse]
) -> HttpResponse:
    try:
        door = get_link_access(request, token)
    except BadLink:
        return render(request, "games/bad_seat_link.html", status=404)
    return in_recipients_locale(door.seat.user, request, lambda: show(request, door))


def view_through(door: GameAccess) -> GameView:
    """The game as this door shows it: a closed question's link shows what everyone may see, but in the visit
    that has just answered, what its seat sees."""
    if door.is_visit or door.opens(door.seat.asked_at):
        view = _view_of(door, door.seat.number)
        if not door.is_link or door.opens(view.asked_at):  # it may have been answered since the seat was read
            return view
        if door.is_visit:
            return replace(view, is_answered_elsewhere=True)
    return _view_of(door, None)


def _view_of(door: GameAccess, seat: int | None) -> GameView:
    return GameView(door.game, replayed_for(door.game, seat), door.names, seat)


def show_game(
    request: HttpRequest,
    door: GameAccess,
    problem: str = "",
    status: int = 200,
    frame: str = PAGE,
) -> HttpResponse:
    """The game page; `problem` says why what was just tried did not happen. A player has read it then."""
    viewer = viewer_at(door)
    reader = reader_at(door.seat.table, door.seat.user) if door.is_seated else None
    was_read = door.game if reader and request.method in SAFE else None
    # before the log is read: what happens meanwhile is news
    pulse = page_version(viewer, was_read, reader.circles if reader else None)
    seen = _seen_before(door) if door.is_seated else None
    if pulse and door.is_seated and request.method == "GET":
        mark_game_read(door.game, door.seat.person, seen)
    if reader and reader.main_circle and request.method == "GET":
        mark_read(reader.main_circle, door.seat.person, reader.main_circle.newest)
    view = replace(view_through(door), new_from=first_unread(seen, door.game), opened=opened_by(request))
    is_closed_link = door.is_link and view.viewer is None
    is_asked_again = view.asked_at is None and door.seat.number in view.seen.waiting_for  # all see it (R17)
    links = (
        tuple((str(move.region), _confirm_link(door, view, move)) for move in view.seen.legal)
        if view.seen.asked and view.seen.asked.kind == "place"
        else ()
    )
    reading = Reading(door.game, view.names, *door.address)
    marks = _failing_at(door)
    context = {
        "frame": frame,
        "live_url": live_url(viewer) if pulse else "",
        "pulse": pulse,
        "poll_seconds": settings.POLL_SECONDS,
        "talk_reader": reader,
        "door": door,
        "reading": reading,
        "view": view,
        "game": door.game,
        "table": door.seat.table,
        "links": links,
        "proof_url": "" if door.game.is_over else reading.proof_url,
        "problem": problem,
        "is_closed_link": is_closed_link,
        "is_asked_again": is_asked_again,
        "visit_told": _visit_told(view) if door.is_visit and not view.question else "",
        "my_name": view.names[door.seat.number],
        "times": times_of(view, None if is_closed_link else door.seat),
        "failing": marks,
        **(_beside_the_game(door, view, marks) if door.is_seated else {}),
    }
    return render(request, "games/game.html", context, status=status)


def _visit_told(view: GameView) -> str:
    """What a visit by an email's link reads after its answer: who is next, as far as everyone may know."""
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


def viewer_at(door: GameAccess) -> Viewer:
    """Who looks in through this door, as his open page asks for news."""
    game, seat = door.game.pk, door.seat
    if door.question is not None:
        kind = Kind.VISIT if door.is_visit else Kind.LINK
        return viewer_by_link(door.token, door.question, kind)
    if seat.table.practice_key is not None:
        return Viewer(Kind.GUEST, game, seat.number, seat.table.practice_key)
    return Viewer(Kind.PLAYER, game, seat.number, seat.user_id or 0, seat.user_id)


def note_at(door: GameAccess) -> str:
    """The player's own note about the game; empty for none."""
    notes = Note.objects.filter(game=door.game, user=door.seat.person)
    return notes.values_list("text", flat=True).first() or ""


def _waiting_elsewhere(door: GameAccess) -> int:
    """In how many other games the player is asked something."""
    asked = Seat.objects.filter(user=door.seat.person, asked_since__isnull=False)
    return asked.exclude(pk=door.seat.pk).count()


def _seen_before(door: GameAccess) -> ReadMarker | None:
    return ReadMarker.objects.filter(table=door.game.table_id, user=door.seat.person).first()


def _failing_at(door: GameAccess) -> dict[str, SuppressedAddress]:
    """The marks on addresses at this table to which emails fail."""
    users = [seat.user for seat in door.seat.table.all_seats() if seat.user is not None]
    return suppressions_of(user.email for user in users)


def _beside_the_game(
    door: GameAccess, view: GameView, marks: Mapping[str, SuppressedAddress]
) -> dict[str, Any]:
    """The player's own affairs: nothing of it is for an email's link, nor for guests."""
    ways = ways_out(door.game, door.seat, door.names)
    return {
        "failing_mail": marks.get(door.seat.person.email),
        "arrangements_url": reverse("game_arrangements", args=[door.game.pk]),
        "waiting_elsewhere": 0 if view.question else _waiting_elsewhere(door),
        "note": note_at(door),
        "rematch": rematch_for(door.game, door.seat.person),
        "ways_out": ways if ways and (ways.proposal or ways.offer) else None,
    }


def _confirm_link(door: GameAccess, view: GameView, move: Move) -> str:
    return f"{door.confirm_url}?{urlencode({'move': str(move), 'asked_at': str(view.asked_at)})}"


def show_confirmation(request: HttpRequest, door: GameAccess) -> HttpResponse:
    """What follows from the chosen move, with one button; or the second step of a Bishop or a Scarecrow."""
    view = view_through(door)
    asked_at = request.GET.get("asked_at", "")
    if view.asked_at is None or (asked_at and asked_at != str(view.asked_at)):
        return show_game(request, door, _closed_question(view), 409)
    chosen = read_move(request.GET)
    if isinstance(chosen, str) or (chosen not in view.seen.legal and _steps_after(view, str(chosen))):
        return _second_step(request, door, view, str(chosen))
    if chosen not in view.seen.legal:
        return show_game(request, door, _why_illegal(view, chosen), 400)
    name, follows = view.move_name(chosen), view.follows(chosen)
    cards = [chosen.card] if chosen.card else chosen.cards
    return _confirmation(request, door, view, move=chosen, move_name=name, follows=follows, shown_cards=cards)


def _steps_after(view: GameView, begun: str) -> list[Move]:
    """The legal moves that begin with these words and go on; what is kept is chosen in one step."""
    if not begun or view.seen.phase == "keep":
        return []
    return sorted((move for move in view.seen.legal if str(move).startswith(begun + " ")), key=step_order)


def _closed_question(view: GameView) -> str:
    if view.asked_at is not None:
        return _("That question is closed. This is what you are asked now.")
    return _("That question is closed; nothing was changed.")


def _second_step(request: HttpRequest, door: GameAccess, view: GameView, begun: str) -> HttpResponse:
    moves = _steps_after(view, begun)
    if not moves:
        return show_game(request, door, _not_a_choice(view, begun), 400)
    steps = [step_of(move, view.move_name(move), view.names, view.viewer) for move in moves]
    return _confirmation(request, door, view, steps=steps, asks=steps_title(begun))


def _not_a_choice(view: GameView, begun: str) -> str:
    """Names what is wrong with the beginning of a move that no legal move begins with."""
    for ending in ("off", "nothing"):
        try:
            return _why_illegal(view, parse_move(f"{begun} {ending}"))
        except InvalidMove:
            continue
    return unreadable(begun) if begun else _("Choose a move first.")


def _why_illegal(view: GameView, move: Move) -> str:
    error = view.why_not(move)
    return refusal(error) if error else ""


def _confirmation(request: HttpRequest, door: GameAccess, view: GameView, **more: Any) -> HttpResponse:
    links = {}
    if "steps" in more:
        pope = [move for move in view.seen.legal if move.card == "bishop" and move.region]
        bishop = any(step.text.startswith("play bishop") for step in more["steps"])
        links = {str(move.region): _confirm_link(door, view, move) for move in pope} if bishop else {}
    move = more.get("move")
    board = board_of(view, links, selected=move.region if move else None)
    context = {"door": door, "view": view, "game": door.game, "table": door.seat.table, "board": board}
    return render(request, "games/confirm.html", {**context, **more})


def make_move(request: HttpRequest, door: GameAccess) -> HttpResponse:
    """Play the posted move; then on to the seat's next question, if it is asked at once."""
    move = read_move(request.POST)
    if isinstance(move, str):
        return show_game(request, door, unreadable(move) if move else _("Choose a move first."), 400)
    asked_at = _asked_at(request, door)
    if asked_at is None:
        return show_game(request, door, _("Choose a move from the page; nothing was changed."), 400)
    try:
        played = submit_move(door.game, door.seat.number, move, asked_at, door.via)
    except AlreadyPlayed:
        return show_game(request, door, _("You have answered that question before; your answer stands."), 409)
    except NotAsked:
        return show_game(request, door, _closed_question(view_through(door)), 409)
    except IllegalMove as error:
        return show_game(request, door, refusal(error), 400)
    return _go_on(request, door, move, played)


def _asked_at(request: HttpRequest, door: GameAccess) -> int | None:
    if door.question is not None:
        return door.question.asked_at
    text = request.POST.get("asked_at", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def _go_on(request: HttpRequest, door: GameAccess, move: Move, played: Played) -> HttpResponse:
    messages.success(request, _("Done: %(move)s.") % {"move": move_name(move, door.names, door.seat.number)})
    if not played.next_question:
        _tell_of_other_games(request, door)
    following = played.next_question.asked_at if played.next_question else None
    if door.is_link:
        following = _visit_goes_on(request, door, following, played)
    return redirect(door.next_page_url(following))


def _tell_of_other_games(request: HttpRequest, door: GameAccess) -> None:
    """One step to the next game; not by a letter's link, which signs nobody in, and not for a guest."""
    if not door.is_seated:
        return
    others = questions_to(door.seat.person, beside=door.game).count()
    if others:
        said = ngettext("%(n)d other game waits for you.", "%(n)d other games wait for you.", others)
        link = format_html('<a href="{}">{}</a>', reverse("next_game"), _("On to the next"))
        messages.info(request, format_html("{} {}", said % {"n": others}, link))


def _visit_goes_on(
    request: HttpRequest, door: GameAccess, following: int | None, played: Played
) -> int | None:
    """The question to which the link's holder goes on at once; None for none.

    It is that of an answer given now. The same answer sent again opens nothing by itself, or an old email
    would open newer questions; the session of the first answer tells a double click from that.
    """
    if not played.again:
        begin_visit(request, door, following)
        return following
    return following if following == followed_in_visit(request, door) else None
