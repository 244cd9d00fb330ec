"""Pages of the emails to a person: how often they come, lists turned off, and the status of each."""

from __future__ import annotations

from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import pgettext, pgettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts import clock
from accounts.forms.preferences import EmailPreferencesForm
from accounts.mail.email_kinds import EMAIL_KINDS
from accounts.mail.failure_reasons import MARKED_AS_SPAM, UNSUBSCRIBED, why
from accounts.mail.list_names import INVITATIONS
from accounts.mail.models import OutgoingEmail, Unsubscription
from accounts.mail.subscriptions import Subscription, resubscribe
from accounts.models import User
from accounts.time_elements import moment_element, with_times

EMAILS_ON_A_PAGE = 50

_DELIVERIES = {
    OutgoingEmail.State.SENT: pgettext_lazy("status of an email", "Sent"),
    OutgoingEmail.State.OVERTAKEN: pgettext_lazy("status of an email", "No longer needed"),
    OutgoingEmail.State.UNSUBSCRIBED: pgettext_lazy("status of an email", "Turned off"),
    OutgoingEmail.State.FAILED: pgettext_lazy("status of an email", "Failed"),
    OutgoingEmail.State.BOUNCED: pgettext_lazy("status of an email", "Bounced"),
}
# Emails that arrived, but are recorded as bounced.
_UNWANTED = {
    MARKED_AS_SPAM: pgettext_lazy("status of an email", "Marked as spam"),
    UNSUBSCRIBED: pgettext_lazy("status of an email", "Unsubscribed"),
}


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def email_preferences(request: HttpRequest) -> HttpResponse:
    """Show and change the email preferences; refused input stays in the form."""
    user = cast(User, request.user)
    form = EmailPreferencesForm(request.POST or None, instance=User.objects.get(pk=user.pk))
    if request.method == "POST" and form.is_valid():
        form.save()
        messages.success(request, pgettext("answer to a form", "Saved."))
        return redirect("email_preferences")
    context = {"form": form, "unsubscribed": _unsubscribed(user)}
    return render(request, "accounts/email_preferences.html", context, status=422 if form.errors else 200)


@login_required
@require_POST
def turn_on_emails(request: HttpRequest) -> HttpResponse:
    """Resubscribe the user's own address to one list."""
    user = cast(User, request.user)
    resubscribe(Subscription(user.email, request.POST.get("list_id", ""), ""))
    messages.success(request, _("You’ll get these emails again."))
    return redirect("email_preferences")


@login_required
@never_cache
@require_safe
def my_emails(request: HttpRequest) -> HttpResponse:
    """List the delivery status of each email to the user, newest first; only the subject is stored."""
    emails = OutgoingEmail.objects.to_person(cast(User, request.user)).defer("context").order_by("-pk")
    page = Paginator(emails, EMAILS_ON_A_PAGE).get_page(request.GET.get("page"))
    rows = [(email, _name_of_kind(email), _delivery(email), why(email)) for email in page]
    return render(request, "accounts/emails.html", {"page": page, "rows": rows})


def _name_of_kind(email: OutgoingEmail) -> str:
    """Return the name of an email's kind; rows of a kind that was removed are still listed."""
    kind = EMAIL_KINDS.get(email.kind)
    return str(kind.name) if kind else pgettext("an email of an unknown kind", "Email")


def _delivery(email: OutgoingEmail) -> str:
    """Return the delivery status of an email, with its time in the reader's zone."""
    state = OutgoingEmail.State(email.state)
    if state == OutgoingEmail.State.QUEUED:
        return _queued(email)
    if state == OutgoingEmail.State.SENT and email.sent_at is not None:
        # Translators: at is a time, such as "Friday 6 March, 14:10".
        return with_times(_("Sent %(at)s"), {"at": moment_element(email.sent_at)})
    if state == OutgoingEmail.State.BOUNCED and email.last_error in _UNWANTED:
        return str(_UNWANTED[email.last_error])
    return str(_DELIVERIES[state])


def _queued(email: OutgoingEmail) -> str:
    if email.attempts:
        return _("Not sent yet; we’ll try again")
    if email.not_before <= clock.now():
        return _("On its way")
    # Translators: at is a time, such as "Friday 6 March, 14:10".
    return with_times(_("Waits until %(at)s"), {"at": moment_element(email.not_before)})


def _unsubscribed(user: User) -> list[Subscription]:
    """Return the lists this person turned off; invitations have a switch of their own."""
    rows = Unsubscription.objects.filter(address=user.email).exclude(list_id=INVITATIONS).order_by("-since")
    return [Subscription(row.address, row.list_id, row.list_name) for row in rows]
