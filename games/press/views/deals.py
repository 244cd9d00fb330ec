"""One deal by an email's link: read and answered without signing in. Opening it changes nothing."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.middleware import told_by_link
from games.commands import Refused
from games.links import BadLink
from games.models import Game
from games.press.access import Reader, get_link_deal, person
from games.press.commands.bargaining import answer
from games.press.ledger import card_of, fate, why_not_asked
from games.press.models import Bargain, Party
from games.press.told.bargains import party_of
from games.private import private_page

ANSWERS = {"accept": Party.Answer.ACCEPTED, "decline": Party.Answer.DECLINED}


@private_page
@require_http_methods(["GET", "HEAD", "POST"])
def deal(request: HttpRequest, token: str) -> HttpResponse:
    """A deal with a button for each answer, or for the one the address names; later, what became of it."""
    try:
        found, reader = get_link_deal(token)
    except BadLink:
        return render(request, "games/bad_seat_link.html", status=404)
    show = _answered if request.method == "POST" else _show
    return told_by_link(reader.user, request, lambda: show(request, found, reader))


def _answered(request: HttpRequest, found: Bargain, reader: Reader) -> HttpResponse:
    """Take the answer and show what became of the deal, or say why it can't be answered."""
    given = request.POST.get("answer", "")
    if given not in ANSWERS:
        return _show(request, found, reader, _("Choose one of the buttons."), 400)
    assert reader.seat is not None
    mine = party_of(found, reader)
    is_again = mine is not None and mine.answer == ANSWERS[given]  # a second click
    if not is_again and why_not_asked(found, reader):
        return _show(request, found, reader, status=409)
    try:
        answer(reader.seat, found.pk, accepts=given == "accept")
    except Refused as refused:
        return _show(request, found, reader, str(refused), 409)
    said = _("You accepted the deal.") if given == "accept" else _("You declined the deal.")
    messages.success(request, said)
    return redirect(request.path)


def _show(
    request: HttpRequest, found: Bargain, reader: Reader, problem: str = "", status: int = 200
) -> HttpResponse:
    chosen = request.GET.get("answer", "")
    context = {
        "table": reader.table,
        "game": Game.objects.filter(table=reader.table).order_by("pk").last(),
        "card": card_of(found, reader),
        "fate": fate(found),
        "closed": why_not_asked(found, reader),
        "answers": [chosen] if chosen in ANSWERS else list(ANSWERS),
        "problem": problem,
        "is_signed_in": person(request) == reader.user,
    }
    return render(request, "press/deal.html", context, status=status)
