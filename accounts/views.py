"""Views for a user's own account: profile, sign-in, working hours, emails and blocked players."""

from __future__ import annotations

import time
from collections.abc import Callable
from copy import copy
from functools import wraps
from typing import Any, Concatenate, ParamSpec, cast

from allauth.account.adapter import get_adapter
from allauth.account.internal.flows.login import record_authentication
from allauth.account.views import ConfirmLoginCodeView, LoginView
from allauth.account.views._reauthenticate import BaseReauthenticateView
from allauth.core.internal.httpkit import add_query_params
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.utils.http import url_has_allowed_host_and_scheme, urlencode
from django.utils.translation import gettext as _
from django.utils.translation import pgettext, pgettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts import availability, clock
from accounts.addresses import readable_address
from accounts.blocking import block_key, blocks_of, unblock
from accounts.forms import EmailPreferencesForm, HolidayForm, HoursForm, ProfileForm, SignInCodeForm
from accounts.mail.email_kinds import EMAIL_KINDS
from accounts.mail.failure_reasons import why
from accounts.mail.list_names import INVITATIONS
from accounts.mail.models import OutgoingEmail, Unsubscription
from accounts.mail.subscriptions import Subscription, resubscribe
from accounts.mail.unsubscribe_links import address_to_sign_in
from accounts.models import User
from accounts.names import clean_name
from accounts.push.forms import KindsForm, public_key
from accounts.sign_in_codes import known_browser, networks_of
from accounts.times import moment_element, with_times
from accounts.working_hours import week_facts
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
    context = {"form": form, "welcome": welcome, "now": clock.now(), **push}
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


class SignInForView(LoginView):  # type: ignore[misc]  # allauth ships no types
    """The sign-in page opened from an email's link, with its reader's address filled in.

    Opening it sends no code and signs no one in; its form posts to the usual page.
    """

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Refuse all methods but GET and HEAD, and handle HEAD as GET.

        allauth counts the others as sign-in attempts, which mail scanners would use up.
        """
        if request.method not in ("GET", "HEAD"):
            return HttpResponseNotAllowed(["GET", "HEAD"])
        looked_at = copy(request)
        looked_at.method = "GET"
        return cast(HttpResponse, super().dispatch(looked_at, *args, **kwargs))

    def get_initial(self) -> dict[str, Any]:
        initial: dict[str, Any] = super().get_initial()
        address = address_to_sign_in(self.kwargs["token"])
        return {**initial, "login": readable_address(address)} if address else initial


class SignInCodeView(ConfirmLoginCodeView):  # type: ignore[misc]  # allauth ships no types
    """allauth's page for typing the code, checked against the current code of the address."""

    def get_form_kwargs(self) -> dict[str, Any]:
        kwargs: dict[str, Any] = super().get_form_kwargs()
        if self._action == "resend":
            return kwargs
        user = self._process.user
        known = bool(known_browser(self.request, self._address))
        return {
            **kwargs,
            "address": self._address if user is not None else "",
            "by_known_browser": known,
            "networks": networks_of(self.request),
            # Only a browser that has signed in to the account may learn that it has a name.
            "asks_name": not (known and user is not None and user.name_chosen),
        }

    def form_valid(self, form: Any) -> HttpResponse:
        """Sign in, or send a code again, which works for 15 minutes from then."""
        if self._action == "resend":
            self._process.state["at"] = time.time()
            if self._process.user is None:  # allauth sends nothing; the limits must not reveal that
                get_adapter(self.request).send_mail("account/email/unknown_account", self._address, {})
        else:
            self._take_name(form.cleaned_data.get("new_name", ""))
        return cast(HttpResponse, super().form_valid(form))

    def _take_name(self, typed: str) -> None:
        """Give a newcomer the name they typed with the code; their profile asks again for a bad one."""
        user = self._process.user
        if user is None or user.name_chosen or not typed.strip():
            return
        try:
            user.name = clean_name(typed)
        except ValidationError as refusal:
            messages.warning(self.request, refusal.messages[0])
            return
        user.name_chosen = True
        user.save(update_fields=["name", "name_chosen"])

    @property
    def _address(self) -> str:
        return str(self._process.state["email"])


@method_decorator([login_required, never_cache], name="dispatch")
class CodeReauthenticationView(BaseReauthenticateView):  # type: ignore[misc]  # allauth ships no types
    """Identity check by an emailed code, for people without a password or second factor."""

    reauthentication_method = "code"
    form_class = SignInCodeForm
    template_name = "account/reauthenticate_code.html"

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Send a code, or check the typed one and continue to the page that required it."""
        if request.POST.get("action") != "send":
            return cast(HttpResponse, super().post(request, *args, **kwargs))
        get_adapter(request).send_mail("account/email/login_code", self._address, {})
        return redirect(add_query_params(self.passthrough_next_url(request.path), {"sent": "1"}))

    def get_form_kwargs(self) -> dict[str, Any]:
        known = bool(known_browser(self.request, self._address))
        mine = {"address": self._address, "by_known_browser": known, "networks": networks_of(self.request)}
        return {**super().get_form_kwargs(), **mine}

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        is_sent = "sent" in self.request.GET
        return {**super().get_context_data(**kwargs), "email": self._address, "is_sent": is_sent}

    def form_valid(self, form: Any) -> HttpResponse:
        """Remember the identity check for five minutes."""
        record_authentication(
            self.request, self.request.user, "code", email=self._address, reauthenticated=True
        )
        return cast(HttpResponse, super().form_valid(form))

    @property
    def _address(self) -> str:
        return cast(User, self.request.user).email


# Blocked players


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def my_blocks(request: HttpRequest) -> HttpResponse:
    """Show the user's blocks, and remove one."""
    user = cast(User, request.user)
    if request.method == "POST":
        _unblock(request, user)
        return redirect("my_blocks")
    blocks = [(one, block_key(one)) for one in blocks_of(user)]
    return render(request, "accounts/blocks.html", {"blocks": blocks})


