"""One deal by an email's link: read and answered without signing in. Opening the link changes nothing."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.middleware import in_recipients_locale
from games.access import reader_of
from games.chat.access import Reader, get_link_deal
from games.chat.answering_deals import why_not_asked
from games.chat.deal_text import party_of
from games.chat.deals_page import deal_view
from games.chat.models import Deal, DealParty
from games.chat.services.deal_answers import answer
from games.links import BadLink
from games.models.matches import last_game
from games.narration.roster import roster_at
from games.private_pages import private_page
from games.services import Refused

ANSWERS = {"accept": DealParty.Answer.ACCEPTED, "decline": DealParty.Answer.DECLINED}


@private_page
@require_http_methods(["GET", "HEAD", "POST"])
def deal_by_link(request: HttpRequest, token: str) -> HttpResponse:
    """Show a deal with a button for each answer, or only for the one the address names.

    Later, show the outcome of the deal.
    """
    try:
        found, reader = get_link_deal(token)
    except BadLink:
        return render(request, "games/bad_seat_link.html", status=404)
    show = _show_or_answer if request.method == "POST" else _render
    return in_recipients_locale(reader.user, request, lambda: show(request, found, reader))


def _show_or_answer(request: HttpRequest, found: Deal, reader: Reader) -> HttpResponse:
    """Take the answer and show the outcome of the deal, or say why it can't be answered."""
    given = request.POST.get("answer", "")
    if given not in ANSWERS:
        return _render(request, found, reader, _("Choose one of the buttons."), 400)
    assert reader.seat is not None
    mine = party_of(found, reader)
    is_again = mine is not None and mine.answer == ANSWERS[given]  # a second click
    if not is_again and why_not_asked(found, reader):
        return _render(request, found, reader, status=409)
    try:
        answer(reader.seat, found.pk, accepts=given == "accept")
    except Refused as refused:
        return _render(request, found, reader, str(refused), 409)
    said = _("You accepted the deal.") if given == "accept" else _("You declined the deal.")
    messages.success(request, said)
    return redirect(request.path)


def _render(
    request: HttpRequest, found: Deal, reader: Reader, problem: str = "", status: int = 200
) -> HttpResponse:
    chosen = request.GET.get("answer", "")
    context = {
        "table": reader.table,
        "game": last_game(reader.table),
        "deal": deal_view(found, reader),
        "closed": why_not_asked(found, reader),
        "answers": [chosen] if chosen in ANSWERS else list(ANSWERS),
        "problem": problem,
        "my_name": roster_at(reader.table, reader.user).name_of(reader.user) if reader.user else "",
        "is_signed_in": reader_of(request) == reader.user,
    }
    return render(request, "chat/deal_by_link.html", context, status=status)
