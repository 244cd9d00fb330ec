"""Export and erase everything about one person, across all apps.

Each app's own functions do it (accounts/personal_data.py). Nothing here may touch their rows.
"""

from typing import Any, cast
from urllib.parse import urlencode

from allauth.account.adapter import get_adapter
from allauth.account.internal.flows.reauthentication import did_recently_reauthenticate
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.core import signing
from django.db import transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts import clock
from accounts.adapter import has_only_codes
from accounts.addresses import normal_address
from accounts.bots import locked_bots_of
from accounts.mail import sent_words
from accounts.mail.capture import emails_are_captured
from accounts.mail.outbox import queue
from accounts.mail.privacy import CAPTURED_EMAILS_LAST, DELIVERY_RECORDS_LAST
from accounts.models import User
from accounts.personal_data import erase_personal_data, export_personal_data
from accounts.rate_limits import hit
from accounts.sessions import forget_pages

MOST_EXPORTS = 10
_SALT = "condottiere_site.privacy.delete"


def everything_about(user: User) -> dict[str, Any]:
    """Return everything stored about this person as plain values; no secrets, no one else's moves."""
    return {"made_at": clock.now(), "site": settings.SITE_URL} | export_personal_data(user)


@transaction.atomic
def erase(user: User, *, with_words: bool = False) -> None:
    """Delete what may be deleted, empty the account and queue a confirmation email. Safe to repeat.

    `with_words` also redacts everything they wrote in what others can still read (GDPR, article 17).
    """
    # no_key: rows that reference this user at the same moment are not blocked, and do not block this.
    locked = User.objects.select_for_update(no_key=True).get(pk=user.pk)
    if locked.deleted_at is not None:
        return
    address = locked.email
    erase_personal_data([*locked_bots_of(locked), locked], with_words=with_words)
    queue(
        "account",
        to=address,
        key=f"account-deleted-{user.pk}",
        context={"notice": "account_deleted", "language": translation.get_language()},
        forgets=True,
        forgets_address=True,
    )


@never_cache
@login_required
@require_POST
def export_me(request: HttpRequest) -> HttpResponse:
    """Return a JSON file with everything about the user, at most MOST_EXPORTS times a day."""
    user = cast(User, request.user)
    if not hit("export", str(user.pk), MOST_EXPORTS):
        sentence = ngettext(
            "You have downloaded this file %(count)d time today. Try again tomorrow.",
            "You have downloaded this file %(count)d times today. Try again tomorrow.",
            MOST_EXPORTS,
        ) % {"count": MOST_EXPORTS}
        return render(request, "429.html", {"sentence": sentence}, status=429)
    name = f"condottiere-{clock.now():%Y-%m-%d}.json"
    return JsonResponse(
        everything_about(user),
        json_dumps_params={"ensure_ascii": False, "indent": 2},
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def delete_me(request: HttpRequest) -> HttpResponse:
    """GET shows what will be deleted and what stays; POST deletes, if the user typed their address.

    People with a password or a second factor confirm it first. A second POST shows the same confirmation.
    """
    if not isinstance(request.user, User):
        return _redirect_deleted(request) if _was_deleted(request) else redirect_to_login(request.path)
    user = request.user
    must_prove = not has_only_codes(user) and not did_recently_reauthenticate(request)
    if request.method == "POST" and must_prove:
        return redirect(_proof_path(user))
    typed = request.POST.get("email", "")
    if request.method == "POST" and normal_address(typed) == normal_address(user.email):
        return _delete_account(request, user)
    context = {
        "proof_path": _proof_path(user) if must_prove else "",
        "typed": typed,
        "takes_words": "words" in request.POST,
        "is_wrong": request.method == "POST",
        "token": signing.dumps(user.pk, salt=_SALT),
    }
    return render(request, "accounts/delete.html", context, status=422 if context["is_wrong"] else 200)


def _delete_account(request: HttpRequest, user: User) -> HttpResponse:
    erase(user, with_words="words" in request.POST)
    logout(request)
    return forget_pages(_redirect_deleted(request))


def _redirect_deleted(request: HttpRequest) -> HttpResponse:
    messages.success(request, _("Your account is deleted. We have sent you an email to confirm it."))
    return redirect("home")


def _was_deleted(request: HttpRequest) -> bool:
    """Return whether this form's account was deleted by an earlier POST."""
    try:
        pk = signing.loads(request.POST.get("token", ""), salt=_SALT)
    except signing.BadSignature:
        return False
    return User.objects.filter(pk=pk, deleted_at__isnull=False).exists()


def _proof_path(user: User) -> str:
    """Return the path of the identity check, which leads back to this page."""
    way: str = get_adapter().get_reauthentication_methods(user)[0]["url"]
    return f"{way}?{urlencode({'next': reverse('delete_me')})}"


@require_safe
def privacy(request: HttpRequest) -> HttpResponse:
    """Show what the site stores, why, for how long and who can see it."""
    lasts = {
        "delivery": DELIVERY_RECORDS_LAST.days,
        "captured": CAPTURED_EMAILS_LAST.days,
        "quotable": sent_words.lasts().days,
        "session": settings.SESSION_COOKIE_AGE // 86_400,
        "exports": MOST_EXPORTS,
        "are_captured": emails_are_captured(),
    }
    return render(request, "site/privacy.html", lasts)
