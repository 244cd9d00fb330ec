"""One's own calendar: the page of quiet hours, days off and holidays, and the address that other programs
read deadlines from."""

from __future__ import annotations

from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from accounts import availability
from accounts.hours_forms import HolidayForm, HoursForm
from accounts.hours_in_words import told_hours, told_week
from accounts.models import User


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def my_hours(request: HttpRequest) -> HttpResponse:
    """Shows and changes what of each day and week is counted; what was refused stays in the form."""
    user = cast(User, request.user)
    form = HoursForm(user, request.POST if request.method == "POST" else None)
    if form.is_bound and form.change():
        messages.success(request, _("Saved."))
        return redirect("my_hours")
    return _page(request, form, HolidayForm(user))


@login_required
@require_POST
def announce_holiday(request: HttpRequest) -> HttpResponse:
    """Announces a holiday; what was refused stays in the form."""
    user = cast(User, request.user)
    form = HolidayForm(user, request.POST)
    if form.announce():
        messages.success(request, _("Your holiday is announced."))
        return redirect("my_hours")
    return _page(request, HoursForm(user), form)


@login_required
@require_POST
def cancel_holiday(request: HttpRequest, holiday_id: int) -> HttpResponse:
    """Takes back a holiday of one's own, or ends it today."""
    availability.cancel_holiday(cast(User, request.user), holiday_id)
    messages.success(request, _("From tomorrow on that holiday is not counted as one."))
    return redirect("my_hours")


@login_required
@require_POST
def feed_address(request: HttpRequest) -> HttpResponse:
    """Makes, replaces or ends the secret address of one's deadlines."""
    user = cast(User, request.user)
    if request.POST.get("action") == "end":
        availability.end_feed(user)
        messages.success(request, _("The calendar's address opens nothing any more."))
    else:
        availability.make_feed(user)
        messages.success(request, _("Your calendar has a new address; an older one opens nothing any more."))
    return redirect("profile")


def _page(request: HttpRequest, form: HoursForm, holiday_form: HolidayForm) -> HttpResponse:
    user = cast(User, request.user)
    holidays = list(availability.standing_holidays(user))
    hours = availability.hours_of_person(user, holidays)
    context = {
        "form": form,
        "holiday_form": holiday_form,
        "told": told_hours(hours),
        "week": told_week(hours),
        "holidays": holidays,
        "today": availability.today_of(user),
        "longest": availability.LONGEST_HOLIDAY,
    }
    status = 422 if form.errors or holiday_form.errors else 200
    return render(request, "accounts/hours.html", context, status=status)
