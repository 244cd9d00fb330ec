"""The page of the people at a table: mute, block, and ban as the host."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.blocking import block, blocks_of
from accounts.models import User
from games.chat.access import Reader, get_seated_reader
from games.chat.bans import BANNED, LIFTED, bans_in_force
from games.chat.forms.moderation_forms import BanForm, length_of
from games.chat.links import channel_path
from games.chat.models import Ban, Mute
from games.chat.services import moderation
from games.chat.system_messages.ban_text import ban_sentence
from games.models import Seat, Table
from games.private_pages import private_page
from games.services import Refused


@dataclass(frozen=True)
class OtherPlayer:
    """One of the other people at a table."""

    seat: int
    name: str
    is_muted: bool
    is_blocked: bool | None  # None: they can't be blocked here yet


@dataclass(frozen=True)
class BanEntry:
    """A ban at a table, as its people read it in the log."""

    ban: Ban
    sentence: str
    lifted: str  # a sentence; empty if the ban was not lifted
    seat: int | None = None  # of the banned player, if the reader may lift the ban; None otherwise


@private_page
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def people(request: HttpRequest, table_id: int) -> HttpResponse:
    """Show who is at the table, whom the reader mutes, and what the host and operators did."""
    reader = get_seated_reader(request, table_id)
    if request.method == "POST":
        return _do_action(request, reader)
    return _render_people(request, reader)


def _render_people(
    request: HttpRequest, reader: Reader, form: BanForm | None = None, status: int = 200
) -> HttpResponse:
    user = cast(User, reader.user)
    others = others_at(reader)
    is_host = reader.table.host_id == user.pk
    context = {
        "table": reader.table,
        "others": others,
        "left": _muted(reader) - set(reader.names),
        "are_known": reader.table.anonymity != Table.Anonymity.NAMELESS,
        "may_block": _may_block(reader.table),
        "form": form or (BanForm(others=_choices(others)) if is_host and others else None),
        "log": _log(reader),
        "back": channel_path(reader.main_channel) if reader.main_channel else "",
    }
    return render(request, "chat/people.html", context, status=status)


def others_at(reader: Reader) -> list[OtherPlayer]:
    if reader.table.anonymity == Table.Anonymity.NAMELESS:
        return []
    muted = _muted(reader)
    blocked = {one.whom_id for one in blocks_of(cast(User, reader.user))}
    may_block = _may_block(reader.table)
    return [
        OtherPlayer(
            seat.number,
            reader.names[seat.user_id],
            seat.user_id in muted,
            seat.user_id in blocked if may_block else None,
        )
        for seat in reader.table.all_seats()
        if seat.user_id is not None and seat != reader.seat
    ]


def _choices(others: list[OtherPlayer]) -> list[tuple[str, str]]:
    return [(str(one.seat), one.name) for one in others]


def _muted(reader: Reader) -> set[int | None]:
    return set(Mute.objects.filter(table=reader.table, by=reader.user).values_list("whom_id", flat=True))


def _may_block(table: Table) -> bool:
    """Return whether players can be blocked here.

    Anonymous players can't: the block would show their name.
    """
    return not table.anonymity


def _log(reader: Reader) -> list[BanEntry]:
    """Return what the host and operators did here, newest first."""
    bans = Ban.objects.filter(table=reader.table).order_by("-pk")
    held = set(bans_in_force(bans).values_list("pk", flat=True))
    is_host = reader.user is not None and reader.table.host_id == reader.user.pk
    seats = {seat.user_id: seat.number for seat in reader.table.all_seats()}
    return [
        BanEntry(
            one,
            ban_sentence(BANNED, one, reader),
            ban_sentence(LIFTED, one, reader) if one.lifted_at else "",
            seats.get(one.whom_id)
            if is_host and one.pk in held and one.by_id == reader.table.host_id
            else None,
        )
        for one in bans
    ]


def _do_action(request: HttpRequest, reader: Reader) -> HttpResponse:
    """Do what the button says, and tell the reader what it means."""
    action = request.POST.get("action", "")
    if action != "ban" and action not in _ACTS:
        raise Http404
    try:
        if action == "ban":
            return _ban(request, reader)
        messages.success(request, _ACTS[action](request, reader))
    except Refused as refused:
        messages.error(request, str(refused))
    return redirect("people", reader.table.pk)


def _mute(request: HttpRequest, reader: Reader) -> str:
    whom = _whom(request, reader)
    moderation.mute(cast(Seat, reader.seat), whom.person)
    said = _("You muted %(name)s. Their messages at this table are folded. No one else can see this.")
    return said % {"name": reader.names[whom.user_id]}


def _unmute(request: HttpRequest, reader: Reader) -> str:
    whom = _whom(request, reader)
    moderation.unmute(cast(Seat, reader.seat), whom.person)
    return _("You unmuted %(name)s.") % {"name": reader.names[whom.user_id]}


def _unmute_who_left(request: HttpRequest, reader: Reader) -> str:
    moderation.unmute_who_left(cast(Seat, reader.seat))
    return _("You unmuted all former players.")


def _block(request: HttpRequest, reader: Reader) -> str:
    whom = _whom(request, reader)
    if not _may_block(reader.table):
        raise Refused(_("Players at this table are anonymous. You can block them when the game is over."))
    if not block(cast(User, reader.user), whom.person):
        raise Refused(_("You have blocked as many players as you can. Unblock one first."))
    said = _(
        "You blocked %(name)s. They can’t join your tables, and you no longer see each other’s open tables. "
        "Nothing changes at this table, and we don’t tell anyone."
    )
    return said % {"name": reader.names[whom.user_id]}


def _ban(request: HttpRequest, reader: Reader) -> HttpResponse:
    moderation.require_host(cast(Seat, reader.seat))
    form = BanForm(request.POST, others=_choices(others_at(reader)))
    if not form.is_valid():
        return _render_people(request, reader, form, 400)
    typed = form.cleaned_data
    (whom,) = reader.seats_chosen([typed["seat"]])
    try:
        moderation.ban_by_host(cast(Seat, reader.seat), whom, typed["reason"], length_of(typed["lasts"]))
    except Refused as refused:
        form.add_error("seat", str(refused))
        return _render_people(request, reader, form, 409)
    messages.success(request, _("You banned this player. Everyone at the table can see it."))
    return redirect("people", reader.table.pk)


def _lift(request: HttpRequest, reader: Reader) -> str:
    """Lift a ban made by the host, given by the banned player's seat."""
    whom = _whom(request, reader)
    bans = bans_in_force(Ban.objects.filter(table=reader.table, whom=whom.user))
    found = bans.first()
    if found is not None:
        moderation.lift_by_host(cast(Seat, reader.seat), found)
    return _("You lifted the ban. Everyone at the table can see it.")


_ACTS: dict[str, Callable[[HttpRequest, Reader], str]] = {
    "mute": _mute,
    "unmute": _unmute,
    "unmute_who_left": _unmute_who_left,
    "block": _block,
    "lift": _lift,
}


def _whom(request: HttpRequest, reader: Reader) -> Seat:
    """Return the seat of another person at the table, by seat number. Raises Http404."""
    number = request.POST.get("seat", "")
    for seat in reader.table.all_seats():
        if str(seat.number) == number and seat.user_id is not None and seat != reader.seat:
            return seat
    raise Http404
