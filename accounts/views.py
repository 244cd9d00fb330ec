"""One's own page: the name others see, language, time zone, letters, and the ways to sign in."""

from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from accounts.forms import ProfileForm
from accounts.models import User
from accounts.post.models import Silenced
from accounts.post.unsubscribing import Subscription, turn_on


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
        form.save()
        messages.success(request, _("Saved."))
        return redirect("home" if "welcome" in request.GET else "profile")
    context = {"form": form, "welcome": welcome, "silenced": _silenced(user)}
    return render(request, "accounts/profile.html", context, status=422 if form.errors else 200)


@login_required
@require_POST
def turn_on_letters(request: HttpRequest) -> HttpResponse:
    """Lets the letters of one list come again to one's own address."""
    user = cast(User, request.user)
    turn_on(Subscription(user.email, request.POST.get("list_id", ""), ""))
    messages.success(request, _("These letters come to you again."))
    return redirect("profile")


def _silenced(user: User) -> QuerySet[Silenced]:
    return Silenced.objects.filter(address=user.email).order_by("-since")
