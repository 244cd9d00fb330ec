"""One's own page: the name others see, language, time zone, and the ways to sign in."""

import time
from typing import Any, cast

from allauth.account.adapter import get_adapter
from allauth.account.views import ConfirmLoginCodeView
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.browsers import known_browser
from accounts.forms import ProfileForm
from accounts.models import User


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
        return redirect("home" if "welcome" in request.GET else "profile")
    context = {"form": form, "welcome": welcome}
    return render(request, "accounts/profile.html", context, status=422 if form.errors else 200)


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
