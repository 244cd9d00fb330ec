"""Pages for showing cards and sealing notes.

Reading them changes nothing. Choices are never in an address: only the second, confirmed form shows a card.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import pgettext
from django.views.decorators.http import require_http_methods

from games.chat.access import Reader, get_seated_reader
from games.chat.channel_text import others_in, readers_text
from games.chat.forms.show_and_seal_forms import PEOPLE, SealForm, ShowForm
from games.chat.links import channel_path
from games.chat.models import Channel, Message
from games.chat.readable_deals import TABLE
from games.chat.services.sealed_notes import seal_note, takable_regions
from games.chat.services.shown_cards import hand_of, show_cards, why_not_shown
from games.chat.writing import why_silent
from games.models import Game, Seat
from games.models.matches import last_game
from games.models.replay import replayed_for
from games.narration.cast import and_list
from games.private_pages import private_page
from games.services import Refused


@private_page
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def show(request: HttpRequest, table_id: int) -> HttpResponse:
    """Show cards in two forms: choose cards and audience, then confirm."""
    reader = get_seated_reader(request, table_id)
    game = last_game(reader.table)
    seat = cast(Seat, reader.seat)
    why = why_not_shown(reader.table, seat, game) or _why_alone(reader)
    if why or game is None:
        return _silent_page(request, "chat/show.html", reader, why)
    state = replayed_for(game, seat.number).state
    hand = hand_of(state, seat)
    channels = _channels(
        reader, [channel for channel in reader.channels if _is_seen_by_others(channel, reader)]
    )
    form = ShowForm(
        request.POST if request.method == "POST" else None,
        hand=hand,
        channels=channels,
        others=reader.others,
        initial={"to": _wanted(request)},
    )
    if request.method != "POST" or "again" in request.POST:
        return _render_choice(request, reader, form)
    if not form.is_valid():
        return _render_choice(request, reader, form, 400)
    if "sure" not in request.POST:
        return _render_confirmation(request, reader, form)
    return _show_chosen(request, reader, form)


def _render_choice(request: HttpRequest, reader: Reader, form: ShowForm, status: int = 200) -> HttpResponse:
    context = {"table": reader.table, "form": form}
    return render(request, "chat/show.html", context, status=status)


def _render_confirmation(request: HttpRequest, reader: Reader, form: ShowForm) -> HttpResponse:
    """Show which cards will be shown to whom, before it happens. Changes nothing."""
    chosen = form.cleaned_data
    hidden = [("to", chosen["to"])]
    hidden += [("card", card) for card in chosen["card"]] + [("seats", seat) for seat in chosen["seats"]]
    context = {
        "table": reader.table,
        "cards": list(Counter(chosen["card"]).items()),
        "number": len(chosen["card"]),
        "seen_by": _seen_by(reader, form),
        "hidden": hidden,
    }
    return render(request, "chat/show_sure.html", context)


def _show_chosen(request: HttpRequest, reader: Reader, form: ShowForm) -> HttpResponse:
    assert reader.seat is not None
    chosen = form.cleaned_data
    channel = None if chosen["to"] == PEOPLE else _channel_named(reader, chosen["to"])
    try:
        message = show_cards(reader.seat, chosen["card"], channel, reader.seats_chosen(chosen["seats"]))
    except Refused as refused:
        form.add_error(None, str(refused))
        return _render_choice(request, reader, form, refused.status)
    messages.success(request, _("You showed your cards. They stay in your hand."))
    return _to_message(message)


@private_page
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def seal(request: HttpRequest, table_id: int) -> HttpResponse:
    """Write a sealed note that opens at an event."""
    reader = get_seated_reader(request, table_id)
    game = last_game(reader.table)
    own = [channel for channel in reader.channels if not channel.is_epilogue]
    open_to = [channel for channel in own if not why_silent(channel, reader.table)]
    why = _why_not_sealed(game) or ("" if open_to else why_silent(own[0], reader.table))
    if why or game is None:
        return _silent_page(request, "chat/seal.html", reader, why)
    form = SealForm(
        request.POST if request.method == "POST" else None,
        channels=_channels(reader, open_to),
        regions=takable_regions(replayed_for(game, None).state),
        initial={"to": _wanted(request)},
    )
    if request.method == "POST" and form.is_valid():
        return _seal_chosen(request, reader, form)
    return _render_note(request, reader, form, 400 if form.is_bound else 200)


def _render_note(request: HttpRequest, reader: Reader, form: SealForm, status: int) -> HttpResponse:
    return render(request, "chat/seal.html", {"table": reader.table, "form": form}, status=status)


def _seal_chosen(request: HttpRequest, reader: Reader, form: SealForm) -> HttpResponse:
    assert reader.seat is not None
    chosen = form.cleaned_data
    channel = _channel_named(reader, chosen["to"])
    try:
        message = seal_note(reader.seat, channel, chosen["text"], chosen["opens"], chosen["region"])
    except Refused as refused:
        form.add_error(None, str(refused))
        return _render_note(request, reader, form, refused.status)
    messages.success(request, _("You sealed the note."))
    return _to_message(message)


def _why_not_sealed(game: Game | None) -> str:
    if game is None:
        return _("The game has not started, so you can’t seal a note yet.")
    return _("The game is over, so you can’t seal a note.") if game.is_over else ""


def _why_alone(reader: Reader) -> str:
    return (
        ""
        if reader.others
        else _("No other player is there to see your cards. You can’t show cards to bots.")
    )


def _silent_page(request: HttpRequest, page: str, reader: Reader, why: str) -> HttpResponse:
    """Show the page without a form, with the reason."""
    status = 409 if request.method == "POST" else 200
    return render(request, page, {"table": reader.table, "silent": why}, status=status)


def _to_message(message: Message) -> HttpResponse:
    return redirect(f"{channel_path(message.channel)}#message-{message.number}")


def _channels(reader: Reader, channels: list[Channel]) -> list[tuple[str, str]]:
    return [(channel.slug or TABLE, _title(channel, reader)) for channel in channels]


def _title(channel: Channel, reader: Reader) -> str:
    if channel.is_private:
        return and_list(others_in(channel, reader))
    return _("Everyone at the table")


def _is_seen_by_others(channel: Channel, reader: Reader) -> bool:
    """Return whether another reader of the channel is still at the table."""
    if not channel.is_private:
        return not channel.is_epilogue
    seated = {seat.user_id for seat in reader.table.all_seats()}
    return any(
        one.user_id in seated and one.user_id not in (None, reader.user_id) for one in channel.all_members
    )


def _channel_named(reader: Reader, value: str) -> Channel:
    channel = reader.channel("" if value == TABLE else value)
    if channel is None:
        raise Http404
    return channel


def _wanted(request: HttpRequest) -> str:
    """Return the channel from whose page the visitor comes. It is validated like any choice."""
    return request.GET.get("channel", "")


def _seen_by(reader: Reader, form: ShowForm) -> str:
    """Return a sentence: who will see the cards."""
    chosen: dict[str, Any] = form.cleaned_data
    if chosen["to"] == PEOPLE:
        names = [name for number, name in reader.others if number in chosen["seats"]]
        return _only_they_see(names)
    channel = _channel_named(reader, chosen["to"])
    return _only_they_see(others_in(channel, reader)) if channel.is_private else readers_text(channel, reader)


def _only_they_see(names: list[str]) -> str:
    you = pgettext("in a list of players", "you")
    # Translators: names are players, such as "you and Anna" or "you, Anna and Bruno".
    return _("Only %(names)s will see these cards.") % {"names": and_list([you, *names])}
