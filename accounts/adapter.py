"""Adapters between django-allauth and this site: emails go to the outbox, new users to their profile."""

import time
import uuid
from datetime import datetime
from typing import Any, ClassVar
from urllib.parse import urlsplit

from allauth.account import app_settings
from allauth.account.adapter import DefaultAccountAdapter, get_adapter
from allauth.account.authentication import get_authentication_records
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest
from django.shortcuts import render
from django.urls import reverse
from django.utils import translation
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts import sign_in_codes
from accounts.addresses import normal_address
from accounts.code_requests import ASKED_FOR, hit_emails_to, hit_requests, too_many_emails, too_many_requests
from accounts.forms.signing_in import too_many_tries
from accounts.known_browsers import known_browser, names_of, remember_browser
from accounts.mail import outbox, suppression
from accounts.mail.privacy import account_emails_of
from accounts.models import User
from accounts.own_name import site_name
from accounts.sessions import hold_address, keep_signed_in
from accounts.zones import follow_browser

_TOO_MANY = "too_many_login_attempts"
_NOT_THE_CODE = _("That’s not the right code. Check it and try again.")
_CONFIRM_FIRST = _("Confirm your email address first.")
# allauth context that emails may use. Its links are left out: they are built from the request's Host.
_SIGN_IN_PAGES = frozenset({"account_login", "account_confirm_login_code", "account_reauthenticate_code"})
_SAID = frozenset(
    {
        "code",
        "ip",
        "user_agent",
        "timestamp",
        "from_email",
        "to_email",
        "deleted_email",
        "token_name",
        "bot_name",
    }
)


