"""Pages of a person's working hours and holidays."""

from __future__ import annotations

from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import pgettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from accounts import availability
from accounts.forms.own_hours import HolidayForm, WorkingHoursForm
from accounts.hours_in_words import week_facts
from accounts.models import User


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def my_hours(request: HttpRequest) -> HttpResponse:
    """Show and change the user's working hours; refused input stays in the form."""
    user = cast(User, request.user)
    form = WorkingHoursForm(user, request.POST if request.method == "POST" else None)
    if form.is_bound and form.change():
        messages.success(request, pgettext("answer to a form", "Saved."))
        return redirect("my_hours")
    return _hours_page(request, form, HolidayForm(user))


@login_required
@require_POST
def announce_holiday(request: HttpRequest) -> HttpResponse:
    """Announce a holiday; refused input stays in the form."""
    user = cast(User, request.user)
    form = HolidayForm(user, request.POST)
    if form.announce():
        messages.success(request, _("Your holiday is added."))
        return redirect("my_hours")
    return _hours_page(request, WorkingHoursForm(user), form)


@login_required
@require_POST
def cancel_holiday(request: HttpRequest, holiday_id: int) -> HttpResponse:
    """Cancel one of the user's holidays, or end it today."""
    availability.cancel_holiday(cast(User, request.user), holiday_id)
    messages.success(request, _("Your time counts again from tomorrow."))
    return redirect("my_hours")


def _hours_page(request: HttpRequest, form: WorkingHoursForm, holiday_form: HolidayForm) -> HttpResponse:
    user = cast(User, request.user)
    holidays = list(availability.standing_holidays(user))
    hours = availability.hours_of_person(user, holidays)
    context = {
        "form": form,
        "holiday_form": holiday_form,
        "week_facts": week_facts(hours),
        "holidays": holidays,
        "today": availability.today_of(user),
        "longest": availability.LONGEST_HOLIDAY,
    }
    status = 422 if form.errors or holiday_form.errors else 200
    return render(request, "accounts/working_hours.html", context, status=status)
