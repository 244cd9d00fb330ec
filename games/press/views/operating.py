"""What operators see and decide: reports, and who is silenced; nothing of games that they play in."""

from __future__ import annotations

from typing import Any, cast

from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.models import User
from accounts.post.views import operators_only
from games.commands import Refused
from games.models import Seat, Table
from games.press.access import is_over
from games.press.commands import manners
from games.press.forms.manners import DecisionForm, length_of
from games.press.models import Report, Silence
from games.press.silences import holding
from games.private import private_page

MOST_BEFORE = 10  # messages that an operator reads before the one that was reported
MOST_DECIDED = 50


@private_page
@operators_only
@require_safe
def reports(request: HttpRequest) -> HttpResponse:
    """The open reports with what stood around them, who is silenced, and what was decided."""
    return _reports(request, cast(User, request.user))


def _reports(
    request: HttpRequest, operator: User, forms: dict[int, DecisionForm] | None = None, status: int = 200
) -> HttpResponse:
    typed = forms or {}
    found = _reports_for(operator)
    open_ones = found.filter(state=Report.State.OPEN)
    silences = holding().select_related("table", "whom", "by").order_by("-pk")
    context = {
        "open": [(one, _entries(one), typed.get(one.pk) or _decision_form(one)) for one in open_ones],
        "silences": [one for one in silences if _may_decide(operator, one.table)],
        "decided": found.exclude(state=Report.State.OPEN).order_by("-decided_at")[:MOST_DECIDED],
    }
    return render(request, "press/reports.html", context, status=status)


def _entries(made: Report) -> list[dict[str, Any]]:
    """What the reporter read, as stored, with its moments as such."""
    return [entry | {"at": parse_datetime(entry["at"])} for entry in made.context]


def _decision_form(made: Report, typed: QueryDict | None = None) -> DecisionForm:
    """One of several on the page."""
    return DecisionForm(typed, auto_id=f"report{made.pk}_%s")


def _reports_for(operator: User) -> QuerySet[Report]:
    """All but those of games that he plays himself: there he would read what he may not."""
    found = Report.objects.select_related("message__circle__table", "message__author", "by", "decided_by")
    playing = Seat.objects.filter(user=operator).exclude(table__state=Table.State.FINISHED).values("table")
    return found.exclude(message__circle__table__in=playing).order_by("pk")


def _may_decide(operator: User, table: Table | None) -> bool:
    return table is None or is_over(table) or not table.seats.filter(user=operator).exists()


@private_page
@require_POST
@operators_only
def decide(request: HttpRequest, pk: int) -> HttpResponse:
    """An operator dismisses a report, or silences who wrote the message."""
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
        messages.success(request, _("Decided. Who reported it is told."))
    return redirect("operator_reports")


def _decide(made: Report, operator: User, typed: dict[str, Any]) -> None:
    if typed["action"] == "dismiss":
        manners.dismiss(made, operator, typed["decision"])
        return
    lasts, everywhere = length_of(typed["lasts"]), typed["where"] == "everywhere"
    manners.silence_for(made, operator, typed["reason"], typed["decision"], lasts, everywhere=everywhere)


@private_page
@require_POST
@operators_only
def lift(request: HttpRequest, pk: int) -> HttpResponse:
    """An operator lets somebody write again."""
    operator = cast(User, request.user)
    made = get_object_or_404(Silence.objects.select_related("table"), pk=pk)
    if not _may_decide(operator, made.table):
        raise Http404
    manners.lift(made, operator)
    messages.success(request, _("Lifted."))
    return redirect("operator_reports")
