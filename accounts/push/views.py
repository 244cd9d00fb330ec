"""Views for push notifications: a person's browsers, and what was shown."""

from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.utils.translation import pgettext
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from accounts import clock, tokens
from accounts.models import User
from accounts.push.forms import BrowserForm, KindsForm
from accounts.push.models import Push, PushSubscription
from accounts.push.public_hosts import NotPublic, require_public
from accounts.push.sending import SHOWN
from accounts.push.signing_out import remember
from accounts.rate_limits import hit

MOST_BROWSERS = 10
MOST_ADDED = 30  # per day


@login_required
@require_POST
def add(request: HttpRequest) -> HttpResponse:
    """Add the browser that the form describes; its earlier owner, if any, gets no more there."""
    user, form = cast(User, request.user), BrowserForm(request.POST)
    try:
        if not hit("push", str(user.pk), MOST_ADDED) or not form.is_valid():
            raise NotPublic("not a browser's address")
        require_public(form.cleaned_data["endpoint"])
    except NotPublic:
        messages.error(request, _("We can’t reach this browser. Try again, or use another one."))
        return redirect("profile")
    remember(request.session, _keep_browser(user, form))
    messages.success(request, _("This browser now shows notifications."))
    return redirect("profile")


@transaction.atomic
def _keep_browser(user: User, form: BrowserForm) -> PushSubscription:
    found = dict(form.cleaned_data)
    PushSubscription.objects.filter(endpoint=found["endpoint"]).exclude(user=user).delete()
    if not user.push_subscriptions.exists() and not user.push_kinds:
        user.push_kinds = list(Push.Kind.values)
        user.save(update_fields=["push_kinds"])
    browser, _made = PushSubscription.objects.update_or_create(
        endpoint=found.pop("endpoint"), defaults={"user": user, **found}
    )
    kept = user.push_subscriptions.order_by("-pk")[:MOST_BROWSERS]
    user.push_subscriptions.exclude(pk__in=list(kept.values_list("pk", flat=True))).delete()
    return browser


@login_required
@require_POST
def choose(request: HttpRequest) -> HttpResponse:
    """Save what the person wants notifications of."""
    form = KindsForm(cast(User, request.user), request.POST)
    if form.is_valid():
        form.save()
        messages.success(request, pgettext("answer to a form", "Saved."))
    return redirect("profile")


@login_required
@require_POST
def remove(request: HttpRequest, browser_id: int) -> HttpResponse:
    """Send no more to one of the person's browsers."""
    get_object_or_404(PushSubscription, pk=browser_id, user=cast(User, request.user)).delete()
    messages.success(request, _("That browser gets no more notifications."))
    return redirect("profile")


# The signed token is the proof: the service worker has no form.
@csrf_exempt
@require_POST
def shown(request: HttpRequest, token: str) -> HttpResponse:
    """Record that a browser has shown a notification."""
    try:
        (pk,) = tokens.read_numbers(SHOWN, token, 1)
    except tokens.BadToken as error:
        raise Http404 from error
    Push.objects.filter(pk=pk, shown_at=None).update(shown_at=clock.now())
    return HttpResponse(status=204)
