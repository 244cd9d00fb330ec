"""Players who are muted, blocked, reported or banned, and the operators' decisions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.blocking import block, blocks_of
from accounts.mail.views import operators_only
from accounts.models import User
from accounts.names import FORMER_PLAYER
from games.access import private_page
from games.chat.access import (
    BANNED,
    LIFTED,
    Reader,
    bans_in_force,
    get_channel_of,
    get_seated_reader,
    is_over,
)
from games.chat.forms import BanForm, DecisionForm, ReportForm, length_of
from games.chat.links import channel_path, message_path
from games.chat.models import Ban, Channel, Message, Mute, Report
from games.chat.services import moderation
from games.chat.system_messages import ban_sentence
from games.chat.thread import Line, channel_title, lines_of
from games.models import Seat, Table
from games.services import Refused

MOST_BEFORE = 10  # messages before the reported one that operators can read
MOST_DECIDED = 50


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
        return _act(request, reader)
    return _people(request, reader)


def _people(
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


def _act(request: HttpRequest, reader: Reader) -> HttpResponse:
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
        "You blocked %(name)s. They can't join your tables, and you no longer see each other's open tables. "
        "Nothing changes at this table, and we don’t tell anyone."
    )
    return said % {"name": reader.names[whom.user_id]}


def _ban(request: HttpRequest, reader: Reader) -> HttpResponse:
    moderation.require_host(cast(Seat, reader.seat))
    form = BanForm(request.POST, others=_choices(others_at(reader)))
    if not form.is_valid():
        return _people(request, reader, form, 400)
    typed = form.cleaned_data
    (whom,) = reader.seats_chosen([typed["seat"]])
    try:
        moderation.ban_by_host(cast(Seat, reader.seat), whom, typed["reason"], length_of(typed["lasts"]))
    except Refused as refused:
        form.add_error("seat", str(refused))
        return _people(request, reader, form, 409)
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


# One message: reporting it, or muting its author


@private_page
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def message(request: HttpRequest, table_id: int, number: int, slug: str = "") -> HttpResponse:
    """Show one message of another player, to report it or mute its author."""
    channel, reader = get_channel_of(request, table_id, slug)
    found = Message.objects.select_related("channel__table", "author").filter(
        channel=channel.pk, number=number
    )
    one = found.first()
    if one is None or reader.seat is None:
        raise Http404
    form = ReportForm(request.POST if request.method == "POST" else None)
    if request.method != "POST" or not form.is_valid():
        return _message_page(request, channel, reader, one, form)
    try:
        context = _context(channel, reader, one)
        typed = form.cleaned_data
        moderation.report(one, cast(User, request.user), typed["reason"], typed["words"], context)
    except Refused as refused:
        form.add_error(None, str(refused))
        return _message_page(request, channel, reader, one, form, 409)
    messages.success(request, _("You reported this message. We'll email you when an operator decides."))
    return redirect(f"{channel_path(channel)}#message-{number}")


def _message_page(
    request: HttpRequest,
    channel: Channel,
    reader: Reader,
    one: Message,
    form: ReportForm,
    status: int = 0,
) -> HttpResponse:
    line = lines_of(channel, reader, [one])[0]
    whom = next(
        (other for other in others_at(reader) if _is_at(reader, other.seat, one.author_id)),
        None,
    )
    context = {
        "table": reader.table,
        "title": channel_title(channel, reader),
        "line": line,
        "whom": whom,
        "form": None if line.is_mine else form,
        "most_before": MOST_BEFORE,
        "back": f"{channel_path(channel)}#message-{one.number}",
        "page": message_path(channel, one.number),
    }
    return render(request, "chat/message.html", context, status=status or (400 if form.errors else 200))


def _is_at(reader: Reader, number: int, user_id: int | None) -> bool:
    return any(seat.number == number and seat.user_id == user_id for seat in reader.table.all_seats())


def _context(channel: Channel, reader: Reader, one: Message) -> list[dict[str, Any]]:
    """Return the message and those before it, with names as the reader knows them."""
    reader = replace(reader, is_addressed=False)
    found = Message.objects.filter(channel=channel, number__lte=one.number)
    newest = list(found.order_by("-number")[: MOST_BEFORE + 1])[::-1]
    return [_as_read(line) for line in lines_of(channel, reader, newest)]


def _as_read(line: Line) -> dict[str, Any]:
    return {
        "name": line.name,
        "user": line.message.author_id,  # never shown; used to remove the name of a person who is deleted
        "text": line.message.text,
        "says": line.system.sentence if line.system else "",
        "at": line.message.written_at.isoformat(),
    }


# Operators' pages: reports and bans, except those of games they play in


@private_page
@operators_only
@require_safe
def reports(request: HttpRequest) -> HttpResponse:
    """Show the open reports with their context, current bans, and past decisions."""
    return _reports(request, cast(User, request.user))


def _reports(
    request: HttpRequest, operator: User, forms: dict[int, DecisionForm] | None = None, status: int = 200
) -> HttpResponse:
    typed = forms or {}
    found = _reports_for(operator)
    open_ones = found.filter(state=Report.State.OPEN)
    bans = bans_in_force().select_related("table", "whom", "by").order_by("-pk")
    context = {
        "open": [(one, _entries(one), typed.get(one.pk) or _decision_form(one)) for one in open_ones],
        "bans": [one for one in bans if _may_decide(operator, one.table)],
        "decided": found.exclude(state=Report.State.OPEN).order_by("-decided_at")[:MOST_DECIDED],
    }
    return render(request, "chat/reports.html", context, status=status)


def _entries(made: Report) -> list[dict[str, Any]]:
    """Return what the reporter read, as stored, with its times as datetimes and former players named so."""
    return [
        entry | {"at": parse_datetime(entry["at"]), "name": entry["name"] or _(FORMER_PLAYER)}
        for entry in made.context
    ]


def _decision_form(made: Report, typed: QueryDict | None = None) -> DecisionForm:
    """Return the form for one of the reports on the page."""
    return DecisionForm(typed, auto_id=f"report{made.pk}_%s")


def _reports_for(operator: User) -> QuerySet[Report]:
    """Return all reports except those of the operator's own games, where they would read too much."""
    found = Report.objects.select_related("message__channel__table", "message__author", "by", "decided_by")
    playing = Seat.objects.filter(user=operator).exclude(table__state=Table.State.FINISHED).values("table")
    return found.exclude(message__channel__table__in=playing).order_by("pk")


