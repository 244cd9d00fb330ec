"""The page of a person's tokens for programs."""

from __future__ import annotations

from typing import cast

from allauth.account.adapter import get_adapter
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from accounts.api_tokens import MOST_TOKENS, make_token, remove_token
from accounts.forms.api_tokens import NewTokenForm
from accounts.models import User
from accounts.rate_limits import hit

MOST_MADE = 30  # per day


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def my_tokens(request: HttpRequest) -> HttpResponse:
    """List the user's tokens, and make one; only the answer to that shows the token itself."""
    user = cast(User, request.user)
    form = NewTokenForm(request.POST if request.method == "POST" else None)
    made = _make(request, user, form) if request.method == "POST" else ""
    context = {"form": NewTokenForm() if made else form, "made": made, "tokens": user.api_tokens.all()}
    return render(request, "accounts/tokens.html", context, status=422 if form.errors else 200)


def _make(request: HttpRequest, user: User, form: NewTokenForm) -> str:
    """Make the token that a valid form describes and return it; else return nothing: the form says why."""
    if user.api_tokens.count() >= MOST_TOKENS:
        form.refusal = _("You have too many tokens. Remove one first.")
    elif not hit("api_token", str(user.pk), MOST_MADE):
        form.refusal = _("You’ve tried too often today. Try again tomorrow.")
    if not form.is_valid():
        return ""
    chosen = form.cleaned_data
    with transaction.atomic():
        token, text = make_token(user, chosen["name"], chosen["scopes"], chosen["days"])
        notice = {"token_name": token.name}
        get_adapter(request).send_notification_mail("account/email/api_token_made", user, notice)
    return text


@login_required
@require_POST
def remove_my_token(request: HttpRequest) -> HttpResponse:
    """Remove one of the user's tokens; it stops working at once."""
    if remove_token(cast(User, request.user), request.POST.get("token", "")):
        messages.success(request, _("You removed the token. It no longer works."))
    else:
        messages.info(request, _("You don’t have this token."))
    return redirect("my_tokens")
