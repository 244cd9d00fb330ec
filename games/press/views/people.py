"""The people of a table as one of them sees them: whom he mutes and blocks, whom its host silences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.blocking import block, blocks_of
from accounts.models import User
from games.commands import Refused
from games.models import Seat, Table
from games.press.access import Reader, reader_at
from games.press.commands import manners
from games.press.forms.manners import SilenceForm, length_of
from games.press.links import circle_path
from games.press.models import Mute, Silence
from games.press.silences import LIFTED, SILENCED, holding
from games.press.told.silences import told_in_a_sentence
from games.private import private_page

MOST_BEFORE = 10  # messages that an operator reads before the one that was reported
MOST_DECIDED = 50


@dataclass(frozen=True)
class Somebody:
    """One of the other people at a table."""

    seat: int
    name: str
    is_muted: bool
    is_blocked: bool | None  # None: he cannot be blocked here yet


@dataclass(frozen=True)
class Deed:
    """What the host or an operator did at a table."""

    silence: Silence
    sentence: str
    lifted: str  # empty while it was not
    seat: int | None = None  # of whom the reader may let write again; None: he may not


@private_page
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def people(request: HttpRequest, table_id: int) -> HttpResponse:
    """Who sits here, what this reader does not want to read, and what the host and operators did."""
    reader = _seated(request, table_id)
    if request.method == "POST":
        return _act(request, reader)
    return _people(request, reader)


def _people(
    request: HttpRequest, reader: Reader, form: SilenceForm | None = None, status: int = 200
) -> HttpResponse:
    user = cast(User, reader.user)
    others = others_at(reader)
    is_host = reader.table.host_id == user.pk
    context = {
        "table": reader.table,
        "others": others,
        "left": _muted(reader) - set(reader.names),
        "is_told_apart": reader.table.veil != Table.Veil.COMPANY,
        "may_block": _may_block(reader.table),
        "is_host": is_host,
        "form": form or (SilenceForm(others=_choices(others)) if is_host and others else None),
        "deeds": _deeds(reader),
        "back": circle_path(reader.main_circle) if reader.main_circle else "",
    }
    return render(request, "press/people.html", context, status=status)


def others_at(reader: Reader) -> list[Somebody]:
    if reader.table.veil == Table.Veil.COMPANY:
        return []
    muted = _muted(reader)
    blocked = {one.whom_id for one in blocks_of(cast(User, reader.user))}
    may_block = _may_block(reader.table)
    return [
        Somebody(
            seat.number,
            reader.names[seat.user_id],
            seat.user_id in muted,
            seat.user_id in blocked if may_block else None,
        )
        for seat in reader.table.all_seats()
        if seat.user_id is not None and seat != reader.seat
    ]


def _choices(others: list[Somebody]) -> list[tuple[str, str]]:
    return [(str(one.seat), one.name) for one in others]


def _muted(reader: Reader) -> set[int | None]:
    return set(Mute.objects.filter(table=reader.table, by=reader.user).values_list("whom_id", flat=True))


def _may_block(table: Table) -> bool:
    """Whoever is hidden cannot be blocked: the block's name would tell who he is."""
    return not table.veil


def _deeds(reader: Reader) -> list[Deed]:
    """What the host and operators did here, the newest first."""
    silences = Silence.objects.filter(table=reader.table).order_by("-pk")
    held = set(holding(silences).values_list("pk", flat=True))
    is_host = reader.user is not None and reader.table.host_id == reader.user.pk
    seats = {seat.user_id: seat.number for seat in reader.table.all_seats()}
    return [
        Deed(
            one,
            told_in_a_sentence(SILENCED, one, reader, reader.names),
            told_in_a_sentence(LIFTED, one, reader, reader.names) if one.lifted_at else "",
            seats.get(one.whom_id)
            if is_host and one.pk in held and one.by_id == reader.table.host_id
            else None,
        )
        for one in silences
    ]