def _unblock(request: HttpRequest, user: User) -> None:
    if unblock(user, request.POST.get("block", "")):
        messages.success(request, _("You no longer block this person."))
    else:
        messages.info(request, _("You don't block this person."))


# Working hours, holidays and the calendar feed


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def my_hours(request: HttpRequest) -> HttpResponse:
    """Show and change the user's working hours; refused input stays in the form."""
    user = cast(User, request.user)
    form = HoursForm(user, request.POST if request.method == "POST" else None)
    if form.is_bound and form.change():
        messages.success(request, pgettext("answer to a form", "Saved."))
        return redirect("my_hours")
    return _hours_page(request, form, HolidayForm(user))


@login_required
@require_POST
def announce_holiday(request: HttpRequest) -> HttpResponse:
    """Announce a holiday; refused input stays in the form."""
    user = cast(User, request.user)
    form = HolidayForm(user, request.POST)
    if form.announce():
        messages.success(request, _("Your holiday is added."))
        return redirect("my_hours")
    return _hours_page(request, HoursForm(user), form)


@login_required
@require_POST
def cancel_holiday(request: HttpRequest, holiday_id: int) -> HttpResponse:
    """Cancel one of the user's holidays, or end it today."""
    availability.cancel_holiday(cast(User, request.user), holiday_id)
    messages.success(request, _("Your time counts again from tomorrow."))
    return redirect("my_hours")


@login_required
@require_POST
def feed_address(request: HttpRequest) -> HttpResponse:
    """Create, replace or remove the secret URL of the user's deadline calendar."""
    user = cast(User, request.user)
    if request.POST.get("action") == "end":
        availability.end_feed(user)
        messages.success(request, _("The calendar address no longer works."))
    else:
        availability.make_feed(user)
        messages.success(request, _("Your calendar has a new address. Any older one no longer works."))
    return redirect("profile")


def _hours_page(request: HttpRequest, form: HoursForm, holiday_form: HolidayForm) -> HttpResponse:
    user = cast(User, request.user)
    holidays = list(availability.standing_holidays(user))
    hours = availability.hours_of_person(user, holidays)
    context = {
        "form": form,
        "holiday_form": holiday_form,
        "week_facts": week_facts(hours),
        "holidays": holidays,
        "today": availability.today_of(user),
        "longest": availability.LONGEST_HOLIDAY,
    }
    status = 422 if form.errors or holiday_form.errors else 200
    return render(request, "accounts/working_hours.html", context, status=status)


# Emails to the user: frequency, unsubscriptions and delivery status


EMAILS_ON_A_PAGE = 50

_DELIVERIES = {
    OutgoingEmail.State.SENT: pgettext_lazy("status of an email", "Sent"),
    OutgoingEmail.State.OVERTAKEN: pgettext_lazy("status of an email", "No longer needed"),
    OutgoingEmail.State.UNSUBSCRIBED: pgettext_lazy("status of an email", "Turned off"),
    OutgoingEmail.State.FAILED: pgettext_lazy("status of an email", "Failed"),
    OutgoingEmail.State.BOUNCED: pgettext_lazy("status of an email", "Bounced"),
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
    messages.success(request, _("You'll get these emails again."))
    return redirect("email_preferences")


@login_required
@never_cache
@require_safe
def my_emails(request: HttpRequest) -> HttpResponse:
    """List the delivery status of each email to the user, newest first; only the subject is stored."""
    emails = OutgoingEmail.objects.to_person(cast(User, request.user)).defer("context").order_by("-pk")
    page = Paginator(emails, EMAILS_ON_A_PAGE).get_page(request.GET.get("page"))
    rows = [(email, _name(email), _delivery(email), why(email)) for email in page]
    return render(request, "accounts/emails.html", {"page": page, "rows": rows})


def _name(email: OutgoingEmail) -> str:
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
    return str(_DELIVERIES[state])


def _queued(email: OutgoingEmail) -> str:
    if email.attempts:
        return _("Not sent yet; we'll try again")
    if email.not_before <= clock.now():
        return _("On its way")
    # Translators: at is a time, such as "Friday 6 March, 14:10".
    return with_times(_("Waits until %(at)s"), {"at": moment_element(email.not_before)})


def _unsubscribed(user: User) -> list[Subscription]:
    """Return the lists this person turned off; invitations have a switch of their own."""
    rows = Unsubscription.objects.filter(address=user.email).exclude(list_id=INVITATIONS).order_by("-since")
    return [Subscription(row.address, row.list_id, row.list_name) for row in rows]
