"""Operators' pages: reports and bans, except those of games that they play in."""

from __future__ import annotations

from typing import Any, cast

from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.mail.views import operators_only
from accounts.models import User
from accounts.names import FORMER_PLAYER
from games.chat.bans import bans_in_force
from games.chat.forms.moderation_forms import DecisionForm, length_of
from games.chat.models import Ban, Report
from games.chat.services import moderation
from games.chat.writing import is_over
from games.models import Seat, Table
from games.private_pages import private_page
from games.services import Refused

MOST_DECIDED = 50


@private_page
@operators_only
@require_safe
def reports(request: HttpRequest) -> HttpResponse:
    """Show the open reports with their context, current bans, and past decisions."""
    return _render_reports(request, cast(User, request.user))


def _render_reports(
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
        return _render_reports(request, operator, {made.pk: form}, 400)
    try:
        _decide(made, operator, form.cleaned_data)
    except Refused as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, _("You decided the report. We’ll email the reporter."))
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