def _may_decide(operator: User, table: Table | None) -> bool:
    return table is None or is_over(table) or not table.seats.filter(user=operator).exists()


@private_page
@require_POST
@operators_only
def decide(request: HttpRequest, pk: int) -> HttpResponse:
    """Dismiss a report, or ban the message's author, as an operator."""
    operator = cast(User, request.user)
    made = get_object_or_404(_reports_for(operator), pk=pk)
    form = _decision_form(made, request.POST)
    if not form.is_valid():
        return _reports(request, operator, {made.pk: form}, 400)
    try:
        _decide(made, operator, form.cleaned_data)
    except Refused as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, _("You decided the report. We'll email the reporter."))
    return redirect("operator_reports")


def _decide(made: Report, operator: User, typed: dict[str, Any]) -> None:
    if typed["action"] == "dismiss":
        moderation.dismiss(made, operator, typed["decision"])
        return
    lasts, everywhere = length_of(typed["lasts"]), typed["where"] == "everywhere"
    moderation.ban_for(made, operator, typed["reason"], typed["decision"], lasts, everywhere=everywhere)


@private_page
@require_POST
@operators_only
def lift(request: HttpRequest, pk: int) -> HttpResponse:
    """Lift a ban as an operator."""
    operator = cast(User, request.user)
    made = get_object_or_404(Ban.objects.select_related("table"), pk=pk)
    if not _may_decide(operator, made.table):
        raise Http404
    moderation.lift(made, operator)
    messages.success(request, _("You lifted the ban."))
    return redirect("operator_reports")
