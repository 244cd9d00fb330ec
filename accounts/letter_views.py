"""Letters to oneself: how often they come, which are turned off, and what became of each."""

from __future__ import annotations

from datetime import datetime
from typing import cast

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts import present
from accounts.letter_forms import LetterPreferencesForm
from accounts.models import User
from accounts.post.models import Letter, Silenced
from accounts.post.reasons import why
from accounts.post.unsubscribing import INVITATIONS, Subscription, turn_on

LETTERS_ON_A_PAGE = 50

_FATES = {
    Letter.State.SENT: gettext_lazy("sent"),
    Letter.State.OVERTAKEN: gettext_lazy("no longer needed"),
    Letter.State.UNSUBSCRIBED: gettext_lazy("turned off"),
    Letter.State.FAILED: gettext_lazy("failed"),
    Letter.State.BOUNCED: gettext_lazy("came back"),
}


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def letter_preferences(request: HttpRequest) -> HttpResponse:
    """Shows and changes how often letters come and what they say; what was refused stays in the form."""
    user = cast(User, request.user)
    form = LetterPreferencesForm(request.POST or None, instance=User.objects.get(pk=user.pk))
    if request.method == "POST" and form.is_valid():
        form.save()
        messages.success(request, _("Saved."))
        return redirect("letter_preferences")
    context = {"form": form, "silenced": _silenced(user)}
    return render(request, "accounts/letter_preferences.html", context, status=422 if form.errors else 200)


@login_required
@require_POST
def turn_on_letters(request: HttpRequest) -> HttpResponse:
    """Lets the letters of one list come again to one's own address."""
    user = cast(User, request.user)
    turn_on(Subscription(user.email, request.POST.get("list_id", ""), ""))
    messages.success(request, _("These letters come to you again."))
    return redirect("letter_preferences")


@login_required
@never_cache
@require_safe
def my_letters(request: HttpRequest) -> HttpResponse:
    """What became of each letter to oneself, newest first; only its subject is kept of what it said."""
    letters = Letter.objects.to_person(cast(User, request.user)).defer("about").order_by("-pk")
    page = Paginator(letters, LETTERS_ON_A_PAGE).get_page(request.GET.get("page"))
    names = settings.LETTER_NAMES
    rows = [(letter, names.get(letter.kind, _("Letter")), _fate(letter), why(letter)) for letter in page]
    return render(request, "accounts/letters.html", {"page": page, "rows": rows})


def _fate(letter: Letter) -> str:
    """What became of a letter, and when, in the reader's own zone."""
    state = Letter.State(letter.state)
    if state == Letter.State.QUEUED:
        return _queued(letter)
    if state == Letter.State.SENT and letter.sent_at is not None:
        return _("sent %(at)s") % {"at": _moment(letter.sent_at)}
    return str(_FATES[state])


def _queued(letter: Letter) -> str:
    if letter.attempts:
        return _("could not be sent yet, is tried again")
    if letter.not_before <= present.now():
        return _("on its way")
    return _("waits until %(at)s") % {"at": _moment(letter.not_before)}


def _moment(at: datetime) -> str:
    return date_format(localtime(at), "SHORT_DATETIME_FORMAT")


def _silenced(user: User) -> list[Subscription]:
    """The lists this person turned off; invitations have a switch of their own."""
    rows = Silenced.objects.filter(address=user.email).exclude(list_id=INVITATIONS).order_by("-since")
    return [Subscription(row.address, row.list_id, row.list_name) for row in rows]
