"""Pages for signing in, and for confirming one's identity."""

from __future__ import annotations

import time
from copy import copy
from typing import Any, cast

from allauth.account.adapter import get_adapter
from allauth.account.internal.flows.login import record_authentication
from allauth.account.views import ConfirmLoginCodeView, LoginView, LogoutView
from allauth.account.views._reauthenticate import BaseReauthenticateView
from allauth.core.internal.httpkit import add_query_params
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import redirect
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache

from accounts.addresses import readable_address
from accounts.forms.signing_in import SignInCodeForm
from accounts.known_browsers import known_browser
from accounts.mail.unsubscribe_links import address_to_sign_in
from accounts.models import User
from accounts.names import clean_name
from accounts.sessions import forget_pages
from accounts.sign_in_codes import networks_of


class SignInForView(LoginView):
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


class SignOutView(LogoutView):
    """allauth's page for signing out, which leaves no page in the browser."""

    def post(self, *args: Any, **kwargs: Any) -> HttpResponse:
        """Sign out."""
        return forget_pages(super().post(*args, **kwargs))


class SignInCodeView(ConfirmLoginCodeView):
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
class CodeReauthenticationView(BaseReauthenticateView):
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
