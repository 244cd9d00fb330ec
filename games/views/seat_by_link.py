"""A person's seat by an email link, without signing in: all that emails ask except moves is answered here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts import clock
from accounts.middleware import in_recipients_locale
from games import services
from games.access import seats_by_link
from games.forms.shuffle_words import WordsForm, words_typed
from games.forms.typed_text import read_number
from games.links import BadLink, chronicle_url, read_seat_token
from games.models import Game, Proposal, Seat, SharedHour
from games.models.games_for_pages import read_roster
from games.models.matches import last_game
from games.narration.roster import roster_at
from games.narration.ways_out import ways_out
from games.private_pages import private_page
from games.selectors.hours import hour_rows
from games.selectors.rematches import rematch_for
from games.services import Refused
from games.services.turn_links import is_about_to_be_emailed, is_asked
from games.views.match import say_ready
from games.views.page_version import waiting_version
from games.views.tables import words_kept


@private_page
@require_http_methods(["GET", "HEAD", "POST"])
def seat(request: HttpRequest, token: str) -> HttpResponse:
    """Show a person's seat by an email link, without signing in.

    Before the game: confirm or leave. Between games of a match: say that the next may begin. During a game:
    answer a proposal or a time to play together, get the link of one's turn by email, or return to the game.
    After it: ask for a rematch. It shows no hand.
    """
    try:
        seat_id, user_id = read_seat_token(token)
        # The current seat of this person: anonymous tables draw seats when the game begins.
        mine = seats_by_link().get(table__seats=seat_id, user_id=user_id)
    except (BadLink, Seat.DoesNotExist):
        return render(request, "games/bad_seat_link.html", status=404)
    if request.method == "POST":
        return in_recipients_locale(mine.user, request, lambda: _answer_for_seat(request, mine, token))
    return in_recipients_locale(mine.user, request, lambda: _show_seat(request, mine))


def _show_seat(request: HttpRequest, mine: Seat) -> HttpResponse:
    read_roster(mine.table)
    roster = roster_at(mine.table, mine.user)
    version = waiting_version(mine.table, roster)
    if version and request.GET.get("have") == version:
        return HttpResponse(status=204)
    game = last_game(mine.table)
    context = {
        "version": version,
        "poll_seconds": settings.CHAT_POLL_SECONDS,
        "table": mine.table,
        "mine": mine,
        "game": game,
        "roster": roster,
        "words_form": WordsForm(),
        **(_about_game(game, mine, roster.names) if game else {}),
    }
    return render(request, "games/seat.html", context)


def _about_game(game: Game, mine: Seat, names: tuple[str, ...]) -> dict[str, Any]:
    """Return what the page of a seat shows of its game, or asks about it; never a card."""
    ways, is_my_turn = ways_out(game, mine, names), is_asked(mine)
    has_proposal = ways is not None and ways.proposal is not None
    return {
        "ways_out": ways,
        "is_my_turn": is_my_turn,
        "is_being_emailed": is_my_turn and is_about_to_be_emailed(game, mine),
        "is_asked_else": is_my_turn or game.is_over or bool(mine.played_by_bot) or has_proposal,
        "hours": [] if game.is_over else hour_rows(mine, mine.table.all_seats(), names, clock.now()),
        "zone": mine.person.zone,
        "rematch": rematch_for(game, mine.person),
        "chronicle": chronicle_url(game, mine.person.pk) if game.is_over else "",
    }


def _answer_for_seat(request: HttpRequest, mine: Seat, token: str) -> HttpResponse:
    action = request.POST.get("action", "")
    try:
        if action == "leave":
            services.leave(mine)
            return render(request, "games/left.html", {"table": mine.table})
        if action in _ANSWERS:
            _ANSWERS[action](request, mine)
    except Refused as refused:
        messages.error(request, str(refused))
    return redirect("seat", token)


def _give_words(request: HttpRequest, mine: Seat) -> None:
    services.give_words(mine, words_typed(request.POST))
    messages.success(request, words_kept(request))


def _come_back(request: HttpRequest, mine: Seat) -> None:
    services.come_back(mine)
    messages.success(request, _("Welcome back. You are playing again."))


def _keep_open(request: HttpRequest, mine: Seat) -> None:
    """Keep the host's table open; for others nothing happens."""
    if mine.is_of_host:
        services.keep_open(mine.table)
        messages.success(request, _("The table keeps looking for players."))


def _email_turn_link(request: HttpRequest, mine: Seat) -> None:
    services.email_turn_link(mine)
    messages.success(request, _("We’ve emailed you your turn’s link."))


def _answer_proposal(request: HttpRequest, mine: Seat, *, agrees: bool) -> None:
    """Agree to end the game, or refuse (R49). A proposal that is no longer open is answered as closed."""
    pk = read_number(request.POST.get("proposal", "")) or 0
    proposal = Proposal.objects.filter(pk=pk, game__table=mine.table_id).select_related("game").first()
    if proposal is None:
        messages.info(request, _("That proposal is closed."))
    elif agrees:
        services.accept_proposal(mine, proposal)
        messages.success(request, _("You agreed to the proposal."))
    else:
        services.refuse_proposal(mine, proposal)
        messages.success(request, _("The proposal is closed. The game goes on."))


def _answer_hour(request: HttpRequest, mine: Seat, *, accepts: bool) -> None:
    """Accept or decline a proposed time to play together, of this table."""
    pk = read_number(request.POST.get("hour", "")) or 0
    hour = SharedHour.objects.filter(pk=pk, table=mine.table_id).first()
    if hour is None:
        raise Refused(_("No one proposes this time any more."))
    services.answer_hour(hour, mine, accepts=accepts)
    messages.success(request, _("You accepted this time.") if accepts else _("You declined this time."))


def _ask_for_rematch(request: HttpRequest, mine: Seat) -> None:
    """Ask for a rematch, or take the seat in it. This link doesn't open the new table: its emails do."""
    game = last_game(mine.table)
    if game is None:
        raise Refused(_("You can ask for a rematch when the game is over."))
    services.make_rematch(game, mine.person)
    messages.success(
        request, _("You have a seat in the rematch. We’ll email you when there’s something to do.")
    )


_ANSWERS: dict[str, Callable[[HttpRequest, Seat], object]] = {
    "confirm": lambda request, mine: services.confirm(mine),
    "words": _give_words,
    "go_on": say_ready,
    "back": _come_back,
    "accept": lambda request, mine: _answer_proposal(request, mine, agrees=True),
    "refuse": lambda request, mine: _answer_proposal(request, mine, agrees=False),
    "accept_hour": lambda request, mine: _answer_hour(request, mine, accepts=True),
    "decline_hour": lambda request, mine: _answer_hour(request, mine, accepts=False),
    "turn_link": _email_turn_link,
    "rematch": _ask_for_rematch,
    "keep_open": _keep_open,
}
