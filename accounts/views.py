"""One's own page: the name others see, language, time zone, and the ways to sign in."""

from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.forms import ProfileForm
from accounts.models import User


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def profile(request: HttpRequest) -> HttpResponse:
    """Shows and changes one's own profile; what was refused stays in the form beside the reason."""
    user = cast(User, request.user)
    welcome = "welcome" in request.GET and not user.name_chosen
    # A copy of the row, so that a refused name does not appear in the page around the form.
    form = ProfileForm(request.POST or None, instance=User.objects.get(pk=user.pk))
    if request.method == "POST" and form.is_valid():
        with transaction.atomic():
            form.save()
        messages.success(request, _("Saved."))
        return redirect("home" if "welcome" in request.GET else "profile")
    context = {"form": form, "welcome": welcome}
    return render(request, "accounts/profile.html", context, status=422 if form.errors else 200)
