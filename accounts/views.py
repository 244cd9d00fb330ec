"""One's own page: the name others see, language, time zone, and the ways to sign in."""

import time
from collections.abc import Callable
from copy import copy
from functools import wraps
from typing import Any, Concatenate, ParamSpec, cast

from allauth.account.adapter import get_adapter
from allauth.account.internal.flows.login import record_authentication
from allauth.account.views import BaseReauthenticateView, ConfirmLoginCodeView, LoginView
from allauth.core.internal.httpkit import add_query_params
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.utils.http import url_has_allowed_host_and_scheme, urlencode
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.addresses import address_to_sign_in
from accounts.browsers import known_browser
from accounts.forms import ProfileForm, SignInCodeForm
from accounts.models import User

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]


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
        return redirect(_after_saving(request))
    context = {"form": form, "welcome": welcome}
    return render(request, "accounts/profile.html", context, status=422 if form.errors else 200)


def _after_saving(request: HttpRequest) -> str:
    """To the page for which a name was needed, or where a newcomer begins."""
    following = request.GET.get("next", "")
    if url_has_allowed_host_and_scheme(following, allowed_hosts=None):
        return following
    return "home" if "welcome" in request.GET else "profile"


def name_required(view: View[P]) -> View[P]:
    """A page on which people invite others: first asks those who have chosen no name for one."""

    @wraps(view)
    def shown(request: HttpRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        if cast(User, request.user).name_chosen:
            return view(request, *args, **kwargs)
        messages.info(request, _("Choose your name first. The people you invite will see it."))
        return redirect(f"{reverse('profile')}?{urlencode({'next': request.get_full_path()})}")

    return cast(View[P], shown)


class SignInForView(LoginView):  # type: ignore[misc]  # allauth ships no types
    """The sign-in page as an email's link opens it: with the address of its reader filled in.

    Opening it sends no code and signs nobody in; its form goes to the usual page.
    """

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Answers as to GET: allauth counts the rest as tries to sign in, which scanners would use up."""
        if request.method not in ("GET", "HEAD"):
            return HttpResponseNotAllowed(["GET", "HEAD"])
        looked_at = copy(request)
        looked_at.method = "GET"
        return cast(HttpResponse, super().dispatch(looked_at, *args, **kwargs))

    def get_initial(self) -> dict[str, Any]:
        initial: dict[str, Any] = super().get_initial()
        address = address_to_sign_in(self.kwargs["token"])
        return {**initial, "login": address} if address else initial


class SignInCodeView(ConfirmLoginCodeView):  # type: ignore[misc]  # allauth ships no types
    """Where the code is typed: allauth's page, with the one code that its address has now."""

    def get_form_kwargs(self) -> dict[str, Any]:
        kwargs: dict[str, Any] = super().get_form_kwargs()
        if self._action == "resend":
            return kwargs
        is_account = self._process.user is not None
        known = bool(known_browser(self.request, self._address))
        return {**kwargs, "address": self._address if is_account else "", "by_known_browser": known}

    def form_valid(self, form: Any) -> HttpResponse:
        """Signs in, or sends a code again, which works for 15 minutes from then."""
        if self._action == "resend":
            self._process.state["at"] = time.time()
            if self._process.user is None:  # allauth sends nothing; limits must not tell that
                get_adapter(self.request).send_mail("account/email/unknown_account", self._address, {})
        return cast(HttpResponse, super().form_valid(form))

    @property
    def _address(self) -> str:
        return str(self._process.state["email"])


@method_decorator([login_required, never_cache], name="dispatch")
class CodeReauthenticationView(BaseReauthenticateView):  # type: ignore[misc]
    """Where people without a password or second step show that it is them, by a code to their own address."""

    form_class = SignInCodeForm
    template_name = "account/reauthenticate_code.html"

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Sends a code, or takes the one typed in and goes on with what was held up by this page."""
        if request.POST.get("action") != "send":
            return cast(HttpResponse, super().post(request, *args, **kwargs))
        get_adapter(request).send_mail("account/email/login_code", self._address, {})
        return redirect(add_query_params(self.passthrough_next_url(request.path), {"sent": "1"}))

    def get_form_kwargs(self) -> dict[str, Any]:
        known = bool(known_browser(self.request, self._address))
        return {**super().get_form_kwargs(), "address": self._address, "by_known_browser": known}

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        is_sent = "sent" in self.request.GET
        return {**super().get_context_data(**kwargs), "email": self._address, "is_sent": is_sent}

    def form_valid(self, form: Any) -> HttpResponse:
        """Remembers the proof, for five minutes."""
        record_authentication(self.request, self.request.user, "code", email=self._address)
        return cast(HttpResponse, super().form_valid(form))

    @property
    def _address(self) -> str:
        return cast(User, self.request.user).email
