"""One's own page: the name others see, language, time zone, letters, and the ways to sign in."""

from typing import cast

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.forms import ProfileForm
from accounts.models import User
from accounts.post.models import Letter, Silenced
from accounts.post.unsubscribing import INVITATIONS, Subscription, turn_on

LETTERS_ON_A_PAGE = 50

_FATES = {
    Letter.State.QUEUED: gettext_lazy("waiting"),
    Letter.State.SENT: gettext_lazy("sent"),
    Letter.State.OVERTAKEN: gettext_lazy("no longer needed"),
    Letter.State.UNSUBSCRIBED: gettext_lazy("turned off"),
    Letter.State.FAILED: gettext_lazy("failed"),
}


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


@login_required
@never_cache
@require_safe
def my_letters(request: HttpRequest) -> HttpResponse:
    """What became of each letter to oneself, newest first; what they said is not kept."""
    letters = Letter.objects.to_person(cast(User, request.user)).defer("about").order_by("-pk")
    page = Paginator(letters, LETTERS_ON_A_PAGE).get_page(request.GET.get("page"))
    names = settings.LETTER_NAMES
    rows = [
        (letter, names.get(letter.kind, _("Letter")), _FATES[Letter.State(letter.state)]) for letter in page
    ]
    return render(request, "accounts/letters.html", {"page": page, "rows": rows})


def _silenced(user: User) -> list[Subscription]:
    """The lists this person turned off; invitations have a switch of their own."""
    rows = Silenced.objects.filter(address=user.email).exclude(list_id=INVITATIONS).order_by("-since")
    return [Subscription(row.address, row.list_id, row.list_name) for row in rows]