class AccountAdapter(DefaultAccountAdapter):
    """allauth adapter that queues account emails, so that no request waits for a mail server."""

    error_messages: ClassVar[dict[str, Any]] = {
        **DefaultAccountAdapter.error_messages,
        _TOO_MANY: _("Too many attempts in a short time. Wait a few minutes, then try again."),
        "rate_limited": _("Too many attempts in a short time. Wait a few minutes, then try again."),
        "incorrect_code": _NOT_THE_CODE,
        "email_password_mismatch": _("The email address or the password is wrong. Check both and try again."),
        "account_inactive": _("This account is closed."),
        "cannot_remove_primary_email": _("You can’t remove this address, because your emails go there."),
        "duplicate_email": _("Your account already has this address."),
        "email_taken": _("Another account already has this email address."),
        "enter_current_password": _("That’s not your current password. Try again."),
        "incorrect_password": _("That’s not your password. Try again."),
        "invalid_login": _("The email address or the password is wrong. Check both and try again."),
        "invalid_or_expired_key": _("This link or code no longer works. Ask for a new one."),
        "invalid_password_reset": _("This link or code no longer works. Ask for a new one."),
        "max_email_addresses": _(
            "Your account has its maximum of email addresses, which is %d. Remove one first."
        ),
        "unknown_email": _("No account has this email address. Check the address."),
        "unverified_primary_email": _CONFIRM_FIRST,
        "select_only_one": _("Choose only one."),
        "same_as_current": _("That’s the same as before. Nothing was changed."),
    }

    def add_message(self, request: HttpRequest, level: int, *args: Any, **kwargs: Any) -> None:
        """Replace allauth's message after the last wrong code: here a new code can be requested at once."""
        if kwargs.get("message") is self.error_messages[_TOO_MANY]:
            kwargs["message"] = _("That wasn’t the right code. Ask for a new one here.")
        super().add_message(request, level, *args, **kwargs)

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Queue the email with plain values; a code it carries is deleted once it is sent.

        Too many sign-in codes cause a message on the page; too many other emails, a page with status 429.
        """
        hold_address(self.request)
        name = template_prefix.rpartition("/")[2]
        if name in ("login_code", "unknown_account") and self._is_signing_in():
            code = self._code_to_send(email)
            if not code:
                return
            context = {**context, "code": code}
        elif name in ASKED_FOR:
            self._refuse_too_many(email)
        browser, system = names_of(self.request.headers.get("User-Agent", ""))
        stored = {
            "notice": name,
            "email": email,
            "language": translation.get_language() or settings.LANGUAGE_CODE,
            "browser": browser,
            "system": system,
            **{name: _plain(value) for name, value in context.items() if name in _SAID},
        }
        key = f"{account_emails_of(_owner(self.request, email))}{uuid.uuid4()}"
        outbox.queue("account", to=email, key=key, context=stored, forgets=True)

    def _is_signing_in(self) -> bool:
        page = self.request.resolver_match
        return page is not None and page.url_name in _SIGN_IN_PAGES

    def _code_to_send(self, email: str) -> str:
        """Return the code to send now, or "" after adding a message that says why none is sent."""
        if not hit_requests(self.request, email):
            messages.warning(self.request, too_many_requests())
            return ""
        issued = sign_in_codes.issue(
            email, self.generate_login_code(), by_known_browser=bool(known_browser(self.request, email))
        )
        if issued.is_used_up:
            messages.warning(self.request, too_many_tries(email))
        elif not issued.is_sent:
            messages.info(
                self.request,
                _("We’ve just sent this address several emails. Use the code in the newest one."),
            )
        return issued.code if issued.is_sent else ""

    def _refuse_too_many(self, email: str) -> None:
        if not hit_requests(self.request, email):
            sentence = too_many_requests()
        elif not known_browser(self.request, email) and not hit_emails_to(email):
            sentence = too_many_emails()
        else:
            return
        raise ImmediateHttpResponse(render(self.request, "429.html", {"sentence": sentence}, status=429))

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        """Count wrong passwords separately for a browser that is known for the account."""
        key: str = super()._get_login_attempts_cache_key(request, **credentials)
        return f"{key}:{known_browser(request, credentials.get('email', ''))}"

    def is_safe_url(self, url: str) -> bool:
        """Return whether a URL is safe after signing in: on this site, by the host name of the request.

        allauth also accepts every name in ALLOWED_HOSTS, including the reader's own machine.
        """
        here = {self.request.get_host(), urlsplit(settings.SITE_URL).netloc}
        return url_has_allowed_host_and_scheme(url, allowed_hosts=here)

    def post_login(self, request: HttpRequest, user: Any, **what: Any) -> Any:
        """Send emails again where one has just arrived; remember the browser and its time zone."""
        records = get_authentication_records(request, user)
        codes = (record.get("email") for record in records if record.get("method") == "code")
        suppression.end_failures(*filter(None, codes))
        follow_browser(request, user)
        keep_signed_in(request)
        response = super().post_login(request, user, **what)
        remember_browser(request, response, user)
        return response

    def get_reauthentication_methods(self, user: Any) -> list[dict[str, Any]]:
        """Return password and second factor; for people who have neither, a code by email.

        allauth would accept a code from everyone, which is less than a password or a second factor.
        """
        methods: list[dict[str, Any]] = super().get_reauthentication_methods(user)
        stronger = [method for method in methods if method["id"] != "reauthenticate_by_code"]
        if stronger or not isinstance(user, User):
            return stronger
        url = reverse("account_reauthenticate_code")
        return [{"id": "code", "description": _("Email me a code"), "url": url}]

    def is_reauthentication_required(self, *, app: str, **options: Any) -> bool:
        """Return whether people must confirm their identity before this change.

        For people who have only codes, the one they have just signed in with is enough.
        """
        if has_only_codes(self.request.user) and _has_just_typed_a_code(self.request):
            return False
        return bool(super().is_reauthentication_required(app=app, **options))

    def confirm_email(self, request: HttpRequest, email_address: Any) -> bool:
        """Confirm an address by its code and unsuppress it."""
        confirmed = bool(super().confirm_email(request, email_address))
        if confirmed:
            suppression.unsuppress(email_address.email)
        return confirmed

    def get_login_redirect_url(self, request: HttpRequest) -> str:
        """Send users without a chosen name to their profile, everyone else on as usual."""
        if not getattr(request.user, "name_chosen", True):
            return welcome_path()
        url: str = super().get_login_redirect_url(request)
        return url

    def get_signup_redirect_url(self, request: HttpRequest) -> str:
        """Send a new user to the profile to choose a name."""
        return welcome_path()

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        """Return to the profile, which has the password link."""
        return reverse("profile")


class SecondStepAdapter(DefaultMFAAdapter):
    """Error texts and names for second factors and passkeys."""

    error_messages: ClassVar[dict[str, Any]] = {
        **DefaultMFAAdapter.error_messages,
        "add_email_blocked": _("You can’t add an email address while two-step sign-in is on."),
        "cannot_delete_authenticator": _("Two-step sign-in can’t be turned off."),
        "cannot_generate_recovery_codes": _("Turn on two-step sign-in before you make recovery codes."),
        "incorrect_code": _NOT_THE_CODE,
        "unverified_email": _CONFIRM_FIRST,
    }

    def get_totp_issuer(self) -> str:
        """Return the site's name, under which an app lists its codes."""
        return site_name()

    def generate_authenticator_name(self, user: Any, kind: str) -> str:
        """Return a default name for a new key, which its owner may change."""
        # Translators: the name of a key for signing in; n is a running number.
        return gettext("Key %(n)d") % {"n": Authenticator.objects.filter(user=user, type=kind).count() + 1}


def has_only_codes(user: Any) -> bool:
    """Return whether someone can confirm their identity by an emailed code alone."""
    return [method["id"] for method in get_adapter().get_reauthentication_methods(user)] == ["code"]


def _has_just_typed_a_code(request: HttpRequest) -> bool:
    records = get_authentication_records(request, request.user)
    times = [record["at"] for record in records if record["method"] == "code"]
    return bool(times) and time.time() - times[-1] < app_settings.REAUTHENTICATION_TIMEOUT


def welcome_path() -> str:
    """Return the path of the profile as a new user first sees it."""
    return f"{reverse('profile')}?welcome=1"


def _owner(request: HttpRequest, email: str) -> int | None:
    """Return the id of the account an email is about; its address may change before the account is erased."""
    if isinstance(request.user, User):
        return request.user.pk
    return User.objects.filter(email=normal_address(email)).values_list("pk", flat=True).first()


def _plain(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)
