"""Operator sign-in: a link printed by `play` that signs in once, by a button and not by being opened.

With it, the first start needs no password and no mail server.
"""

from datetime import timedelta

from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.auth import login
from django.core import signing
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from accounts import clock
from accounts.addresses import absolute_url
from accounts.models import User
from accounts.sessions import keep_signed_in
from accounts.zones import follow_browser

SALT = "condottiere_site.operator"
AGE = timedelta(days=1)


def operator() -> User:
    """Return the operator's account; created at the first start."""
    user = User.objects.get_or_create_proven(settings.OPERATOR_EMAIL)
    if not (user.is_staff and user.is_superuser):
        user.is_staff = user.is_superuser = True
        user.save(update_fields=["is_staff", "is_superuser"])
    return user


def sign_in_url(user: User) -> str:
    """Return a link that signs this operator in once, within a day."""
    token = signing.dumps([user.pk, _last_sign_in(user)], salt=SALT)
    return absolute_url(reverse("operator_sign_in", args=[token]))


# The token is the secret that a forged form would need, so a CSRF cookie would add nothing.
@csrf_exempt
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def sign_in(request: HttpRequest, token: str) -> HttpResponse:
    """GET shows a button; POST signs in, once. Every wrong, used or old token gets the same response."""
    user = _user_of(token)
    if user is None:
        response = render(request, "site/operator_sign_in.html", {"spent": True}, status=404)
    elif request.method != "POST":
        response = render(request, "site/operator_sign_in.html", {"spent": False})
    elif _sign_in_once(request, user):
        response = redirect("home")
    else:
        response = render(request, "site/operator_sign_in.html", {"spent": True}, status=404)
    response["X-Robots-Tag"] = "noindex"
    return response


def _user_of(token: str) -> User | None:
    try:
        pk, last_sign_in = signing.loads(token, salt=SALT, max_age=AGE)
    except (signing.BadSignature, ValueError):
        return None
    user = User.objects.filter(pk=pk, is_staff=True, is_active=True).first()
    return user if user and constant_time_compare(_last_sign_in(user), last_sign_in) else None


def _last_sign_in(user: User) -> str:
    return user.last_login.isoformat() if user.last_login else ""


@transaction.atomic
def _sign_in_once(request: HttpRequest, user: User) -> bool:
    """Sign in, if the link was not used; on a full disk it stays as it was."""
    if not _spend(user):
        return False
    login(request, user)
    keep_signed_in(request)
    follow_browser(request, user)
    UserSession.objects.create_from_request(request)
    return True


def _spend(user: User) -> bool:
    """Mark the link as used by compare-and-set; of two presses of the same button, only one signs in."""
    unchanged = User.objects.filter(pk=user.pk, last_login=user.last_login)
    return unchanged.update(last_login=clock.now()) == 1
