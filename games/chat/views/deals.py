"""The deals page of a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from games.access import reader_of
from games.chat.access import Reader, get_channel_of, get_spectator, reader_at
from games.chat.channel_list import channels_of
from games.chat.channel_text import channel_title, readers_text
from games.chat.deal_text import deals_path
from games.chat.deals_page import deals_page_of
from games.chat.forms.deal_form import DealForm
from games.chat.links import channel_path
from games.chat.models import Channel, Deal
from games.chat.proposing_deals import deal_form, game_for_deals
from games.chat.readable_deals import TABLE, find_deal, has_deals
from games.chat.services.deal_answers import ACTIONS
from games.chat.services.deals import propose
from games.chat.writing import is_over
from games.models import Seat, Table
from games.models.matches import last_game
from games.private_pages import private_page
from games.services import Refused


@private_page
@require_safe
def deals(request: HttpRequest, table_id: int) -> HttpResponse:
    """Show the deals at a table that the visitor may read."""
    reader = reader_at(get_object_or_404(Table, pk=table_id), reader_of(request))
    if not has_deals(reader):
        if reader_of(request) is None:
            return redirect_to_login(request.get_full_path())
        raise Http404
    return _show_deals(request, reader)


@private_page
@require_safe
def watch_deals(request: HttpRequest, key: str) -> HttpResponse:
    """Show the deals to a visitor with the table's spectator link."""
    reader = get_spectator(key)
    if not has_deals(reader):
        raise Http404
    return _show_deals(request, reader)


def _show_deals(request: HttpRequest, reader: Reader, problem: str = "", status: int = 200) -> HttpResponse:
    table = reader.table
    may_propose = reader.seat is not None and not is_over(table)
    context = {
        "table": table,
        "mine": reader.seat,
        "watching": reader.is_let_in,
        "may_sign_in": reader_of(request) is None,
        "is_over": is_over(table),
        "sections": deals_page_of(reader),
        "private_channels": channels_of(reader, exclude=reader.main_channel) if may_propose else None,
        "game": last_game(table),
        "problem": problem,
    }
    return render(request, "chat/deals.html", context, status=status)


@private_page
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def propose_deal(request: HttpRequest, table_id: int, slug: str) -> HttpResponse:
    """Show the form for a deal among the people of one channel."""
    channel, reader = get_channel_of(request, table_id, "" if slug == TABLE else slug)
    if reader.seat is None or not reader.is_in(channel):
        raise Http404
    try:
        game = game_for_deals(channel, reader)
    except Refused as refused:
        return _show_silent(request, channel, reader, str(refused))
    form = deal_form(channel, reader, game, request.POST if request.method == "POST" else None)
    if request.method != "POST":
        return _show_form(request, channel, reader, form)
    return _propose(request, channel, reader, form)


def _propose(request: HttpRequest, channel: Channel, reader: Reader, form: DealForm) -> HttpResponse:
    """Propose the deal and redirect, or show the form again with the input and the reason for refusal."""
    if not form.is_valid():
        return _show_form(request, channel, reader, form, 400)
    try:
        deal = propose(cast(Seat, reader.seat), channel, form.proposed, form.cleaned_data["after"])
    except Refused as refused:
        form.add_error(None, str(refused))
        return _show_form(request, channel, reader, form, refused.status)
    messages.success(request, _("You proposed the deal. The other players can now accept or decline it."))
    return redirect(deals_path(deal, reader))


def _show_form(
    request: HttpRequest, channel: Channel, reader: Reader, form: DealForm, status: int = 200
) -> HttpResponse:
    context = {
        "table": reader.table,
        "form": form,
        "channel": channel_title(channel, reader),
        "readers": readers_text(channel, reader),
        "back": channel_path(channel),
        "where": _where(form.current),
    }
    return render(request, "chat/deal.html", context, status=status)


def _where(words: Mapping[str, int]) -> str:
    """Return how far the game is, for promises that hold until a round or a battle."""
    if Deal.Until.ROUND in words:
        return _("The current round is %(round)d. The current or next battle is number %(battle)d.") % words
    return _("The current or next battle is number %(battle)d.") % words


def _show_silent(request: HttpRequest, channel: Channel, reader: Reader, silent: str) -> HttpResponse:
    context = {"table": reader.table, "silent": silent, "back": channel_path(channel)}
    context["channel"] = channel_title(channel, reader)
    return render(request, "chat/deal.html", context, status=409 if request.method == "POST" else 200)


_DONE = {
    "accept": gettext_lazy("You accepted the deal."),
    "decline": gettext_lazy("You declined the deal."),
    "withdraw": gettext_lazy("You withdrew the deal."),
    "kept": gettext_lazy("You said the deal was kept."),
    "broken": gettext_lazy("You said the deal was broken."),
    "publish": gettext_lazy("You agreed to make the deal public."),
}


@private_page
@require_POST
@login_required
def deal(request: HttpRequest, table_id: int, slug: str, number: int) -> HttpResponse:
    """Do one action on a deal from the deals page, then return there."""
    reader = reader_at(get_object_or_404(Table, pk=table_id), reader_of(request))
    found = find_deal(reader, slug, number)
    if reader.seat is None or found is None:
        raise Http404
    action = request.POST.get("action", "")
    if action not in ACTIONS:
        return _show_deals(request, reader, _("Choose one of the buttons."), 400)
    try:
        ACTIONS[action](reader.seat, found.pk)
    except Refused as refused:
        return _show_deals(request, reader, str(refused), refused.status)
    messages.success(request, str(_DONE[action]))
    return redirect(deals_path(found, reader))