def _act(request: HttpRequest, reader: Reader) -> HttpResponse:
    """Does what was pressed, and says what it means."""
    act = _ACTS.get(request.POST.get("action", ""))
    if act is None:
        raise Http404
    try:
        return act(request, reader)
    except Refused as refused:
        messages.error(request, str(refused))
        return redirect("people", reader.table.pk)


def _mute(request: HttpRequest, reader: Reader) -> HttpResponse:
    whom = _whom(request, reader)
    manners.mute(cast(Seat, reader.seat), whom.person)
    said = _("What %(name)s writes here is folded for you from now on. Nobody else sees that.")
    messages.success(request, said % {"name": reader.names[whom.user_id]})
    return redirect("people", reader.table.pk)


def _unmute(request: HttpRequest, reader: Reader) -> HttpResponse:
    whom = _whom(request, reader)
    manners.unmute(cast(Seat, reader.seat), whom.person)
    messages.success(request, _("You read %(name)s again.") % {"name": reader.names[whom.user_id]})
    return redirect("people", reader.table.pk)


def _unmute_who_left(request: HttpRequest, reader: Reader) -> HttpResponse:
    manners.unmute_who_left(cast(Seat, reader.seat))
    messages.success(request, _("You read again what former players wrote."))
    return redirect("people", reader.table.pk)


def _block(request: HttpRequest, reader: Reader) -> HttpResponse:
    whom = _whom(request, reader)
    if not _may_block(reader.table):
        raise Refused(_("Nobody here knows who is who: you can block somebody once the game is over."))
    if not block(cast(User, reader.user), whom.person):
        raise Refused(_("You block so many people that no other can be added."))
    said = _(
        "You block %(name)s, who is not told. At this table nothing changes; from now on neither finds the "
        "open tables of the other, and %(name)s gets no seat where you sit."
    )
    messages.success(request, said % {"name": reader.names[whom.user_id]})
    return redirect("people", reader.table.pk)


def _silence(request: HttpRequest, reader: Reader) -> HttpResponse:
    manners.require_host(cast(Seat, reader.seat))
    form = SilenceForm(request.POST, others=_choices(others_at(reader)))
    if not form.is_valid():
        return _people(request, reader, form, 400)
    typed = form.cleaned_data
    whom = next(seat for seat in reader.table.all_seats() if seat.number == typed["seat"])
    try:
        manners.silence_by_host(cast(Seat, reader.seat), whom, typed["reason"], length_of(typed["lasts"]))
    except Refused as refused:
        form.add_error("seat", str(refused))
        return _people(request, reader, form, 409)
    messages.success(request, _("The table is told."))
    return redirect("people", reader.table.pk)


def _lift(request: HttpRequest, reader: Reader) -> HttpResponse:
    """The host's own, named by the seat it silences."""
    whom = _whom(request, reader)
    silences = holding(Silence.objects.filter(table=reader.table, whom=whom.user))
    found = silences.first()
    if found is not None:
        manners.lift_by_host(cast(Seat, reader.seat), found)
    messages.success(request, _("The table is told."))
    return redirect("people", reader.table.pk)


_ACTS: dict[str, Callable[[HttpRequest, Reader], HttpResponse]] = {
    "mute": _mute,
    "unmute": _unmute,
    "unmute_who_left": _unmute_who_left,
    "block": _block,
    "silence": _silence,
    "lift": _lift,
}


def _whom(request: HttpRequest, reader: Reader) -> Seat:
    """Another person at the table, by the number of his seat. Raises Http404."""
    number = request.POST.get("seat", "")
    for seat in reader.table.all_seats():
        if str(seat.number) == number and seat.user_id is not None and seat != reader.seat:
            return seat
    raise Http404


def _seated(request: HttpRequest, table_id: int) -> Reader:
    """Who sits at the table. Raises Http404 for everybody else."""
    reader = reader_at(
        get_object_or_404(Table.objects.select_related("host"), pk=table_id), cast(User, request.user)
    )
    if reader.seat is None or not reader.circles:
        raise Http404
    return reader
