"""Pages of a person's own profile and of their calendar's address."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, cast

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme, urlencode
from django.utils.translation import gettext as _
from django.utils.translation import pgettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from accounts import calendar_address, clock
from accounts.forms.profile import ProfileForm
from accounts.models import User
from accounts.push.forms import KindsForm, public_key
from accounts.zones import follow_browser

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def profile(request: HttpRequest) -> HttpResponse:
    """Show and change the user's own profile; refused input stays in the form with the reason."""
    user = cast(User, request.user)
    welcome = "welcome" in request.GET and not user.name_chosen
    if request.method == "POST":
        follow_browser(request, user)
    # A copy of the row, so that a refused name does not appear in the page around the form.
    form = ProfileForm(request.POST or None, instance=User.objects.get(pk=user.pk))
    if request.method == "POST" and form.is_valid():
        with transaction.atomic():
            form.save()
        messages.success(request, pgettext("answer to a form", "Saved."))
        return redirect(_after_saving(request))
    push = {"push_key": public_key(), "push_form": KindsForm(user)}
    context = {"form": form, "welcome": welcome, "now": clock.now(), "can_install": settings.IS_HTTPS, **push}
    return render(request, "accounts/profile.html", context, status=422 if form.errors else 200)


def _after_saving(request: HttpRequest) -> str:
    """Return the page that required a name, or where a new user starts."""
    following = request.GET.get("next", "")
    if url_has_allowed_host_and_scheme(following, allowed_hosts=None):
        return following
    return "home" if "welcome" in request.GET else "profile"


def name_required(view: View[P]) -> View[P]:
    """Require a chosen name for a view; send users without one to their profile first."""

    @wraps(view)
    def shown(request: HttpRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        if cast(User, request.user).name_chosen:
            return view(request, *args, **kwargs)
        messages.info(request, _("Choose your name first. The people you invite will see it."))
        return redirect(f"{reverse('profile')}?{urlencode({'next': request.get_full_path()})}")

    return cast(View[P], shown)


@login_required
@require_POST
def feed_address(request: HttpRequest) -> HttpResponse:
    """Create, replace or remove the secret URL of the user's deadline calendar."""
    user = cast(User, request.user)
    if request.POST.get("action") == "end":
        calendar_address.end_feed(user)
        messages.success(request, _("The calendar address no longer works."))
    else:
        calendar_address.make_feed(user)
        messages.success(request, _("Your calendar has a new address. Any older one no longer works."))
    return redirect("profile")
