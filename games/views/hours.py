"""Shared hours of a game's table: propose and answer them, a calendar file of each, and one's presence."""

from __future__ import annotations

from datetime import datetime

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts import clock
from games import services
from games.access import GameAccess, get_game_access, person_of
from games.forms.shared_hours import HoursForm
from games.models import Seat, SharedHour
from games.models.locking import Refused
from games.presenters.calendar_feed import CalendarEntry, calendar_file
from games.private_pages import private_page
from games.selectors.hours import coming_times, hour_rows


@private_page
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def hours(request: HttpRequest, game_id: int) -> HttpResponse:
    """Show the proposed and agreed hours, and propose more; refused input stays in the form."""
    access = get_game_access(request, game_id)
    form = HoursForm(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        try:
            services.propose_hours(access.seat, form.times, is_weekly=form.cleaned_data["weekly"])
        except Refused as refused:
            form.add_error(None, str(refused))
        else:
            messages.success(request, _("You proposed it. We email the others."))
            return redirect("game_hours", game_id)
    return _page(request, access, form)


def _page(request: HttpRequest, access: GameAccess, form: HoursForm) -> HttpResponse:
    table = access.seat.table
    context = {
        "game": access.game,
        "table": table,
        "rows": hour_rows(access.seat, table.all_seats(), access.names, clock.now()),
        "seat": access.seat,
        "form": form,
        "zone": person_of(request).zone,
    }
    return render(request, "games/hours.html", context, status=422 if form.errors else 200)


@private_page
@require_POST
@login_required
def answer(request: HttpRequest, game_id: int, hour_id: int) -> HttpResponse:
    """Accept or decline a proposed hour. Raises Http404 for another table's."""
    access = get_game_access(request, game_id)
    hour = get_object_or_404(SharedHour, pk=hour_id, table=access.game.table_id)
    accepts = request.POST.get("action") == "accept"
    try:
        services.answer_hour(hour, access.seat, accepts=accepts)
    except Refused as refused:
        messages.error(request, str(refused))
    else:
        said = _("You accepted the play date.") if accepts else _("You declined the play date.")
        messages.success(request, said)
    return redirect("game_hours", game_id)


@private_page
@require_POST
@login_required
def presence(request: HttpRequest, game_id: int) -> HttpResponse:
    """Choose whether the others see this player on the page outside shared hours too."""
    access = get_game_access(request, game_id)
    shows = "shows" in request.POST
    Seat.objects.filter(pk=access.seat.pk).update(shows_presence=shows)
    if shows:
        messages.success(request, _("The others at this table now always see when you’re here."))
    else:
        messages.success(request, _("The others see that you’re here only during play dates you agreed to."))
    return redirect("game_hours", game_id)


@private_page
@require_safe
@login_required
def as_file(request: HttpRequest, game_id: int, hour_id: int) -> HttpResponse:
    """Return the coming times of an hour as a calendar file. Raises Http404 for another table's."""
    access = get_game_access(request, game_id)
    hour = get_object_or_404(
        SharedHour.objects.select_related("table"), pk=hour_id, table=access.game.table_id
    )
    now = clock.now()
    moments = [moment_of(hour, *time) for time in coming_times(hour, now)]
    if not moments:
        raise Http404
    body = calendar_file("hour", hour.table.name, moments, now)
    return HttpResponse(
        body,
        content_type="text/calendar; charset=utf-8",
        headers={"Content-Disposition": 'attachment; filename="condottiere.ics"'},
    )


def moment_of(hour: SharedHour, start: datetime, end: datetime) -> CalendarEntry:
    """Return a shared hour as a calendar's entry."""
    # Translators: an entry in a calendar; table is a game's name
    summary = _("Condottiere together: %(table)s") % {"table": hour.table.name}
    key = f"hour-{hour.pk}-{start.timestamp():.0f}"
    return CalendarEntry(key, start, summary, reverse("table", args=[hour.table_id]), end)
