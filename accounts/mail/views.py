"""Views for unsubscribing, retrying an address, and the operator's captured emails.

A GET request changes nothing.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core import signing
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.mail import subscriptions, suppression, unsubscribe_switches
from accounts.mail.capture import emails_are_captured
from accounts.mail.captured_emails import (
    html_to_show,
    readable_headers,
    reply_address_of,
    reply_to,
    with_links,
)
from accounts.mail.list_names import INVITATIONS
from accounts.mail.models import CapturedEmail
from accounts.mail.own_addresses import NotOurs
from accounts.mail.receiving import Unreadable, receive
from accounts.mail.subscriptions import Subscription, is_unsubscribed, resubscribe
from accounts.mail.unsubscribe_links import read_token
from accounts.mail.unsubscribe_switches import SWITCHES
from accounts.models import User
from accounts.rate_limits import hit

EMAILS_ON_A_PAGE = 50

MOST_TRIED_AGAIN = 3  # per day
_TRIED_AGAIN = "try address again"

T = TypeVar("T")
View = Callable[..., HttpResponse]

# Email styles are inline by nature. Nothing may run or be fetched.
_EMAIL_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; "
    "frame-ancestors 'self'; sandbox allow-popups allow-popups-to-escape-sandbox "
    "allow-top-navigation-by-user-activation"
)


def operators_only(view: View) -> View:
    """Raise Http404 for everyone but operators, so that others do not learn the page exists."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not (request.user.is_active and request.user.is_staff):
            raise Http404
        return view(request, *args, **kwargs)

    return guarded


# The signed token is the proof: a mail program that sends the POST has no cookie (RFC 8058).
@csrf_exempt
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def unsubscribe(request: HttpRequest, token: str) -> HttpResponse:
    """GET shows a button; POST turns the emails off, or on with `again`. Never redirects (RFC 8058)."""
    subscription = _read_or_404(read_token, token)
    if not subscription.address and subscription.list_id not in SWITCHES:
        return _render_by_token(request, "mail/outdated_link.html", {})
    if subscription.list_id in SWITCHES:
        return _turn_off_turn_emails(request, subscription)
    if request.method == "POST":
        change = resubscribe if "again" in request.POST else subscriptions.unsubscribe
        change(subscription)
    context = {
        "subscription": subscription,
        "is_off": is_unsubscribed(subscription.address, subscription.list_id),
        "just_done": request.method == "POST",
        "is_invitations": subscription.list_id == INVITATIONS,
    }
    return _render_by_token(request, "mail/unsubscribe.html", context)


def _turn_off_turn_emails(request: HttpRequest, subscription: Subscription) -> HttpResponse:
    """Show or do the same for turn emails: the first click leaves the daily email, the next one nothing."""
    address, switch = subscription.address, subscription.list_id
    undo_token = unsubscribe_switches.turn_off_switch(address, switch) if request.method == "POST" else ""
    reader = unsubscribe_switches.reader_at(address)
    context = {
        "switch": switch,
        "reader": reader,
        "is_off": reader is not None and unsubscribe_switches.is_turned_off(reader, switch),
        "undo_path": undo_token and unsubscribe_switches.undo_path(undo_token),
    }
    return _render_by_token(request, "mail/fewer_emails.html", context)


@csrf_exempt
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def undo_unsubscribe(request: HttpRequest, token: str) -> HttpResponse:
    """GET shows a button; POST restores the emails that a click turned off."""
    _address, before = _read_or_404(unsubscribe_switches.read_undo_token, token)
    if request.method == "POST":
        unsubscribe_switches.undo(token)
    context = {"before": before, "is_done": request.method == "POST"}
    return _render_by_token(request, "mail/undo.html", context)


def _render_by_token(request: HttpRequest, template: str, context: dict[str, Any]) -> HttpResponse:
    """Render a page with a secret URL, hidden from search engines."""
    response = render(request, template, context)
    response["X-Robots-Tag"] = "noindex"
    return response


@login_required
@require_POST
def try_again(request: HttpRequest) -> HttpResponse:
    """Unsuppress the user's own address; if it fails again, it is suppressed again."""
    user = cast(User, request.user)
    if suppression.suppression_of(user.email) is None:
        messages.info(request, _("Emails already go to your address."))
    elif not hit(_TRIED_AGAIN, str(user.pk), MOST_TRIED_AGAIN):
        messages.error(
            request, _("You tried this too often today. Change your address, or try again tomorrow.")
        )
    else:
        suppression.unsuppress(user.email)
        messages.success(request, _("We’ll send emails to your address again."))
    return redirect("my_emails")


def _read_or_404(reading: Callable[[str], T], token: str) -> T:
    """Return what a token holds. Raises Http404 for tokens that this site did not make."""
    try:
        return reading(token)
    except (signing.BadSignature, ValueError) as error:
        raise Http404(_("This link doesn’t open anything here.")) from error


@operators_only
@never_cache
@require_safe
def captured_emails(request: HttpRequest) -> HttpResponse:
    """List captured emails, newest first; `to` filters by address."""
    to = request.GET.get("to", "").replace("\0", "").strip()
    emails = CapturedEmail.objects.order_by("-pk").defer("text", "html", "headers", "source")
    if to:
        emails = emails.filter(to__icontains=to)
    page = Paginator(emails, EMAILS_ON_A_PAGE).get_page(request.GET.get("page"))
    context = {"page": page, "to": to, "are_captured": emails_are_captured()}
    return render(request, "mail/captured_emails.html", context)


@operators_only
@never_cache
@require_safe
def captured_email(request: HttpRequest, pk: int) -> HttpResponse:
    """Show one captured email: headers, text with links, and its HTML in a frame."""
    email = get_object_or_404(CapturedEmail, pk=pk)
    context = {
        "email": email,
        "headers": readable_headers(email),
        "text": with_links(email.text),
        "reply_address": reply_address_of(email),
    }
    return render(request, "mail/captured_email.html", context)


@operators_only
@never_cache
@require_POST
def reply_to_captured_email(request: HttpRequest, pk: int) -> HttpResponse:
    """Take a reply to a captured email, as if its reader had sent it; its receipt is captured too."""
    email = get_object_or_404(CapturedEmail, pk=pk)
    try:
        receive(reply_address_of(email), reply_to(email, request.POST.get("text", "").replace("\0", "")))
    except (NotOurs, Unreadable):
        messages.error(request, _("The site doesn’t read replies to this email."))
        return redirect("operator_email", pk)
    messages.info(request, _("Your reply was read. Its receipt comes within seconds: reload this page."))
    return redirect(f"{reverse('operator_emails')}?{urlencode({'to': email.to})}")


@operators_only
@never_cache
@require_safe
@xframe_options_sameorigin
def captured_email_html(request: HttpRequest, pk: int) -> HttpResponse:
    """Show only the email's HTML, under a policy that lets nothing run or be fetched."""
    email = get_object_or_404(CapturedEmail, pk=pk)
    if not email.html:
        raise Http404
    return HttpResponse(html_to_show(email), headers={"Content-Security-Policy": _EMAIL_POLICY})
